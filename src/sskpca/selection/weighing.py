"""All candidates of a portfolio, weighed by the labels; and the proof of one of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.classifier import functions_per_class, label_variance
from sskpca.estimators.labels import Labels
from sskpca.linalg.array import Array
from sskpca.linalg.threads import one_thread
from sskpca.selection.candidates import Grid, evaluate, uncentered_basis
from sskpca.selection.ensemble import Ensemble, average
from sskpca.selection.forest import fit_forest
from sskpca.selection.progress import progress
from sskpca.selection.threads import in_threads
from sskpca.solvers import Report, solve_ls_kpca
from sskpca.solvers.report import Status
from sskpca.solvers.ridge import ridge_family

__all__ = ["certify", "fit_portfolio"]


def fit_portfolio(
    coordinates: Sequence[Coordinates],
    labels: Labels,
    grid: Grid,
    methods: Sequence[Sequence[str]],
    families: Sequence[str],
    *,
    single: bool = False,
    forest_rows: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Ensemble:
    """Evaluate every setting in every kernel, and average.

    Parameters
    ----------
    coordinates : sequence of Coordinates
        One for each kernel.
    labels : Labels
    grid : Grid
        Label weights and variances.
    methods : sequence of sequences of str
        What is solved in each kernel, see `evaluate`.
    families : sequence of str
        The kind of each kernel; all kinds have the same prior weight.
    single : bool, default=False
        The candidate that counts most instead of the average.
    forest_rows : ndarray or sparse matrix of shape (n_labeled, n_features), optional
        The labelled rows, if a random forest takes part.
    n_jobs, verbose
        As for `SSKPCAClassifier`.
    """
    with (
        progress("candidates", len(coordinates), verbose) as tick,
        one_thread(),  # small problems: threads would wait for each other
    ):
        found = in_threads(
            lambda part: evaluate(part[0], labels, grid, part[1]),
            list(zip(coordinates, methods, strict=True)),
            n_jobs,
            tick,
        )
        codes = labels.codes[labels.labeled]
        targets = [labels.targets(k) for k in functions_per_class(labels)]
        forest = None if forest_rows is None else fit_forest(forest_rows, codes, targets)
        return average(found, codes, families, single=single, forest=forest)


def certify(coordinates: Coordinates, labels: Labels, method: str, weight: float, share: float) -> list[Report]:
    """Solve a candidate once more, for the reports of its functions: evidence that they are optimal."""
    rows, n = coordinates.values[labels.labeled], coordinates.n_samples
    targets = [labels.targets(k) for k in functions_per_class(labels)]
    if method == "ridge":
        return [_ridge_report(rows, t, weight, coordinates.variances) for t in targets]
    if method == "uncentered":
        V, squares = uncentered_basis(coordinates)
        return [solve_ls_kpca(rows @ V, squares, t, weight, share * n).report for t in targets]
    return [
        solve_ls_kpca(rows, coordinates.variances, t, weight, share * label_variance(t) * n).report for t in targets
    ]


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
