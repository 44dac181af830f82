"""Answers for labels that change while somebody waits: a first one at once, the complete one when it is there."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sskpca._linalg.array import Array
from sskpca._linalg.threads import one_thread
from sskpca._selection.candidates import evaluate
from sskpca._selection.ensemble import Portfolio
from sskpca._transduction.answer import Transduction, Unanswered, transduce
from sskpca._transduction.labels import Labels

__all__ = ["answers", "first_answer"]

# Candidates are solved anew, those that count most first, up to this share of the weight and this much work: cubes of
# ranks, the size of their eigenproblems.
ENOUGH, MOST_WORK = 0.7, 4 * 200**3


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
    first = first_answer(answer, labels)
    if first is not None:
        yield first
    yield transduce(answer.geometry, labels, answer.method, n_jobs=n_jobs)


def first_answer(answer: Transduction | Unanswered, labels: Labels) -> Transduction | None:
    """Return an approximate answer for new labels, in which only the candidates that count most are solved anew.

    They keep their weights. The other candidates, and a forest, stay as they were. The decision on a row that has a
    label now, by the answer that did not know it, is its held-out decision. None if the classes are others, so that
    nothing is left of the old answer.
    """
    if isinstance(answer, Unanswered) or not isinstance(answer.method, Portfolio):
        return None
    old, found = answer.labels, answer.found
    if not np.array_equal(old.classes, labels.classes):
        return None
    coef, threshold = list(found.coef), found.threshold
    decision = answer.decision
    with one_thread():
        for kernel, (change, cut) in _changes(answer, answer.method, labels).items():
            coef[kernel] = coef[kernel] + change
            threshold = threshold + cut
            decision = decision + (answer.geometry.coordinates[kernel].values @ change - cut)
    held_out = _carried_over(found.held_out, answer, labels)
    updated = replace(found, coef=coef, threshold=threshold, held_out=held_out)
    return Transduction(answer.geometry, labels, answer.method, updated, decision)


def _changes(answer: Transduction, portfolio: Portfolio, labels: Labels) -> dict[int, tuple[Array, Array]]:
    """Return what new labels change of the functions and thresholds, by kernel."""
    changes: dict[int, tuple[Array, Array]] = {}
    for kernel, method, weight in _leading(answer):
        part, factors = answer.found.found[kernel], answer.found.factors[kernel]
        grid = replace(portfolio.grid, label_weights=np.array([weight]))
        new = evaluate(answer.geometry.coordinates[kernel], labels, grid, [method], held_out=False)
        same = (part.methods == method) & (part.label_weights == weight)
        change = np.tensordot(factors[same], new.coef - part.coef[same], 1).T
        cut = factors[same] @ (new.thresholds - part.thresholds[same])
        before = changes.get(kernel, (0.0, 0.0))
        changes[kernel] = before[0] + change, before[1] + cut
    return changes


def _leading(answer: Transduction) -> list[tuple[int, str, float]]:
    """List kernels, methods and label weights whose candidates count most, as far as there is time for them."""
    table, n_kernels = answer.found.table, len(answer.found.coef)
    totals: dict[tuple[int, str, float], float] = defaultdict(float)
    for kernel, method, c, w in zip(
        *(table[name] for name in ("kernel", "method", "label_weight", "weight")), strict=True
    ):
        if int(kernel) < n_kernels:  # a forest is not solved
            totals[int(kernel), str(method), float(c)] += float(w)
    chosen: list[tuple[int, str, float]] = []
    share, work = 0.0, 0.0
    for key, weight in sorted(totals.items(), key=lambda item: -item[1]):
        cost = float(answer.geometry.coordinates[key[0]].rank) ** 3 if key[1] != "ridge" else 0.0
        if weight == 0 or share >= ENOUGH or (chosen and work + cost > MOST_WORK):
            break
        chosen.append(key)
        share, work = share + weight, work + cost
    return chosen


def _carried_over(held_out: Array, answer: Transduction, labels: Labels) -> Array:
    """Return held-out decisions for new labels, from those of the old ones and from decisions on unlabelled rows."""
    decisions = answer.decision.T.copy()
    decisions[:, answer.labels.labeled] = held_out
    return decisions[:, labels.labeled]
