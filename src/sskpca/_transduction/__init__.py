"""From coordinates and labels to the fitted answer, a frozen value that everything after a fit is a function of."""

from sskpca._transduction.answer import Functions, Geometry, Predictor, Transduction, transduce
from sskpca._transduction.labels import Labels, read_labels

__all__ = ["Functions", "Geometry", "Labels", "Predictor", "Transduction", "read_labels", "transduce"]
