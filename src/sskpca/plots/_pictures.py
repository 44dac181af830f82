"""Pictures on matplotlib's Axes: functions over the plane, rows on a map, errors, calibration, columns that matter."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca._selection.baselines import Baseline
from sskpca._selection.relevance import Relevance
from sskpca._transduction.held_out import wilson_interval

__all__ = [
    "COLORS",
    "MARKS",
    "SHAPES",
    "Mark",
    "draw_calibration",
    "draw_errors",
    "draw_function",
    "draw_map",
    "draw_relevance",
    "mark_of",
    "outline",
]

# Okabe and Ito's colours, which people with any colour vision tell apart; those that differ most come first. Grey
# stands for their black, which would not be seen on a dark page.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#8c8c8c")

# Name, code in y, marker, colour, size: shapes besides colours, for those who do not see the difference.
POINTS = [
    ("unlabelled", -1, "o", "white", 14),
    ("labelled, class 1", 1, "s", "#b2000f", 75),
    ("labelled, class 0", 0, "o", "#0b3c8c", 85),
]
# Drawn class after class, the last class would cover the others; in layers, none does.
N_LAYERS = 8
# Areas of marks in square points, for few and for many rows.
FEW, SMALL, SMALLER = 3_000, 24.0, 8.0
MOST_KEYS = 24
OWN, HURTS, OTHER = COLORS[0], COLORS[3], "#8c8c8c"


def _polygon(n: int, turn: float = 0.0, inner: float = 1.0) -> Array:
    """Corners on the unit circle, every second one at the radius `inner`; `turn` in degrees from the top."""
    angle = np.deg2rad(turn) + 2 * np.pi * np.arange(n) / n
    radius = np.where(np.arange(n) % 2 == 0, 1.0, inner)
    return np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])


def _cross(arm: float, turn: float) -> Array:
    a = np.array([(arm, 1), (arm, arm), (1, arm)])
    corners = np.vstack([a, a[::-1] * (1, -1), -a, a[::-1] * (-1, 1)])
    c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    return np.asarray(corners @ np.array([[c, s], [-s, c]]))


# Corners, up is positive. Each has about the area of the circle of radius 0.9.
SHAPES: dict[str, Array] = {
    "circle": 0.9 * _polygon(24),
    "square": 1.13 * _polygon(4, 45),
    "triangle": 1.3 * _polygon(3),
    "diamond": 1.2 * _polygon(4) * (0.9, 1.15),
    "triangle upside down": 1.3 * _polygon(3, 180),
    "plus": 1.1 * _cross(0.36, 0),
    "star": 1.4 * _polygon(10, inner=0.5),
    "cross": 1.1 * _cross(0.36, 45),
}
# So many classes look different.
MARKS = len(COLORS) * len(SHAPES)


@dataclass(frozen=True, slots=True)
class Mark:
    """How a class looks."""

    color: str
    shape: str


def mark_of(k: int) -> Mark:
    """Return the mark of a class; the colours come round after eight, each time with another shape.

    Examples
    --------
    >>> mark_of(0)
    Mark(color='#0072b2', shape='circle')
    >>> mark_of(8)
    Mark(color='#0072b2', shape='square')
    """
    n = len(COLORS)
    return Mark(COLORS[k % n], list(SHAPES)[(k + k // n) % len(SHAPES)])


def outline(shape: str, radius: float) -> str:
    """Draw a shape around the origin as the path of an SVG, in which down is positive."""
    corners = (f"{radius * x:.2f} {-radius * y:.2f}" for x, y in SHAPES[shape])
    return "M" + "L".join(corners) + "z"


def draw_function(ax: Any, f: Callable[[Array], Array], X: Array, y: Array, levels: Array) -> Any:
    """Draw a function over the plane in colour, its zero line, and the points.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    f : callable
        Maps (n, 2) points to n values, such as a model's `decision_function`.
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0 and 1, and -1 where unlabelled.
    levels : ndarray
        Between the shades; as many above zero as below.

    Returns
    -------
    matplotlib.contour.ContourSet
        For a colour bar.
    """
    low, high = X.min(axis=0) - 0.35, X.max(axis=0) + 0.35
    across, up = np.meshgrid(np.linspace(low[0], high[0], 180), np.linspace(low[1], high[1], 120))
    values = f(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    shades = ax.contourf(across, up, values, levels=levels, cmap="RdBu_r")
    ax.contour(across, up, values, levels=[0.0], colors="black", linewidths=1.5)
    for name, code, marker, color, size in POINTS:
        edge, width = ("black", 0.5) if code < 0 else ("white", 1.5)
        ax.scatter(
            *X[y == code].T, s=size, c=color, marker=marker, edgecolors=edge, linewidths=width, label=name, zorder=3
        )
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[], aspect="equal")
    return shades


def draw_map(
    ax: Any,
    places: Array,
    codes: Indices,
    classes: Sequence[str],
    *,
    given: NDArray[np.bool_] | None = None,
    sure: NDArray[np.bool_] | None = None,
) -> Any:
    """Draw rows at their places, in the colours and shapes of their classes, with a legend.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    places : ndarray of shape (n_samples, 2)
        Such as those of `neighbor_map`.
    codes : ndarray of shape (n_samples,)
        Position of the class of each row in `classes`.
    classes : sequence of str
    given : ndarray of bool, shape (n_samples,), optional
        Rows whose label was given: larger, with a dark rim.
    sure : ndarray of bool, shape (n_samples,), optional
        Rows that are not sure are faded.

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib.lines import Line2D
    from matplotlib.path import Path

    n = len(places)
    given = np.zeros(n, bool) if given is None else np.asarray(given)
    faded = np.zeros(n, bool) if sure is None else ~np.asarray(sure) & ~given
    outlines = {name: Path(np.vstack([corners, corners[:1]]), closed=True) for name, corners in SHAPES.items()}
    looks = np.asarray(codes) % MARKS
    layer = np.where(faded, 0, 1 + np.random.default_rng(0).integers(N_LAYERS, size=n))
    layer[given] = N_LAYERS + 1
    area = SMALL if n <= FEW else SMALLER
    for level in range(N_LAYERS + 2):
        rim = level > N_LAYERS
        for k in np.unique(looks[layer == level]).tolist():
            mark, chosen = mark_of(k), (layer == level) & (looks == k)
            ax.scatter(
                *places[chosen].T,
                s=3 * area if rim else area,
                marker=outlines[mark.shape],
                c=mark.color,
                alpha=0.35 if level == 0 else 0.95,
                edgecolors="black" if rim else "#404040",
                linewidths=1.2 if rim else 0.2,
            )
    keys = [
        Line2D([], [], linestyle="", marker=outlines[mark_of(k).shape], color=mark_of(k).color, label=name)
        for k, name in enumerate(classes[:MOST_KEYS])
    ]
    ax.legend(handles=keys, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    ax.set(xticks=[], yticks=[])
    return ax


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
