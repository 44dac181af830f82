r"""A random forest on the labelled rows: a supervised candidate beside those of the kernels.

Kernels see all columns at once, and columns that say nothing blur them; a tree asks one column at a time. A leaf votes
with the share of each class among its labels, so that a decision is linear in the targets,

.. math:: f(x) = \sum_i w_i(x)\, t_i, \qquad w_i(x) = \frac1T \sum_t \frac{n_{ti}\,[\text{i shares the leaf of x}]}
          {\sum_j n_{tj}\,[\text{j shares the leaf of x}]},

:math:`n_{ti}` how often tree t has drawn label i. The decision on a label is by the trees that have not drawn it (out
of bag): held out, though not exactly what a forest without that label would decide. Nothing is proved of a forest.

Trees are grown on the ranks of the numbers, so that units do not matter, and thresholds are put back between the
numbers.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.rows._arrays import canonical_order

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier

__all__ = ["FOREST", "Forest", "fit_forest", "out_of_bag_shares"]

# The name of the method, and of the candidate.
FOREST = "forest"
N_TREES = 300
# Rows that are sent through the trees at a time: their nodes, rows times trees, stay within some megabytes.
BLOCK = 2000


@dataclass(frozen=True, slots=True)
class Forest:
    """A fitted forest, as arrays.

    Attributes
    ----------
    columns : ndarray of shape (n_used,)
        The features that it asks about.
    roots : ndarray of shape (n_trees,)
        Nodes of all trees are numbered through.
    feature : ndarray of shape (n_nodes,)
        Position in `columns`; -1 for a leaf.
    threshold : ndarray of shape (n_nodes,)
        A row whose feature is at most this goes to the left.
    left, right : ndarray of shape (n_nodes,)
    value : ndarray of shape (n_nodes, n_functions)
        The decision of a leaf: the mean target of its labels.
    held_out : ndarray of shape (n_functions, n_labeled)
        Out-of-bag decisions on the labels.
    leaves : ndarray of shape (n_labeled, n_trees)
        The leaf of each label in each tree.
    drawn : ndarray of shape (n_labeled, n_trees)
        How often each tree has drawn it.
    """

    columns: Indices
    roots: Indices
    feature: Indices
    threshold: Array
    left: Indices
    right: Indices
    value: Array
    held_out: Array
    leaves: Indices
    drawn: Indices

    def __post_init__(self) -> None:
        """Check that every way through a tree ends: a file may hold anything."""
        n, inner = len(self.feature), self.feature >= 0
        nodes = np.arange(n)[inner]
        below = (self.left[inner] > nodes) & (self.right[inner] > nodes)
        inside = np.maximum(self.left, self.right).max(initial=0) < n
        asked = self.feature.max(initial=-1) < len(self.columns)
        rooted = self.roots.min(initial=0) >= 0 and self.roots.max(initial=0) < n
        alike = len(self.threshold) == len(self.left) == len(self.right) == len(self.value) == n
        if not (alike and inside and asked and rooted and below.all() and self.columns.min(initial=0) >= 0):
            raise ValueError("the parts of the forest do not fit together.")

    def decide(self, X: Matrix) -> Array:
        """Return decisions of shape (n_samples, n_functions)."""
        blocks = [
            self.value[self._leaves(X[first : first + BLOCK])].mean(axis=1) for first in range(0, X.shape[0], BLOCK)
        ]
        return np.vstack([np.empty((0, self.value.shape[1])), *blocks])

    def shares(self, x: Matrix) -> Array:
        """Return the weight of each label in the decision on one row, given with shape (1, n_features)."""
        same = self.drawn * (self.leaves == self._leaves(x))
        return np.asarray((same / same.sum(axis=0)).mean(axis=1))

    def _leaves(self, X: Matrix) -> Indices:
        """Return the leaf of each row in each tree."""
        values = _dense(X[:, self.columns])
        node = np.tile(self.roots, (len(values), 1))
        rows = np.arange(len(values))[:, None]
        while np.any(inner := self.feature[node] >= 0):
            goes_left = values[rows, np.where(inner, self.feature[node], 0)] <= self.threshold[node]
            node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)
        return node


def fit_forest(X: Matrix, codes: Indices, targets: list[Array]) -> Forest:
    """Fit a random forest to the labelled rows.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_labeled, n_features)
    codes : ndarray of shape (n_labeled,)
        Class numbers, from 0, of at least two classes.
    targets : list of ndarray of shape (n_labeled,)
        1 and -1: one for two classes, speaking for the second, or one for each of several.
    """
    # In an order of their own, so that the draws of the trees do not depend on that of the table.
    X, by_class = _dense(X), np.argsort(codes, kind="stable")
    order = by_class[canonical_order(X[by_class])]
    columns = [np.unique(column, return_inverse=True) for column in X[order].T]
    ranks = np.column_stack([rank for _, rank in columns])
    model, shares = out_of_bag_shares(ranks, codes[order])
    trees = [tree.tree_ for tree in model.estimators_]
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes
    inner = np.concatenate([tree.children_left for tree in trees]) >= 0
    asked = np.concatenate([tree.feature for tree in trees])
    used, position = np.unique(asked[inner], return_inverse=True)
    feature, threshold = np.full(len(inner), -1, dtype=np.intp), np.concatenate([tree.threshold for tree in trees])
    feature[inner] = position
    for j, column in enumerate(used.tolist()):
        values = columns[column][0]
        threshold[feature == j] = np.interp(threshold[feature == j], np.arange(len(values)), values)
    classes = np.concatenate([tree.value[:, 0, :] for tree in trees])
    classes = classes / classes.sum(axis=1, keepdims=True)
    n_functions = len(targets)
    back = np.argsort(order)
    drawn = np.column_stack([np.bincount(own, minlength=len(codes)) for own in model.estimators_samples_])
    shift = np.repeat(roots, sizes)
    return Forest(
        used.astype(np.intp),
        roots.astype(np.intp),
        feature,
        threshold,
        np.where(inner, np.concatenate([tree.children_left for tree in trees]) + shift, 0).astype(np.intp),
        np.where(inner, np.concatenate([tree.children_right for tree in trees]) + shift, 0).astype(np.intp),
        _decisions(classes, n_functions),
        _decisions(shares, n_functions)[back].T,
        (model.apply(ranks) + roots)[back].astype(np.int32),
        drawn[back].astype(np.int32),
    )


def out_of_bag_shares(X: Matrix, codes: Indices) -> tuple["RandomForestClassifier", Array]:
    """Fit a forest to labelled rows; return it, and the out-of-bag shares of its classes for each of them.

    The shares of a label that every tree has drawn are equal ones.
    """
    from sklearn.ensemble import RandomForestClassifier  # here: a forest that is saved decides without

    forest = RandomForestClassifier(N_TREES, oob_score=True, random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a label was never out of bag
        forest.fit(scipy.sparse.csc_matrix(X) if scipy.sparse.issparse(X) else X, codes)
    shares = np.nan_to_num(forest.oob_decision_function_.reshape(len(codes), -1))
    return forest, np.where(shares.any(axis=1, keepdims=True), shares, 1 / shares.shape[1])


def _dense(X: Matrix) -> Matrix:
    return X.toarray() if scipy.sparse.issparse(X) else X


def _decisions(shares: Array, n_functions: int) -> Array:
    """Return the mean targets where classes have these shares."""
    return np.asarray(2 * (shares[:, 1:] if n_functions == 1 else shares) - 1)
