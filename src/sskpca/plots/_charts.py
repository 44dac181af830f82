"""The evidence beside labels: errors compared, confidence against truth, columns that matter."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sskpca._linalg.array import Array, Column, Indices
from sskpca._selection.baselines import Baseline
from sskpca._selection.explanation import Explanation
from sskpca._selection.relevance import Relevance
from sskpca._transduction.held_out import wilson_interval
from sskpca.plots._marks import COLORS

__all__ = [
    "draw_calibration",
    "draw_candidates",
    "draw_error_curve",
    "draw_errors",
    "draw_explanation",
    "draw_relevance",
    "total_weights",
]

OWN, HURTS, OTHER = COLORS[0], COLORS[3], "#8c8c8c"


def draw_errors(ax: Any, error: float, interval: tuple[float, float], baselines: Sequence[Baseline]) -> Any:
    """Draw the held-out error of a model beside those of simple methods, with 95 % confidence intervals.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    error : float
        Such as `loo_error_` of `SSKPCAClassifier`.
    interval : tuple of float
        Such as `loo_interval_` of `SSKPCAClassifier`.
    baselines : sequence of Baseline
        Such as `SSKPCAClassifier.baselines` returns them.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sskpca import SSKPCAClassifier
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.plots import draw_errors
    >>> X, y, _ = make_two_moons(100, n_labeled=5)
    >>> model = SSKPCAClassifier().fit(X, y)
    >>> ax = draw_errors(Figure().subplots(), model.loo_error_, model.loo_interval_, model.baselines(X))
    >>> len(ax.patches)  # this model and three simple methods
    4
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
        Where to draw.
    confidence : ndarray of shape (n_bins,)
        Mean confidence of each bin, from 0 to 1.
    right : ndarray of shape (n_bins,)
        Share of each bin that is predicted right, from 0 to 1.
    count : ndarray of shape (n_bins,)
        Labels in each bin; empty bins are left out.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from sskpca.plots import draw_calibration
    >>> confidence, right, count = np.array([0.6, 0.95]), np.array([0.5, 1.0]), np.array([4, 16])
    >>> draw_calibration(Figure().subplots(), confidence, right, count).get_xlabel()
    'confidence, in %'
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
        Where to draw.
    relevance : sequence of Relevance
        Such as `SSKPCAClassifier.column_relevance` returns them.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from sskpca import SSKPCAClassifier
    >>> from sskpca.plots import draw_relevance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 2))
    >>> y = np.where(np.arange(60) < 30, X[:, 0] > 0, -1)
    >>> relevance = SSKPCAClassifier().fit(X, y).column_relevance(X)
    >>> [text.get_text() for text in draw_relevance(Figure().subplots(), relevance).get_yticklabels()]
    ['column 0', 'column 1']
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


def draw_candidates(ax: Any, candidates: Mapping[str, NDArray[Any]], *, n_kernels: int = 10) -> Any:
    """Draw how much each kernel counts in the average, split by method.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    candidates : mapping of str to ndarray
        Columns "kernel", "method" and "weight", such as `candidates_` of `SSKPCAClassifier`.
    n_kernels : int, default=10
        How many kernels to draw, those that count most; the others are summed up in one bar.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from sskpca.plots import draw_candidates
    >>> kernel, method = np.array(["Linear()", "Gaussian()", "Gaussian()"]), np.array(["ls", "ls", "ridge"])
    >>> table = {"kernel": kernel, "method": method, "weight": np.array([0.2, 0.5, 0.3])}
    >>> [text.get_text() for text in draw_candidates(Figure().subplots(), table).get_yticklabels()]
    ['Gaussian()', 'Linear()']
    """
    kernels = np.array([str(kernel) for kernel in candidates["kernel"]], dtype=object)
    methods = np.array([str(method) for method in candidates["method"]], dtype=object)
    weight = 100 * candidates["weight"].astype(float)
    order = list(total_weights(kernels, weight))
    shown, others = order[:n_kernels], order[n_kernels:]
    groups = [kernels == kernel for kernel in shown]
    names = list(shown)
    if others:
        groups.append(np.isin(kernels, others))
        names.append(f"{len(others)} others")
    left = np.zeros(len(groups))
    for k, method in enumerate(dict.fromkeys(methods)):
        widths = np.array([float(weight[group & (methods == method)].sum()) for group in groups])
        ax.barh(np.arange(len(groups)), widths, left=left, color=COLORS[k % len(COLORS)], height=0.6, label=method)
        left += widths
    ax.set_yticks(np.arange(len(groups)), names)
    ax.invert_yaxis()
    ax.set(xlabel="weight in the average, in %")
    ax.legend(frameon=False)
    return ax


def total_weights(kernels: Column, weight: Array) -> dict[str, float]:
    """Sum up the weights of the candidates of each kernel, the heaviest first; ties stay in the order of the table."""
    totals = {kernel: float(weight[kernels == kernel].sum()) for kernel in dict.fromkeys(kernels)}
    return dict(sorted(totals.items(), key=lambda entry: -entry[1]))


def draw_error_curve(
    ax: Any, n_labels: ArrayLike, error: ArrayLike, *, interval: ArrayLike | None = None, name: str | None = None
) -> Any:
    """Draw how the error falls as labels are added, with a band; call it again for another curve on the same Axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    n_labels : array-like of shape (n_steps,)
        Number of labels at each step.
    error : array-like of shape (n_steps,)
        Errors, from 0 to 1, such as `expected_error_` after each `update_labels`.
    interval : array-like of shape (n_steps, 2) or None, default=None
        Lower and upper ends of a band, such as `expected_interval_`.
    name : str or None, default=None
        Name of the curve in the legend.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sskpca.plots import draw_error_curve
    >>> ax = draw_error_curve(Figure().subplots(), [10, 20, 40], [0.3, 0.2, 0.1], name="expected")
    >>> ax.lines[0].get_ydata().round().tolist()
    [30.0, 20.0, 10.0]
    """
    (line,) = ax.plot(n_labels, 100 * np.asarray(error, dtype=float), marker="o", markersize=4, label=name)
    if interval is not None:
        low, high = 100 * np.asarray(interval, dtype=float).T
        ax.fill_between(n_labels, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set(xlabel="labels", ylabel="error, in %")
    ax.set_ylim(bottom=0)
    if name is not None:
        ax.legend(frameon=False)
    return ax


def draw_explanation(ax: Any, explanation: Explanation, *, n_rows: int = 10) -> Any:
    """Draw the share of the labelled rows in the decision on a row, the largest first.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    explanation : Explanation
        Such as `SSKPCAClassifier.explain` returns it.
    n_rows : int, default=10
        How many labelled rows to draw; the others and the offset are summed up in one bar.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sskpca import SSKPCAClassifier
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.plots import draw_explanation
    >>> X, y, _ = make_two_moons(100)
    >>> why = SSKPCAClassifier().fit(X, y).explain(50)
    >>> len(draw_explanation(Figure().subplots(), why, n_rows=5).patches)  # five labels, and the rest
    6
    """
    shares = explanation.contributions[:n_rows].tolist()
    names = [
        f"{label} (row {row})"
        for row, label in zip(explanation.rows[:n_rows].tolist(), explanation.labels[:n_rows].tolist(), strict=True)
    ]
    shares.append(explanation.decision - sum(shares))
    names.append("all else")
    where = np.arange(len(shares))
    ax.barh(where, shares, color=[*(OWN if share > 0 else HURTS for share in shares[:-1]), OTHER], height=0.6)
    ax.set_yticks(where, names)
    ax.invert_yaxis()
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set(xlabel="share in the decision", title=f"Why row {explanation.row} is called {explanation.label}")
    return ax
