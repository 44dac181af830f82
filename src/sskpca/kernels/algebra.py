r"""Sums and multiples of kernels: ``0.3 * Gaussian() + 0.7 * Diffusion()``."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from sskpca.linalg.array import Array

__all__ = ["KernelAlgebra", "Mixture", "Scaled", "Sum", "explicit"]


class KernelAlgebra:
    """Operators for kernels."""

    def __add__(self, other: Any) -> "Sum":
        if isinstance(other, type) or not hasattr(other, "fit_gram"):
            return NotImplemented
        return Sum(self, other)

    def __mul__(self, weight: float) -> "Scaled":
        if not isinstance(weight, Real) or isinstance(weight, bool):
            return NotImplemented
        return Scaled(self, float(weight))

    __rmul__ = __mul__


def explicit(kernel: Any) -> bool:
    """Say whether a kernel is known by features, fewer than the points, rather than by its matrix."""
    if isinstance(kernel, Scaled):
        return explicit(kernel.kernel)
    if isinstance(kernel, Sum):
        return all(explicit(part) for part in kernel._parts())
    if isinstance(kernel, Mixture):
        return all(explicit(part) for part, _ in kernel._parts())
    return hasattr(kernel, "fit_features")


class Scaled(KernelAlgebra, BaseEstimator):
    r"""A multiple of a kernel, :math:`w K`.

    Parameters
    ----------
    kernel : Kernel
    weight : float, default=1.0
        Zero or more.
    """

    def __init__(self, kernel: Any, weight: float = 1.0) -> None:
        self.kernel = kernel
        self.weight = weight

    def _checked(self) -> float:
        if not isinstance(self.weight, Real) or not 0 <= float(self.weight) < np.inf:
            raise ValueError(f"the weight of a kernel must be a finite number, zero or more, got {self.weight!r}.")
        return float(self.weight)

    def fit_gram(self, X: Any) -> Array:
        """Learn from the data and return the kernel matrix."""
        weight = self._checked()
        return np.asarray(weight * self.kernel.fit_gram(X))

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(float(self.weight) * self.kernel.cross(X))

    def diagonal(self, X: Any) -> Array:
        """Return the kernel values of points with themselves."""
        return np.asarray(float(self.weight) * self.kernel.diagonal(X))

    def fit_map(self, rows: Any) -> None:
        """Learn the map to features from some rows."""
        self._checked()
        self.kernel.fit_map(rows)

    def fit_features(self, X: Any) -> Array:
        """Learn from the data and return its features."""
        return np.asarray(np.sqrt(self._checked()) * self.kernel.fit_features(X))

    def features(self, X: Any) -> Array:
        """Return the features of new points."""
        return np.asarray(np.sqrt(float(self.weight)) * self.kernel.features(X))


class Sum(KernelAlgebra, BaseEstimator):
    r"""The sum of two kernels, :math:`K_1 + K_2`: their features stacked.

    Parameters
    ----------
    first, second : Kernel
    """

    def __init__(self, first: Any, second: Any) -> None:
        self.first = first
        self.second = second

    def _parts(self) -> tuple[Any, Any]:
        return self.first, self.second

    def fit_gram(self, X: Any) -> Array:
        """Learn from the data and return the kernel matrix."""
        K = self.first.fit_gram(X)
        K += self.second.fit_gram(X)
        return np.asarray(K)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(self.first.cross(X) + self.second.cross(X))

    def diagonal(self, X: Any) -> Array:
        """Return the kernel values of points with themselves."""
        return np.asarray(self.first.diagonal(X) + self.second.diagonal(X))

    def fit_map(self, rows: Any) -> None:
        """Learn the map to features from some rows."""
        for part in self._parts():
            part.fit_map(rows)

    def fit_features(self, X: Any) -> Array:
        """Learn from the data and return its features."""
        return np.hstack([part.fit_features(X) for part in self._parts()])

    def features(self, X: Any) -> Array:
        """Return the features of new points."""
        return np.hstack([part.features(X) for part in self._parts()])


class Mixture(KernelAlgebra, BaseEstimator):
    r"""A convex combination of two kernels with one weight to choose, :math:`w K_1 + (1 - w) K_2`.

    At weight 1 and 0 it *is* the first and the second kernel: the other one is not even evaluated.

    Parameters
    ----------
    first, second : Kernel
    weight : float, default=0.5
        w, from 0 to 1.

    Examples
    --------
    >>> from sskpca.kernels import Diffusion, Gaussian
    >>> Mixture(Gaussian(), Diffusion(n_neighbors=5), weight=0.3).get_params()["second__n_neighbors"]
    5
    """

    def __init__(self, first: Any, second: Any, weight: float = 0.5) -> None:
        self.first = first
        self.second = second
        self.weight = weight

    def _parts(self) -> list[tuple[Any, float]]:
        if not isinstance(self.weight, Real) or isinstance(self.weight, bool) or not 0 <= float(self.weight) <= 1:
            raise ValueError(f"the weight of a mixture must be a number from 0 to 1, got {self.weight!r}.")
        shares = (self.first, float(self.weight)), (self.second, 1 - float(self.weight))
        return [(part, share) for part, share in shares if share > 0]

    def fit_gram(self, X: Any) -> Array:
        """Learn from the data and return the kernel matrix."""
        return np.asarray(sum(share * part.fit_gram(X) for part, share in self._parts()))

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(sum(share * part.cross(X) for part, share in self._parts()))

    def diagonal(self, X: Any) -> Array:
        """Return the kernel values of points with themselves."""
        return np.asarray(sum(share * part.diagonal(X) for part, share in self._parts()))

    def fit_map(self, rows: Any) -> None:
        """Learn the map to features from some rows."""
        for part, _ in self._parts():
            part.fit_map(rows)

    def fit_features(self, X: Any) -> Array:
        """Learn from the data and return its features."""
        return np.hstack([np.sqrt(share) * part.fit_features(X) for part, share in self._parts()])

    def features(self, X: Any) -> Array:
        """Return the features of new points."""
        return np.hstack([np.sqrt(share) * part.features(X) for part, share in self._parts()])
