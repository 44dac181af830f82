"""Answers for labels that change while somebody waits."""

from collections.abc import Iterator

from sskpca._transduction.answer import Transduction, Unanswered, transduce
from sskpca._transduction.labels import Labels

__all__ = ["answers"]


def answers(answer: Transduction | Unanswered, labels: Labels, *, n_jobs: int | None = None) -> Iterator[Transduction]:
    """Yield answers for new labels, the last of which equals a refit.

    Parameters
    ----------
    answer : Transduction or Unanswered
        For earlier labels of the same rows.
    labels : Labels
        Of at least two classes.
    n_jobs : int, optional
        Number of threads.
    """
    yield transduce(answer.geometry, labels, answer.method, n_jobs=n_jobs)
