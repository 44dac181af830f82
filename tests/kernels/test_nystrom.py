"""Landmarks: exact where they should be, and never more than the kernel itself."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca._estimators.routes import approximate_kernels
from sskpca.datasets import make_two_moons
from sskpca.kernels import (
    Diffusion,
    FittedKernel,
    FunctionKernel,
    Gaussian,
    Kernel,
    Linear,
    ManifoldRegularized,
    Mixture,
    Nystrom,
    Precomputed,
    Scaled,
)

X, Y, TARGET = make_two_moons(150)
_, K = Gaussian(gamma=2.0).fit_gram(X)


@pytest.mark.parametrize("landmarks", ["uniform", "sorted"])
def test_all_rows_as_landmarks_are_the_exact_method(landmarks):
    kernel = Gaussian(gamma=2.0)
    exact = LSKPCA(kernel, label_weight=10.0).fit(X, Y)
    seen = LSKPCA(Nystrom(kernel, 150, landmarks=landmarks), label_weight=10.0).fit(X, Y)
    np.testing.assert_allclose(seen.decision_, exact.decision_, atol=1e-6)
    np.testing.assert_allclose(seen.decision_function(X + 0.1), exact.decision_function(X + 0.1), atol=1e-6)
    assert seen.kernel_.missed_ == 0.0


def test_a_kernel_that_cannot_say_what_is_missed_is_refused():
    @dataclass(frozen=True)
    class FittedMute(FittedKernel):
        rows: np.ndarray

        def cross(self, X):
            return X @ self.rows.T

    class Mute(Kernel):
        def fit(self, X):
            return FittedMute(self, X)

    with pytest.raises(ValueError, match=r"Mute has no method diagonal\(X\)"):
        Nystrom(Mute(), 20).fit_features(X)


def test_more_landmarks_than_rows_are_all_rows():
    _, A = Nystrom(Gaussian(gamma=2.0), 1000).fit_features(X)
    np.testing.assert_allclose(A @ A.T, K, atol=1e-10)


@pytest.mark.parametrize("landmarks", ["uniform", "sorted"])
def test_features_are_a_projection_exact_on_the_landmarks(landmarks):
    kernel, A = Nystrom(Gaussian(gamma=2.0), 30, landmarks=landmarks).fit_features(X)
    left = K - A @ A.T
    assert np.linalg.eigvalsh(left)[0] > -1e-10
    assert np.abs(left[kernel.landmarks_][:, kernel.landmarks_]).max() < 1e-8
    np.testing.assert_allclose(kernel.features(X), A, atol=1e-12)


def test_the_share_missed_is_measured_and_falls():
    missed, true = [], []
    for p in (5, 15, 40, 80):
        kernel, A = Nystrom(Gaussian(gamma=2.0), p).fit_features(X)
        missed.append(kernel.missed_)
        true.append(np.trace(K - A @ A.T) / (np.trace(K) - len(K) * K.mean()))
    assert missed == sorted(missed, reverse=True)
    np.testing.assert_allclose(missed, true, rtol=0.5, atol=0.02)


def test_a_linear_kernel_needs_as_many_landmarks_as_features():
    _, A = Nystrom(Linear(), 10).fit_features(X)
    np.testing.assert_allclose(A @ A.T, X @ X.T, atol=1e-10)
    assert A.shape[1] == 2


def test_duplicates_and_sparse_rows():
    twice = np.vstack([X, X])
    _, A = Nystrom(Gaussian(gamma=2.0), 200).fit_features(twice)
    assert A.shape[1] < 150
    np.testing.assert_allclose(A[:150], A[150:], atol=1e-9)
    _, B = Nystrom(Gaussian(gamma=2.0), 200).fit_features(scipy.sparse.csr_matrix(twice))
    np.testing.assert_allclose(B @ B.T, A @ A.T, atol=1e-8)


def test_the_same_seed_gives_the_same_features():
    first, second, other = (Nystrom(Gaussian(), 20, random_state=seed).fit_features(X)[1] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(first @ first.T, other @ other.T)


def test_blocks_do_not_show(monkeypatch):
    _, whole = Nystrom(Gaussian(), 20).fit_features(X)
    monkeypatch.setattr("sskpca.rows._source.BLOCK", 7 * 20)
    np.testing.assert_allclose(Nystrom(Gaussian(), 20).fit_features(X)[1], whole, atol=1e-12)


def test_graphs_keep_their_own_features():
    options = LSKPCA(coordinates="nystrom", n_landmarks=20)
    kernels = [Mixture(Gaussian(), Diffusion(5), 0.3), 2.0 * Gaussian() + Diffusion(5)]
    mixed, both = approximate_kernels(kernels, X, options)
    assert mixed.by_features
    assert isinstance(mixed.first, Nystrom)
    assert isinstance(mixed.second, Diffusion)
    assert mixed.weight == 0.3
    assert both.by_features
    assert isinstance(both.first, Scaled)


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "many"])
def test_bad_numbers_of_landmarks_are_refused(bad):
    with pytest.raises(ValueError, match="n_landmarks must be a whole number from 1 up"):
        Nystrom(Gaussian(), bad).fit_features(X)


@pytest.mark.parametrize("n", [5, 150])
def test_bad_choices_are_refused(n):
    with pytest.raises(ValueError, match='"uniform", "sorted" or an array'):
        Nystrom(Gaussian(), n, landmarks="best").fit_features(X)
    for seed in (None, -1, 1.5, "x"):
        with pytest.raises(ValueError, match="random_state must be a whole number from 0 up"):
            Nystrom(Gaussian(), n, random_state=seed).fit_features(X)


@pytest.mark.parametrize("kernel", [Diffusion(5), 2.0 * Precomputed(), Gaussian() + ManifoldRegularized()])
def test_kernels_that_need_all_rows_are_refused(kernel):
    with pytest.raises(ValueError, match="needs all rows at once"):
        Nystrom(kernel, 20).fit_features(X)


def test_kernels_that_are_none_are_refused():
    def tanh(A, B):
        return np.tanh(3 * A @ B.T - 1)

    with pytest.raises(ValueError, match="not positive semi-definite"):
        Nystrom(FunctionKernel(tanh), 50).fit_features(X)


def test_landmarks_without_any_similarity_are_refused():
    rows = np.zeros((300, 3))
    rows[:3] = np.eye(3)
    with pytest.raises(ValueError, match="is zero on all 4 landmarks"):
        Nystrom(Linear(), 4, random_state=1).fit_features(rows)


def test_one_row_that_is_no_landmark_can_be_missed():
    rows = 100.0 * np.random.default_rng(0).standard_normal((21, 5))
    assert Nystrom(Gaussian(gamma=1.0), 20).fit(rows).missed_ > 0.9


KERNELS = [Gaussian(factor=2.0), Linear(), Mixture(Gaussian(), Diffusion(5))]


def test_the_classifier_with_all_landmarks_is_the_exact_one():
    exact = SSKPCAClassifier(KERNELS, rank=20).fit(X, Y)
    seen = SSKPCAClassifier(KERNELS, rank=20, coordinates="nystrom", n_landmarks=150).fit(X, Y)
    np.testing.assert_allclose(seen.label_distributions_, exact.label_distributions_, atol=1e-6)
    assert seen.loo_error_ == exact.loo_error_


def test_the_classifier_learns_and_asks_with_few_landmarks():
    model = SSKPCAClassifier(KERNELS, rank=20, coordinates="nystrom", n_landmarks=40).fit(X, Y)
    exact = SSKPCAClassifier(KERNELS, rank=20).fit(X, Y)
    assert np.mean(model.transduction_ == exact.transduction_) > 0.95
    rows = model.next_rows(2)
    model.update_labels(rows, TARGET[rows])
    again = clone(model).fit(X, np.where(np.isin(np.arange(150), rows), TARGET, Y))
    np.testing.assert_allclose(model.label_distributions_, again.label_distributions_, atol=1e-10)


def test_many_rows_switch_to_landmarks_only_when_told_and_with_a_notice(monkeypatch):
    monkeypatch.setattr("sskpca._estimators.routes.MANY_ROWS", 100)
    with pytest.warns(UserWarning, match="the 150 rows are approximated by 40 landmarks"):
        model = SSKPCAClassifier(KERNELS, rank=20, coordinates="auto", n_landmarks=40).fit(X, Y)
    assert isinstance(model.kernels_[0].spec, Nystrom)
    model = SSKPCAClassifier(KERNELS, rank=20).fit(X, Y)
    assert isinstance(model.kernels_[0].spec, Gaussian)


def test_the_classifier_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match='"exact", "nystrom", "auto", got'):
        SSKPCAClassifier(coordinates="fast").fit(X, Y)
    with pytest.raises(ValueError, match="n_landmarks"):
        SSKPCAClassifier(coordinates="nystrom", n_landmarks=0).fit(X, Y)
    with pytest.raises(ValueError, match="landmarks would save nothing"):
        SSKPCAClassifier([Precomputed()], coordinates="nystrom").fit(K, Y)
