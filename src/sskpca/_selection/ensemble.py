"""The portfolio as a method: all candidates of all kernels, and a random forest, weighed by the labels and averaged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sskpca._linalg.array import Array, Column, Indices, Matrix
from sskpca._selection.averaging import (
    SLOPES,
    bootstrap_weights,
    counts_likelihood,
    family_prior,
    predicted_shares,
)
from sskpca._selection.candidates import Candidates, Grid, evaluate, uncentered_basis
from sskpca._selection.forest import FOREST, Forest, fit_forest
from sskpca._selection.progress import progress
from sskpca._selection.threads import in_threads
from sskpca._transduction.answer import Geometry, KernelPart, Part
from sskpca._transduction.calibration import log_likelihood
from sskpca._transduction.held_out import alone
from sskpca._transduction.labels import Labels
from sskpca._transduction.methods import label_variance
from sskpca.coordinates import Coordinates
from sskpca.solvers import Report, solve_ls_kpca
from sskpca.solvers._report import Status
from sskpca.solvers._ridge import ridge_family

__all__ = ["Ensemble", "ForestPart", "Portfolio", "average", "certify"]

# A candidate that counts less than this share of the first is forgotten: it would cost time for every new point.
NEGLIGIBLE = 1e-4
# Labels times columns: beyond, a forest would take longer than all kernels.
MOST_FOREST_CELLS = 20_000_000


@dataclass(frozen=True, eq=False)
class ForestPart:
    """The share of a forest in the decisions."""

    forest: Forest
    factor: float

    def evaluate(self, X: Matrix) -> Array:
        """Return values at new rows."""
        return self.factor * self.forest.decide(X)


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Candidates with weights, and their sum.

    Attributes
    ----------
    found : list of Candidates
        Of each kernel.
    weights : list of ndarray
        Of each kernel's candidates; all together they sum to 1.
    factors : list of ndarray
        What the decisions of each kernel's candidates are multiplied by: weights times slopes.
    coef : list of ndarray of shape (rank, n_functions)
        The average in each kernel: a function in it.
    threshold : ndarray of shape (n_functions,)
    held_out : ndarray of shape (n_functions, n_labeled)
        Decisions on the labels by candidates that have not seen them, with weights by the decisions on the others.
    table : dict of ndarray
        One entry a candidate: kernel number, method, label_weight, variance, weight, loo_loss, loo_error. The forest
        comes last; its kernel number is that of the kernels, its label weight and variance are NaN.
    forest : Forest or None
    forest_weight, forest_factor : float
        What `weights` and `factors` are of the other candidates.
    reports : tuple of Report
        Of the candidate of a kernel that counts most, for each function.
    """

    found: list[Candidates]
    weights: list[Array]
    factors: list[Array]
    coef: list[Array]
    threshold: Array
    held_out: Array
    table: dict[str, Column]
    forest: Forest | None = None
    forest_weight: float = 0.0
    forest_factor: float = 0.0
    reports: tuple[Report, ...] = ()

    def on_data(self, geometry: Geometry) -> Array:
        """Return the decisions on the rows of the data, shape (n_samples, n_functions)."""
        decisions = sum(part.values @ coef for part, coef in self._used(geometry))
        if self.forest is not None:
            decisions = decisions + self.forest_factor * self.forest.decide(geometry.X)
        return decisions - self.threshold  # type: ignore[no-any-return]

    def parts(self, geometry: Geometry) -> tuple[Part, ...]:
        """Return what decides on new rows; kernels without weight are not evaluated."""
        of_kernels = KernelPart.sum_of(self._used(geometry))
        return (*of_kernels, *([] if self.forest is None else [ForestPart(self.forest, self.forest_factor)]))

    def _used(self, geometry: Geometry) -> list[tuple[Coordinates, Array]]:
        used = zip(geometry.coordinates, self.coef, self.weights, strict=True)
        return [(part, coef) for part, coef, weight in used if weight.any()]

    @property
    def best(self) -> int:
        """The number of the candidate of a kernel that counts most."""
        return int(np.argmax(np.concatenate(self.weights)))


def average(
    found: list[Candidates],
    codes: Indices,
    families: Sequence[str] | None = None,
    *,
    single: bool = False,
    forest: Forest | None = None,
    shares: Array | None = None,
) -> Ensemble:
    """Weigh candidates by the likelihood of the labels that they have not seen, and add them up.

    Parameters
    ----------
    found : list of Candidates
        Of each kernel.
    codes : ndarray of shape (n_labeled,)
        Class numbers of the labels.
    families : sequence of str, optional
        The kind of each kernel. All kinds have the same prior weight, for each method; without, all kernels have.
    single : bool, default=False
        Give all weight to the best.
    forest : Forest, optional
        One more candidate, and a family of its own.
    shares : ndarray of shape (n_candidates, n_classes), optional
        The share of all rows that each candidate, the forest last, puts into each class. If given, classes that are
        predicted more or less often than they are among the labels count against a candidate.
    """
    others = [] if forest is None else [forest.held_out[None]]
    held_out = np.concatenate([*(part.held_out for part in found), *others])
    sizes = [len(part.label_weights) for part in found]
    kinds = [str(number) for number in range(len(found))] if families is None else families
    members = [f"{kind} {method}" for kind, part in zip(kinds, found, strict=True) for method in part.methods]
    prior = family_prior(members + [FOREST] * len(others))
    lone = alone(codes)
    counts = None if shares is None else counts_likelihood(shares, codes)
    counted = bootstrap_weights(held_out, codes, prior, ~lone, counts)
    weights, factors, decisions = counted.weights, counted.factors, counted.held_out
    if single:
        best = int(np.argmax(weights))
        weights, factors = np.eye(len(weights))[best], np.eye(len(weights))[best] * factors[best] / weights[best]
        decisions = factors[best] * held_out[best]
    counts = weights >= NEGLIGIBLE * weights.max()
    share = float(weights[counts].sum())
    weights, factors = np.where(counts, weights, 0.0) / share, np.where(counts, factors, 0.0) / share
    ends = np.cumsum(sizes)
    (*of_kernel, of_forest), (*times, times_forest) = np.split(weights, ends), np.split(factors, ends)
    unset = np.full(len(others), np.nan)
    decided = (held_out[:, 0] > 0).astype(int) if held_out.shape[1] == 1 else held_out.argmax(axis=1)
    likelihood = [np.where(lone, 0.0, log_likelihood(held_out, codes, slope)).sum(axis=1) for slope in SLOPES]
    return Ensemble(
        found,
        of_kernel,
        times,
        [np.tensordot(f, part.coef, 1).T for f, part in zip(times, found, strict=True)],
        np.sum([f @ part.thresholds for f, part in zip(times, found, strict=True)], axis=0),
        decisions,
        {
            "kernel": np.repeat(np.arange(len(found) + len(others)), sizes + [1] * len(others)),
            "method": np.concatenate([*(part.methods for part in found), [FOREST] * len(others)]),
            "label_weight": np.concatenate([*(part.label_weights for part in found), unset]),
            "variance": np.concatenate([*(part.variances for part in found), unset]),
            "weight": weights,
            "loo_loss": -np.max(likelihood, axis=0) / max(int(np.sum(~lone)), 1),
            "loo_error": np.mean((decided != codes) | lone, axis=1),
        },
        forest,
        float(of_forest.sum()),
        float(times_forest.sum()),
    )


@dataclass(frozen=True, eq=False)
class Portfolio:
    """LS-KPCA and ridge regression in many kernels, and a forest, averaged; see `sskpca.SSKPCAClassifier`.

    Attributes
    ----------
    grid : Grid
        Label weights and variances.
    methods : tuple of tuples of str
        What is solved in each kernel, see `evaluate`.
    families : tuple of str
        The kind of each kernel; all kinds have the same prior weight.
    single : bool
        Take the candidate that counts most instead of the average.
    forest : bool
        Whether a random forest takes part.
    """

    grid: Grid
    methods: tuple[tuple[str, ...], ...]
    families: tuple[str, ...]
    single: bool
    forest: bool
    solves_held_out: ClassVar[bool] = True

    def solve(
        self, geometry: Geometry, labels: Labels, *, n_jobs: int | None = None, verbose: bool = False
    ) -> Ensemble:
        """Evaluate every setting in every kernel, and average."""
        coordinates, codes = geometry.coordinates, labels.codes[labels.labeled]
        sample = np.arange(geometry.X.shape[0]) if geometry.sample is None else geometry.sample
        # Asked for together, since rows in blocks take a pass for it.
        wanted = np.union1d(labels.labeled, sample)
        labeled, sampled = np.searchsorted(wanted, labels.labeled), np.searchsorted(wanted, sample)
        values = [part.values[wanted] for part in coordinates]
        with progress("candidates", len(coordinates), verbose) as tick:
            found = in_threads(
                lambda part: evaluate(part[0], labels, self.grid, part[1], rows=part[2][labeled]),
                list(zip(coordinates, self.methods, values, strict=True)),
                n_jobs,
                tick,
            )
            shares = [predicted_shares(part.decisions(own[sampled])) for part, own in zip(found, values, strict=True)]
            grown = self.forest and len(codes) * geometry.X.shape[1] <= MOST_FOREST_CELLS
            forest = fit_forest(geometry.rows(labels.labeled), codes, labels.all_targets()) if grown else None
            if forest is not None:
                shares.append(predicted_shares(forest.decide(geometry.rows(sample)).T)[None])
            ensemble = average(
                found, codes, self.families, single=self.single, forest=forest, shares=np.concatenate(shares)
            )
        of_kernel = coordinates[int(ensemble.table["kernel"][ensemble.best])]
        method, weight, share = (ensemble.table[name][ensemble.best] for name in ("method", "label_weight", "variance"))
        return replace(ensemble, reports=certify(of_kernel, labels, str(method), float(weight), float(share)))

    def held_out(self, geometry: Geometry, labels: Labels, found: Ensemble, rows: Indices) -> Array:
        """Return held-out decisions: they have been made to weigh the candidates."""
        return found.held_out.T[np.isin(labels.labeled, rows)]


def certify(coordinates: Coordinates, labels: Labels, method: str, weight: float, share: float) -> tuple[Report, ...]:
    """Solve a candidate once more, for the reports of its functions: evidence that they are optimal."""
    rows, n = coordinates.values[labels.labeled], coordinates.n_samples
    targets = labels.all_targets()
    if method == "ridge":
        return tuple(_ridge_report(rows, t, weight, coordinates.variances) for t in targets)
    if method == "uncentered":
        V, squares = uncentered_basis(coordinates)
        return tuple(solve_ls_kpca(rows @ V, squares, t, weight, share * n).report for t in targets)
    return tuple(
        solve_ls_kpca(rows, coordinates.variances, t, weight, share * label_variance(t) * n).report for t in targets
    )


def _ridge_report(rows: Array, t: Array, c: float, variances: Array) -> Report:
    """Bound the optimum of a strongly convex problem by the gradient at the solution: J* >= J - |g|^2 / 4."""
    solved = ridge_family(rows).solve(c, t[:, None])
    coef, offset = solved.coef[:, 0], float(solved.offset[0])
    residual = rows @ coef + offset - t
    norm, loss = float(coef @ coef), c * float(residual @ residual)
    gradient = 2 * (coef + c * ((rows - rows.mean(axis=0)).T @ residual))
    size = float(gradient @ gradient)
    scale = norm + loss + c * float(t @ t)
    relative = float(np.sqrt(size) / (2 * c * np.linalg.norm(rows.T @ t) + np.finfo(float).tiny))
    return Report(
        status=Status.CONVERGED,
        objective=norm + loss,
        bound=norm + loss - size / 4,
        gap=size / 4 / scale,
        multiplier=0.0,
        variance=float(coef @ (variances * coef)),
        kkt_residual=relative,
        n_iter=1,
        route="ridge",
    )
