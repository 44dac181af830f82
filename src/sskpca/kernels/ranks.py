r"""A Gaussian kernel of the ranks of numbers, not of the numbers.

.. math:: k(x, y) = \exp\Bigl(-\gamma \sum_j (s_j(x_j) - s_j(y_j))^2\Bigr), \qquad
          s_j(v) = \Phi^{-1}(\text{share of the data below v, in column j}) / \text{their standard deviation},

the normal scores: whatever the units and the shape of a column, incomes or counts with a long tail say, it is seen as
normally distributed. Between numbers of the data scores are interpolated, beyond them they stay as they are.
"""

from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import ndtri
from sklearn.base import BaseEstimator

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.kernels.stationary import Gaussian
from sskpca.linalg.array import Array

__all__ = ["GaussianRanks"]


class GaussianRanks(KernelAlgebra, BaseEstimator):
    """The Gaussian kernel of normal scores.

    Parameters
    ----------
    factor : float, default=1.0
        Bandwidth parameter in units of one over the median squared distance.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [1000.0]])
    >>> K = GaussianRanks().fit_gram(X)
    >>> bool(np.isclose(K[0, 1], K[2, 3]))  # the last gap is one rank, like the first
    True
    """

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor

    def fit_gram(self, X: Any) -> Array:
        """Learn the ranks and the bandwidth and return the kernel matrix."""
        columns = [np.unique(column, return_counts=True) for column in _dense(X).T]
        self._values = [values for values, _ in columns]
        self._scores = [_normal_scores(counts) for _, counts in columns]
        self._gaussian = Gaussian(factor=self.factor)
        return self._gaussian.fit_gram(self._scored(X))

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return self._gaussian.cross(self._scored(X))

    def diagonal(self, X: Any) -> Array:
        """Return 1 for every point."""
        return np.ones(X.shape[0])

    def _scored(self, X: Any) -> Array:
        parts = zip(_dense(X).T, self._values, self._scores, strict=True)
        return np.column_stack([np.interp(column, values, scores) for column, values, scores in parts])


def _normal_scores(counts: Any) -> Array:
    """Return the scores of distinct numbers, ascending, that occur so often: of the middle of their ranks."""
    n = counts.sum()
    scores = ndtri((np.cumsum(counts) - counts / 2) / n)
    mean = counts @ scores / n
    spread = np.sqrt(counts @ (scores - mean) ** 2 / n)
    return np.asarray((scores - mean) / spread if spread > 0 else np.zeros(len(scores)))


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)
