"""Second moments from one pass, against the matrix itself."""

import numpy as np
import pytest

from sskpca import LSKPCA
from sskpca.coordinates import NoVarianceError
from sskpca.coordinates._principal import coordinates_from_moments
from sskpca.coordinates._values import ACCURATE, StreamedValues, feature_moments
from sskpca.kernels import Gaussian, Nystrom
from sskpca.rows import ArrayRows

RNG = np.random.default_rng(0)
F = RNG.standard_normal((500, 12)) * np.geomspace(1, 1e-3, 12) + 100.0
M = RNG.standard_normal((12, 7))


def identity(block):
    return block


@pytest.mark.parametrize("condition", [1.0, 1e9], ids=["in the end", "row by row"])
@pytest.mark.parametrize("size", [1, 37, 1000])
def test_moments_of_mapped_features(condition, size):
    guess = F[:20].mean(axis=0)
    found = feature_moments(ArrayRows(F), identity, M, guess, size, condition=condition)
    A = F @ M
    centred = (F - F.mean(axis=0)) @ M
    assert found.n == 500
    np.testing.assert_allclose(found.mean, A.mean(axis=0), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(found.gram, centred.T @ centred, atol=1e-11 * np.trace(centred.T @ centred))
    np.testing.assert_array_equal(found.gram, found.gram.T)


def test_a_bad_guess_costs_digits_and_a_good_one_none():
    far = F + 1e6
    centred = F - F.mean(axis=0)
    wanted = centred.T @ centred
    good = feature_moments(ArrayRows(far), identity, None, far[:20].mean(axis=0), 50).gram
    bad = feature_moments(ArrayRows(far), identity, None, np.zeros(12), 50).gram
    assert np.abs(good - wanted).max() < 1e-6 * wanted.max()  # the data themselves are rounded to 1e-10
    assert np.abs(bad - wanted).max() > 10 * np.abs(good - wanted).max()


def test_single_precision_features_are_summed_in_double():
    single = F.astype(np.float32)
    exact = single.astype(np.float64) - single.astype(np.float64).mean(axis=0)
    found = feature_moments(ArrayRows(single), identity, None, np.full(12, 100.0), 50).gram
    np.testing.assert_allclose(found, exact.T @ exact, atol=1e-9)


def test_features_without_variance_are_refused():
    rows = ArrayRows(np.ones((20, 3)))
    moments = feature_moments(rows, identity, None, np.ones(3), 7)
    with pytest.raises(NoVarianceError):
        coordinates_from_moments(moments, rows, identity, np.eye(3), centered=True, size=7)


def test_a_constant_feature_is_kept_as_the_constant():
    rows = ArrayRows(np.column_stack([F - 100.0, np.full(500, 3.0)]))
    moments = feature_moments(rows, identity, None, np.zeros(13), 50)
    found = coordinates_from_moments(moments, rows, identity, np.eye(13), centered=True, size=50)
    assert found.rank == 13
    assert found.variances[-1] == 0.0
    np.testing.assert_allclose(np.abs((found.values @ np.eye(13))[:, -1]), 3.0, atol=1e-9)


def test_decisions_where_the_whitening_is_applied_in_the_end():
    X = RNG.standard_normal((800, 40))
    y = np.where(RNG.random(800) < 0.1, X[:, 0] > 0, -1)
    options = {"kernel": Gaussian(), "coordinates": "nystrom", "n_landmarks": 150, "label_weight": 10.0}
    held, parts = (LSKPCA(**options, memory=memory).fit(X, y) for memory in ("1GB", "3MB"))
    assert isinstance(parts.coordinates_.values, StreamedValues)
    assert np.finfo(float).eps * parts.kernel_.condition_**2 < ACCURATE
    np.testing.assert_allclose(parts.decision_, held.decision_, atol=1e-9)


def test_what_landmarks_miss_is_estimated_from_a_hundred_rows():
    X = RNG.standard_normal((3000, 5))
    _, K = Gaussian(gamma=0.1).fit_gram(X)
    kernel, A = Nystrom(Gaussian(gamma=0.1), 40).fit_features(X)
    true = (np.trace(K) - np.sum(A**2)) / (np.trace(K) - K.mean() * len(K))
    assert kernel.missed_ == pytest.approx(true, rel=0.3)
