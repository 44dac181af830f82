"""The map of the rows: true to neighbourhoods, repeatable, and defined for every table."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness

from sskpca.plots import _map as map_module
from sskpca.plots import neighbor_map

RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.eye(4, 6) * 8, 30, axis=0) + RNG.standard_normal((120, 6))


def test_neighbours_on_the_map_of_the_digits_are_neighbours_in_the_data():
    X = load_digits().data
    assert trustworthiness(X, neighbor_map(X), n_neighbors=15) > 0.98


def test_rows_outside_of_the_sample_lie_among_their_neighbours(monkeypatch):
    monkeypatch.setattr(map_module, "MOST_EMBEDDED", 600)
    digits = load_digits()
    places = neighbor_map(digits.data)
    assert trustworthiness(digits.data, places, n_neighbors=15) > 0.95
    assert len(np.unique(places, axis=0)) > 1700


def test_the_same_rows_have_the_same_map(monkeypatch):
    np.testing.assert_array_equal(neighbor_map(GROUPS), neighbor_map(GROUPS.copy()))
    monkeypatch.setattr(map_module, "MOST_EMBEDDED", 60)
    np.testing.assert_array_equal(neighbor_map(GROUPS, random_state=3), neighbor_map(GROUPS, random_state=3))
    assert not np.array_equal(neighbor_map(GROUPS, random_state=3), neighbor_map(GROUPS, random_state=4))


def test_the_rows_are_not_changed():
    X = GROUPS.copy()
    neighbor_map(X)
    np.testing.assert_array_equal(X, GROUPS)


def test_equal_rows_lie_side_by_side_nearer_than_any_other():
    X = np.vstack([GROUPS, np.repeat(GROUPS[:1], 200, axis=0), GROUPS[1:2]])
    places = neighbor_map(X)
    same = np.r_[0, 120:320]
    center = places[0]
    spread = np.linalg.norm(places[same] - center, axis=1)
    others = np.linalg.norm(np.delete(places, same, axis=0) - center, axis=1)
    assert 0 < spread.max() < others.min() / 2
    assert len(np.unique(places[same], axis=0)) == 201


def test_the_rows_of_a_few_distinct_kinds_are_all_apart():
    X = RNG.integers(2, size=(500, 2)).astype(float)
    places = neighbor_map(X)
    assert len(np.unique(places, axis=0)) == 500
    kinds = X @ (1, 2)
    centers = np.array([places[kinds == k].mean(axis=0) for k in range(4)])
    nearest = ((places[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, kinds)


@pytest.mark.parametrize("n", range(12))
def test_few_rows_have_places(n):
    places = neighbor_map(GROUPS[:n])
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    assert len(np.unique(places, axis=0)) == n


def test_two_distinct_rows_keep_their_distance():
    a, b = neighbor_map([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(np.linalg.norm(a - b), 5 / 4)  # in units of the largest entry


def test_rows_that_are_all_equal_lie_at_one_place():
    np.testing.assert_array_equal(neighbor_map(np.ones((50, 3))), np.zeros((50, 2)))


def test_constant_columns_and_minus_zero_do_not_matter():
    X = np.column_stack([GROUPS, np.full(120, 7.0), np.zeros(120)])
    other = X.copy()
    other[::2, -1] = -0.0
    places = neighbor_map(X)
    np.testing.assert_array_equal(places, neighbor_map(other))
    assert trustworthiness(GROUPS, places, n_neighbors=15) > 0.9


def test_one_column_has_a_map():
    x = np.sort(RNG.standard_normal(200))[:, None]
    assert trustworthiness(x, neighbor_map(x), n_neighbors=15) > 0.95


@pytest.mark.parametrize("n_columns", [3, 300])
def test_sparse_rows_have_a_map(n_columns):
    X = sparse.random(300, n_columns, 0.2 if n_columns > 3 else 0.9, "csr", random_state=0)
    places = neighbor_map(X)
    assert places.shape == (300, 2)
    assert np.isfinite(places).all()
    np.testing.assert_array_equal(places, neighbor_map(X))
    if n_columns == 3:
        assert trustworthiness(X.toarray(), places, n_neighbors=15) > 0.9


def test_many_columns_and_huge_and_tiny_numbers_have_a_map():
    wide = RNG.standard_normal((60, 400))
    for X in (wide, 1e300 * GROUPS, 1e-300 * GROUPS):
        places = neighbor_map(X)
        assert np.isfinite(places).all()
        assert len(np.unique(places, axis=0)) == len(X)


def test_missing_numbers_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        neighbor_map([[1.0, np.nan], [2.0, 3.0]])
