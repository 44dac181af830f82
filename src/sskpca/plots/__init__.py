"""Pictures of functions; needs matplotlib (extra `plot`)."""

from sskpca.plots.plane import draw_function

__all__ = ["draw_function"]
