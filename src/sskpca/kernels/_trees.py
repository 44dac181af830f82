r"""How often two rows stay together when the data are split at random.

.. math:: k(x, y) = \frac1T \sum_t [\text{x and y fall into the same leaf of tree } t]

Every split takes a random column and a random threshold within the rows of its node. No label is seen, so that
leave-one-out stays exact; a split sees one column at a time, so that neither units nor outliers matter much.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._parameters import check_count
from sskpca.kernels._base import MatrixKernel, dense, finite
from sskpca.kernels._fitted import FittedUnit

__all__ = ["RandomTrees"]

# Draws of a column for a node before it is left unsplit because all of them were constant in it.
ATTEMPTS = 4
MOST_DEPTH = 12
# Pairs of rows times trees: up to so many, leaves are compared one by one.
FEW_PAIRS = 200_000


@dataclass(frozen=True, eq=False, repr=False)
class FittedTrees(FittedUnit):
    """Random trees, and the leaves of rows in them; the children of node i are 2i + 1 and 2i + 2.

    Attributes
    ----------
    feature : ndarray of int, shape (n_trees, n_nodes)
        The column that a node splits by.
    threshold : ndarray of shape (n_trees, n_nodes)
        Rows above it go to the right; infinite where all rows go to the left.
    leaves : ndarray of int, shape (n_samples, n_trees)
        Of the data.
    """

    feature: Indices
    threshold: Array
    leaves: Indices

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return _shared(_leaves(dense(X), self.feature, self.threshold), self.leaves)


@dataclass(eq=False, repr=False)
class RandomTrees(MatrixKernel):
    """The kernel of totally random trees.

    Parameters
    ----------
    n_trees : int, default=100
        Number of trees.
    max_depth : int, default=8
        Depth of the trees, at most 12. Deeper trees make a narrower kernel.
    random_state : int, default=0
        Random seed for the splits.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import RandomTrees
    >>> X = np.array([[0.0], [0.1], [9.0]])
    >>> K = RandomTrees(max_depth=1).fit(X).cross(X)
    >>> bool(K[0, 0] == 1 and K[0, 1] > 0.9 and K[0, 2] == 0)
    True
    """

    n_trees: int = 100
    max_depth: int = 8
    random_state: int = 0

    def fit_gram(self, X: Matrix) -> tuple[FittedTrees, Array]:
        """Grow the trees, and return the kernel matrix, too."""
        rows = finite(dense(X), self)
        feature, threshold = self._grow(rows)
        leaves = _leaves(rows, feature, threshold)
        return FittedTrees(self, feature, threshold, leaves), _shared(leaves, leaves)

    def _grow(self, X: Array) -> tuple[Indices, Array]:
        """Draw columns and thresholds, level by level, all trees at once."""
        n_trees = check_count(self, "n_trees", self.n_trees)
        depth = check_count(self, "max_depth", self.max_depth)
        if depth > MOST_DEPTH:
            raise ValueError(f"RandomTrees: max_depth must be at most {MOST_DEPTH}, got {depth}.")
        rng = np.random.default_rng(check_count(self, "random_state", self.random_state, least=0))
        shape = n_trees, 2**depth - 1
        candidates = rng.integers(X.shape[1], size=(ATTEMPTS, *shape))
        share = rng.random(shape)
        feature, threshold = candidates[0].copy(), np.full(shape, np.inf)
        rows, trees = np.arange(len(X))[:, None], np.arange(n_trees)
        node = np.zeros((len(X), n_trees), dtype=np.intp)
        for _ in range(depth):
            open_nodes = np.zeros(shape, dtype=bool)
            open_nodes[trees, node] = True
            for attempt in candidates:
                chosen = np.where(open_nodes, attempt, feature)
                values = X[rows, chosen[trees, node]]
                low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
                np.minimum.at(low, (trees, node), values)
                np.maximum.at(high, (trees, node), values)
                split = open_nodes & (high > low)
                feature[split] = chosen[split]
                # In two steps, since the difference of the largest numbers may not be finite.
                threshold[split] = low[split] * (1 - share[split]) + high[split] * share[split]
                open_nodes &= ~split
                if not open_nodes.any():
                    break
            node = _below(X, node, feature, threshold)
        return feature, threshold


def _below(X: Array, node: Indices, feature: Indices, threshold: Array) -> Indices:
    """Send rows from their nodes to the next level; a node that is not split sends all to the left."""
    rows, trees = np.arange(len(X))[:, None], np.arange(feature.shape[0])
    right = X[rows, feature[trees, node]] > threshold[trees, node]
    return np.asarray(2 * node + 1 + right, dtype=np.intp)


def _leaves(X: Array, feature: Indices, threshold: Array) -> Indices:
    """Return the number of the leaf of each row in each tree."""
    n_trees, n_nodes = feature.shape
    node = np.zeros((len(X), n_trees), dtype=np.intp)
    for _ in range(n_nodes.bit_length()):
        node = _below(X, node, feature, threshold)
    return np.asarray(node - n_nodes, dtype=np.intp)


def _shared(first: Indices, second: Indices) -> Array:
    """Return the share of trees in which rows have the same leaf."""
    if first.size * len(second) <= FEW_PAIRS:
        return np.asarray(np.count_nonzero(first[:, None, :] == second[None], axis=2) / first.shape[1])
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
