"""Rows as points: on a map, each with the colour and the shape of its class; or in the plane, below a function."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca.plots._marks import MARKS, SHAPES, mark_of

__all__ = ["draw_function", "draw_map"]

# Drawn class after class, the last class would cover the others; in layers, none does.
N_LAYERS = 8
# Areas of marks in square points, for few and for many rows.
FEW, SMALL, SMALLER = 3_000, 24.0, 8.0
MOST_KEYS = 24
# Name, code in y, marker, colour, size: shapes besides colours, for those who do not see the difference.
POINTS = [
    ("unlabelled", -1, "o", "white", 14),
    ("labelled, class 1", 1, "s", "#b2000f", 75),
    ("labelled, class 0", 0, "o", "#0b3c8c", 85),
]


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
        Where to draw.
    places : ndarray of shape (n_samples, 2)
        Such as those of `neighbor_map`.
    codes : ndarray of shape (n_samples,)
        Position of the class of each row in `classes`.
    classes : sequence of str
        Names of the classes.
    given : ndarray of bool of shape (n_samples,) or None, default=None
        Rows whose label was given: larger, with a dark rim.
    sure : ndarray of bool of shape (n_samples,) or None, default=None
        Rows that are not sure are faded.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from sskpca.plots import draw_map
    >>> places = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.9]])
    >>> ax = draw_map(Figure().subplots(), places, np.array([0, 1, 1]), ["cat", "dog"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['cat', 'dog']
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


def draw_function(ax: Any, f: Callable[[Array], Array], X: Array, y: Array, levels: Array) -> Any:
    """Draw a function over the plane in colour, its zero line, and the points.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    f : callable
        Maps (n, 2) points to n values, such as a model's `decision_function`.
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        0 and 1, and -1 where unlabelled.
    levels : ndarray
        Boundaries between the shades; as many above zero as below.

    Returns
    -------
    matplotlib.contour.QuadContourSet
        The shades, for a colour bar.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.plots import draw_function
    >>> X, y, _ = make_two_moons(100)
    >>> model = LSKPCA().fit(X, y)
    >>> shades = draw_function(Figure().subplots(), model.decision_function, X, y, np.linspace(-3, 3, 13))
    >>> len(shades.levels)
    13
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
