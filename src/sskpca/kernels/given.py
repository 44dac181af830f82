"""Kernels that the user brings: a matrix, or a function of two matrices of rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.kernels.base import finite
from sskpca.linalg.array import Array

__all__ = ["FunctionKernel", "Precomputed"]


def _checked_gram(K: Any, kernel: object, n: int) -> Array:
    K = np.array(K, dtype=np.float64, copy=True)
    if K.shape != (n, n):
        raise ValueError(
            f"{type(kernel).__name__}: a kernel matrix must be square, one row and one column for each of the "
            f"{n} points, got shape {K.shape}."
        )
    finite(K, kernel)
    scale = float(np.abs(K).max(initial=0.0))
    if float(np.abs(K - K.T).max(initial=0.0)) > 1e-6 * scale:
        raise ValueError(
            f"{type(kernel).__name__}: the kernel matrix is not symmetric; pass (K + K.T) / 2 if it should be."
        )
    return np.asarray((K + K.T) / 2)


class Precomputed(KernelAlgebra, BaseEstimator):
    """A kernel matrix in place of the data: fit to (n, n) similarities, predict from (n_new, n)."""

    def fit_gram(self, X: Any) -> Array:
        """Check the matrix and return a copy."""
        X = X.toarray() if scipy.sparse.issparse(X) else X
        return _checked_gram(X, self, len(X))

    def cross(self, X: Any) -> Array:
        """Return the similarities as they are."""
        return np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)


class FunctionKernel(KernelAlgebra, BaseEstimator):
    """A user's function ``function(X, Y)`` that returns the matrix of similarities of rows.

    Parameters
    ----------
    function : callable
        Symmetric and positive semi-definite, such as those in `sklearn.metrics.pairwise`.
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def fit_gram(self, X: Any) -> Array:
        """Keep the data, evaluate the function and check what it returns."""
        self._X = X.copy()
        return _checked_gram(self.function(X, X), self, X.shape[0])

    def cross(self, X: Any) -> Array:
        """Evaluate the function for new points against the data."""
        return np.asarray(self.function(X, self._X), dtype=np.float64)

    def diagonal(self, X: Any) -> Array:
        """Evaluate the function for each point with itself, a few points at a time."""
        blocks = [X[first : first + 64] for first in range(0, X.shape[0], 64)]
        return np.concatenate([np.diagonal(np.asarray(self.function(B, B), dtype=np.float64)) for B in blocks])
