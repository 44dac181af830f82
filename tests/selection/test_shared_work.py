"""Kernels that share distances, searches and eigenproblems are what they are alone."""

import numpy as np
import pytest
import scipy.linalg

from sskpca import SSKPCAClassifier
from sskpca._graphs import NeighborGraph, laplacian, nearest_rows
from sskpca._graphs.laplacian import SMALL, laplacian_eigenpairs
from sskpca._selection.portfolio import portfolio_coordinates
from sskpca.kernels import Diffusion, Gaussian, TransducerSpectrum


@pytest.mark.parametrize("factor", [0.25, 1.0, 2.0, 3.0, 8.0])
def test_a_gaussian_from_another_is_the_one_from_distances(factor):
    X = np.random.default_rng(0).standard_normal((40, 5))
    fitted, K = Gaussian(factor=factor).fit_gram(X)
    other, from_other = Gaussian(factor=factor).from_other(*Gaussian(factor=0.5).fit_gram(X))
    np.testing.assert_allclose(from_other, K, rtol=1e-13)
    np.testing.assert_allclose(other.cross(X[:3] + 0.1), fitted.cross(X[:3] + 0.1), rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("rounded", [False, True], ids=["distinct", "ties"])
def test_a_graph_from_a_shared_search_is_that_of_its_own(metric, rounded):
    X = np.random.default_rng(0).standard_normal((80, 3))
    X = np.rint(2 * X) + 0.5 if rounded else X
    known = nearest_rows(X, 21, metric)
    for k in (3, 20):
        alone, shared = (NeighborGraph(k, metric).fit(X, found).weights_ for found in (None, known))
        np.testing.assert_allclose(shared.toarray(), alone.toarray(), atol=1e-12)


def test_eigenpairs_by_way_of_single_precision_are_those_of_the_laplacian():
    X = np.random.default_rng(0).standard_normal((SMALL + 200, 3))
    W = NeighborGraph(6).fit(X).weights_
    values, vectors = laplacian_eigenpairs(W, "normalized", 60)
    L = laplacian(W).toarray()
    exact = scipy.linalg.eigvalsh(L)[: len(values)]
    np.testing.assert_allclose(values, exact, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-12)
    assert np.linalg.norm(L @ vectors - vectors * values, axis=0).max() < 1e-4


def test_eigenvalues_that_coincide_are_not_cut_by_single_precision():
    """Two equal graphs side by side: every eigenvalue is there twice."""
    half = np.random.default_rng(0).standard_normal((SMALL // 2 + 100, 3))
    W = NeighborGraph(6).fit(np.vstack([half, half + 100.0])).weights_
    values, _ = laplacian_eigenpairs(W, "normalized", 41)
    assert len(values) == 40
    np.testing.assert_allclose(values[::2], values[1::2], atol=1e-9)


def test_kernels_found_together_have_the_coordinates_of_each_alone():
    X = np.random.default_rng(0).standard_normal((90, 4))
    kernels = [
        Gaussian(factor=0.5),
        Gaussian(factor=2.0),
        Diffusion(5, 30.0),
        Diffusion(12, 30.0),
        TransducerSpectrum(5),
    ]
    _, together = portfolio_coordinates(kernels, X, 30)
    for kernel, found in zip(kernels, together, strict=True):
        _, (alone,) = portfolio_coordinates([kernel], X, 30)
        np.testing.assert_allclose(found.variances, alone.variances, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.values @ found.values.T, alone.values @ alone.values.T, atol=1e-8)


def test_coordinates_of_next_to_no_variance_are_left_out():
    X = np.random.default_rng(0).standard_normal((300, 2))
    _, (found,) = portfolio_coordinates([Gaussian(gamma=0.01)], X, 200)
    shares = found.variances / found.n_samples
    assert found.rank < 40
    assert (shares[:-1] > 1e-6).all()


@pytest.mark.parametrize("rounded", [False, True], ids=["distinct", "ties"])
def test_a_row_alone_has_the_probabilities_that_it_has_among_many(rounded):
    rng = np.random.default_rng(0)
    target = np.arange(420) % 3
    X, new = (2 * np.eye(3, 20)[target] + rng.standard_normal((420, 20)) for _ in range(2))
    X, new = (np.rint(X), np.rint(new)) if rounded else (X, new)
    model = SSKPCAClassifier().fit(X, np.where(np.arange(420) < 30, target, -1))
    new[:5] = X[:5]
    many = model.predict_proba(new)
    one_by_one = np.vstack([model.predict_proba(row[None]) for row in new[:40]])
    np.testing.assert_allclose(one_by_one, many[:40], rtol=0, atol=1e-12)
