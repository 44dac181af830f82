"""A graph kernel of a sample of the rows, carried over to all of them."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from sskpca.kernels.base import finite_rows, whole_number
from sskpca.kernels.mapped import MappedKernel
from sskpca.linalg.array import Array
from sskpca.rows.source import Rows

__all__ = ["Sampled"]


class Sampled(MappedKernel, BaseEstimator):
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
        whole_number(self.n_rows, "Sampled: n_rows", 1)
        whole_number(self.random_state, "Sampled: random_state", 0)
        rng = np.random.default_rng(int(self.random_state))
        sample = np.sort(rng.permutation(rows.n_rows)[: int(self.n_rows)])
        self.kernel_: Any = clone(self.kernel)
        data = rows.take(sample)
        finite_rows(data, sample)
        self.kernel_.fit_features(data)

    def features(self, X: Any) -> Array:
        """Return the features of points."""
        return np.asarray(self.kernel_.features(X))
