r"""Kernels of the inner product: linear, polynomial and cosine."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from sskpca._linalg.array import Array, Matrix, by_largest_entry
from sskpca._parameters import check_count
from sskpca.kernels._base import Kernel, MatrixKernel, dense, finite
from sskpca.kernels._fitted import FittedFeatures, FittedKernel

__all__ = ["Cosine", "FittedLinear", "Linear", "Polynomial"]


def _inner(X: Matrix, Y: Matrix) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        product = safe_sparse_dot(X.astype(np.float64), Y.astype(np.float64).T, dense_output=True)
    return np.asarray(product)


@dataclass(frozen=True, eq=False, repr=False)
class FittedLinear(FittedKernel, FittedFeatures):
    """Inner products with rows.

    Attributes
    ----------
    rows : ndarray or csr_matrix
    """

    rows: Matrix

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return _inner(X, self.rows)

    def features(self, X: Matrix) -> Array:
        """Return the rows as they are: their inner products are the kernel."""
        return dense(X)

    def diagonal(self, X: Matrix) -> Array:
        """Return the squared norms of rows."""
        return np.asarray(row_norms(X.astype(np.float64), squared=True))


@dataclass(eq=False, repr=False)
class Linear(Kernel):
    r"""The linear kernel, with which kernel PCA is PCA.

    .. math:: k(x, y) = x^\top y

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Linear
    >>> Linear().fit_gram(np.array([[1.0, 2.0], [0.0, 1.0]]))[1]
    array([[5., 2.],
           [2., 1.]])
    """

    rows_are_features = True

    def fit(self, X: Matrix) -> FittedLinear:
        """Keep the data."""
        fitted = FittedLinear(self, X.copy())
        with np.errstate(over="ignore"):
            finite(fitted.diagonal(X), self)
        return fitted

    def fit_features(self, X: Matrix) -> tuple[FittedLinear, Array]:
        """Keep the data, and return the rows themselves, which have digits that their products lose."""
        fitted = self.fit(X)
        return fitted, fitted.features(X)


@dataclass(frozen=True, eq=False, repr=False)
class FittedPolynomial(FittedKernel):
    """Powers of inner products with rows.

    Attributes
    ----------
    rows : ndarray or csr_matrix
    degree : int
    gamma_ : float
        The scale used.
    coef0 : float
    """

    rows: Matrix
    degree: int
    gamma_: float
    coef0: float

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return self.power(_inner(X, self.rows))

    def diagonal(self, X: Matrix) -> Array:
        """Return the kernel values of rows with themselves."""
        return self.power(row_norms(X.astype(np.float64), squared=True))

    def power(self, K: Array) -> Array:
        """Return the kernel values for inner products, in place."""
        K *= self.gamma_
        K += self.coef0
        with np.errstate(over="ignore"):
            return np.asarray(np.power(K, self.degree, out=K))


@dataclass(eq=False, repr=False)
class Polynomial(MatrixKernel):
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

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Polynomial
    >>> Polynomial(degree=2, gamma=1.0).fit_gram(np.array([[1.0], [2.0]]))[1]
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 1.0

    def fit_gram(self, X: Matrix) -> tuple[FittedPolynomial, Array]:
        """Learn the scale, and return the kernel matrix, too."""
        degree = check_count(self, "degree", self.degree)
        if not isinstance(self.coef0, Real) or not 0 <= float(self.coef0) < np.inf:
            raise ValueError(f"Polynomial: coef0 must be a number from 0 up, got {self.coef0!r}.")
        K = finite(_inner(X, X), self)
        fitted = FittedPolynomial(self, X.copy(), degree, self._scale(K), float(self.coef0))
        return fitted, finite(fitted.power(K), self)

    def _scale(self, K: Array) -> float:
        if self.gamma == "scale":
            mean = float(np.trace(K)) / len(K)
            if 0 < mean < np.finfo(float).tiny * 4:
                raise ValueError("Polynomial: the features are too small for floating point arithmetic; rescale them.")
            return 1 / mean if mean > 0 else 1.0
        if isinstance(self.gamma, Real) and 0 < float(self.gamma) < np.inf:
            return float(self.gamma)
        raise ValueError(f'Polynomial: gamma must be "scale" or a positive number, got {self.gamma!r}.')


@dataclass(frozen=True, eq=False, repr=False)
class FittedCosine(FittedKernel):
    """Cosines with rows.

    Attributes
    ----------
    directions : ndarray or csr_matrix
        The data, brought to unit length.
    """

    directions: Matrix

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return _inner(_directions(X), self.directions)

    def diagonal(self, X: Matrix) -> Array:
        """Return 1 for every row, and 0 for a row of zeros."""
        return np.asarray(row_norms(_directions(X), squared=True))


@dataclass(eq=False, repr=False)
class Cosine(MatrixKernel):
    r"""The cosine kernel; a row of zeros is at right angles to everything.

    .. math:: k(x, y) = \frac{x^\top y}{\|x\|\,\|y\|}

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Cosine
    >>> Cosine().fit_gram(np.array([[1.0, 0.0], [2.0, 2.0]]))[1].round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """

    def fit_gram(self, X: Matrix) -> tuple[FittedCosine, Array]:
        """Keep the directions of the data, and return the kernel matrix, too."""
        directions = _directions(X)
        return FittedCosine(self, directions), finite(_inner(directions, directions), self)


def _directions(X: Matrix) -> Matrix:
    # Dividing by the largest entry first keeps the squares in range.
    return normalize(by_largest_entry(X.astype(np.float64)))
