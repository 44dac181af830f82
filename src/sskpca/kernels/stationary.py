r"""Kernels of the distance: Gaussian and Laplacian."""

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.kernels.base import finite, positive
from sskpca.linalg.array import Array

__all__ = ["Gaussian", "Laplacian", "median_off_diagonal"]


def median_off_diagonal(D: Array) -> float:
    """Find the median entry of a symmetric matrix off its diagonal, exactly and in little memory.

    A sample gives two values that enclose the median; one pass counts what is below them and
    collects what is between, which is sorted.

    Examples
    --------
    >>> median_off_diagonal(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 9.0], [2.0, 9.0, 0.0]]))
    2.0
    """
    n = len(D)
    if n < 2:
        return 0.0
    pairs = n * (n - 1) // 2
    upper = [D[i, i + 1 :] for i in range(n - 1)]
    if pairs <= 200_000:
        return float(np.median(np.concatenate(upper)))
    sample = np.sort(np.concatenate([row[:: max(1, pairs // 50_000)] for row in upper]))
    low, high = sample[[int(0.48 * len(sample)), int(0.52 * len(sample))]]
    below = sum(int(np.count_nonzero(row < low)) for row in upper)
    between = np.sort(np.concatenate([row[(row >= low) & (row <= high)] for row in upper]))
    first, second = (pairs - 1) // 2 - below, pairs // 2 - below
    if first < 0 or second >= len(between):  # the sample misled us
        return float(np.median(np.concatenate(upper)))
    return float((between[first] + between[second]) / 2)


def _squared_distances(X: Any) -> Array:
    """Return the squared distances of all rows: scikit-learn's formula in place, with a third of the memory traffic."""
    if scipy.sparse.issparse(X):
        return np.asarray(euclidean_distances(X, squared=True))
    D = X @ X.T
    norms = np.diag(D).copy()
    for start in range(0, len(D), 256):
        block = D[start : start + 256]
        block *= -2
        block += norms
        block += norms[start : start + 256, None]
        np.maximum(block, 0.0, out=block)
    np.fill_diagonal(D, 0.0)
    return np.asarray(D)


def _bandwidth(gamma: Any, D: Array, kernel: str) -> float:
    """Resolve `gamma`; D are the distances that the kernel decays with."""
    if isinstance(gamma, str) and gamma == "median":
        # If more than half of all pairs coincide, the mean is the next best scale; if all do, any will do.
        scale = median_off_diagonal(D) or float(D.mean()) or 1.0
        if scale < np.finfo(float).tiny * 4:
            raise ValueError(f"{kernel}: the features are too small for floating point arithmetic; rescale them.")
        return 1 / scale
    if isinstance(gamma, Real) and not isinstance(gamma, bool) and 0 < float(gamma) < np.inf:
        return float(gamma)
    raise ValueError(f'{kernel}: gamma must be "median" or a positive number, got {gamma!r}.')


class Gaussian(KernelAlgebra, BaseEstimator):
    r"""The Gaussian kernel.

    .. math:: k(x, y) = \exp(-\gamma \|x - y\|^2)

    Parameters
    ----------
    gamma : float or "median", default="median"
        "median" is one over the median squared distance between different rows of the data.
    factor : float, default=1.0
        Multiplies `gamma`: larger than 1 for a narrower kernel than the median's.

    Attributes
    ----------
    gamma_ : float
        The value used.

    Examples
    --------
    >>> Gaussian(gamma=0.5).fit_gram(np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    def __init__(self, gamma: float | str = "median", factor: float = 1.0) -> None:
        self.gamma = gamma
        self.factor = factor

    def fit_gram(self, X: Any) -> Array:
        """Learn the bandwidth and return the kernel matrix."""
        factor = positive(self.factor, "Gaussian: factor")
        # Distances do not feel a shift; their floating point evaluation does, and likes small numbers.
        # (The median, since a single outlier would carry the mean away.)
        self._center = None if scipy.sparse.issparse(X) else np.median(X, axis=0).astype(np.float64)
        self._X = self._shifted(X)
        with np.errstate(over="ignore", invalid="ignore"):
            D = finite(_squared_distances(self._X), self)
        self.gamma_ = factor * _bandwidth(self.gamma, D, "Gaussian")
        D *= -self.gamma_
        return np.asarray(np.exp(D, out=D))

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        if scipy.sparse.issparse(self._X):
            D = euclidean_distances(self._shifted(X), self._X, squared=True)
            D *= -self.gamma_
            return np.asarray(np.exp(D, out=D))
        return self._dense(self._shifted(X))

    def cross_single(self, X: Any) -> Array:
        """Do the same in single precision."""
        return self._dense(self._shifted(X), np.float32)

    @property
    def largest_exponent(self) -> float:
        """The largest exponent that the data have with the origin: what rounding errors are relative to."""
        if scipy.sparse.issparse(self._X):
            return float("inf")
        return self.gamma_ * float(np.einsum("ij,ij->i", self._X, self._X).max())

    def diagonal(self, X: Any) -> Array:
        """Return 1 for every point."""
        return np.ones(X.shape[0])

    def _dense(self, X: Array, kind: Any = np.float64) -> NDArray[Any]:
        """Evaluate the kernel by one product, with the norms as two more columns: memory is gone through once.

        Scaled before it is rounded to the wanted precision, so that the squares are in its range.
        """
        root = np.sqrt(self.gamma_)
        X, Y = root * X, root * self._X
        left = np.empty((len(X), X.shape[1] + 2), dtype=kind)
        right = np.empty((len(Y), X.shape[1] + 2), dtype=kind)
        left[:, :-2], right[:, :-2] = X, 2 * Y
        left[:, -1], right[:, -1] = 1.0, -np.einsum("ij,ij->i", Y, Y)
        with np.errstate(over="ignore", invalid="ignore"):  # infinitely far, or missing: that is looked at later
            left[:, -2], right[:, -2] = -np.einsum("ij,ij->i", X, X), 1.0
            K = left @ right.T
        np.minimum(K, 0.0, out=K)
        return np.asarray(np.exp(K, out=K))

    def _shifted(self, X: Any) -> Any:
        if self._center is None:
            return X.astype(np.float64)
        X = X.toarray() if scipy.sparse.issparse(X) else X
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(X, dtype=np.float64) - self._center


def _short_indices(X: Any) -> Any:
    """Give a sparse matrix the 32-bit indices that scikit-learn's Manhattan distances insist on."""
    if scipy.sparse.issparse(X) and X.indices.dtype != np.int32 and max(*X.shape, X.nnz) < 2**31:
        return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


class Laplacian(KernelAlgebra, BaseEstimator):
    r"""The Laplacian kernel of the Manhattan distance.

    .. math:: k(x, y) = \exp(-\gamma \|x - y\|_1)

    Parameters
    ----------
    gamma : float or "median", default="median"
        "median" is one over the median distance between different rows of the data.
    factor : float, default=1.0
        Multiplies `gamma`: larger than 1 for a narrower kernel than the median's.

    Attributes
    ----------
    gamma_ : float
        The value used.
    """

    def __init__(self, gamma: float | str = "median", factor: float = 1.0) -> None:
        self.gamma = gamma
        self.factor = factor

    def fit_gram(self, X: Any) -> Array:
        """Learn the bandwidth and return the kernel matrix."""
        factor = positive(self.factor, "Laplacian: factor")
        self._X = X = _short_indices(X).copy()
        with np.errstate(over="ignore", invalid="ignore"):
            D = finite(np.asarray(manhattan_distances(X, X), dtype=np.float64), self)
        self.gamma_ = factor * _bandwidth(self.gamma, D, "Laplacian")
        D *= -self.gamma_
        return np.asarray(np.exp(D, out=D))

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        D = np.asarray(manhattan_distances(_short_indices(X), self._X), dtype=np.float64)
        D *= -self.gamma_
        return np.asarray(np.exp(D, out=D))

    def diagonal(self, X: Any) -> Array:
        """Return 1 for every point."""
        return np.ones(X.shape[0])
