import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sskpca._linalg.eigen import leading_ritz, numerical_rank, symmetric_eigen


def matrix(spectrum, seed=0):
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(spectrum), len(spectrum))))[0]
    A = (Q * spectrum) @ Q.T
    return (A + A.T) / 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20), st.integers(0, 10))
def test_eigenpairs_are_ordered_orthonormal_and_signed(spectrum, seed):
    A = matrix(np.array(spectrum), seed)
    values, vectors = symmetric_eigen(A)
    assert np.all(np.diff(values) <= 0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(A)), atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-12 * (1 + np.abs(values).max()))
    peaks = vectors[np.abs(vectors).argmax(0), np.arange(len(A))]
    assert np.all(peaks > 0)


def test_leading_pairs_are_the_first_of_all():
    A = matrix(np.linspace(1, 3, 40))
    values, vectors = symmetric_eigen(A)
    few, few_vectors = symmetric_eigen(A, n_leading=5)
    np.testing.assert_allclose(few, values[:5])
    np.testing.assert_allclose(few_vectors, vectors[:, :5], atol=1e-10)


def test_input_survives_unless_it_may_be_overwritten():
    A = matrix(np.arange(5.0))
    copy = A.copy()
    symmetric_eigen(A)
    symmetric_eigen(A, n_leading=2)
    np.testing.assert_array_equal(A, copy)


@pytest.mark.parametrize("spectrum", ["decaying", "repeated", "low rank", "flat", "indefinite"])
def test_krylov_agrees_with_lapack(spectrum):
    n = 300
    w = {
        "decaying": 1 / np.arange(1.0, n + 1) ** 1.5,
        "repeated": np.repeat([3.0, 2.0, 1.0, 0.5, 0.0], n // 5),
        "low rank": np.r_[np.linspace(5, 1, 7), np.zeros(n - 7)],
        "flat": np.linspace(1, 0.9, n),
        "indefinite": np.linspace(2, -1, n),
    }[spectrum]
    A = matrix(w)
    ritz = leading_ritz(lambda x: A @ x, n, 10, tol=1e-11)
    np.testing.assert_allclose(ritz.values, np.sort(w)[::-1][:10], atol=1e-10)
    np.testing.assert_allclose(ritz.image, A @ ritz.vectors, atol=1e-12)
    np.testing.assert_allclose(ritz.vectors.T @ ritz.vectors, np.eye(10), atol=1e-11)
    assert ritz.residual <= 1e-11
    assert ritz.lowest >= w.min() - 1e-12


def test_krylov_is_orthonormal_and_diagonal_even_if_unconverged():
    A = matrix(np.linspace(1, 2, 400))
    ritz = leading_ritz(lambda x: A @ x, 400, 30, tol=0.0, max_basis=120)
    assert ritz.residual > 1e-6
    np.testing.assert_allclose(ritz.vectors.T @ ritz.vectors, np.eye(30), atol=1e-11)
    np.testing.assert_allclose(ritz.vectors.T @ ritz.image, np.diag(ritz.values), atol=1e-11)


def test_numerical_rank():
    assert numerical_rank(np.array([1.0, 1e-3, 1e-20]), 3) == 2
    assert numerical_rank(np.array([0.0, 0.0]), 2) == 0
    assert numerical_rank(np.empty(0), 0) == 0


def test_krylov_finds_more_copies_than_its_block_is_wide():
    d = np.zeros(700)
    d[:300] = [10.0] * 100 + [5.0] * 100 + [2.0] * 100
    values = leading_ritz(lambda x: d[:, None] * x, 700, 60, tol=1e-12).values
    np.testing.assert_allclose(values, 10.0)
