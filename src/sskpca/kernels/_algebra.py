r"""Sums and multiples of kernels, ``0.3 * Gaussian() + 0.7 * Diffusion()``: features are stacked, matrices added."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from numbers import Real

import numpy as np

from sskpca._linalg.array import Array, Matrix
from sskpca.kernels._base import Kernel
from sskpca.kernels._fitted import Fitted, FittedFeatures, FittedKernel
from sskpca.rows import Rows

__all__ = ["FittedSum", "Mixture", "Scaled", "StackedFeatures", "Sum"]


def _times(weight: float, values: Array) -> Array:
    return values if weight == 1 else weight * values


@dataclass(frozen=True, eq=False, repr=False)
class FittedSum(FittedKernel):
    """A weighted sum of fitted kernels."""

    fitted: tuple[FittedKernel, ...]
    weights: tuple[float, ...]

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return reduce(np.add, [_times(w, part.cross(X)) for part, w in zip(self.fitted, self.weights, strict=True)])

    def diagonal(self, X: Matrix) -> Array:
        """Return the kernel values of rows with themselves."""
        return reduce(np.add, [_times(w, part.diagonal(X)) for part, w in zip(self.fitted, self.weights, strict=True)])


@dataclass(frozen=True, eq=False, repr=False)
class StackedFeatures(FittedFeatures):
    """The features of several kernels, side by side."""

    fitted: tuple[FittedFeatures, ...]
    weights: tuple[float, ...]

    def features(self, X: Matrix) -> Array:
        """Return the features of rows."""
        return _stacked([part.features(X) for part in self.fitted], self.weights)

    def contracted(self, weights: Array) -> FittedFeatures | None:
        """Return functions of a single kernel as features."""
        if len(self.fitted) > 1:
            return None
        return self.fitted[0].functions(_times(float(np.sqrt(self.weights[0])), weights))


def _stacked(parts: list[Array], weights: tuple[float, ...]) -> Array:
    return np.hstack([_times(float(np.sqrt(weight)), part) for part, weight in zip(parts, weights, strict=True)])


class _Combination(Kernel):
    """What sums and multiples share. Abstract: each defines `terms`."""

    @property
    @abstractmethod
    def terms(self) -> list[tuple[Kernel, float]]:
        """The kernels that count, with their weights."""

    @property
    def by_features(self) -> bool:
        """Whether all of its parts are known by features."""
        return all(part.by_features for part, _ in self.terms)

    @property
    def from_some_rows(self) -> bool:
        """Whether all of its parts are learned from some rows."""
        return all(part.from_some_rows for part, _ in self.terms)

    @property
    def needs_all_rows(self) -> bool:
        """Whether a part is of a graph or a matrix of all rows."""
        return any(part.needs_all_rows for part, _ in self.terms)

    @property
    def pairwise(self) -> bool:
        """Whether a part takes a matrix of similarities."""
        return any(value.pairwise for value in vars(self).values() if isinstance(value, Kernel))

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels that it is a sum of."""
        return tuple(leaf for part, _ in self.terms for leaf in part.parts)

    def map_parts(self, function: Callable[[Kernel], Kernel]) -> Kernel:
        """Return the same sum of what a function makes of each part."""
        mapped = {
            name: value.map_parts(function) if isinstance(value, Kernel) else value
            for name, value in self.get_params(deep=False).items()
        }
        return type(self)(**mapped)

    def width(self, n_rows: int) -> int:
        """Return the largest number of features, all parts together, or of kernel values."""
        return sum(part.width(n_rows) for part, _ in self.terms) if self.by_features else n_rows

    @property
    def _weights(self) -> tuple[float, ...]:
        return tuple(weight for _, weight in self.terms)

    def fit(self, X: Matrix | Rows) -> Fitted:
        """Learn from the data, and return what is learned; the kernel stays as it is."""
        if not self.by_features:
            return self.fit_gram(X)[0]
        return StackedFeatures(self, tuple(part.fit(X) for part, _ in self.terms), self._weights)  # type: ignore[misc]

    def fit_gram(self, X: Matrix) -> tuple[FittedKernel, Array]:
        """Learn from the data, and return its kernel matrix, too: a fresh array that the caller may destroy."""
        fitted, K = [], None
        for part, weight in self.terms:
            one, G = part.fit_gram(X)
            if weight != 1:
                G *= weight
            K = G if K is None else np.add(K, G, out=K)
            fitted.append(one)
        assert K is not None
        return FittedSum(self, tuple(fitted), self._weights), K

    def fit_features(self, X: Matrix) -> tuple[FittedFeatures, Array]:
        """Learn from the data, and return its features, too."""
        fitted, features = zip(*(part.fit_features(X) for part, _ in self.terms), strict=True)
        return StackedFeatures(self, fitted, self._weights), _stacked(list(features), self._weights)


@dataclass(eq=False, repr=False)
class Scaled(_Combination):
    r"""A multiple of a kernel, :math:`w K`.

    Parameters
    ----------
    kernel : Kernel
        The kernel to multiply.
    weight : float, default=1.0
        The factor, zero or more.

    Examples
    --------
    >>> from sskpca.kernels import Gaussian, Scaled
    >>> isinstance(0.3 * Gaussian(), Scaled)
    True
    """

    kernel: Kernel
    weight: float = 1.0

    @property
    def terms(self) -> list[tuple[Kernel, float]]:
        """The kernel with its weight."""
        if not isinstance(self.weight, Real) or not 0 <= float(self.weight) < np.inf:
            raise ValueError(f"the weight of a kernel must be a finite number, zero or more, got {self.weight!r}.")
        return [(self.kernel, float(self.weight))]


@dataclass(eq=False, repr=False)
class Sum(_Combination):
    r"""The sum of two kernels, :math:`K_1 + K_2`: their features stacked.

    Parameters
    ----------
    first : Kernel
        One kernel.
    second : Kernel
        The other one.

    Examples
    --------
    >>> from sskpca.kernels import Gaussian, Linear, Sum
    >>> isinstance(Gaussian() + 0.1 * Linear(), Sum)
    True
    """

    first: Kernel
    second: Kernel

    @property
    def terms(self) -> list[tuple[Kernel, float]]:
        """Both kernels."""
        return [(self.first, 1.0), (self.second, 1.0)]


@dataclass(eq=False, repr=False)
class Mixture(_Combination):
    r"""A convex combination of two kernels with one weight to choose, :math:`w K_1 + (1 - w) K_2`.

    At weight 1 and 0 it *is* the first and the second kernel: the other one is not even evaluated.

    Parameters
    ----------
    first : Kernel
        The kernel that `weight` belongs to.
    second : Kernel
        The other one.
    weight : float, default=0.5
        w, from 0 to 1.

    Examples
    --------
    >>> from sskpca.kernels import Diffusion, Gaussian, Mixture
    >>> Mixture(Gaussian(), Diffusion(n_neighbors=5), weight=0.3).get_params()["second__n_neighbors"]
    5
    """

    first: Kernel
    second: Kernel
    weight: float = 0.5

    @property
    def terms(self) -> list[tuple[Kernel, float]]:
        """The kernels whose weights are not zero."""
        if not isinstance(self.weight, Real) or isinstance(self.weight, bool) or not 0 <= float(self.weight) <= 1:
            raise ValueError(f"the weight of a mixture must be a number from 0 to 1, got {self.weight!r}.")
        shares = (self.first, float(self.weight)), (self.second, 1 - float(self.weight))
        return [(part, share) for part, share in shares if share > 0]
