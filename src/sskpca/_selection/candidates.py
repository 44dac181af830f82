r"""All candidates of one kernel: a grid of label weights and variances, with all held-out decisions.

Three methods, all with exact leave-one-out:

- "ls": LS-KPCA. Functions are cut in the middle of their class means and divided by their root mean square over the
  data, so that candidates of any kernel and size can be compared and averaged; held-out functions likewise, each by its
  own threshold and its own size.
- "uncentered": LS-KPCA with the mean square fixed instead of the variance, so that a constant costs what a constant
  labelling is worth. Cut at zero: unequal classes keep their shares.
- "ridge": no constraint, kernel ridge regression with a constant. Unlabelled rows have no say, and do no harm.

Where labels do not decide a function (a hard case), the mean of all optima is taken, see `SecularRoot.middle`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from sskpca._linalg.array import Array, Column
from sskpca._linalg.eigen import numerical_rank, symmetric_eigen
from sskpca._transduction.held_out import held_out_thresholds, members, without_each
from sskpca._transduction.labels import Labels
from sskpca._transduction.methods import label_variance, middle_of_means
from sskpca.coordinates import Coordinates
from sskpca.solvers import leave_one_out
from sskpca.solvers._pencil import PencilFamily
from sskpca.solvers._ridge import ridge_family
from sskpca.solvers._secular import solve_secular

__all__ = ["METHODS", "Candidates", "Grid", "evaluate", "of_unit_size", "uncentered_basis"]

METHODS = ("ls", "uncentered", "ridge")


@dataclass(frozen=True, slots=True)
class Grid:
    """Label weights, and variances as shares of that of a labelling; mean squares of the uncentered method."""

    label_weights: Array
    variances: Array
    mean_squares: Array


@dataclass(frozen=True, slots=True)
class Candidates:
    """The functions found in one kernel: one a method, label weight, variance and class.

    Attributes
    ----------
    methods : ndarray of str, shape (n_candidates,)
        "ls", "uncentered" or "ridge".
    label_weights, variances : ndarray of shape (n_candidates,)
        The variance of "uncentered" is a mean square; that of "ridge" is NaN.
    coef : ndarray of shape (n_candidates, n_functions, rank)
        On the coordinates; divided by the function's size.
    thresholds : ndarray of shape (n_candidates, n_functions)
        Likewise.
    held_out : ndarray of shape (n_candidates, n_functions, n_labeled)
        Decisions on each label by the function that has not seen it.
    sizes, gaps : ndarray of shape (n_candidates, n_functions)
        What the functions were divided by, and their gaps to the pole (1 and 0 for "ridge").
    residual : float
        The largest KKT residual of the held-out problems.
    """

    methods: Column
    label_weights: Array
    variances: Array
    coef: Array
    thresholds: Array
    held_out: Array
    sizes: Array
    gaps: Array
    residual: float


def of_unit_size(coef: Array, rows: Array, t: Array, mean: Array, variance: float) -> tuple[Array, float, float]:
    """Bring a function to the form in which candidates are compared and averaged.

    Returns its coefficients and its threshold divided by its root mean square over the data, and that. Where the labels
    are of one class, there is nothing to cut between, and the threshold is zero.
    """
    size = float(np.hypot(np.sqrt(variance), mean @ coef))
    one_class = abs(t.sum()) == len(t)
    return coef / size, 0.0 if one_class else middle_of_means(rows @ coef, t) / size, size


def uncentered_basis(coordinates: Coordinates) -> tuple[Array, Array]:
    r"""Return the directions in which mean squares are principal, and the sums of squares along them.

    From :math:`Z^\top Z = D + m \bar z \bar z^\top`, which needs no row of the data.
    """
    mean, n = coordinates.mean, coordinates.n_samples
    squares, V = symmetric_eigen(np.diag(coordinates.variances) + n * np.outer(mean, mean), overwrite=True)
    keep = numerical_rank(squares, n)
    return V[:, :keep], squares[:keep]


def evaluate(
    coordinates: Coordinates, labels: Labels, grid: Grid, methods: Sequence[str] = METHODS, *, rows: Array | None = None
) -> Candidates:
    """Find all candidates of a kernel, with every label and without each one.

    Parameters
    ----------
    coordinates : Coordinates
    labels : Labels
    grid : Grid
    methods : sequence of str
        Of `METHODS`.
    rows : ndarray of shape (n_labeled, rank), optional
        Coordinates of the labelled rows, if they are at hand.
    """
    rows = coordinates.values[labels.labeled] if rows is None else rows
    targets = labels.all_targets()
    found = []
    if "ls" in methods:
        found.append(_least_squares(coordinates, rows, targets, grid))
    if "uncentered" in methods:
        found.append(_uncentered(coordinates, rows, targets, grid))
    if "ridge" in methods:
        found.append(_ridge(rows, targets, grid))
    return _joined(found)


def _joined(parts: list[Candidates]) -> Candidates:
    """Put candidates of the same kernel together."""
    names = [field.name for field in fields(Candidates) if field.name != "residual"]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Candidates(**joined, residual=max(part.residual for part in parts))


def _least_squares(coordinates: Coordinates, rows: Array, targets: list[Array], grid: Grid) -> Candidates:
    """Solve LS-KPCA for every point of the grid.

    One eigenproblem of the size of the coordinates for each label weight serves all variances, classes and labels.
    """
    mean, n = coordinates.mean, coordinates.n_samples
    family = PencilFamily(rows, coordinates.variances)
    found = _Blank("ls", grid.label_weights, grid.variances, len(targets), coordinates.rank, len(rows))
    for a, c in enumerate(grid.label_weights.tolist()):
        pencil = family.at(c)
        assert pencil.vectors is not None
        assert pencil.reach is not None
        root = np.full(len(rows), np.sqrt(c))
        for j, t in enumerate(targets):
            linear = pencil.reach @ (root * t)
            for b, share in enumerate(grid.variances.tolist()):
                variance = share * label_variance(t)
                solved = solve_secular(pencil.theta, linear, n * variance)
                unit = of_unit_size(pencil.vectors @ solved.middle, rows, t, mean, variance)
                found.coef[a, b, j], found.thresholds[a, b, j], found.sizes[a, b, j] = unit
                found.gaps[a, b, j] = solved.gap
            own = without_each(label_variance, t)
            points = np.vstack([members(t) @ rows, mean])
            left_out = leave_one_out(pencil, root, t, n * np.outer(grid.variances, own), points, middle=True)
            cut = held_out_thresholds(left_out.predictions, left_out.values[:, :, :2], t)
            size = np.hypot(np.sqrt(np.outer(grid.variances, own)), left_out.values[:, :, 2])
            found.held_out[a, :, j] = (left_out.predictions - cut) / size
            found.residual = max(found.residual, float(left_out.residual.max()))
    return found.candidates()


def _uncentered(coordinates: Coordinates, rows: Array, targets: list[Array], grid: Grid) -> Candidates:
    """Solve LS-KPCA with a fixed mean square for every point of the grid."""
    n = coordinates.n_samples
    V, squares = uncentered_basis(coordinates)
    turned = rows @ V
    family = PencilFamily(turned, squares)
    found = _Blank("uncentered", grid.label_weights, grid.mean_squares, len(targets), coordinates.rank, len(rows))
    size = np.sqrt(grid.mean_squares)
    found.sizes[:] = size[:, None]
    found.thresholds[:] = 0.0
    for a, c in enumerate(grid.label_weights.tolist()):
        pencil = family.at(c)
        assert pencil.vectors is not None
        assert pencil.reach is not None
        root = np.full(len(rows), np.sqrt(c))
        for j, t in enumerate(targets):
            linear = pencil.reach @ (root * t)
            for b, square in enumerate(grid.mean_squares.tolist()):
                solved = solve_secular(pencil.theta, linear, n * square)
                found.coef[a, b, j] = V @ (pencil.vectors @ solved.middle) / size[b]
                found.gaps[a, b, j] = solved.gap
            wanted = n * np.repeat(grid.mean_squares[:, None], len(t), axis=1)
            left_out = leave_one_out(pencil, root, t, wanted, turned[:0], middle=True)
            found.held_out[a, :, j] = left_out.predictions / size[:, None]
            found.residual = max(found.residual, float(left_out.residual.max()))
    return found.candidates()


def _ridge(rows: Array, targets: list[Array], grid: Grid) -> Candidates:
    """Solve kernel ridge regression for every label weight."""
    family = ridge_family(rows)
    found = _Blank("ridge", grid.label_weights, np.array([np.nan]), len(targets), rows.shape[1], len(rows))
    found.sizes[:], found.gaps[:] = 1.0, 0.0
    for a, c in enumerate(grid.label_weights.tolist()):
        solved = family.solve(c, np.column_stack(targets))
        found.coef[a, 0], found.thresholds[a, 0] = solved.coef.T, -solved.offset
        found.held_out[a, 0] = solved.held_out.T
    return found.candidates()


class _Blank:
    """Arrays to be filled, by label weight and variance."""

    def __init__(
        self, method: str, label_weights: Array, variances: Array, n_functions: int, rank: int, n_labeled: int
    ) -> None:
        self.method, self.label_weights, self.variances = method, label_weights, variances
        shape = len(label_weights), len(variances), n_functions
        self.coef, self.held_out = np.empty((*shape, rank)), np.empty((*shape, n_labeled))
        self.thresholds, self.sizes, self.gaps = np.empty((3, *shape))
        self.residual = 0.0

    def candidates(self) -> Candidates:
        number = len(self.label_weights) * len(self.variances)

        def listed(array: Array) -> Array:
            return array.reshape(number, *array.shape[2:])

        return Candidates(
            np.repeat(self.method, number),
            np.repeat(self.label_weights, len(self.variances)),
            np.tile(self.variances, len(self.label_weights)),
            listed(self.coef),
            listed(self.thresholds),
            listed(self.held_out),
            listed(self.sizes),
            listed(self.gaps),
            self.residual,
        )
