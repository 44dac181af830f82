import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from sskpca._graphs import NeighborGraph, interpolated, laplacian_eigenpairs
from sskpca._graphs.laplacian import equal_eigenvectors
from sskpca.kernels import Diffusion, TransducerSpectrum

rng = np.random.default_rng(0)
INTEGERS = np.round(2 * rng.standard_normal((120, 3)))
WIDE = np.round(rng.standard_normal((120, 30)))  # more than 15 columns are searched by products
METRICS = [("euclidean", "gaussian"), ("euclidean", "binary"), ("cosine", "transducer"), ("manhattan", "gaussian")]


def taken_over(graph, new):
    """Return the weights with which new points take over the values of the data."""
    return interpolated([graph], [np.eye(graph.weights_.shape[0])], new)


@pytest.mark.parametrize(("metric", "weights"), METRICS)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("X", [INTEGERS, WIDE], ids=["tree", "products"])
def test_permuted_rows_have_the_permuted_graph(X, metric, weights, sparse):
    order = rng.permutation(len(X))
    kind = scipy.sparse.csr_matrix if sparse else np.asarray
    W = NeighborGraph(7, metric, weights).fit(kind(X)).weights_.toarray()
    permuted = NeighborGraph(7, metric, weights).fit(kind(X[order])).weights_.toarray()
    np.testing.assert_allclose(permuted, W[np.ix_(order, order)], atol=1e-12)


@pytest.mark.parametrize(("metric", "weights"), METRICS)
@pytest.mark.parametrize("X", [INTEGERS, WIDE, INTEGERS / 10], ids=["tree", "products", "decimals"])
def test_scaled_rows_have_the_same_graph(X, metric, weights):
    W = NeighborGraph(7, metric, weights).fit(X).weights_.toarray()
    np.testing.assert_allclose(NeighborGraph(7, metric, weights).fit(37.5 * X).weights_.toarray(), W, atol=1e-9)


def test_tied_neighbours_share_the_places_that_are_left():
    # Of the first point: one neighbour at 1, three at 2, and two places.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, -2.0], [-2.0, 0.0], [50.0, 0.0]])
    found = NeighborGraph(2).fit(X).index.of_data()
    first = found.rows == 0
    np.testing.assert_array_equal(np.sort(found.neighbors[first]), [1, 2, 3, 4])
    shares = dict(zip(found.neighbors[first].tolist(), found.shares[first].tolist(), strict=True))
    assert shares == pytest.approx({1: 1.0, 2: 1 / 3, 3: 1 / 3, 4: 1 / 3})
    np.testing.assert_allclose(np.bincount(found.rows, found.shares), 2.0)


def test_distinct_distances_have_no_shares():
    found = NeighborGraph(5).fit(rng.standard_normal((300, 4))).index.of_data()
    assert np.all(found.shares == 1.0)
    assert len(found.rows) == 1500


def test_many_ties_do_not_make_the_graph_dense(monkeypatch):
    from sskpca._graphs import ties

    monkeypatch.setattr(ties, "MOST_EDGES", 2000)
    found = NeighborGraph(3).fit(np.repeat([[0.0], [1.0]], 100, axis=0)).index.of_data()
    assert len(found.rows) == 2000
    np.testing.assert_allclose(np.bincount(found.rows, found.shares), 3.0)


@pytest.mark.parametrize(("metric", "weights"), METRICS)
def test_new_points_do_not_depend_on_the_order_of_the_data(metric, weights):
    order, new = rng.permutation(len(INTEGERS)), np.round(2 * rng.standard_normal((40, 3)))
    P = taken_over(NeighborGraph(7, metric, weights).fit(INTEGERS), new)
    permuted = taken_over(NeighborGraph(7, metric, weights).fit(INTEGERS[order]), new)
    np.testing.assert_allclose(permuted, P[:, order], atol=1e-12)


def test_a_point_of_the_data_takes_over_all_its_duplicates_equally():
    X = np.vstack([np.zeros((20, 2)), rng.standard_normal((50, 2))])
    P = taken_over(NeighborGraph(3).fit(X), np.zeros((1, 2)))[0]
    np.testing.assert_allclose(P, np.append(np.full(20, 1 / 20), np.zeros(50)))


@pytest.mark.parametrize("kernel", [Diffusion(5, 30.0), TransducerSpectrum(5, 30)], ids=repr)
@pytest.mark.parametrize("X", [INTEGERS, np.sign(INTEGERS[:, :2]), np.repeat(INTEGERS[:12], 10, axis=0)])
def test_kernels_of_graphs_do_not_depend_on_the_order_of_rows(kernel, X):
    order = rng.permutation(len(X))
    _, K = kernel.fit_gram(X)
    np.testing.assert_allclose(kernel.fit_gram(X[order])[1], K[np.ix_(order, order)], atol=1e-8)


def test_a_group_of_equal_eigenvalues_is_not_cut():
    W = scipy.sparse.csr_matrix(np.kron(np.diag([1.0, 1.0, 2.0]), 1 - np.eye(10)))
    values, _ = laplacian_eigenpairs(W, number=12)  # three zeros, then 27 times 10/9
    assert len(values) == 3
    values, _ = laplacian_eigenpairs(W, "unnormalized", number=25)  # three zeros, 18 times 10, 9 times 20
    assert len(values) == 21


def test_components_of_the_same_size_are_one_group():
    W = scipy.sparse.csr_matrix(scipy.linalg.block_diag(*(1 - np.eye(n) for n in (5, 8, 5, 5))))
    values, _ = laplacian_eigenpairs(W)
    np.testing.assert_array_equal(equal_eigenvectors(W, values)[:6], [0, 1, 2, 2, 3, 3])
