"""Distances of a few rows, by differences."""

import numpy as np
import scipy.sparse
from sklearn.metrics.pairwise import euclidean_distances

from sskpca._linalg.distances import FEW, distances, few


def test_they_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, points = rng.standard_normal((3, 5)), rng.standard_normal((40, 5))
    np.testing.assert_allclose(distances(X, points), euclidean_distances(X, points), atol=1e-12)


def test_many_rows_sparse_ones_and_infinities_go_another_way():
    """A kernel value of an infinite distance is zero: a finite number, and nobody would be told."""
    points = np.zeros((100, 10))
    assert few(np.zeros((1, 10)), points)
    assert not few(np.zeros((FEW // 1000 + 1, 10)), points)
    assert not few(scipy.sparse.csr_matrix((1, 10)), points)
    for bad in (np.inf, -np.inf, np.nan):
        assert not few(np.full((1, 10), bad), points)
