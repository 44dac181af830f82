"""Rows brought to a common size, so that their squares stay in range."""

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Matrix

__all__ = ["by_largest_entry", "largest_entries"]


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
