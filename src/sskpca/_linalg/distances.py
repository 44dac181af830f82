"""Distances of a few new rows to all points, by differences.

A search for neighbours looks at its input, and products of matrices prepare theirs, for longer than it takes to go once
through the points; that pays for many new rows only. Differences are at least as precise.
"""

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist

from sskpca._linalg.array import Array, Matrix

__all__ = ["distances", "few"]

# Differences, at most: about a millisecond.
FEW = 1_000_000


def few(X: Matrix, points: Matrix) -> bool:
    """Return whether rows are so few that distances to points are best found one by one.

    Sparse ones never are; nor are those with infinities, whose kernel values would be zero in place of NaN, and nobody
    would be told.
    """
    if scipy.sparse.issparse(X) or scipy.sparse.issparse(points):
        return False
    return X.shape[0] * points.shape[0] * points.shape[1] <= FEW and bool(np.isfinite(X).all())


def distances(X: Matrix, points: Matrix, metric: str = "euclidean") -> Array:
    """Return the distances of rows to points, dense both, in double precision.

    Parameters
    ----------
    X : ndarray of shape (n_new, n_columns)
    points : ndarray of shape (n_points, n_columns)
    metric : {"euclidean", "sqeuclidean", "cityblock"}

    Examples
    --------
    >>> import numpy as np
    >>> distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [1.0, 0.0]]))
    array([[5., 1.]])
    """
    return cdist(X, points, metric)  # type: ignore[no-any-return]
