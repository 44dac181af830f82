"""A graph kernel of a sample of the rows, carried over to all of them."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.linalg.array import Array
from sskpca.rows.arrays import ArrayRows
from sskpca.rows.source import Rows

__all__ = ["Sampled"]


class Sampled(KernelAlgebra, BaseEstimator):
    """A kernel of a graph, where a graph of all rows would take too long.

    The graph is that of some rows; all rows, these included, take their features from their neighbours in it, as new
    points do.

    Parameters
    ----------
    kernel : Kernel
        Of a graph: `Diffusion`, say.
    n_rows : int, default=5000
        In the sample; all if there are not as many.
    random_state : int, default=0
        Of the draw.

    Attributes
    ----------
    kernel_ : Kernel
        Fitted to the sample.
    """

    def __init__(self, kernel: Any, n_rows: int = 5000, *, random_state: int = 0) -> None:
        self.kernel = kernel
        self.n_rows = n_rows
        self.random_state = random_state

    def fit_map(self, rows: Rows) -> None:
        """Find the graph of a sample and its eigenvectors."""
        for name, least in (("n_rows", 1), ("random_state", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise ValueError(f"Sampled: {name} must be a whole number from {least} up, got {value!r}.")
        rng = np.random.default_rng(int(self.random_state))
        sample = np.sort(rng.permutation(rows.n_rows)[: int(self.n_rows)])
        self.kernel_: Any = clone(self.kernel)
        self.kernel_.fit_features(rows.take(sample))

    def fit_features(self, X: Any) -> Array:
        """Find the graph of a sample and return the features of all rows."""
        self.fit_map(ArrayRows(X))
        return self.features(X)

    def features(self, X: Any) -> Array:
        """Return the features of points."""
        return np.asarray(self.kernel_.features(X))

    def fit_gram(self, X: Any) -> Array:
        """Find the graph of a sample and return the kernel matrix of the features."""
        self._data = self.fit_features(X)
        return np.asarray(self._data @ self._data.T)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(self.features(X) @ self._data.T)
