"""Rows of an array: in memory, mapped from a file, or sparse."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.rows._source import Rows, as_rows, blocks_of

__all__ = ["ArrayRows", "canonical_order", "floats", "rows_of"]


class ArrayRows(Rows):
    """An array, a `numpy.memmap` or a sparse matrix, as rows.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Numbers. Single precision stays single.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.rows import ArrayRows
    >>> rows = ArrayRows(np.arange(6.0).reshape(3, 2))
    >>> rows.take(np.array([2, 0]))
    array([[4., 5.],
           [0., 1.]])
    """

    def __init__(self, X: Matrix) -> None:
        self.X = X.tocsr() if scipy.sparse.issparse(X) else np.asanyarray(X)
        if isinstance(self.X, np.ma.MaskedArray):
            raise ValueError("ArrayRows: a masked array has missing numbers; fill them in first (X.filled(...)).")
        if self.X.ndim != 2:
            raise ValueError(f"ArrayRows: an array with rows and columns is needed, got {self.X.ndim} dimensions.")
        self.n_rows, self.n_columns = self.X.shape

    def take(self, rows: Indices) -> Matrix:
        """Return rows by their numbers."""
        # Of a file, the pages in order.
        order = np.argsort(rows, kind="stable")
        return floats(self.X[np.asarray(rows)[order]])[np.argsort(order, kind="stable")]

    def blocks(self, size: int) -> Iterator[Matrix]:
        """Yield the rows in order."""
        for block, _ in blocks_of(self.X, size):
            yield floats(block)


def floats(block: Matrix) -> Matrix:
    """Return a block in single precision if it is in that, in double precision otherwise."""
    block = block if scipy.sparse.issparse(block) else np.asarray(block)
    return block if block.dtype in (np.float32, np.float64) else block.astype(np.float64)


def rows_of(X: Matrix | Rows) -> Rows:
    """Return the rows of a matrix, or rows as they are."""
    return as_rows(X) or ArrayRows(X)


def canonical_order(X: Matrix | Rows) -> Indices:
    """Return the row numbers in lexicographic order of the rows, whatever order they come in.

    Random choices, of landmarks say, are made from rows in this order, so that permuted or rescaled rows lead to the
    same choice. Rows that come in blocks or from a file stay in their order: to sort them all would have to be in
    memory.

    Parameters
    ----------
    X : ndarray, sparse matrix or Rows

    Examples
    --------
    >>> canonical_order(np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 9.0]]))
    array([2, 1, 0])
    """
    data = X.X if isinstance(X, ArrayRows) else X
    if isinstance(data, Rows | np.memmap):
        return np.arange(data.shape[0])
    return _sparse_order(data.tocsr()) if scipy.sparse.issparse(data) else _dense_order(np.asarray(data))


def _dense_order(X: Array) -> Indices:
    """Sort by one column after the other, and by each only the rows that are equal in those before."""
    place = np.zeros(len(X), dtype=np.intp)
    equal = np.arange(len(X))
    for column in X.T:
        equal = equal[np.lexsort((column[equal], place[equal]))]
        old, values = place[equal], column[equal]
        at = np.arange(len(equal))
        differs = np.ones((2, len(equal)), dtype=bool)
        differs[0, 1:] = old[1:] != old[:-1]
        differs[1, 1:] = differs[0, 1:] | (values[1:] != values[:-1])
        before, now = np.maximum.accumulate(np.where(differs, at, 0), axis=1)
        place[equal] = old + now - before
        alone = differs[1] & np.append(differs[1, 1:], True)
        equal = equal[~alone]
        if len(equal) == 0:
            break
    return np.argsort(place, kind="stable")


def _sparse_order(X: scipy.sparse.csr_matrix) -> Indices:
    """Sort by the columns that are not zero, then by the numbers in them."""
    X = X.sorted_indices()
    X.eliminate_zeros()
    ends = list(zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True))
    keys = [(X.indices[a:b].tobytes(), X.data[a:b].tolist()) for a, b in ends]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
