"""Many points as one image: the size of the page and the work of the browser no longer grow with them."""

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca.linalg.array import Array, Indices
from sskpca.report.marks import MARKS, SHAPES, mark_of

__all__ = ["draw_points"]

N_LAYERS = 8
"""Drawn class after class, the last class would cover the others; in layers, none does."""

EDGE = "#606060"


def draw_points(
    x: Array, y: Array, codes: Indices, faded: NDArray[np.bool_], size: tuple[int, int], radius: float
) -> str:
    """Draw points on a transparent image.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Places in units of the picture, from the top left corner.
    codes : ndarray of shape (n,)
        Classes.
    faded : ndarray of bool, shape (n,)
    size : tuple of int
        Width and height in the same units; the image has two pixels for each.
    radius : float

    Returns
    -------
    str
        A PNG as a ``data:`` address.
    """
    # Slow to import, and for large tables only.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.path import Path
    from PIL import Image

    width, height = size
    figure = Figure(figsize=(width / 72, height / 72), dpi=144)
    canvas: Any = FigureCanvasAgg(figure)
    figure.patch.set_alpha(0.0)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    looks = codes % MARKS
    layer = np.random.default_rng(0).integers(N_LAYERS, size=len(x))
    for fade in (True, False):
        for level in range(N_LAYERS):
            inside = (layer == level) & (faded == fade)
            for k in np.unique(looks[inside]).tolist():
                mark, chosen = mark_of(k), inside & (looks == k)
                corners = SHAPES[mark.shape]
                # matplotlib scales the corners to 1/2; the area of a mark is in square points, which are our units.
                area = (2 * radius * np.abs(corners).max()) ** 2
                axes.scatter(
                    x[chosen],
                    y[chosen],
                    s=area,
                    marker=Path(np.vstack([corners, corners[:1]]), closed=True),
                    c=mark.color,
                    alpha=0.35 if fade else 0.9,
                    edgecolors=EDGE,
                    linewidths=0.25,
                )
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba()))
    file = io.BytesIO()
    # 256 colours look the same here and are a third of the size.
    image.quantize(256, method=Image.Quantize.FASTOCTREE).save(file, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")
