r"""LS-KPCA in one kernel for a grid of label weights and variances, with all held-out decisions.

Every function is cut in the middle of its class means and divided by its root mean square over the data, so that
candidates of any kernel and size can be compared and averaged. So are the held-out functions, each by its own threshold
and its own size.
"""

from dataclasses import dataclass

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.classifier import functions_per_class, label_variance
from sskpca.estimators.held_out import held_out_thresholds
from sskpca.estimators.labels import Labels
from sskpca.estimators.margin import middle_of_means
from sskpca.linalg.array import Array
from sskpca.solvers import leave_one_out
from sskpca.solvers.pencil import PencilFamily
from sskpca.solvers.secular import solve_secular

__all__ = ["Candidates", "Grid", "evaluate"]


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
    label_weights, variances : ndarray of shape (n_candidates,)
    coef : ndarray of shape (n_candidates, n_functions, rank)
        On the coordinates; divided by the function's size.
    thresholds : ndarray of shape (n_candidates, n_functions)
        Likewise.
    held_out : ndarray of shape (n_candidates, n_functions, n_labeled)
        Decisions on each label by the function that has not seen it.
    sizes, gaps : ndarray of shape (n_candidates, n_functions)
        What the functions were divided by, and their gaps to the pole.
    residual : float
        The largest KKT residual of the held-out problems.
    """

    label_weights: Array
    variances: Array
    coef: Array
    thresholds: Array
    held_out: Array
    sizes: Array
    gaps: Array
    residual: float


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
                gamma = pencil.vectors @ found.coords
                size = np.hypot(np.sqrt(variance), mean @ gamma)
                coef[a, b, j] = gamma / size
                thresholds[a, b, j] = middle_of_means(rows @ gamma, t) / size
                sizes[a, b, j], gaps[a, b, j] = size, found.gap
            own = np.array([label_variance(np.delete(t, i)) for i in range(len(t))])
            left_out = leave_one_out(pencil, root, t, n * np.outer(grid.variances, own), mean[None])
            cut = held_out_thresholds(left_out.values[:, :, :-1], t)
            size = np.hypot(np.sqrt(np.outer(grid.variances, own)), left_out.values[:, :, -1])
            held_out[a, :, j] = (np.diagonal(left_out.values[:, :, :-1], axis1=1, axis2=2) - cut) / size
            residual = max(residual, float(left_out.residual.max()))
    number = shape[0] * shape[1]
    return Candidates(
        np.repeat(grid.label_weights, shape[1]),
        np.tile(grid.variances, shape[0]),
        coef.reshape(number, *coef.shape[2:]),
        thresholds.reshape(number, -1),
        held_out.reshape(number, *held_out.shape[2:]),
        sizes.reshape(number, -1),
        gaps.reshape(number, -1),
        residual,
    )
