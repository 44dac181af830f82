"""The one array type of the numerical layers."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Indices"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
