"""Rows of an array: in memory, mapped from a file, or sparse."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from sskpca.linalg.array import Indices
from sskpca.rows.source import Rows

__all__ = ["ArrayRows"]


class ArrayRows(Rows):
    """An array, a `numpy.memmap` or a sparse matrix, as rows.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Numbers. Single precision stays single.

    Examples
    --------
    >>> rows = ArrayRows(np.arange(6.0).reshape(3, 2))
    >>> rows.take(np.array([2, 0]))
    array([[4., 5.],
           [0., 1.]])
    """

    def __init__(self, X: Any) -> None:
        self.X = X.tocsr() if scipy.sparse.issparse(X) else np.asanyarray(X)
        if isinstance(self.X, np.ma.MaskedArray):
            raise ValueError("ArrayRows: a masked array has missing numbers; fill them in first (X.filled(...)).")
        if self.X.ndim != 2:
            raise ValueError(f"ArrayRows: an array with rows and columns is needed, got {self.X.ndim} dimensions.")
        self.n_rows, self.n_columns = self.X.shape

    def take(self, rows: Indices) -> Any:
        """Return rows by their numbers."""
        # Of a file, the pages in order.
        order = np.argsort(rows, kind="stable")
        return _floats(self.X[np.asarray(rows)[order]])[np.argsort(order, kind="stable")]

    def blocks(self, size: int) -> Iterator[Any]:
        """Yield the rows in order."""
        for first in range(0, self.n_rows, size):
            yield _floats(self.X[first : first + size])


def _floats(block: Any) -> Any:
    """Return a block in single precision if it is in that, in double precision otherwise."""
    block = block if scipy.sparse.issparse(block) else np.asarray(block)
    return block if block.dtype in (np.float32, np.float64) else block.astype(np.float64)
