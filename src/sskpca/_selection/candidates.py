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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from sskpca._linalg.array import Array, Column
from sskpca._linalg.eigen import numerical_rank, symmetric_eigen
from sskpca._transduction.held_out import held_out_thresholds, members, without_each
from sskpca._transduction.labels import Labels
from sskpca._transduction.methods import label_variance, middle_of_means
from sskpca.coordinates import Coordinates
from sskpca.solvers._held_out import HeldOut, HeldOutTask, leave_one_out_each
from sskpca.solvers._pencil import PencilFamily
from sskpca.solvers._ridge import ridge_family
from sskpca.solvers._secular import solve_secular_each

__all__ = ["METHODS", "Candidates", "Grid", "evaluate", "uncentered_basis"]

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

    def decisions(self, values: Array) -> Array:
        """Return decisions of shape (n_candidates, n_functions, n_rows) on rows with these coordinates."""
        on_rows = self.coef.reshape(-1, self.coef.shape[2]) @ values.T
        return np.asarray(on_rows.reshape(*self.thresholds.shape, -1) - self.thresholds[:, :, None])


def uncentered_basis(coordinates: Coordinates) -> tuple[Array, Array]:
    r"""Return the directions in which mean squares are principal, and the sums of squares along them.

    From :math:`Z^\top Z = D + m \bar z \bar z^\top`, which needs no row of the data.
    """
    mean, n = coordinates.mean, coordinates.n_samples
    squares, V = symmetric_eigen(np.diag(coordinates.variances) + n * np.outer(mean, mean), overwrite=True)
    keep = numerical_rank(squares, n)
    return V[:, :keep], squares[:keep]


def evaluate(
    coordinates: Coordinates,
    labels: Labels,
    grid: Grid,
    methods: Sequence[str] = METHODS,
    *,
    rows: Array | None = None,
    held_out: bool = True,
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
    held_out : bool, default=True
        Whether labels are left out; if not, held-out decisions are NaN.
    """
    rows = coordinates.values[labels.labeled] if rows is None else rows
    targets = labels.all_targets()
    found = []
    if "ls" in methods:
        found.append(_least_squares(coordinates, rows, targets, grid, held_out))
    if "uncentered" in methods:
        found.append(_uncentered(coordinates, rows, targets, grid, held_out))
    if "ridge" in methods:
        found.append(_ridge(rows, targets, grid))
    return _joined(found)


def _joined(parts: list[Candidates]) -> Candidates:
    """Put candidates of the same kernel together."""
    names = [field.name for field in fields(Candidates) if field.name != "residual"]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Candidates(**joined, residual=max(part.residual for part in parts))


def _least_squares(
    coordinates: Coordinates, rows: Array, targets: list[Array], grid: Grid, held_out: bool
) -> Candidates:
    """Solve LS-KPCA for every point of the grid; cut functions in the middle of the class means, at unit size."""
    mean, found = coordinates.mean, _Blank("ls", grid.label_weights, grid.variances, len(targets), coordinates, rows)
    asked = [
        _Asked(t, label_variance(t) * grid.variances, np.outer(grid.variances, without_each(label_variance, t)))
        for t in targets
    ]
    points = [np.vstack([members(t) @ rows, mean]) for t in targets]
    for a, coef, gaps, left_out in _solved(
        coordinates.variances, rows, asked, points, grid.label_weights, found, held_out
    ):
        sizes = np.hypot(np.sqrt([one.variances for one in asked]), coef @ mean)
        found.coef[a], found.sizes[a] = (coef / sizes[:, :, None]).swapaxes(0, 1), sizes.T
        found.gaps[a] = gaps.T
        for j, t in enumerate(targets):
            one_class = abs(t.sum()) == len(t)  # nothing to cut between
            middles = [0.0 if one_class else middle_of_means(rows @ function, t) for function in coef[j]]
            found.thresholds[a, :, j] = middles / sizes[j]
        for j, (t, one, held) in enumerate(zip(targets, asked, left_out, strict=False)):
            cut = held_out_thresholds(held.predictions, held.values[:, :, :2], t)
            own = np.hypot(np.sqrt(one.without_each), held.values[:, :, 2])
            found.held_out[a, :, j] = (held.predictions - cut) / own
    return found.candidates()


def _uncentered(coordinates: Coordinates, rows: Array, targets: list[Array], grid: Grid, held_out: bool) -> Candidates:
    """Solve LS-KPCA with a fixed mean square for every point of the grid; functions are cut at zero."""
    found = _Blank("uncentered", grid.label_weights, grid.mean_squares, len(targets), coordinates, rows)
    V, squares = uncentered_basis(coordinates)
    size = np.sqrt(grid.mean_squares)
    found.sizes[:], found.thresholds[:] = size[:, None], 0.0
    wanted = np.repeat(grid.mean_squares[:, None], len(rows), axis=1)
    asked = [_Asked(t, grid.mean_squares, wanted) for t in targets]
    for a, coef, gaps, left_out in _solved(squares, rows @ V, asked, None, grid.label_weights, found, held_out):
        found.coef[a] = ((coef / size[:, None]) @ V.T).swapaxes(0, 1)
        found.gaps[a] = gaps.T
        for j, held in enumerate(left_out):
            found.held_out[a, :, j] = held.predictions / size[:, None]
    return found.candidates()


@dataclass(frozen=True, slots=True)
class _Asked:
    """Targets, and the variances of the functions for them: with all labels, and without each one."""

    targets: Array
    variances: Array
    without_each: Array


def _solved(
    spectrum: Array,
    rows: Array,
    asked: list[_Asked],
    points: list[Array] | None,
    label_weights: Array,
    found: "_Blank",
    held_out: bool,
) -> Iterator[tuple[int, Array, Array, list[HeldOut]]]:
    """Solve LS-KPCA for each label weight, with all labels and without each.

    One eigenproblem of the size of the coordinates for each label weight serves all variances, classes and labels.

    Yields
    ------
    number : int
        Of the label weight.
    coef : ndarray of shape (n_functions, n_variances, rank)
    gaps : ndarray of shape (n_functions, n_variances)
    left_out : list of HeldOut
        For each function; empty if no label is to be left out.
    """
    n = found.n_samples
    family = PencilFamily(rows, spectrum)
    variances = n * np.array([one.variances for one in asked])
    for a, c in enumerate(label_weights.tolist()):
        pencil = family.at(c)
        assert pencil.vectors is not None
        assert pencil.reach is not None
        root = np.full(len(rows), np.sqrt(c))
        linear = np.array([pencil.reach @ (root * one.targets) for one in asked])
        gaps, middle = solve_secular_each(
            pencil.theta, np.repeat(linear, variances.shape[1], axis=0), variances.ravel()
        )
        gaps = gaps.reshape(variances.shape)
        coef = (middle @ pencil.vectors.T).reshape(*variances.shape, -1)
        if not held_out:
            yield a, coef, gaps, []
            continue
        multipliers = (1 - gaps) / pencil.theta[0]
        tasks = [
            HeldOutTask(one.targets, n * one.without_each, rows[:0] if points is None else points[j], multipliers[j])
            for j, one in enumerate(asked)
        ]
        left_out = leave_one_out_each(pencil, root, tasks, middle=True)
        found.residual = max(found.residual, *(float(held.residual.max()) for held in left_out))
        yield a, coef, gaps, left_out


def _ridge(rows: Array, targets: list[Array], grid: Grid) -> Candidates:
    """Solve kernel ridge regression for every label weight."""
    family = ridge_family(rows)
    found = _Blank("ridge", grid.label_weights, np.array([np.nan]), len(targets), None, rows)
    found.sizes[:], found.gaps[:] = 1.0, 0.0
    for a, c in enumerate(grid.label_weights.tolist()):
        solved = family.solve(c, np.column_stack(targets))
        found.coef[a, 0], found.thresholds[a, 0] = solved.coef.T, -solved.offset
        found.held_out[a, 0] = solved.held_out.T
    return found.candidates()


class _Blank:
    """Arrays to be filled, by label weight and variance."""

    def __init__(
        self,
        method: str,
        label_weights: Array,
        variances: Array,
        n_functions: int,
        coordinates: Coordinates | None,
        rows: Array,
    ) -> None:
        self.method, self.label_weights, self.variances = method, label_weights, variances
        self.n_samples = len(rows) if coordinates is None else coordinates.n_samples
        shape = len(label_weights), len(variances), n_functions
        self.coef, self.held_out = np.empty((*shape, rows.shape[1])), np.full((*shape, len(rows)), np.nan)
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
