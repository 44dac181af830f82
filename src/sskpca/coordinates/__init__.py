"""From a kernel to principal coordinates; solvers see nothing else of the data."""

from sskpca.coordinates.exact import IndefiniteKernelError, exact_coordinates
from sskpca.coordinates.principal import Coordinates, NoVarianceError, coordinates_from_features

__all__ = [
    "Coordinates",
    "IndefiniteKernelError",
    "NoVarianceError",
    "coordinates_from_features",
    "exact_coordinates",
]
