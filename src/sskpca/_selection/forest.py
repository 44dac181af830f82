r"""A random forest on the labelled rows: a supervised candidate beside those of the kernels.

Kernels see all columns at once, and columns that say nothing blur them; a tree asks one column at a time. A leaf votes
with the share of each class among its labels, so that a decision is linear in the targets,

.. math:: f(x) = \sum_i w_i(x)\, t_i, \qquad w_i(x) = \frac1T \sum_t \frac{n_{ti}\,[\text{i shares the leaf of x}]}
          {\sum_j n_{tj}\,[\text{j shares the leaf of x}]},

:math:`n_{ti}` how often tree t has drawn label i. The decision on a label is by the trees that have not drawn it (out
of bag): held out, though not exactly what a forest without that label would decide. Nothing is proved of a forest.

All trees grow together, level by level, on columns cut into at most 16 bins: a tenth of the time that scikit-learn's
forest takes for a hundred labels of two classes and ten columns, where most of it goes into setting up each tree. Time
grows with the classes, and with 25 of them or more scikit-learn's is faster (measured: both in
benchmarks/speed/results/forest.csv). Cuts lie between the values of labels, so that units do not matter.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.rows._arrays import canonical_order

__all__ = ["FOREST", "Forest", "fit_forest"]

# The name of the method, and of the candidate.
FOREST = "forest"
N_TREES = 100
# Bins of a column, and numbers that are counted at a time: trees grow together as far as these stay in the cache.
N_BINS, COUNTED = 16, 2_000_000
# Where between two values a cut lies: near the middle, but at no simple fraction, so that a row whose numbers have few
# digits does not lie on the cut itself, where rounding would send it to one side or the other.
BETWEEN = np.sqrt(0.24)
# A node in which all the columns drawn are constant draws others so many times, then it is a leaf.
MOST_DRAWS = 10
# Rows that are sent through the trees at a time: their nodes, rows times trees, stay within some megabytes.
BLOCK = 500


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
        return _leaves_of(values, self.roots, self.feature, self.threshold, self.left, self.right)


def fit_forest(X: Matrix, codes: Indices, targets: list[Array], n_trees: int = N_TREES) -> Forest:
    """Fit a random forest to the labelled rows.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_labeled, n_features)
    codes : ndarray of shape (n_labeled,)
        Class numbers, from 0, of at least two classes.
    targets : list of ndarray of shape (n_labeled,)
        1 and -1: one for two classes, speaking for the second, or one for each of several.
    n_trees : int, default=100
    """
    # In an order of their own, so that the draws of the trees do not depend on that of the table.
    X, by_class = _dense(X), np.argsort(codes, kind="stable")
    order = by_class[canonical_order(X[by_class])]
    n, n_features = X.shape
    n_classes, n_functions = int(codes.max()) + 1, len(targets)
    bins, cuts = _binned(X[order])
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(n, np.full(n, 1 / n), n_trees)
    asked = max(1, int(np.sqrt(n_features)))
    # Of so many trees the counts of all open nodes fit: an eighth of the labels, at most, are nodes at a time.
    together = max(1, COUNTED // (max(1, n // 8) * asked * N_BINS * n_classes))
    grown = [
        _grow(bins, cuts, codes[order], drawn[first : first + together], n_classes, asked, rng)
        for first in range(0, n_trees, together)
    ]
    sizes = np.array([len(trees.feature) for trees in grown])
    starts = np.cumsum(sizes) - sizes
    feature, threshold, counts = (
        np.concatenate([getattr(trees, name) for trees in grown]) for name in ("feature", "threshold", "counts")
    )
    left = np.concatenate([trees.left + start for trees, start in zip(grown, starts, strict=True)])
    left = np.where(feature >= 0, left, 0)
    right = np.where(feature >= 0, left + 1, 0)
    roots = np.concatenate([start + np.arange(trees.n_trees) for trees, start in zip(grown, starts, strict=True)])
    used, position = np.unique(feature[feature >= 0], return_inverse=True)
    feature[feature >= 0] = position
    value = _decisions(counts / counts.sum(axis=1, keepdims=True), n_functions)
    leaves = _leaves_of(X[:, used], roots, feature, threshold, left, right)
    back = np.empty_like(drawn.T)
    back[order] = drawn.T
    # Trees that have not drawn a label decide on it; a label that every tree has drawn is undecided.
    free = (back == 0)[:, :, None]
    none = _decisions(np.full((1, n_classes), 1 / n_classes), n_functions)
    number = free.sum(axis=1)
    held_out = np.where(number > 0, np.sum(value[leaves] * free, axis=1) / np.maximum(number, 1), none)
    return Forest(
        used, roots, feature, threshold, left, right, value, held_out.T, leaves.astype(np.int32), back.astype(np.int32)
    )


@dataclass(frozen=True, slots=True)
class _Trees:
    """Trees that have grown together: the roots come first, and the children of a node side by side."""

    n_trees: int
    feature: Indices
    threshold: Array
    left: Indices
    counts: Array


def _binned(X: Array) -> tuple[Indices, Array]:
    """Cut every column between its values, at most so often that there are `N_BINS`; return bins and cuts."""
    bins, cuts = np.empty(X.shape, dtype=np.intp), np.zeros((X.shape[1], N_BINS - 1))
    for j, column in enumerate(X.T):
        values = np.unique(column)
        between = values[:-1] + BETWEEN * np.diff(values)
        if len(between) >= N_BINS:
            between = between[np.linspace(0, len(between) - 1, N_BINS - 1).round().astype(int)]
        bins[:, j] = np.searchsorted(between, column)
        cuts[j, : len(between)] = between
    return bins, cuts


def _grow(
    bins: Indices, cuts: Array, codes: Indices, drawn: Indices, n_classes: int, asked: int, rng: np.random.Generator
) -> _Trees:
    """Grow trees until every leaf is of one class, all nodes of a level at once.

    Each node draws some columns, and takes the cut by which the Gini impurity falls most: largest sum over the two
    sides of the squared class counts over their total.
    """
    n_trees = len(drawn)
    tree, label = np.nonzero(drawn)
    weight, own_class, node = drawn[tree, label].astype(float), codes[label], tree.copy()
    most = 2 * len(tree)  # nodes, if every label ends in a leaf of its own
    feature, threshold, left = np.full(most, -1), np.zeros(most), np.zeros(most, dtype=np.intp)
    counts, draws = np.zeros((most, n_classes)), np.zeros(most, dtype=np.intp)
    counts[:n_trees] = np.bincount(tree * n_classes + own_class, weight, n_trees * n_classes).reshape(n_trees, -1)
    size, entries = n_trees, np.arange(len(tree))
    opened = np.flatnonzero((counts[:size] > 0).sum(axis=1) > 1)
    while len(opened) > 0:
        place = np.full(size, -1)
        place[opened] = np.arange(len(opened))
        entries = entries[place[node[entries]] >= 0]
        at = place[node[entries]]
        columns = rng.integers(0, bins.shape[1], (len(opened), asked))
        own = bins[label[entries, None], columns[at]]
        key = ((at[:, None] * asked + np.arange(asked)) * N_BINS + own) * n_classes + own_class[entries, None]
        shape = len(opened), asked, N_BINS, n_classes
        found = np.bincount(key.ravel(), np.repeat(weight[entries], asked), int(np.prod(shape)))
        below: Array = np.cumsum(found.reshape(shape), axis=2, dtype=np.float64)[:, :, :-1]
        column, cut, splits = _best_cuts(below, counts[opened])
        draws[opened] += 1
        parents = opened[splits]
        children = size + 2 * np.arange(len(parents))
        feature[parents] = columns[splits, column[splits]]
        threshold[parents], left[parents] = cuts[feature[parents], cut[splits]], children
        counts[children] = below[splits, column[splits], cut[splits]]
        counts[children + 1] = counts[parents] - counts[children]
        size += 2 * len(parents)
        goes_right = own[np.arange(len(at)), column[at]] > cut[at]
        moves = splits[at]
        node[entries[moves]] = left[node[entries[moves]]] + goes_right[moves]
        again = opened[~splits]
        new = np.arange(size - 2 * len(parents), size)
        opened = np.concatenate([again[draws[again] < MOST_DRAWS], new[(counts[new] > 0).sum(axis=1) > 1]])
    return _Trees(n_trees, feature[:size], threshold[:size], left[:size], counts[:size])


def _best_cuts(below: Array, counts: Array) -> tuple[Indices, Indices, NDArray[np.bool_]]:
    """Return the column and the cut for each node, and whether there is one that has labels on both sides.

    Parameters
    ----------
    below : ndarray of shape (n_nodes, n_columns, n_cuts, n_classes)
        Class counts to the left of each cut.
    counts : ndarray of shape (n_nodes, n_classes)
        Of the nodes.
    """
    here, total = below.sum(axis=3), counts.sum(axis=1)[:, None, None]
    squares = np.einsum("njbk,njbk->njb", below, below)
    # The squares of the other side, which is the rest, without an array of its own.
    others = np.sum(counts**2, axis=1)[:, None, None] - 2 * np.einsum("njbk,nk->njb", below, counts) + squares
    inside = (here > 0) & (here < total)
    score = np.full(here.shape, -1.0)
    score[inside] = (squares / np.where(inside, here, 1.0) + others / np.where(inside, total - here, 1.0))[inside]
    flat = score.reshape(len(counts), -1)
    best = flat.argmax(axis=1)
    column, cut = np.divmod(best, below.shape[2])
    return column, cut, flat[np.arange(len(counts)), best] >= 0


def _leaves_of(
    values: Array, roots: Indices, feature: Indices, threshold: Array, left: Indices, right: Indices
) -> Indices:
    """Return the leaf of each row in each tree, shape (n_rows, n_trees)."""
    n = len(values)
    node, row = np.tile(roots, n), np.repeat(np.arange(n), len(roots))
    moving = np.arange(len(node))
    while len(moving) > 0:
        at = node[moving]
        inner = feature[at] >= 0
        moving, at = moving[inner], at[inner]
        goes_left = values[row[moving], feature[at]] <= threshold[at]
        node[moving] = np.where(goes_left, left[at], right[at])
    return node.reshape(n, -1)


def _dense(X: Matrix) -> Matrix:
    return X.toarray() if scipy.sparse.issparse(X) else X


def _decisions(shares: Array, n_functions: int) -> Array:
    """Return the mean targets where classes have these shares."""
    return np.asarray(2 * (shares[:, 1:] if n_functions == 1 else shares) - 1)
