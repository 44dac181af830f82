"""The same work on several things at a time."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs

from sskpca._linalg.threads import n_threads, one_thread

__all__ = ["in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None, tick: Callable[[], None]
) -> list[Result]:
    """Apply a function to each item, in as many threads as there are jobs; each with one thread of the BLAS.

    As many as the BLAS would have by default.

    Examples
    --------
    >>> in_threads(len, ["a", "bc"], 2, lambda: None)
    [1, 2]
    """

    def step(item: Item) -> Result:
        result = work(item)
        tick()
        return result

    def alone(item: Item) -> Result:
        with one_thread():  # OpenMP counts its threads for each of ours
            return step(item)

    n = min(n_threads() if n_jobs is None else effective_n_jobs(n_jobs), len(items))
    if n <= 1:
        return [step(item) for item in items]
    with one_thread():
        return list(Parallel(n_jobs=n, prefer="threads")(delayed(alone)(item) for item in items))
