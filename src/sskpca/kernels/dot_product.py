r"""Kernels of the inner product: linear, polynomial and cosine."""

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.kernels.base import finite
from sskpca.linalg.array import Array
from sskpca.linalg.scaling import by_largest_entry

__all__ = ["Cosine", "Linear", "Polynomial"]


def _inner(X: Any, Y: Any) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        product = safe_sparse_dot(X.astype(np.float64), Y.astype(np.float64).T, dense_output=True)
    return np.asarray(product)


class Linear(KernelAlgebra, BaseEstimator):
    r"""The linear kernel, with which kernel PCA is PCA.

    .. math:: k(x, y) = x^\top y

    Examples
    --------
    >>> Linear().fit_gram(np.array([[1.0, 2.0], [0.0, 1.0]]))
    array([[5., 2.],
           [2., 1.]])
    """

    def fit_gram(self, X: Any) -> Array:
        """Keep the data and return the kernel matrix."""
        self._X = X.copy()
        return finite(_inner(X, X), self)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return _inner(X, self._X)

    def fit_rows(self, X: Any) -> Array:
        """Keep the data and return its features: the rows themselves, which have digits that their products lose."""
        self._X = X.copy()
        with np.errstate(over="ignore"):
            finite(self.diagonal(X), self)
        return self.features(X)

    def features(self, X: Any) -> Array:
        """Return the rows as they are: their inner products are the kernel."""
        return np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)

    def diagonal(self, X: Any) -> Array:
        """Return the squared norms of points."""
        return np.asarray(row_norms(X.astype(np.float64), squared=True))


class Polynomial(KernelAlgebra, BaseEstimator):
    r"""The polynomial kernel.

    .. math:: k(x, y) = (\gamma\, x^\top y + c_0)^p

    Parameters
    ----------
    degree : int, default=3
        p, at least 1.
    gamma : float or "scale", default="scale"
        "scale" is one over the mean squared norm of the data's rows, so that typical inner products are
        of size one.
    coef0 : float, default=1.0
        :math:`c_0`, not negative: otherwise the kernel is indefinite.

    Attributes
    ----------
    gamma_ : float
        The value used.
    """

    def __init__(self, degree: int = 3, gamma: float | str = "scale", coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def fit_gram(self, X: Any) -> Array:
        """Learn the scale and return the kernel matrix."""
        if not isinstance(self.degree, Integral) or self.degree < 1:
            raise ValueError(f"Polynomial: degree must be a whole number from 1 up, got {self.degree!r}.")
        if not isinstance(self.coef0, Real) or not 0 <= float(self.coef0) < np.inf:
            raise ValueError(f"Polynomial: coef0 must be a number from 0 up, got {self.coef0!r}.")
        self._X: Any = X.copy()
        K = finite(_inner(X, X), self)
        if self.gamma == "scale":
            mean = float(np.trace(K)) / len(K)
            if 0 < mean < np.finfo(float).tiny * 4:
                raise ValueError("Polynomial: the features are too small for floating point arithmetic; rescale them.")
            self.gamma_: float = 1 / mean if mean > 0 else 1.0
        elif isinstance(self.gamma, Real) and 0 < float(self.gamma) < np.inf:
            self.gamma_ = float(self.gamma)
        else:
            raise ValueError(f'Polynomial: gamma must be "scale" or a positive number, got {self.gamma!r}.')
        return finite(self._power(K), self)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return self._power(_inner(X, self._X))

    def diagonal(self, X: Any) -> Array:
        """Return the kernel values of points with themselves."""
        return self._power(row_norms(X.astype(np.float64), squared=True))

    def _power(self, K: Array) -> Array:
        K *= self.gamma_
        K += self.coef0
        with np.errstate(over="ignore"):
            return np.asarray(np.power(K, int(self.degree), out=K))


class Cosine(KernelAlgebra, BaseEstimator):
    r"""The cosine kernel; a row of zeros is at right angles to everything.

    .. math:: k(x, y) = \frac{x^\top y}{\|x\|\,\|y\|}
    """

    def fit_gram(self, X: Any) -> Array:
        """Keep the directions of the data and return the kernel matrix."""
        self._X = self._directions(X)
        return finite(_inner(self._X, self._X), self)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return _inner(self._directions(X), self._X)

    def diagonal(self, X: Any) -> Array:
        """Return 1 for every point, and 0 for a row of zeros."""
        return np.asarray(row_norms(self._directions(X), squared=True))

    def _directions(self, X: Any) -> Any:
        # Dividing by the largest entry first keeps the squares in range.
        return normalize(by_largest_entry(X.astype(np.float64)))
