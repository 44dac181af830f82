"""The array types of the library."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Column", "Indices", "LabelsLike", "LandmarksLike", "Matrix", "RowNumbers", "RowsLike"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
# Values of any type, one for each row (or a row of them): classes, cells, numbers in either precision.
Column: TypeAlias = NDArray[Any]
# Rows of numbers: an array or a sparse matrix in CSR format, in single or double precision. SciPy has no types.
Matrix: TypeAlias = Any
# What users pass, before it is validated. Rows: an array, a sparse matrix, a table, a `Rows`, or a collection of Dask.
RowsLike: TypeAlias = Any
# Labels: a column of any package, a list, a mapping from row numbers, or a table of rows and labels.
LabelsLike: TypeAlias = Any
# A row number, or several.
RowNumbers: TypeAlias = int | Sequence[int] | Indices
# How landmarks are chosen, or the rows themselves.
LandmarksLike: TypeAlias = str | Array
