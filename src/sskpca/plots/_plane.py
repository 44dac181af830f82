"""Functions over the plane."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sskpca._linalg.array import Array

__all__ = ["draw_function"]

# Name, code in y, marker, colour, size: shapes besides colours, for those who do not see the difference.
POINTS = [
    ("unlabelled", -1, "o", "white", 14),
    ("labelled, class 1", 1, "s", "#b2000f", 75),
    ("labelled, class 0", 0, "o", "#0b3c8c", 85),
]


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
