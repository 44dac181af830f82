"""Kernels by a map to features that is learned from some rows."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.linalg.array import Array
from sskpca.rows.arrays import ArrayRows
from sskpca.rows.source import Rows

__all__ = ["MappedKernel"]


class MappedKernel(KernelAlgebra, ABC):
    """What kernels share that need not see all rows at once. Abstract: each defines `fit_map` and `features`."""

    @abstractmethod
    def fit_map(self, rows: Rows) -> None:
        """Learn the map to features from some of the rows."""

    @abstractmethod
    def features(self, X: Any) -> Array:
        """Return the features of points."""

    def fit_features(self, X: Any) -> Array:
        """Learn the map and return the features of the data."""
        self.fit_map(ArrayRows(X))
        return self.features(X)

    def fit_gram(self, X: Any) -> Array:
        """Learn the map and return the kernel matrix of the features."""
        self._data = self.fit_features(X)
        return np.asarray(self._data @ self._data.T)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(self.features(X) @ self._data.T)
