import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sskpca._linalg.eigen import factor_symmetric


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 25), st.integers(0, 10_000))
def test_inertia_and_solution_agree_with_the_eigenvalues(n, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    A = A + A.T
    factor = factor_symmetric(A)
    assert factor.n_negative == int(np.sum(np.linalg.eigvalsh(A) < 0))
    b = rng.standard_normal(n)
    x = factor.solve(b)
    assert np.linalg.norm(A @ x - b) <= 1e-10 * (np.linalg.norm(A) * np.linalg.norm(x) + 1)


def test_zero_diagonal_needs_pivots_of_two():
    A = np.kron(np.eye(3), np.array([[0.0, 2.0], [2.0, 0.0]]))
    assert factor_symmetric(A).n_negative == 3


def test_singular_is_said():
    assert factor_symmetric(np.zeros((2, 2))).singular


def test_empty():
    assert factor_symmetric(np.empty((0, 0))).n_negative == 0
