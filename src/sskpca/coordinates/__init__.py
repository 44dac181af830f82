"""From a kernel to principal coordinates; solvers see nothing else of the data."""

from sskpca.coordinates.exact import IndefiniteKernelError, exact_coordinates
from sskpca.coordinates.linear import far_from_origin, linear_coordinates
from sskpca.coordinates.moments import Moments, feature_moments
from sskpca.coordinates.principal import (
    Coordinates,
    NoVarianceError,
    coordinates_from_features,
    coordinates_from_moments,
)
from sskpca.coordinates.streamed import StreamedValues

__all__ = [
    "Coordinates",
    "IndefiniteKernelError",
    "Moments",
    "NoVarianceError",
    "StreamedValues",
    "coordinates_from_features",
    "coordinates_from_moments",
    "exact_coordinates",
    "far_from_origin",
    "feature_moments",
    "linear_coordinates",
]
