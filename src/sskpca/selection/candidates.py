r"""LS-KPCA in one kernel for a grid of label weights and variances, with all held-out decisions.

Every function is cut in the middle of its class means and divided by its root mean square over the data, so that
candidates of any kernel and size can be compared and averaged. So are the held-out functions, each by its own threshold
and its own size.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca.coordinates import Coordinates
from sskpca.estimators.classifier import functions_per_class, label_variance
from sskpca.estimators.held_out import held_out_thresholds, members, without_each
from sskpca.estimators.labels import Labels
from sskpca.estimators.margin import middle_of_means
from sskpca.linalg.array import Array
from sskpca.solvers import leave_one_out, solve_lr_kpca
from sskpca.solvers.pencil import PencilFamily
from sskpca.solvers.secular import solve_secular

__all__ = ["Candidates", "Grid", "evaluate", "evaluate_logistic", "of_unit_size"]

# Label weight of the logistic loss for one of the squared loss: then both bend alike at zero.
BEND = 8.0


@dataclass(frozen=True, slots=True)
class Grid:
    """Label weights, and variances as shares of that of a labelling."""

    label_weights: Array
    variances: Array


@dataclass(frozen=True, slots=True)
class Candidates:
    """The functions found in one kernel: one a label weight, variance and class.

    Attributes
    ----------
    methods : ndarray of str, shape (n_candidates,)
        "ls" or "lr".
    label_weights, variances : ndarray of shape (n_candidates,)
    coef : ndarray of shape (n_candidates, n_functions, rank)
        On the coordinates; divided by the function's size.
    thresholds : ndarray of shape (n_candidates, n_functions)
        Likewise.
    held_out : ndarray of shape (n_candidates, n_functions, n_labeled)
        Decisions on each label by the function that has not seen it.
    sizes, gaps : ndarray of shape (n_candidates, n_functions)
        What the functions were divided by, and their gaps to the pole (0 for LR).
    residual : float
        The largest KKT residual of the held-out problems.
    """

    methods: NDArray[Any]
    label_weights: Array
    variances: Array
    coef: Array
    thresholds: Array
    held_out: Array
    sizes: Array
    gaps: Array
    residual: float

    def joined(self, other: "Candidates") -> "Candidates":
        """Add candidates of the same kernel."""
        parts = {
            field.name: np.concatenate([getattr(self, field.name), getattr(other, field.name)])
            for field in fields(self)
            if field.name != "residual"
        }
        return Candidates(**parts, residual=max(self.residual, other.residual))


def of_unit_size(coef: Array, rows: Array, t: Array, mean: Array, variance: float) -> tuple[Array, float, float]:
    """Bring a function to the form in which candidates are compared and averaged.

    Returns its coefficients and its threshold divided by its root mean square over the data, and that. Where the labels
    are of one class, there is nothing to cut between, and the threshold is zero.
    """
    size = float(np.hypot(np.sqrt(variance), mean @ coef))
    one_class = abs(t.sum()) == len(t)
    return coef / size, 0.0 if one_class else middle_of_means(rows @ coef, t) / size, size


def evaluate(coordinates: Coordinates, labels: Labels, grid: Grid) -> Candidates:
    """Solve LS-KPCA for every point of the grid, with every label and without each one.

    One eigenproblem of the size of the coordinates for each label weight serves all variances, classes and labels.
    """
    rows, mean, n = coordinates.values[labels.labeled], coordinates.mean, coordinates.n_samples
    family = PencilFamily(rows, coordinates.variances)
    targets = [labels.targets(k) for k in functions_per_class(labels)]
    shape = len(grid.label_weights), len(grid.variances), len(targets)
    coef = np.empty((*shape, coordinates.rank))
    thresholds, sizes, gaps = np.empty((3, *shape))
    held_out = np.empty((*shape, len(rows)))
    residual = 0.0
    for a, c in enumerate(grid.label_weights.tolist()):
        pencil = family.at(c)
        assert pencil.vectors is not None
        assert pencil.reach is not None
        root = np.full(len(rows), np.sqrt(c))
        for j, t in enumerate(targets):
            linear = pencil.reach @ (root * t)
            for b, share in enumerate(grid.variances.tolist()):
                variance = share * label_variance(t)
                found = solve_secular(pencil.theta, linear, n * variance)
                unit = of_unit_size(pencil.vectors @ found.coords, rows, t, mean, variance)
                coef[a, b, j], thresholds[a, b, j], sizes[a, b, j] = unit
                gaps[a, b, j] = found.gap
            own = without_each(label_variance, t)
            points = np.vstack([members(t) @ rows, mean])
            left_out = leave_one_out(pencil, root, t, n * np.outer(grid.variances, own), points)
            cut = held_out_thresholds(left_out.predictions, left_out.values[:, :, :2], t)
            size = np.hypot(np.sqrt(np.outer(grid.variances, own)), left_out.values[:, :, 2])
            held_out[a, :, j] = (left_out.predictions - cut) / size
            residual = max(residual, float(left_out.residual.max()))
    number = shape[0] * shape[1]
    return Candidates(
        np.repeat("ls", number),
        np.repeat(grid.label_weights, shape[1]),
        np.tile(grid.variances, shape[0]),
        coef.reshape(number, *coef.shape[2:]),
        thresholds.reshape(number, -1),
        held_out.reshape(number, *held_out.shape[2:]),
        sizes.reshape(number, -1),
        gaps.reshape(number, -1),
        residual,
    )


def evaluate_logistic(coordinates: Coordinates, labels: Labels, label_weight: float, variance: float) -> Candidates:
    """Solve LR-KPCA at one point of the grid, with every label and without each one.

    `label_weight` is that of the squared loss; the logistic loss, flatter by a factor of 8 at zero, gets as much more.
    All are found from scratch, by reweighting: stationary points to a tolerance.
    """
    rows, mean, n = coordinates.values[labels.labeled], coordinates.mean, coordinates.n_samples
    targets = [labels.targets(k) for k in functions_per_class(labels)]
    coef = np.empty((1, len(targets), coordinates.rank))
    thresholds, sizes = np.empty((2, 1, len(targets)))
    held_out, residual = np.empty((1, len(targets), len(rows))), 0.0
    for j, t in enumerate(targets):
        for i in (None, *range(len(t))):  # with all labels first
            others = np.arange(len(t)) != (-1 if i is None else i)
            seen, given = rows[others], t[others]
            spread = variance * label_variance(given)
            found = solve_lr_kpca(
                seen, coordinates.variances, given, BEND * label_weight, n * spread, tol=1e-7, max_iter=50
            )
            residual = max(residual, found.report.kkt_residual)
            unit, cut, size = of_unit_size(found.coef, seen, given, mean, spread)
            if i is None:
                coef[0, j], thresholds[0, j], sizes[0, j] = unit, cut, size
            else:
                held_out[0, j, i] = rows[i] @ unit - cut
    point = np.array([label_weight]), np.array([variance])
    return Candidates(np.array(["lr"]), *point, coef, thresholds, held_out, sizes, np.zeros_like(sizes), residual)
