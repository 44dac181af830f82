import warnings

import numpy as np
import pytest
import scipy.sparse

from oracles import transducer
from sskpca._graphs import LAPLACIANS, NeighborGraph, checked_graph, interpolated, laplacian, laplacian_eigenpairs
from sskpca.datasets import make_two_moons

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4))


def taken_over(graph, new):
    """Return the weights with which new points take over the values of the data."""
    return interpolated([graph], [np.eye(graph.weights_.shape[0])], new)


@pytest.mark.parametrize("weights", ["gaussian", "binary", "transducer"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("sparse", [False, True])
def test_graphs_are_symmetric_sparse_and_without_loops(weights, metric, sparse):
    if weights == "transducer" and metric != "cosine":
        with pytest.raises(ValueError, match="metric"):
            NeighborGraph(5, metric, weights).fit(X)
        return
    W = NeighborGraph(5, metric, weights).fit(scipy.sparse.csr_matrix(X) if sparse else X).weights_
    assert scipy.sparse.issparse(W)
    assert np.abs(W - W.T).max() < 1e-15
    assert W.diagonal().max() == 0
    assert W.data.min() >= 0
    assert np.all(np.diff(W.indptr) >= 5)


def test_gaussian_weights_have_the_mean_squared_length_as_bandwidth():
    graph = NeighborGraph(3).fit(X)
    D2 = ((X[:, None] - X[None]) ** 2).sum(-1)
    np.fill_diagonal(D2, np.inf)
    lengths = np.sort(D2, axis=1)[:, :3]
    assert graph.scale_ == pytest.approx(lengths.mean())
    i, j = graph.weights_.nonzero()
    np.testing.assert_allclose(np.asarray(graph.weights_[i, j]).ravel(), np.exp(-D2[i, j] / lengths.mean()))


def test_transducer_weights_are_joachims():
    positive = np.abs(X)
    W = NeighborGraph(7, "cosine", "transducer").fit(positive).weights_
    np.testing.assert_allclose(W.toarray(), transducer.graph(positive, 7), atol=1e-9)


def test_duplicates_are_neighbours_of_each_other():
    W = NeighborGraph(1).fit(np.vstack([X, X[:5]])).weights_
    for i in range(5):
        assert W[i, 60 + i] == 1.0


def test_points_that_are_all_alike_share_their_places():
    graph = NeighborGraph(3).fit(np.ones((10, 2)))
    np.testing.assert_allclose(graph.weights_.toarray(), (1 - np.eye(10)) * 3 / 9)
    assert graph.alike


def test_approximate_neighbours_are_mostly_the_exact_ones():
    points = np.random.default_rng(1).standard_normal((3000, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exact, close = (NeighborGraph(10, search=s).fit(points) for s in ("exact", "approximate"))
        np.testing.assert_allclose(taken_over(close, points[:50]), np.eye(3000)[:50], atol=1e-6)
    shared = exact.weights_.astype(bool).multiply(close.weights_.astype(bool)).nnz
    assert shared / exact.weights_.nnz > 0.97
    assert np.all(close.weights_.diagonal() == 0)


def test_many_points_are_searched_approximately_and_that_is_said(monkeypatch):
    pytest.importorskip("pynndescent")
    from sskpca._graphs import neighbors

    monkeypatch.setattr(neighbors, "EXACT_SIZE", 50)
    with pytest.warns(UserWarning, match="searched approximately"):
        graph = NeighborGraph(3).fit(X)
    assert isinstance(graph.index, neighbors.ApproximateIndex)


@pytest.mark.parametrize("kind", LAPLACIANS)
def test_laplacians_annihilate_constants_or_their_like(kind):
    W = NeighborGraph(5).fit(X).weights_
    L = laplacian(W, kind)
    null = np.sqrt(np.asarray(W.sum(1)).ravel()) if kind == "normalized" else np.ones(60)
    np.testing.assert_allclose(L @ null, 0, atol=1e-12)


def test_unnormalized_laplacian_is_the_sum_of_squared_differences():
    W = NeighborGraph(5).fit(X).weights_
    f = rng.standard_normal(60)
    direct = 0.5 * np.sum(W.toarray() * (f[:, None] - f[None]) ** 2)
    assert f @ (laplacian(W, "unnormalized") @ f) == pytest.approx(direct)


def test_components_of_a_disconnected_graph_have_a_zero_each():
    points = np.vstack(
        [rng.standard_normal((30, 2)), 100 + rng.standard_normal((30, 2)), -100 + rng.standard_normal((30, 2))]
    )
    W = NeighborGraph(4).fit(points).weights_
    values, vectors = laplacian_eigenpairs(W, number=10)
    assert np.sum(values == 0) == 3
    np.testing.assert_allclose(laplacian(W) @ vectors, vectors * values, atol=1e-10)
    np.testing.assert_allclose(vectors[:, 0] ** 2, np.asarray(W.sum(1)).ravel() / W.sum(), atol=1e-12)


def test_more_components_than_wanted_vectors_are_all_kept():
    centers = 1000 * rng.standard_normal((50, 3))
    points = np.repeat(centers, 6, axis=0) + 0.01 * rng.standard_normal((300, 3))
    values, vectors = laplacian_eigenpairs(NeighborGraph(5).fit(points).weights_, number=20)
    assert len(values) == 50
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(50), atol=1e-10)


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("shape", ["chain", "cloud", "hub"])
def test_large_graphs_are_not_given_up_early(kind, shape):
    points = np.linspace(0, 1, 2200)[:, None] if shape == "chain" else rng.standard_normal((2200, 2))
    W = NeighborGraph(6).fit(points).weights_
    if shape == "hub":
        W = W.tolil()
        W[0, 1] = W[1, 0] = 1e4
        W = W.tocsr()
    if (shape, kind) == ("hub", "unnormalized"):  # the scale of one edge is 1e4 times that of the others
        with pytest.warns(UserWarning, match="relative residual"):
            laplacian_eigenpairs(W, kind, 60)
        return
    values, _ = laplacian_eigenpairs(W, kind, 60)
    exact = np.linalg.eigvalsh(laplacian(W, kind).toarray())[:60]
    assert values[0] == 0
    np.testing.assert_allclose(values[:30], exact[:30], atol=0.02 * exact[59])


def test_a_far_outlier_is_not_cut_off():
    points = rng.standard_normal((1000, 3))
    points[0] = 1e6
    assert NeighborGraph(5).fit(points).weights_.sum(axis=1).min() > 0


def test_opposite_directions_are_not_cut_off():
    points = np.vstack([rng.standard_normal((30, 4)) + np.array([8, 0, 0, 0]), [[-8, 0, 0, 0.0]]])
    assert NeighborGraph(3, "cosine", "transducer").fit(points).weights_.sum(axis=1).min() > 0


def test_new_points_beyond_floating_point_are_refused():
    with pytest.raises(ValueError, match="too large for floating point"):
        taken_over(NeighborGraph(3).fit(X), np.full((1, 4), 1e200))


def test_sparse_eigenpairs_agree_with_dense_ones():
    points = make_two_moons(2500, noise=0.15)[0]
    L = laplacian(NeighborGraph(10).fit(points).weights_)
    values, vectors = laplacian_eigenpairs(NeighborGraph(10).fit(points).weights_, number=40, tol=1e-7)
    dense = np.linalg.eigvalsh(L.toarray())[:40]
    np.testing.assert_allclose(values, dense, atol=1e-7)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(40), atol=1e-9)
    assert np.linalg.norm(L @ vectors - vectors * values, axis=0).max() < 1e-7


def test_interpolation_is_a_partition_of_one_and_exact_on_the_data():
    graph = NeighborGraph(5).fit(X)
    P = taken_over(graph, X)
    np.testing.assert_allclose(P, np.eye(60), atol=1e-12)
    far = taken_over(graph, np.vstack([rng.standard_normal((9, 4)), np.full((1, 4), 1e3)]))
    np.testing.assert_allclose(far.sum(axis=1), 1.0)
    assert far.min() >= 0


def test_interpolation_is_continuous_at_the_data():
    graph = NeighborGraph(5).fit(X)
    near = taken_over(graph, X[:3] + 1e-4)
    assert near[range(3), range(3)].min() > 0.999


BAD = {
    "shape": (np.ones((3, 3)), "there are 4 points"),
    "nan": (np.array([[0, np.nan], [np.nan, 0]]), "not finite"),
    "negative": (np.array([[0, -1.0], [-1, 0]]), "negative weights"),
    "asymmetric": (np.array([[0, 1.0], [2, 0]]), "not symmetric; pass graph.maximum"),
    "alone": (np.array([[0, 1.0, 0], [1, 0, 0], [0, 0, 0]]), "the first is row 2, all zero"),
    "loops only": (np.eye(3), "without neighbours"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_graphs_are_refused(name):
    graph, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        checked_graph(scipy.sparse.csr_matrix(graph), 4 if name == "shape" else len(graph))


def test_loops_are_dropped():
    W = checked_graph(scipy.sparse.csr_matrix(np.ones((3, 3))), 3)
    assert W.diagonal().max() == 0


@pytest.mark.parametrize("k", [0, -1, 1.5, 60, 100])
def test_bad_numbers_of_neighbours_are_refused(k):
    with pytest.raises(ValueError, match="n_neighbors"):
        NeighborGraph(k).fit(X)


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match="weights='heat' is not known"):
        NeighborGraph(3, weights="heat").fit(X)
    with pytest.raises(ValueError, match="search must be"):
        NeighborGraph(3, search="fast").fit(X)
    with pytest.raises(ValueError, match="laplacian='signless' is not known"):
        laplacian(NeighborGraph(3).fit(X).weights_, "signless")


@pytest.mark.parametrize("scale", [1e-10, 1e151, 1e200, 1e300])
def test_cosines_do_not_feel_the_scale(scale):
    rows = np.random.default_rng(0).standard_normal((50, 4))
    near, far = (NeighborGraph(5, "cosine", "transducer").fit(rows * s).weights_ for s in (1.0, scale))
    np.testing.assert_allclose(far.toarray(), near.toarray(), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-16, 1e-20, 1e200])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_cosines_do_not_depend_on_the_scale(scale, kind):
    X = np.random.default_rng(2).standard_normal((80, 4))
    expected = NeighborGraph(8, metric="cosine").fit(kind(X)).weights_
    found = NeighborGraph(8, metric="cosine").fit(kind(scale * X)).weights_
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
