r"""What kernels have learned from data: frozen values.

A `FittedKernel` gives kernel values :math:`k(x, x_i)` of rows against the data, a `FittedFeatures` gives features
:math:`a(x)` with :math:`k(x, y) = a(x)^\top a(y)`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Matrix

if TYPE_CHECKING:
    from sskpca.kernels._base import Kernel

__all__ = ["Factors", "Fitted", "FittedFeatures", "FittedKernel", "FittedUnit", "FromFeatures"]


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """What a kernel has learned from data; printed as the kernel.

    Attributes
    ----------
    spec : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Fitted, Gaussian
    >>> fitted = Gaussian(gamma=0.5).fit(np.array([[0.0], [2.0]]))
    >>> isinstance(fitted, Fitted), fitted
    (True, Gaussian(gamma=0.5))
    """

    spec: "Kernel"

    def __repr__(self) -> str:
        return repr(self.spec)


@dataclass(frozen=True, eq=False, repr=False)
class FittedKernel(Fitted, ABC):
    """A kernel that is known by its values against the data. Abstract: each defines `cross`.

    Parameters
    ----------
    spec : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import FittedKernel, Gaussian
    >>> fitted = Gaussian(gamma=0.5).fit(np.array([[0.0], [2.0]]))
    >>> isinstance(fitted, FittedKernel), fitted.cross(np.array([[2.0]])).round(3)
    (True, array([[0.135, 1.   ]]))
    """

    @abstractmethod
    def cross(self, X: Matrix) -> Array:
        """Return kernel values of new rows against the data.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_new, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_new, n_samples)
            The values.
        """

    def diagonal(self, X: Matrix) -> Array:
        """Return the kernel values of rows with themselves; landmarks need it.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_new, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_new,)
            The values.
        """
        raise ValueError(
            f"{type(self.spec).__name__} has no method diagonal(X), the kernel values of rows with themselves, by "
            "which it is measured what landmarks miss; add it to what its fit returns."
        )

    @property
    def largest_exponent(self) -> float:
        """The size that rounding errors of `cross_single` are relative to; infinite if it is not to be used."""
        return float("inf")

    def cross_single(self, X: Matrix) -> NDArray[np.floating]:
        """Return kernel values of new rows against the data, in single precision if that is faster.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_new, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_new, n_samples)
            The values.
        """
        return self.cross(X)


@dataclass(frozen=True, eq=False, repr=False)
class FittedUnit(FittedKernel):
    """A kernel whose values of rows with themselves are 1. Abstract: each defines `cross`."""

    def diagonal(self, X: Matrix) -> Array:
        """Return 1 for every row."""
        return np.ones(X.shape[0])


class Factors(NamedTuple):
    """Features as a function of rows times a matrix.

    Attributes
    ----------
    values : callable
        Of rows.
    matrix : ndarray or None
        None is the identity.
    condition : float
        Ratio of the largest to the smallest eigenvalue that `matrix` divides by.
    """

    values: Callable[[Matrix], Array]
    matrix: Array | None
    condition: float


@dataclass(frozen=True, eq=False, repr=False)
class FittedFeatures(Fitted, ABC):
    """A kernel that is known by features. Abstract: each defines `features`.

    Parameters
    ----------
    spec : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import FittedFeatures, Linear
    >>> fitted, features = Linear().fit_features(np.array([[0.0, 1.0], [2.0, 0.0]]))
    >>> isinstance(fitted, FittedFeatures), fitted.features(np.array([[3.0, 3.0]]))
    (True, array([[3., 3.]]))
    """

    @abstractmethod
    def features(self, X: Matrix) -> Array:
        """Return the features of new rows.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_new, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_new, n_features)
            Their inner products are the kernel.
        """

    @property
    def factors(self) -> Factors:
        """The features as a product, for sums over many rows."""
        return Factors(self.features, None, 1.0)

    def contracted(self, weights: Array) -> "FittedFeatures | None":
        """Return features that are functions of rows: ``factors.values(X) @ weights``; None if nothing is saved by it.

        A model that only predicts needs them in place of what they are made of, which may be much larger.

        Parameters
        ----------
        weights : ndarray of shape (n_values, n_functions)
            Coefficients of the functions.

        Returns
        -------
        FittedFeatures or None
            A map whose features are the functions.
        """
        return None

    def functions(self, weights: Array) -> "FittedFeatures | None":
        """Return features that are functions of rows: ``features(X) @ weights``; None if nothing is saved by it.

        Parameters
        ----------
        weights : ndarray of shape (n_features, n_functions)
            Coefficients of the functions.

        Returns
        -------
        FittedFeatures or None
            A map whose features are the functions.
        """
        matrix = self.factors.matrix
        return self.contracted(weights if matrix is None else matrix @ weights)

    def plus(self, other: "FittedFeatures") -> "FittedFeatures | None":
        """Return features that are the sums of these and others; None if both have to be computed anyway.

        Parameters
        ----------
        other : FittedFeatures
            As many features as these.

        Returns
        -------
        FittedFeatures or None
            The sums.
        """
        return None


@dataclass(frozen=True, eq=False, repr=False)
class FromFeatures(FittedKernel):
    """Kernel values from features.

    Attributes
    ----------
    map : FittedFeatures
    data : ndarray of shape (n_samples, n_features)
        The features of the data.
    """

    map: FittedFeatures
    data: Array

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return np.asarray(self.map.features(X) @ self.data.T)
