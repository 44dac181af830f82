r"""How often two rows stay together when the data are split at random.

.. math:: k(x, y) = \frac1T \sum_t [\text{x and y fall into the same leaf of tree } t]

Every split takes a random column and a random threshold within the rows of its node. No label is seen, so that
leave-one-out stays exact; a split sees one column at a time, so that neither units nor outliers matter much.
"""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from sskpca.kernels.algebra import KernelAlgebra
from sskpca.kernels.base import finite, whole_number
from sskpca.linalg.array import Array

__all__ = ["RandomTrees"]

# Draws of a column for a node before it is left unsplit because all of them were constant in it.
ATTEMPTS = 4
MOST_DEPTH = 12


class RandomTrees(KernelAlgebra, BaseEstimator):
    """The kernel of totally random trees.

    Parameters
    ----------
    n_trees : int, default=100
    max_depth : int, default=8
        At most 12. Deeper trees make a narrower kernel.
    random_state : int, default=0
        Random seed for the splits.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [9.0]])
    >>> K = RandomTrees(max_depth=1).fit_gram(X)
    >>> bool(K[0, 0] == 1 and K[0, 1] > 0.9 and K[0, 2] == 0)
    True
    """

    def __init__(self, n_trees: int = 100, max_depth: int = 8, random_state: int = 0) -> None:
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.random_state = random_state

    def fit_gram(self, X: Any) -> Array:
        """Grow the trees and return the kernel matrix."""
        self._grow(finite(_dense(X), self))
        self._data = self._leaves(_dense(X))
        return _shared(self._data, self._data)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return _shared(self._leaves(_dense(X)), self._data)

    def diagonal(self, X: Any) -> Array:
        """Return 1 for every point."""
        return np.ones(X.shape[0])

    def _grow(self, X: Array) -> None:
        """Draw columns and thresholds, level by level, all trees at once; the children of node i are 2i + 1, 2i + 2."""
        n_trees = whole_number(self.n_trees, "RandomTrees: n_trees", 1)
        depth = whole_number(self.max_depth, "RandomTrees: max_depth", 1)
        if depth > MOST_DEPTH:
            raise ValueError(f"RandomTrees: max_depth must be at most {MOST_DEPTH}, got {depth}.")
        rng = np.random.default_rng(whole_number(self.random_state, "RandomTrees: random_state", 0))
        shape = n_trees, 2**depth - 1
        feature = rng.integers(X.shape[1], size=(ATTEMPTS, *shape))
        share = rng.random(shape)
        self._feature, self._threshold = feature[0].copy(), np.full(shape, np.inf)
        rows, trees = np.arange(len(X))[:, None], np.arange(n_trees)
        node = np.zeros((len(X), n_trees), dtype=np.intp)
        for _ in range(depth):
            open_nodes = np.zeros(shape, dtype=bool)
            open_nodes[trees, node] = True
            for attempt in feature:
                chosen = np.where(open_nodes, attempt, self._feature)
                values = X[rows, chosen[trees, node]]
                low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
                np.minimum.at(low, (trees, node), values)
                np.maximum.at(high, (trees, node), values)
                split = open_nodes & (high > low)
                self._feature[split] = chosen[split]
                # In two steps, since the difference of the largest numbers may not be finite.
                self._threshold[split] = low[split] * (1 - share[split]) + high[split] * share[split]
                open_nodes &= ~split
                if not open_nodes.any():
                    break
            node = self._below(X, node)

    def _below(self, X: Array, node: NDArray[np.intp]) -> NDArray[np.intp]:
        """Send rows from their nodes to the next level; a node that is not split sends all to the left."""
        rows, trees = np.arange(len(X))[:, None], np.arange(self._feature.shape[0])
        right = X[rows, self._feature[trees, node]] > self._threshold[trees, node]
        return np.asarray(2 * node + 1 + right, dtype=np.intp)

    def _leaves(self, X: Array) -> NDArray[np.intp]:
        """Return the number of the leaf of each row in each tree."""
        n_trees, n_nodes = self._feature.shape
        node = np.zeros((len(X), n_trees), dtype=np.intp)
        for _ in range(n_nodes.bit_length()):
            node = self._below(X, node)
        return np.asarray(node - n_nodes, dtype=np.intp)


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)


def _shared(first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Return the share of trees in which rows have the same leaf."""
    n_trees, n_leaves = first.shape[1], 1 + max(int(first.max(initial=0)), int(second.max(initial=0)))
    parts = []
    for leaves in (first, second):
        columns = (leaves + n_leaves * np.arange(n_trees)).ravel()
        ones = np.ones(len(columns), dtype=np.float64)
        ends = np.arange(0, len(columns) + 1, n_trees)
        part = scipy.sparse.csr_array((ones, columns, ends), shape=(len(leaves), n_leaves * n_trees))
        part.check_format(full_check=True)  # the leaves of a model file may be anything, and products do not look
        parts.append(part)
    return np.asarray((parts[0] @ parts[1].T).toarray() / n_trees)
