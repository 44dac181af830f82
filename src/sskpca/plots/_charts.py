"""The evidence beside labels: errors compared, confidence against truth, columns that matter."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sskpca._linalg.array import Array, Indices
from sskpca._selection.baselines import Baseline
from sskpca._selection.relevance import Relevance
from sskpca._transduction.held_out import wilson_interval
from sskpca.plots._marks import COLORS

__all__ = ["draw_calibration", "draw_errors", "draw_relevance"]

OWN, HURTS, OTHER = COLORS[0], COLORS[3], "#8c8c8c"


def draw_errors(ax: Any, error: float, interval: tuple[float, float], baselines: Sequence[Baseline]) -> Any:
    """Draw the held-out error of a model beside those of simple methods, with 95 % confidence intervals.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    error, interval : float and tuple of float
        Such as `loo_error_` and `loo_interval_` of `SSKPCAClassifier`.
    baselines : sequence of Baseline
        Such as `SSKPCAClassifier.baselines` returns them.

    Returns
    -------
    matplotlib.axes.Axes
    """
    names = ["this model", *(f"always {b.always}" if b.always else b.name for b in baselines)]
    errors = 100 * np.array([error, *(b.error for b in baselines)])
    low, high = 100 * np.array([interval, *(b.interval for b in baselines)]).T
    # Combined with other evidence, an error may lie outside of the interval of a share.
    whiskers = np.maximum([errors - low, high - errors], 0.0)
    ax.barh(names, errors, xerr=whiskers, color=[OWN, *[OTHER] * len(baselines)], capsize=3, height=0.6)
    ax.invert_yaxis()
    ax.set(xlim=(0, 100), xlabel="held-out labels predicted wrong, in %")
    return ax


def draw_calibration(ax: Any, confidence: Array, right: Array, count: Indices) -> Any:
    """Draw the share of held-out labels that were predicted right against the confidence, bin by bin.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    confidence, right : ndarray of shape (n_bins,)
        Mean confidence, and share predicted right; such as those of `Labelling.reliability`.
    count : ndarray of shape (n_bins,)
        Labels in each bin; empty bins are left out.

    Returns
    -------
    matplotlib.axes.Axes
    """
    filled = np.flatnonzero(count)
    x, y, n = 100 * confidence[filled], 100 * right[filled], count[filled]
    bounds = [wilson_interval(round(k * share / 100), k) for k, share in zip(n.tolist(), y.tolist(), strict=True)]
    low, high = 100 * np.array(bounds).reshape(-1, 2).T
    ax.plot([0, 100], [0, 100], color=OTHER, linestyle="--", linewidth=1)
    ax.vlines(x, low, high, color=OWN)
    ax.scatter(x, y, s=80 * n / max(1, n.max(initial=1)), color=OWN, zorder=3)
    ax.set(xlim=(0, 102), ylim=(0, 102), xlabel="confidence, in %", ylabel="predicted right, in %", aspect="equal")
    return ax


def draw_relevance(ax: Any, relevance: Sequence[Relevance]) -> Any:
    """Draw what each column gains, with standard errors; columns that are within noise are grey.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    relevance : sequence of Relevance
        Such as `SSKPCAClassifier.column_relevance` returns them.

    Returns
    -------
    matplotlib.axes.Axes
    """
    colors = [OWN if entry.helps else HURTS if entry.hurts else OTHER for entry in relevance]
    where = np.arange(len(relevance))
    errors = [entry.standard_error for entry in relevance]
    ax.barh(where, [entry.gain for entry in relevance], xerr=errors, color=colors, height=0.6)
    ax.set_yticks(where, [entry.column for entry in relevance])
    ax.invert_yaxis()
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set(xlabel="gain in log likelihood per held-out label")
    return ax
