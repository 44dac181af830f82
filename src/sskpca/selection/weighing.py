"""All candidates of a portfolio, weighed by the labels; and the proof of one of them."""

from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from sskpca.coordinates import Coordinates
from sskpca.estimators.classifier import functions_per_class, label_variance
from sskpca.estimators.labels import Labels
from sskpca.selection.candidates import BEND, Grid, evaluate, evaluate_logistic
from sskpca.selection.ensemble import Ensemble, average
from sskpca.selection.progress import progress
from sskpca.selection.threads import in_threads
from sskpca.solvers import Report, solve_lr_kpca, solve_ls_kpca

__all__ = ["proofs", "weighed"]

# Kernels in which LR-KPCA is solved too, if it is, and with which label weights.
N_LOGISTIC, LOGISTIC_WEIGHTS = 3, (0.1, 1.0, 10.0)


def weighed(
    coordinates: Sequence[Coordinates],
    labels: Labels,
    grid: Grid,
    *,
    logistic: bool = False,
    single: bool = False,
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
        Label weights and variances of LS-KPCA.
    logistic : bool, default=False
        LR-KPCA takes part, too: in the kernels that count most, at their best variance.
    single : bool, default=False
        The candidate that counts most instead of the average.
    n_jobs, verbose
        As for `SSKPCAClassifier`.
    """
    with (
        progress("candidates", len(coordinates), verbose) as tick,
        threadpool_limits(1, user_api="blas"),  # small problems: threads would wait for each other
    ):
        found = in_threads(lambda part: evaluate(part, labels, grid), coordinates, n_jobs, tick)
    codes = labels.codes[labels.labeled]
    ensemble = average(found, codes, single=single)
    if not logistic:
        return ensemble
    for k in np.argsort([-w.max() for w in ensemble.weights], kind="stable")[:N_LOGISTIC]:
        share = float(found[k].variances[np.argmax(ensemble.weights[k])])
        for weight in LOGISTIC_WEIGHTS:
            found[k] = found[k].joined(evaluate_logistic(coordinates[k], labels, weight, share))
    return average(found, codes, single=single)


def proofs(coordinates: Coordinates, labels: Labels, method: str, weight: float, share: float) -> list[Report]:
    """Solve a candidate once more, for the reports of its functions: evidence that they are optimal."""
    Z, d = coordinates.values, coordinates.variances
    solve, c = (solve_ls_kpca, weight) if method == "ls" else (solve_lr_kpca, BEND * weight)
    targets = [labels.targets(k) for k in functions_per_class(labels)]
    return [solve(Z[labels.labeled], d, t, c, share * label_variance(t) * len(Z)).report for t in targets]
