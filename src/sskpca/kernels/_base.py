"""What a kernel is to this library: a specification.

A `Kernel` has parameters in scikit-learn's sense, so that ``kernel__gamma`` works in a grid, and nothing else: no fit
changes it. What it learns from the data (a bandwidth, say) is in the frozen value that `Kernel.fit` returns, see
`sskpca.kernels._fitted`. What callers need to know before a fit is declared by attributes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Real

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.kernels._fitted import Fitted, FittedFeatures, FittedKernel, FromFeatures
from sskpca.rows import Rows
from sskpca.rows._source import block_size, blocks_of

__all__ = [
    "FeatureKernel",
    "Kernel",
    "KernelValueError",
    "MatrixKernel",
    "checked_gram",
    "dense",
    "finite",
    "finite_rows",
]

# Largest difference between entries of a kernel matrix that should be equal, relative to the largest entry.
ASYMMETRY = 1e-6


class KernelValueError(ValueError):
    """A kernel gave values that are not finite."""


class Kernel(BaseEstimator, ABC):
    """Similarity of rows: parameters, and a `fit` that returns what is learned. Abstract: each defines `fit`.

    Derive a kernel of your own from this class, see *Add a kernel*. Kernels can be added to each other and
    multiplied by numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Gaussian, Kernel, Linear
    >>> kernel = Gaussian() + 0.1 * Linear()
    >>> isinstance(kernel, Kernel), kernel.fit_gram(np.eye(3))[1].shape
    (True, (3, 3))
    """

    @property
    def by_features(self) -> bool:
        """Whether it is known by features, fewer than the rows, rather than by its matrix."""
        return False

    @property
    def from_some_rows(self) -> bool:
        """Whether it is learned from some rows, so that `fit` takes a `Rows` that does not fit into the memory."""
        return False

    @property
    def needs_all_rows(self) -> bool:
        """Whether it is of a graph or a matrix of all rows, so that landmarks cannot stand for them."""
        return False

    @property
    def pairwise(self) -> bool:
        """Whether it takes a matrix of similarities in place of rows of features."""
        return False

    @property
    def rows_are_features(self) -> bool:
        """Whether the features are the rows themselves."""
        return False

    @property
    def parts(self) -> tuple["Kernel", ...]:
        """The kernels that it is a sum of."""
        return (self,)

    def map_parts(self, function: Callable[["Kernel"], "Kernel"]) -> "Kernel":
        """Apply a function to each part of a sum.

        Parameters
        ----------
        function : callable
            Takes and returns a kernel.

        Returns
        -------
        Kernel
            The sum of the results.
        """
        return function(self)

    def width(self, n_rows: int) -> int:
        """Return how many numbers a row becomes.

        Parameters
        ----------
        n_rows : int
            Number of rows that the kernel is fitted to.

        Returns
        -------
        int
            The largest number of features, or of kernel values, of a row.
        """
        return n_rows

    @abstractmethod
    def fit(self, X: Matrix) -> Fitted:
        """Learn from the data; the kernel itself is not changed.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_columns)
            The data.

        Returns
        -------
        Fitted
            What was learned.
        """

    def fit_gram(self, X: Matrix) -> tuple[FittedKernel, Array]:
        """Learn from the data, and compute its kernel matrix.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_columns)
            The data.

        Returns
        -------
        fitted : FittedKernel
            What was learned.
        K : ndarray of shape (n_samples, n_samples)
            The kernel matrix, a new array that the caller may overwrite.
        """
        fitted = self.fit(X)
        if not isinstance(fitted, FittedKernel):
            raise TypeError(
                f"{type(self).__name__}: fit must return a sskpca.kernels.FittedKernel, got a {type(fitted).__name__}."
            )
        return fitted, checked_gram(fitted.cross(X), self, X.shape[0])

    def fit_features(self, X: Matrix) -> tuple[FittedFeatures, Array]:
        """Learn from the data, and compute its features; for kernels that are known by features.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_columns)
            The data.

        Returns
        -------
        fitted : FittedFeatures
            What was learned.
        features : ndarray of shape (n_samples, n_features)
            The features of the data.
        """
        raise TypeError(f"{type(self).__name__} is known by its matrix, not by features; use fit_gram.")

    def __add__(self, other: "Kernel") -> "Kernel":
        from sskpca.kernels._algebra import Sum

        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, weight: float) -> "Kernel":
        from sskpca.kernels._algebra import Scaled

        fine = isinstance(weight, Real) and not isinstance(weight, bool)
        return Scaled(self, float(weight)) if fine else NotImplemented

    __rmul__ = __mul__


class MatrixKernel(Kernel):
    """A kernel that learns while it computes its matrix. Abstract: each defines `fit_gram`."""

    @abstractmethod
    def fit_gram(self, X: Matrix) -> tuple[FittedKernel, Array]:
        """Learn from the data, and return its kernel matrix, too: a fresh array that the caller may destroy."""

    def fit(self, X: Matrix) -> FittedKernel:
        """Learn from the data, and return what is learned; the kernel stays as it is."""
        return self.fit_gram(X)[0]


class FeatureKernel(Kernel):
    """A kernel that is known by features. Abstract: each defines `fit`."""

    by_features = True

    @abstractmethod
    def fit(self, X: Matrix | Rows) -> FittedFeatures:
        """Learn from the data, and return what is learned; the kernel stays as it is."""

    def fit_features(self, X: Matrix) -> tuple[FittedFeatures, Array]:
        """Learn from the data, and return its features, too."""
        fitted = self.fit(X)
        return fitted, fitted.features(X)

    def fit_gram(self, X: Matrix) -> tuple[FittedKernel, Array]:
        """Learn from the data, and return its kernel matrix, too: a fresh array that the caller may destroy."""
        fitted, A = self.fit_features(X)
        return FromFeatures(self, fitted, A), np.asarray(A @ A.T)


def finite(K: Array, kernel: Kernel) -> Array:
    """Return K if all of it is finite, else raise one sentence."""
    # A sum first, which needs no temporary: nan and inf survive it.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(K.sum())
    if suspicious and not np.isfinite(K).all():
        raise KernelValueError(
            f"{type(kernel).__name__} kernel values are not finite: the features are too large for floating "
            "point arithmetic; rescale them (for example with sklearn.preprocessing.StandardScaler)."
        )
    return K


def checked_gram(values: Matrix, kernel: Kernel, n: int) -> Array:
    """Return a kernel matrix of n rows if it is square, finite and symmetric, else raise one sentence."""
    K: Array = np.asarray(values, dtype=np.float64)
    if K.shape != (n, n):
        raise ValueError(
            f"{type(kernel).__name__}: a kernel matrix must be square, one row and one column for each of the "
            f"{n} points, got shape {K.shape}."
        )
    finite(K, kernel)
    scale = max(float(K.max(initial=0.0)), -float(K.min(initial=0.0)))
    # In blocks: no more matrices of this size.
    apart = (np.abs(rows - K[:, first : first + len(rows)].T).max() for rows, first in blocks_of(K, block_size(n)))
    if max(apart, default=0.0) > ASYMMETRY * scale:
        raise ValueError(
            f"{type(kernel).__name__}: the kernel matrix is not symmetric; pass (K + K.T) / 2 if it should be."
        )
    return K


def finite_rows(X: Matrix, rows: Indices) -> Matrix:
    """Return rows if no number is missing in them, else raise one sentence; `rows` are their numbers in the data."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.asarray(abs(X).sum(axis=1)).ravel()
    # Sums of large numbers may overflow, too: those are checked once more.
    wrong = [row for row in np.flatnonzero(~np.isfinite(sums)) if not np.isfinite(_numbers(X[[row]])).all()]
    if wrong:
        raise ValueError(
            f"Row {int(np.min(rows[wrong]))} of X contains NaN or infinity; fill it in (sklearn.impute.SimpleImputer) "
            "or leave it out."
        )
    return X


def _numbers(X: Matrix) -> NDArray[np.floating]:
    return np.asarray(X.data if scipy.sparse.issparse(X) else X)


def dense(X: Matrix) -> Array:
    """Return rows as an array in double precision."""
    return np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)
