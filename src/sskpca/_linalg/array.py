"""The array types of the library; and rows brought to a common size, so that their squares stay in range."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

__all__ = [
    "Array",
    "Column",
    "Indices",
    "LabelsLike",
    "LandmarksLike",
    "Matrix",
    "RowNumbers",
    "RowsLike",
    "by_largest_entry",
    "largest_entries",
    "unit_rows",
]

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


def largest_entries(X: Matrix) -> Array:
    """Return the largest modulus in each row of an array or a sparse matrix."""
    if scipy.sparse.issparse(X):
        return np.asarray(abs(X).max(axis=1).toarray(), dtype=np.float64).ravel()
    return np.asarray(np.abs(X).max(axis=1, initial=0.0), dtype=np.float64)


def by_largest_entry(X: Matrix) -> Matrix:
    """Divide each row by its largest modulus; rows of zeros stay.

    However small the others are: scikit-learn's `normalize` takes rows below 2e-15 for zero.

    Examples
    --------
    >>> by_largest_entry(np.array([[1e-20, -4e-20], [0.0, 0.0]]))
    array([[ 0.25, -1.  ],
           [ 0.  ,  0.  ]])
    """
    largest = largest_entries(X)
    divisor = np.where(largest > 0, largest, 1.0)
    if not scipy.sparse.issparse(X):
        return X / divisor[:, None]
    out = X.tocsr(copy=True).astype(np.float64)
    out.data /= np.repeat(divisor, np.diff(out.indptr))
    return out


def unit_rows(X: Array) -> Array:
    """Divide each row by its Euclidean norm; rows of zeros stay.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    return np.asarray(X / np.where(norms > 0, norms, 1.0)[:, None])
