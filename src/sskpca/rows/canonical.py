"""An order of rows that does not depend on the order in which they come."""

from typing import Any

import numpy as np
import scipy.sparse

from sskpca.linalg.array import Indices
from sskpca.rows.arrays import ArrayRows
from sskpca.rows.source import Rows

__all__ = ["canonical_order"]


def canonical_order(X: Any) -> Indices:
    """Return the row numbers in lexicographic order of the rows.

    What is drawn at random, landmarks say, is drawn from rows in this order, so that permuted or rescaled rows get the
    same draw. Rows that come in blocks or from a file stay in their order: to sort them all would have to be in memory.

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


def _dense_order(X: Any) -> Indices:
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


def _sparse_order(X: Any) -> Indices:
    """Sort by the columns that are not zero, then by the numbers in them."""
    X = X.sorted_indices()
    X.eliminate_zeros()
    ends = list(zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True))
    keys = [(X.indices[a:b].tobytes(), X.data[a:b].tolist()) for a, b in ends]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
