"""A graph of some rows, carried over to all."""

import numpy as np
import pytest

from sskpca import LSKPCA
from sskpca._estimators.routes import approximate_kernels
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian, Nystrom, Sampled, Sum
from sskpca.rows import ArrayRows

X, y, target = make_two_moons(900, n_labeled=20, random_state=3)


def test_features_are_those_of_new_points_of_the_sample():
    _, A = Sampled(Diffusion(10, n_eigenvectors=30), 300).fit_features(X)
    sample = np.sort(np.random.default_rng(0).permutation(900)[:300])
    again = Diffusion(10, n_eigenvectors=30).fit(X[sample])
    np.testing.assert_allclose(A @ A.T, again.features(X) @ again.features(X).T, atol=1e-9)


def test_a_sample_is_enough_for_two_moons():
    exact = LSKPCA(Diffusion(10, n_eigenvectors=30)).fit(X, y)
    some = LSKPCA(Sampled(Diffusion(10, n_eigenvectors=30), 400)).fit(X, y)
    blocks = LSKPCA(Sampled(Diffusion(10, n_eigenvectors=30), 400)).fit(ArrayRows(X), y)
    assert np.mean(exact.transduction_ != target) < 0.01
    assert np.mean(some.transduction_ != target) < 0.02
    np.testing.assert_allclose(blocks.decision_, some.decision_, atol=1e-6)


def test_more_rows_than_there_are_is_all_rows():
    _, A = Sampled(Diffusion(10, n_eigenvectors=30), 5000).fit_features(X)
    assert A.shape[0] == 900


def test_graphs_in_a_sum_are_sampled_only_when_asked_for():
    kernel = Gaussian() + Diffusion()
    options = LSKPCA(coordinates="nystrom", n_landmarks=50)
    (whole,) = approximate_kernels([kernel], X, options)
    assert not whole.from_some_rows
    with pytest.warns(UserWarning, match="made of a sample"):
        (made,) = approximate_kernels([kernel], ArrayRows(X), options)
    assert isinstance(made, Sum)
    assert isinstance(made.first, Nystrom)
    assert isinstance(made.second, Sampled)
    assert made.from_some_rows


@pytest.mark.parametrize("bad", [0, 2.5, True, "all"])
def test_bad_numbers_are_refused(bad):
    with pytest.raises(ValueError, match="Sampled: n_rows must be a whole number from 1 up"):
        Sampled(Diffusion(), bad).fit_features(X)
