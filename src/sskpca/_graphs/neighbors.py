"""Graphs of nearest neighbours, and the neighbours of new points."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from sskpca._graphs.search import ApproximateIndex, ExactIndex, NearestRows
from sskpca._graphs.ties import Neighborhoods
from sskpca._linalg.array import Array, Matrix, by_largest_entry, largest_entries, unit_rows

__all__ = [
    "EXACT_SIZE",
    "WEIGHTS",
    "FittedGraph",
    "NearestRows",
    "NeighborGraph",
    "checked_graph",
    "interpolated",
    "nearest_rows",
]

# Exact search takes seconds up to here, and grows with the square.
EXACT_SIZE = 50_000
# Neighbours of new points, up to which values are taken over without a sparse matrix.
FEW_PAIRS = 1000
# Sums of squares of numbers beyond the first may be infinite; rows below the second would be taken for zero.
LARGE, SMALL = 1e150, 1e-12
# Rows that differ by less, beside their largest number, are at one place.
ONE_PLACE = 1e-12
WEIGHTS = ("gaussian", "transducer", "binary")


@dataclass(frozen=True)
class NeighborGraph:
    r"""How to make the graph in which each point is joined to its nearest neighbours.

    Weights of the edge between i and its neighbour j, at the distance :math:`d_{ij}`:

    - "gaussian": :math:`\exp(-d_{ij}^2 / h)`, h the mean squared length of the edges; symmetrised by the maximum.
    - "transducer": :math:`s_{ij} / \sum_k s_{ik}` over the neighbours of i, s the cosine of the angle; the graph
      is the sum of this matrix and its transpose [Joachims2003]_.
    - "binary": 1; symmetrised by the maximum.

    No point is its own neighbour; duplicates of it are neighbours at distance zero. Neighbours at the same distance are
    treated alike, see `sskpca._graphs.ties`: if more are tied with the last than there are places, each has a share
    of the weight. So permuted rows have the permuted graph (not where neighbours are searched approximately).

    Parameters
    ----------
    n_neighbors : int
        Fewer than there are points.
    metric : str
        "euclidean", "cosine" (the Euclidean distance of rows brought to unit length, which has the same
        neighbours), or any other that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}
    search : {"auto", "exact", "approximate"}
        "approximate" is pynndescent; "auto" is that, with a notice, for more than 50,000 points.
    """

    n_neighbors: int = 10
    metric: str = "euclidean"
    weights: str = "gaussian"
    search: str = "auto"

    def fit(self, X: Matrix, known: NearestRows | None = None) -> "FittedGraph":
        """Find the neighbours and weigh the edges.

        Parameters
        ----------
        X : ndarray or sparse matrix
        known : tuple of ndarray, optional
            What `nearest_rows` found for this metric, if it was asked before: graphs of several sizes share a search.
        """
        n = X.shape[0]
        k = self.n_neighbors
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise ValueError(f"n_neighbors must be a whole number from 1 up, got {k!r}.")
        if k >= n:
            raise ValueError(f"n_neighbors={k} is too many for {n} points; it must be smaller than their number.")
        if self.weights not in WEIGHTS:
            raise ValueError(f"weights={self.weights!r} is not known; choose from {', '.join(WEIGHTS)}.")
        if self.weights == "transducer" and self.metric != "cosine":
            raise ValueError('weights="transducer" are cosines: they need metric="cosine".')
        sparse, center = scipy.sparse.issparse(X), _center(X, self.metric)
        index = _make_index(_placed(X, self.metric, center, sparse), int(k), self.metric, self.search)
        found = index.of_data(known) if isinstance(index, ExactIndex) else index.of_data()
        scale = float(np.mean(found.nearest**2)) or 1.0
        values = found.shares * self._weigh(found.distances, scale)
        if self.weights == "transducer":
            total = np.bincount(found.rows, values, n)[found.rows]
            # Neighbours at right angles or worse are still the nearest: they count alike.
            values = np.where(total > 0, values / np.where(total > 0, total, 1.0), found.shares / int(k))
        one_way = scipy.sparse.csr_matrix((values, (found.rows, found.neighbors)), shape=(n, n))
        graph = one_way + one_way.T if self.weights == "transducer" else one_way.maximum(one_way.T)
        return FittedGraph(graph.tocsr(), scale, self.metric, center, sparse, index)

    def _weigh(self, distances: Array, scale: float) -> Array:
        if self.weights == "gaussian":
            # An edge that is there is there: floored, so that a point far from all others is not cut off.
            return np.asarray(np.exp(-np.minimum(distances**2 / scale, 30.0)))
        if self.weights == "binary":
            return np.ones_like(distances)
        return np.maximum(1 - distances**2 / 2, 0.0)  # the cosine, of rows of unit length


def nearest_rows(X: Matrix, k: int, metric: str) -> NearestRows:
    """Find the k nearest other rows of each row, by exact search."""
    points = _placed(X, metric, _center(X, metric), scipy.sparse.issparse(X))
    index = _make_index(points, k, metric, "exact")
    assert isinstance(index, ExactIndex)
    return index.search.kneighbors()  # type: ignore[no-any-return]


def _center(X: Matrix, metric: str) -> Array | None:
    """Return what is subtracted from rows before distances are computed."""
    shift = metric == "euclidean" and not scipy.sparse.issparse(X)
    return np.median(X, axis=0).astype(np.float64) if shift else None


@dataclass(frozen=True, eq=False)
class FittedGraph:
    """The graph of a data set, which finds the neighbours of new points.

    Attributes
    ----------
    weights_ : csr_matrix of shape (n_samples, n_samples)
        Symmetric, not negative, zero diagonal.
    scale_ : float
        h, the mean squared length of the edges.
    metric : str
    center : ndarray of shape (n_columns,) or None
        Subtracted from rows before distances are computed.
    sparse : bool
        Whether the data are a sparse matrix.
    index : ExactIndex or ApproximateIndex
        Searches for neighbours.
    """

    weights_: scipy.sparse.csr_matrix
    scale_: float
    metric: str
    center: Array | None
    sparse: bool
    index: ExactIndex | ApproximateIndex

    @property
    def alike(self) -> bool:
        """Whether all points are at one place in this metric, up to rounding."""
        points = self.index.points
        return bool(abs(points.max(axis=0) - points.min(axis=0)).max() <= ONE_PLACE * abs(points).max())

    def without_edges(self) -> "FittedGraph":
        """Return what the interpolation needs."""
        return replace(self, weights_=scipy.sparse.csr_matrix(self.weights_.shape))

    def interpolates_like(self, other: "FittedGraph") -> bool:
        """Return whether new points take over values with the weights of another graph."""
        return other.index is self.index and other.scale_ == self.scale_

    def searches_like(self, other: "FittedGraph") -> bool:
        """Return whether new points are compared with the same points in the same way, so that one search does."""
        mine, others = self.index, other.index
        if not isinstance(mine, ExactIndex) or not isinstance(others, ExactIndex):
            return False  # an approximate search finds what it was made for
        if (self.metric, self.sparse) != (other.metric, other.sparse) or not _equal(self.center, other.center):
            return False
        return _equal(mine.points, others.points)

    def weighed(self, found: Neighborhoods) -> Array:
        r"""Return the weights with which new points take over values of the neighbours that were found of them.

        :math:`p_{xi} \propto \exp(-d_{xi}^2/h)\, /\, d_{xi}^2` over the nearest neighbours of x among the data, summing
        to one. At a point of the data all weight is on that point (or equally on its duplicates): the extension is
        continuous, and exact on the data.
        """
        n, rows = found.nearest.shape[0], found.rows
        square = found.distances**2 / self.scale_
        # Squares of distances are known to rounding of squares of norms: below that they are zero.
        same = square <= 1e-12
        at_data = np.bincount(rows, same, n)[rows] > 0
        # Relative to the nearest neighbour, so that weights of far points do not all underflow.
        nearest = found.nearest[:, 0] ** 2 / self.scale_
        weights = np.where(at_data, same, np.exp(nearest[rows] - square) / np.where(same, 1.0, square)) * found.shares
        return np.asarray(weights / np.bincount(rows, weights, n)[rows])


def interpolated(graphs: Sequence[FittedGraph], values: Sequence[Array], X: Matrix) -> Array:
    """Return the sum of what new points take over in several graphs of the same points, found by one search.

    Parameters
    ----------
    graphs : sequence of FittedGraph
        Of the same points, see `FittedGraph.searches_like`; or one.
    values : sequence of ndarray of shape (n_samples, n_functions)
        The values of the data in each graph.
    X : ndarray or sparse matrix of shape (n_new, n_columns)

    Returns
    -------
    ndarray of shape (n_new, n_functions)
        The sum over the graphs of the values times their weights, see `FittedGraph.weighed`.
    """
    first = graphs[0]
    points = _placed(X, first.metric, first.center, first.sparse)
    found = first.index.of_new(points, [graph.index.k for graph in graphs])
    n_points = first.index.points.shape[0]
    if any(len(known) != n_points for known in values):
        raise ValueError(f"there must be values of all {n_points} points.")
    total = np.zeros((X.shape[0], values[0].shape[1]))
    for graph, one, known in zip(graphs, found, values, strict=True):
        weights, starts = graph.weighed(one), np.searchsorted(one.rows, np.arange(X.shape[0] + 1))
        if len(weights) <= FEW_PAIRS:  # to make a sparse matrix would take longer than all of this
            total += np.add.reduceat(weights[:, None] * known[one.neighbors], starts[:-1])
        else:
            total += scipy.sparse.csr_matrix((weights, one.neighbors, starts), shape=(X.shape[0], n_points)) @ known
    return total


def _equal(first: Matrix | None, second: Matrix | None) -> bool:
    """Return whether arrays, or sparse matrices, hold the same numbers."""
    if first is None or second is None or first is second:
        return first is second
    if scipy.sparse.issparse(first) and scipy.sparse.issparse(second):
        return bool(first.shape == second.shape and first.nnz == second.nnz and (first != second).nnz == 0)
    return np.array_equal(first, second)


def _placed(X: Matrix, metric: str, center: Array | None, sparse: bool) -> Matrix:
    """Return rows as the search for neighbours takes them."""
    if scipy.sparse.issparse(X) and not sparse:
        X = X.toarray()
    largest = largest_entries(X)
    if metric == "cosine":
        # Dividing by the largest entry first keeps the squares in range.
        strange = largest.max(initial=0.0) > LARGE or np.any((largest > 0) & (largest < SMALL))
        # In double precision: rounding must not tell apart what is tied.
        X = by_largest_entry(X) if strange else X.astype(np.float64, copy=False)
        return normalize(X) if scipy.sparse.issparse(X) else unit_rows(X)
    if largest.max(initial=0.0) > LARGE:
        raise ValueError(
            "distances are not finite: the features are too large for floating point arithmetic; rescale them "
            "(for example with sklearn.preprocessing.StandardScaler)."
        )
    # Distances do not change with a shift; their floating point evaluation does.
    return X.copy() if center is None else X - center


def _make_index(X: Matrix, k: int, metric: str, search: str) -> ExactIndex | ApproximateIndex:
    if search not in ("auto", "exact", "approximate"):
        raise ValueError(f'search must be "auto", "exact" or "approximate", got {search!r}.')
    if search == "auto" and X.shape[0] > EXACT_SIZE:
        warnings.warn(
            f"{X.shape[0]} points: their neighbours are searched approximately (pynndescent); pass "
            'search="exact" or "approximate" to choose.',
            UserWarning,
            stacklevel=6,
        )
        search = "approximate"
    metric = "euclidean" if metric == "cosine" else metric  # of rows of unit length
    if search != "approximate":
        return ExactIndex(NearestNeighbors(n_neighbors=k, metric=metric).fit(X))
    try:
        from pynndescent import NNDescent
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'Approximate neighbours need the package pynndescent: pip install "sskpca[graph]"; or pass search="exact".'
        ) from None
    return ApproximateIndex(k, X, NNDescent(X, metric=metric, n_neighbors=max(k + 1, 15), random_state=0))


def checked_graph(graph: Matrix, n: int) -> scipy.sparse.csr_matrix:
    """Return a user's graph as a symmetric sparse matrix without loops, or raise one sentence."""
    W = scipy.sparse.csr_matrix(graph, dtype=np.float64)
    if W.shape != (n, n):
        raise ValueError(f"the graph has the shape {W.shape}, but there are {n} points; it must be ({n}, {n}).")
    if not np.isfinite(W.data).all():
        raise ValueError("the graph has weights that are not finite (NaN or infinity); remove those edges.")
    if W.nnz and W.data.min() < 0:
        raise ValueError("the graph has negative weights; similarities must be zero or more.")
    largest = float(W.data.max()) if W.nnz else 0.0
    if W.nnz and float(np.abs(W - W.T).max()) > 1e-9 * largest:
        raise ValueError("the graph is not symmetric; pass graph.maximum(graph.T) or (graph + graph.T) / 2.")
    W = (W + W.T) / 2
    W.setdiag(0.0)
    W.eliminate_zeros()
    alone = np.flatnonzero(np.asarray(W.sum(axis=1)).ravel() == 0)
    if len(alone):
        raise ValueError(
            f"the graph leaves {len(alone)} points without neighbours (the first is row {alone[0]}, all zero); connect "
            "or remove them."
        )
    return W.tocsr()
