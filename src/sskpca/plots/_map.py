"""Two coordinates for every row, such that rows that are alike lie close together.

t-SNE [vanDerMaaten2008]_ by scikit-learn, made repeatable and fast enough for a report: it starts from the principal
components, runs in one thread, and embeds a sample of at most 3,000 distinct rows; every other row is placed among its
nearest neighbours in the sample. No other package is needed, and nothing is compiled at run time. Measured
beside UMAP, PaCMAP and openTSNE in benchmarks/everyday/results/maps.csv.

References
----------
.. [vanDerMaaten2008] L. van der Maaten and G. Hinton, Visualizing data using t-SNE, JMLR 9:2579-2605, 2008.
"""

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array
from threadpoolctl import threadpool_limits

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._linalg.threads import one_thread

__all__ = ["MOST_EMBEDDED", "neighbor_map"]

MOST_EMBEDDED = 3_000
"""Of more distinct rows, a random sample of so many is embedded: a few seconds."""

# With fewer distinct rows there are no neighbourhoods to preserve: they are drawn at their principal components.
FEWEST = 8
PERPLEXITY = 30.0
# 250 with exaggerated attraction and 100 without; on the digits, 1,000 in all gain less than 0.001 of trustworthiness.
N_ITER = 350
# Distances in more principal components than this say the same, and take longer.
N_COMPONENTS = 50
# Neighbours in the sample among which a row outside of it is placed.
N_ANCHORS = 3
GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def neighbor_map(X: Matrix, *, random_state: int = 0) -> Array:
    """Return two coordinates for every row, such that rows that are alike lie close together.

    Distances between groups, and the axes themselves, have no meaning.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Columns on comparable scales.
    random_state : int, default=0
        Seed for the sample, if there are more than 3,000 distinct rows, and for the decomposition of many columns.

    Returns
    -------
    ndarray of shape (n_samples, 2)
        Equal rows lie side by side in a small disc. All zero if all rows are equal.

    Examples
    --------
    >>> neighbor_map([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]]).shape
    (3, 2)
    """
    X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=0)
    if X.shape[0] == 0:
        return np.zeros((0, 2))
    first, inverse = _distinct(X)
    # Sums of several threads differ by rounding from run to run, and t-SNE amplifies it.
    with one_thread(), threadpool_limits(1, user_api="openmp"):
        places = _embed(_components(X[first], random_state), random_state)
    return _side_by_side(places, inverse)


def _distinct(X: Matrix) -> tuple[Indices, Indices]:
    """Find the first of all equal rows, and for every row which it equals."""
    if sparse.issparse(X):
        X = X.sorted_indices()
        X.sum_duplicates()
        X.eliminate_zeros()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        keys = [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in ends]
    else:
        keys = [row.tobytes() for row in np.ascontiguousarray(X) + 0.0]  # -0 is 0
    number: dict[bytes, int] = {}
    inverse = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.intp)
    return np.unique(inverse, return_index=True)[1], inverse


def _components(X: Matrix, random_state: int) -> Array:
    """Return the leading principal components of the rows, in units of the largest entry."""
    largest = float(abs(X).max()) or 1.0  # squares of huge numbers would overflow
    X = X / largest
    n_components = min(N_COMPONENTS, X.shape[0] - 1, X.shape[1])
    if sparse.issparse(X) and n_components >= min(X.shape) - 1:  # as many as ARPACK does not find
        X = X.toarray()
    if X.shape[0] == 1:
        return np.zeros((1, 1))
    solver = "arpack" if sparse.issparse(X) else "auto"
    return np.asarray(PCA(n_components, svd_solver=solver, random_state=random_state).fit_transform(X))


def _embed(Z: Array, random_state: int) -> Array:
    """Place distinct rows in the plane."""
    n = len(Z)
    rng = np.random.default_rng(random_state)
    if n > MOST_EMBEDDED:
        sample = np.sort(rng.choice(n, MOST_EMBEDDED, replace=False))
        others = np.setdiff1d(np.arange(n), sample)
        places = np.empty((n, 2))
        places[sample] = _embed(Z[sample], random_state)
        distances, anchors = NearestNeighbors(n_neighbors=N_ANCHORS).fit(Z[sample]).kneighbors(Z[others])
        nearness = 1 / np.maximum(distances, np.finfo(float).tiny) ** 2
        nearness /= nearness.sum(axis=1, keepdims=True)
        places[others] = np.einsum("ik,ikd->id", nearness, places[sample][anchors])
        return places
    start = np.zeros((n, 2))
    start[:, : Z.shape[1]] = Z[:, :2]
    if n < FEWEST:
        return start
    scale = start[:, 0].std() or 1.0
    # Small, so that neighbourhoods decide. Rows on a line need a little room to pass one another.
    start = 1e-4 * (start / scale + 1e-2 * rng.standard_normal(start.shape))
    perplexity = min(PERPLEXITY, (n - 1) / 3)
    tsne = TSNE(
        perplexity=perplexity, init=start.astype(np.float32), max_iter=N_ITER, random_state=random_state, n_jobs=1
    )
    return np.asarray(tsne.fit_transform(Z), dtype=np.float64)


def _side_by_side(places: Array, inverse: Indices) -> Array:
    """Spread equal rows over a disc around their place, which does not reach halfway to the next place."""
    count = np.bincount(inverse)
    found = places[inverse]
    if len(places) < 2 or count.max() == 1:
        return found
    gap = NearestNeighbors(n_neighbors=1).fit(places).kneighbors()[0][:, 0]
    radius = np.minimum(0.45 * gap, 0.25 * np.median(gap) * np.sqrt(count))
    # The number of each row among its equals, from 0: a sunflower has one seed at each.
    order = np.argsort(inverse, kind="stable")
    rank = np.empty(len(inverse))
    rank[order] = np.arange(len(inverse)) - np.repeat(np.cumsum(count) - count, count)
    length = radius[inverse] * np.sqrt(rank / count[inverse])
    angle = GOLDEN_ANGLE * rank
    spread: Array = length[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return found + spread
