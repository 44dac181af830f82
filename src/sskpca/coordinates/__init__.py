"""From a kernel to principal coordinates; solvers see nothing else of the data."""

from sskpca.coordinates._exact import IndefiniteKernelError, exact_coordinates
from sskpca.coordinates._principal import Coordinates, NoVarianceError

__all__ = ["Coordinates", "IndefiniteKernelError", "NoVarianceError", "exact_coordinates"]
