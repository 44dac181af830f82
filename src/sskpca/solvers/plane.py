"""Exact leave-one-out and k-fold of LS-KPCA over the plane of label weights and variances."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca.linalg.array import Array, Indices
from sskpca.linalg.eigen import leading_ritz
from sskpca.solvers.compression import Compressed, compress
from sskpca.solvers.held_out import HeldOut, leave_one_out
from sskpca.solvers.least_squares import solve_ls_kpca
from sskpca.solvers.pencil import PencilFamily
from sskpca.solvers.quadratic import VarianceConstrainedLeastSquares
from sskpca.solvers.secular import solve_secular

__all__ = ["FoldPlane", "HeldOutPlane", "leave_fold_out_plane", "leave_one_out_plane"]

# Held-out problems may need a multiplier beyond that of the problem with all labels.
MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class HeldOutPlane:
    """Held-out values for every label weight, variance and label.

    Attributes
    ----------
    values : ndarray of shape (n_weights, n_variances, n_labeled, n_labeled)
        As in `HeldOut`.
    hard : ndarray of bool, shape (n_weights, n_variances, n_labeled)
    residual : float
        The largest of all, see `HeldOut`.
    rank : int
        Size of the eigenproblems that were solved, one for each label weight.
    error : float
        Relative error of the compression; zero without.
    """

    values: Array
    hard: NDArray[np.bool_]
    residual: float
    rank: int
    error: float

    @property
    def predictions(self) -> Array:
        """Value of each function at the point whose label it has not seen."""
        return np.diagonal(self.values, axis1=2, axis2=3)


def leave_one_out_plane(B: Array, d: Array, t: Array, weights: Array, variances: Array) -> HeldOutPlane:
    """Solve LS-KPCA without each label in turn, for all pairs of a label weight and a variance.

    One small eigenproblem for each label weight; no decomposition of the data.

    Parameters
    ----------
    B : ndarray of shape (n_labeled, rank)
        Principal coordinates of the labelled points.
    d : ndarray of shape (rank,)
        Variances of the coordinates, descending.
    t : ndarray of shape (n_labeled,)
        Targets.
    weights : ndarray of shape (n_weights,)
        c, positive.
    variances : ndarray of shape (n_variances,) or (n_variances, n_labeled)
        s squared, positive, as sums over the data; in the second form each label left out may have its own.

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
    small, low = _compressed(B, d, t, float(weights.max()), float(variances.min()))
    found = _solve(small, t, weights, variances)
    if small.basis is not None and min(float(part.multipliers.min()) for part in found) < low:
        # Outside the range that the small problem was made for.
        small = Compressed(B, d, None, 0.0)
        found = _solve(small, t, weights, variances)
    return HeldOutPlane(
        np.array([part.values for part in found]),
        np.array([part.hard for part in found]),
        max(float(part.residual.max()) for part in found),
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
    """

    values: Array
    folds: Indices
    residual: float

    @property
    def predictions(self) -> Array:
        """Value at each label of the function that has not seen its fold: shape (n_weights, n_variances, n_labeled)."""
        return self.values[:, :, self.folds, np.arange(len(self.folds))]


def leave_fold_out_plane(B: Array, d: Array, t: Array, weights: Array, variances: Array, folds: Indices) -> FoldPlane:
    """Solve LS-KPCA without each fold of the labels, for all pairs of a label weight and a variance.

    One small eigenproblem for each label weight and fold.

    Parameters
    ----------
    B, d, t, weights
        As for `leave_one_out_plane`.
    variances : ndarray of shape (n_variances,)
    folds : ndarray of shape (n_labeled,)
        The fold of each label, counted from 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> B, d, t = rng.standard_normal((6, 20)), np.linspace(5, 1, 20), np.array([1.0, -1, 1, -1, 1, -1])
    >>> folds = np.array([0, 0, 1, 1, 2, 2])
    >>> leave_fold_out_plane(B, d, t, np.array([1.0, 10.0]), np.array([10.0, 20.0]), folds).predictions.shape
    (2, 2, 6)
    """
    weights, variances = np.asarray(weights, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    small, low = _compressed(B, d, t, float(weights.max()), float(variances.min()))
    found, residual, least = _solve_folds(small, t, weights, variances, folds)
    if small.basis is not None and least < low:
        found, residual, _ = _solve_folds(Compressed(B, d, None, 0.0), t, weights, variances, folds)
    return FoldPlane(found, folds, residual)


def _solve_folds(
    problem: Compressed, t: Array, weights: Array, variances: Array, folds: Indices
) -> tuple[Array, float, float]:
    """Return the values, the largest residual and the smallest multiplier."""
    values = np.empty((len(weights), len(variances), int(folds.max()) + 1, len(t)))
    residual, least = 0.0, np.inf
    for fold in range(values.shape[2]):
        seen = folds != fold
        family = PencilFamily(problem.rows[seen], problem.spectrum)
        for a, c in enumerate(weights.tolist()):
            pencil, root = family.at(c), np.sqrt(c)
            for b, variance in enumerate(variances.tolist()):
                task = VarianceConstrainedLeastSquares(
                    root * problem.rows[seen],
                    root * t[seen],
                    problem.spectrum,
                    variance,
                    np.zeros(len(problem.spectrum)),
                )
                solution = solve_secular(pencil.theta, pencil.linear(task), variance)
                coef = solution.coords if pencil.vectors is None else pencil.vectors @ solution.coords
                zeta = (1 - solution.gap) / float(pencil.theta[0])
                defect, scale = task.stationarity(coef, zeta)
                residual = max(residual, float(np.linalg.norm(defect)) / scale, abs(task.attained(coef) / variance - 1))
                least = min(least, zeta)
                values[a, b, fold] = problem.rows @ coef
    return values, residual, least


def _solve(problem: Compressed, t: Array, weights: Array, variances: Array) -> list[HeldOut]:
    family = PencilFamily(problem.rows, problem.spectrum)
    return [leave_one_out(family.at(c), np.full(len(t), np.sqrt(c)), t, variances) for c in weights.tolist()]


def _compressed(B: Array, d: Array, t: Array, weight: float, variance: float) -> tuple[Compressed, float]:
    """Make the problem as small as the multipliers to be expected allow; return the smallest of them, too."""
    if len(d) <= 3 * len(B):
        return Compressed(B, d, None, 0.0), -np.inf
    # The most negative multiplier is that of the largest weight and the smallest variance, the largest is below
    # the pole for the largest weight: below the inverse of any Rayleigh quotient.
    low = solve_ls_kpca(B, d, t, weight, variance).report.multiplier
    low = MARGIN * min(low, 0.0) - 0.1 / float(d[0])
    root, inner = np.sqrt(d)[:, None], np.eye(len(B)) / weight + B @ B.T

    def deformed(x: Array) -> Array:  # D^1/2 C^-1 D^1/2
        y = root * x
        return np.asarray(root * (y - B.T @ np.linalg.solve(inner, B @ y)))

    ritz = leading_ritz(deformed, len(d), 1, tol=1e-2)
    return compress(B, d, low, 1 / float(ritz.values[0])), low
