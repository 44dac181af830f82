"""Kernels of some of the columns."""

import numpy as np
import pytest
import scipy.sparse

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca._selection.portfolio import kernel_family, listed_kernels
from sskpca.kernels import Diffusion, Gaussian, Linear, Nystrom, OnColumns, Sampled
from sskpca.kernels._defaults import block_kernels
from sskpca.rows import ArrayRows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 7))
COLUMNS = np.array([1, 4, 5])


@pytest.mark.parametrize("kernel", [Gaussian(), Linear(), Diffusion(5)])
def test_it_is_the_kernel_of_these_columns(kernel):
    own = OnColumns(kernel, COLUMNS)
    (fitted, K), (plain, expected) = own.fit_gram(X), kernel.fit_gram(X[:, COLUMNS])
    np.testing.assert_array_equal(K, expected)
    np.testing.assert_array_equal(fitted.cross(X[:5]), plain.cross(X[:5][:, COLUMNS]))
    assert own.by_features == kernel.by_features


def test_features_are_those_of_these_columns():
    own, A = OnColumns(Diffusion(5), COLUMNS).fit_features(X)
    plain, expected = Diffusion(5).fit_features(X[:, COLUMNS])
    np.testing.assert_array_equal(A, expected)
    np.testing.assert_array_equal(own.features(X[:5] + 0.01), plain.features(X[:5][:, COLUMNS] + 0.01))


def test_a_sparse_matrix_is_made_dense_if_wanted():
    sparse = scipy.sparse.csr_matrix(X)
    own = OnColumns(Gaussian(), COLUMNS, dense=True)
    np.testing.assert_array_equal(own.fit_gram(sparse)[1], Gaussian().fit_gram(X[:, COLUMNS])[1])


def test_it_is_seen_from_landmarks():
    _, own = Nystrom(OnColumns(Gaussian(), COLUMNS), 60).fit_features(X)
    np.testing.assert_allclose(own @ own.T, Gaussian().fit_gram(X[:, COLUMNS])[1], atol=1e-8)


def test_a_graph_of_columns_can_be_made_of_a_sample():
    kernel = OnColumns(Diffusion(5, n_eigenvectors=10), COLUMNS)
    y = np.where(np.arange(60) < 12, np.arange(60) % 2, -1)
    with pytest.warns(UserWarning, match="made of a sample"):
        blocks = LSKPCA(kernel, coordinates="nystrom").fit(ArrayRows(X), y)
    whole = LSKPCA(Sampled(kernel, 60)).fit(X, y)
    np.testing.assert_allclose(blocks.decision_function(X), whole.decision_function(X), atol=1e-6)


def test_its_name_does_not_list_the_columns():
    assert repr(OnColumns(Gaussian(), np.arange(900), "words")) == "Gaussian() of words"
    assert repr(OnColumns(Gaussian(), np.arange(900))) == "Gaussian() of 900 columns"
    assert kernel_family(Nystrom(OnColumns(Gaussian(), COLUMNS), 20).fit(X)) == "Gaussian"


def stacked(n, seed=0):
    """Words that tell the class, beside numbers that do not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    words = (rng.random((n, 40)) < np.where(np.arange(40) // 20 == y[:, None], 0.12, 0.04)).astype(float)
    return scipy.sparse.csr_matrix(np.hstack([words, rng.normal(size=(n, 8))])), y


@pytest.mark.parametrize("n", [120, 1100])
def test_numbers_and_words_have_kernels_of_their_own_where_a_sparse_matrix_has_both(n):
    both, _ = stacked(n)
    found = {kernel.kernel.name if isinstance(kernel, Nystrom) else kernel.name for kernel in block_kernels(both)}
    assert found == {"words", "numbers"}
    assert block_kernels(both[:, :40]) == block_kernels(both[:, 40:]) == []
    assert not any(isinstance(kernel, OnColumns) for kernel in listed_kernels("auto", both.toarray()))


def test_useless_numbers_do_not_drown_the_words():
    both, y = stacked(300)
    given = np.where(np.arange(300) < 30, y, -1)
    plain = [kernel for kernel in listed_kernels("auto", both) if not isinstance(kernel, OnColumns)]
    with_blocks = SSKPCAClassifier(listed_kernels("auto", both)).fit(both, given).transduction_
    without = SSKPCAClassifier(plain).fit(both, given).transduction_
    assert np.mean(with_blocks == y) > np.mean(without == y) + 0.03
