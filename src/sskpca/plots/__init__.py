"""Pictures on matplotlib's Axes (extra `plot`), and a map of the rows."""

from sskpca.plots._charts import (
    draw_calibration,
    draw_candidates,
    draw_error_curve,
    draw_errors,
    draw_explanation,
    draw_relevance,
)
from sskpca.plots._map import neighbor_map
from sskpca.plots._scatter import draw_function, draw_map

__all__ = [
    "draw_calibration",
    "draw_candidates",
    "draw_error_curve",
    "draw_errors",
    "draw_explanation",
    "draw_function",
    "draw_map",
    "draw_relevance",
    "neighbor_map",
]
