"""Pictures on matplotlib's Axes (extra `plot`), and a map of the rows."""

from sskpca.plots._map import neighbor_map
from sskpca.plots._pictures import draw_calibration, draw_errors, draw_function, draw_map, draw_relevance

__all__ = ["draw_calibration", "draw_errors", "draw_function", "draw_map", "draw_relevance", "neighbor_map"]
