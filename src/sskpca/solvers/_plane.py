"""Exact leave-one-out and k-fold of LS-KPCA over the plane of label weights and variances."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca._linalg.eigen import leading_ritz, symmetric_eigen
from sskpca.solvers._compression import Compressed, compress
from sskpca.solvers._folds import leave_folds_out
from sskpca.solvers._held_out import HeldOut, leave_one_out
from sskpca.solvers._least_squares import solve_ls_kpca
from sskpca.solvers._pencil import PencilFamily
from sskpca.solvers._report import Status

__all__ = ["FoldPlane", "HeldOutPlane", "leave_fold_out_plane", "leave_one_out_plane"]

Answer = TypeVar("Answer")

# Held-out problems may need a multiplier beyond that of the problem with all labels.
MARGIN = 2.0
# Wanted relative error of the compression.
EXACT = 1e-11
# Operations of an eigenproblem, of a refit, and what a refit costs besides, measured in operations.
EIGENPROBLEM, REFIT, OVERHEAD = 10, 16, 2e7
# A fold's problem with a larger KKT residual is solved by itself.
DOUBTFUL = 1e-10


@dataclass(frozen=True, slots=True)
class HeldOutPlane:
    """Held-out values for every label weight, variance and label.

    Attributes
    ----------
    predictions : ndarray of shape (n_weights, n_variances, n_labeled)
        Value of each function at the point whose label it has not seen. Of several functions: an axis for them comes
        first.
    values : ndarray of shape (n_weights, n_variances, n_labeled, n_labeled)
        At [..., i, j] the value at labelled point j of the function that has not seen label i; or the wanted sums of
        these values. Likewise.
    hard : ndarray of bool, shape (n_weights, n_variances, n_labeled)
        Likewise.
    residual : float
        The largest of all, see `HeldOut`.
    doubt : ndarray of shape (n_weights, n_variances, n_labeled)
        What rounding may have done to each, see `HeldOut`. Where it is large, solve without the label in question.
    rank : int
        Size of the eigenproblems that were solved, one for each label weight.
    error : float
        Relative error of the compression; zero without.
    """

    predictions: Array
    values: Array
    hard: NDArray[np.bool_]
    residual: float
    doubt: Array
    rank: int
    error: float


def leave_one_out_plane(
    B: Array,
    d: Array,
    t: Array,
    weights: Array,
    variances: Array,
    *,
    sums: Array | None = None,
    tol: float = EXACT,
) -> HeldOutPlane:
    """Solve LS-KPCA without each label in turn, for all pairs of a label weight and a variance.

    One small eigenproblem for each label weight; no decomposition of the data.

    Parameters
    ----------
    B : ndarray of shape (n_labeled, rank)
        Principal coordinates of the labelled points.
    d : ndarray of shape (rank,)
        Variances of the coordinates, descending.
    t : ndarray of shape (n_labeled,) or (n_labeled, n_functions)
        Targets; several functions share all decompositions.
    weights : ndarray of shape (n_weights,)
        c, positive.
    variances : ndarray of shape (n_variances,) or (n_variances, n_labeled)
        s squared, positive, as sums over the data; in the second form each label left out may have its own.
    sums : ndarray of shape (n_sums, n_labeled), optional
        Weights of the labelled points: the answer's `values` are weighted sums with each of them, instead of the values
        at all labelled points, of which there are n_labeled squared for each weight and variance.
    tol : float, default=1e-11
        Aim for the relative error of the smaller problem that is solved instead; `error` of the answer is what came
        out. For choosing among weights and variances 1e-6 will do, in half the time.

    Returns
    -------
    HeldOutPlane

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> B, d, t = rng.standard_normal((6, 20)), np.linspace(5, 1, 20), np.array([1.0, -1, 1, -1, 1, -1])
    >>> plane = leave_one_out_plane(B, d, t, np.array([1.0, 10.0]), np.array([10.0, 20.0, 30.0]))
    >>> plane.predictions.shape
    (2, 3, 6)
    """
    weights, variances = np.asarray(weights, dtype=np.float64), np.asarray(variances, dtype=np.float64)

    def solve(problem: Compressed) -> tuple[list[list[HeldOut]], float]:
        found = _solve(problem, t, weights, variances, sums)
        return found, min(float(part.multipliers.min()) for row in found for part in row)

    small, found = _solved_small(B, d, t, float(weights.max()), float(variances.min()), tol, solve)

    def gathered(name: str) -> Array:
        everything = np.array([[getattr(part, name) for part in row] for row in found])
        return everything if t.ndim == 2 else everything[0]

    return HeldOutPlane(
        gathered("predictions"),
        gathered("values"),
        gathered("hard").astype(bool, copy=False),
        max(float(part.residual.max()) for row in found for part in row),
        gathered("doubt"),
        len(small.spectrum),
        small.error,
    )


@dataclass(frozen=True, slots=True)
class FoldPlane:
    """Values of functions that have not seen a fold of the labels.

    Attributes
    ----------
    values : ndarray of shape (n_weights, n_variances, n_folds, n_labeled)
    folds : ndarray of shape (n_labeled,)
        The fold of each label.
    residual : float
        The largest KKT residual of all.
    rank : int
        Size of the eigenproblems that were solved, one for each label weight.
    error : float
        Relative error of the compression; zero without.
    """

    values: Array
    folds: Indices
    residual: float
    rank: int
    error: float

    @property
    def predictions(self) -> Array:
        """Value at each label of the function that has not seen its fold: shape (n_weights, n_variances, n_labeled)."""
        return self.values[:, :, self.folds, np.arange(len(self.folds))]


def leave_fold_out_plane(
    B: Array, d: Array, t: Array, weights: Array, variances: Array, folds: Indices, *, tol: float = EXACT
) -> FoldPlane:
    """Solve LS-KPCA without each fold of the labels, for all pairs of a label weight and a variance.

    One small eigenproblem for each label weight; a fold is a downdate of low rank.

    Parameters
    ----------
    B, d, weights
        As for `leave_one_out_plane`.
    t : ndarray of shape (n_labeled,)
        Targets.
    variances : ndarray of shape (n_variances,)
    folds : ndarray of shape (n_labeled,)
        The fold of each label, counted from 0.
    tol : float, default=1e-11
        As for `leave_one_out_plane`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> B, d, t = rng.standard_normal((6, 20)), np.linspace(5, 1, 20), np.array([1.0, -1, 1, -1, 1, -1])
    >>> folds = np.array([0, 0, 1, 1, 2, 2])
    >>> leave_fold_out_plane(B, d, t, np.array([1.0, 10.0]), np.array([10.0, 20.0]), folds).predictions.shape
    (2, 2, 6)
    """
    if len(folds) != len(t) or folds.min() < 0:
        raise ValueError("folds must give each label the number of its fold, from 0 up.")
    weights, variances = np.asarray(weights, dtype=np.float64), np.asarray(variances, dtype=np.float64)

    def solve(problem: Compressed) -> tuple[tuple[Array, float], float]:
        return _solve_folds(problem, t, weights, variances, folds)

    small, (values, residual) = _solved_small(B, d, t, float(weights.max()), float(variances.min()), tol, solve)
    return FoldPlane(values, folds, residual, len(small.spectrum), small.error)


def _solve_folds(
    problem: Compressed, t: Array, weights: Array, variances: Array, folds: Indices
) -> tuple[tuple[Array, float], float]:
    """Return the values with the largest residual, and the smallest multiplier."""
    family = PencilFamily(problem.rows, problem.spectrum)
    values = np.empty((len(weights), len(variances), int(folds.max()) + 1, len(t)))
    worst, least = 0.0, np.inf
    for a, c in enumerate(weights.tolist()):
        found = leave_folds_out(family.at(c), np.full(len(t), np.sqrt(c)), t, variances, folds)
        values[a], residual, multipliers = found.values, found.residual.copy(), found.multipliers.copy()
        for b, fold in np.argwhere(residual > DOUBTFUL):
            seen = folds != fold
            alone = solve_ls_kpca(problem.rows[seen], problem.spectrum, t[seen], c, float(variances[b]))
            values[a, b, fold] = problem.rows @ alone.coef
            residual[b, fold], multipliers[b, fold] = alone.report.kkt_residual, alone.report.multiplier
        worst, least = max(worst, float(residual.max())), min(least, float(multipliers.min()))
    return (values, worst), least


def _solve(
    problem: Compressed, t: Array, weights: Array, variances: Array, sums: Array | None = None
) -> list[list[HeldOut]]:
    """Return a row for each function, in it the answers for each label weight."""
    functions = t.reshape(len(t), -1).T
    points = problem.rows if sums is None else sums @ problem.rows
    rank, n_problems = len(problem.spectrum), len(variances) * len(t) * len(functions)
    # Where a flat spectrum could not be compressed, few labels are solved for sooner than an eigenproblem.
    if EIGENPROBLEM * rank**3 > n_problems * (REFIT * rank * len(t) ** 2 + OVERHEAD):
        return [[_refits(problem, c, targets, variances, points) for c in weights.tolist()] for targets in functions]
    family = PencilFamily(problem.rows, problem.spectrum)
    found: list[list[HeldOut]] = [[] for _ in functions]
    for c in weights.tolist():
        pencil, scale = family.at(c), np.full(len(t), np.sqrt(c))
        for row, targets in zip(found, functions, strict=True):
            row.append(leave_one_out(pencil, scale, targets, variances, points))
    return found


def _refits(problem: Compressed, weight: float, t: Array, variances: Array, points: Array) -> HeldOut:
    """Solve without each label in turn, in the space of the labels."""
    n, s2 = len(t), np.broadcast_to(variances.reshape(len(variances), -1), (len(variances), len(t)))
    values, hard = np.empty((len(variances), n, len(points))), np.empty((len(variances), n), dtype=bool)
    predictions, multipliers, residual = np.empty((3, len(variances), n))
    for i in range(n):
        rows, others = np.delete(problem.rows, i, 0), np.delete(t, i)
        for v in range(len(variances)):
            found = solve_ls_kpca(rows, problem.spectrum, others, weight, float(s2[v, i]))
            predictions[v, i], values[v, i] = problem.rows[i] @ found.coef, points @ found.coef
            hard[v, i] = found.report.status == Status.HARD_CASE
            multipliers[v, i], residual[v, i] = found.report.multiplier, found.report.kkt_residual
    return HeldOut(predictions, values, hard, multipliers, residual, np.where(hard, np.inf, residual))


def _solved_small(
    B: Array,
    d: Array,
    t: Array,
    weight: float,
    variance: float,
    tol: float,
    solve: Callable[[Compressed], tuple[Answer, float]],
) -> tuple[Compressed, Answer]:
    """Solve a problem that is as small as the multipliers allow.

    Parameters
    ----------
    weight, variance : float
        The largest label weight, the smallest variance.
    solve : callable
        Gives the answer of a problem and its smallest multiplier.
    """
    if len(d) <= 3 * len(B):
        small = Compressed(B, d, 0.0)
        return small, solve(small)[0]
    low, high = _expected(B, d, t, weight, variance)
    while True:
        small = compress(B, d, low, high, tol)
        answer, least = solve(small)
        if len(small.spectrum) == len(d) or not least < low:
            return small, answer
        low = MARGIN * least  # beyond the range that the small problem was made for: once more, for a wider one


def _expected(B: Array, d: Array, t: Array, weight: float, variance: float) -> tuple[float, float]:
    """Bound the multipliers, as far as the problem with all labels tells."""
    # The most negative one is that of the largest weight and the smallest variance, the largest is below the pole for
    # the largest weight: below the inverse of any Rayleigh quotient.
    low = min(solve_ls_kpca(B, d, f, weight, variance).report.multiplier for f in t.reshape(len(t), -1).T)
    root, (sizes, axes) = np.sqrt(d)[:, None], symmetric_eigen(B @ B.T)
    shrink = 1 / (1 / weight + np.maximum(sizes, 0.0))[:, None]

    def deformed(x: Array) -> Array:  # D^1/2 C^-1 D^1/2
        y = root * x
        return np.asarray(root * (y - B.T @ (axes @ (shrink * (axes.T @ (B @ y))))))

    ritz = leading_ritz(deformed, len(d), 1, tol=1e-2)
    return MARGIN * min(low, 0.0) - 0.1 / float(d[0]), 1 / float(ritz.values[0])
