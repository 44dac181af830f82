import numpy as np
import pytest
import scipy.linalg

from problems import draw
from sskpca.solvers import solve_mv_kpca
from sskpca.solvers._within_class import within_group_rows


def classes(t):
    return [np.flatnonzero(t == label) for label in (-1.0, 1.0)]


@pytest.mark.parametrize("seed", range(300))
def test_random_problems_agree_with_lapacks_generalised_eigenproblem(seed):
    p = draw(seed)
    N = within_group_rows(p.B, classes(p.t))
    k = min(4, int(np.sum(p.d > 0)))
    found = solve_mv_kpca(N, p.d, p.c, k)
    C = np.eye(len(p.d)) + p.c * N.T @ N
    theta = scipy.linalg.eigh(np.diag(p.d), C, eigvals_only=True)[::-1][:k]
    assert found.kkt_residual.max() <= 1e-8
    np.testing.assert_allclose(found.theta, theta, rtol=1e-7, atol=1e-9 * theta[0])
    np.testing.assert_allclose(found.coef.T @ C @ found.coef, np.eye(k), atol=1e-6)
    points = np.random.default_rng(seed).standard_normal((len(p.d), 200))
    ratios = (p.d @ points**2) / np.einsum("ij,ik,kj->j", points, C, points)
    assert ratios.max() <= found.theta[0] * (1 + 1e-9)


def test_zero_weight_is_kernel_pca():
    p = draw(0)
    found = solve_mv_kpca(within_group_rows(p.B, classes(p.t)), p.d, 0.0, 3)
    np.testing.assert_allclose(found.coef, np.eye(len(p.d), 3), atol=1e-9)
    np.testing.assert_allclose(found.theta, p.d[:3])


def test_infinite_weight_leaves_no_variance_within_the_classes():
    rng = np.random.default_rng(0)
    d, B = np.linspace(2, 1, 30), rng.standard_normal((8, 30))
    groups = [np.arange(4), np.arange(4, 8)]
    found = solve_mv_kpca(within_group_rows(B, groups), d, 1e8, 2)
    f = B @ found.coef
    for group in groups:
        assert np.ptp(f[group], axis=0).max() < 1e-6 * np.abs(found.coef).max()


def test_products_only_agree_with_the_dense_way(monkeypatch):
    from sskpca.solvers import _within_class as within_class

    rng = np.random.default_rng(0)
    d = np.sort(rng.random(300))[::-1]
    d[:3] = d[0]
    N = within_group_rows(rng.standard_normal((20, 300)) * np.sqrt(d), [np.arange(10), np.arange(10, 20)])
    dense = solve_mv_kpca(N, d, 5.0, 5)
    monkeypatch.setattr(within_class, "SMALL_RANK", 0)
    sparse = solve_mv_kpca(N, d, 5.0, 5)
    np.testing.assert_allclose(sparse.theta, dense.theta, rtol=1e-10)
    assert sparse.kkt_residual.max() < 1e-9


def test_groups_need_not_be_classes_and_may_overlap():
    rng = np.random.default_rng(0)
    Z, d = rng.standard_normal((12, 6)), np.linspace(3, 1, 6)
    groups = [np.array([0, 1, 2]), np.array([2, 3]), np.array([5])]
    rows = within_group_rows(Z, groups)
    assert rows.shape == (5, 6)  # a group of one has no variance
    coef = solve_mv_kpca(rows, d, 2.0, 1).coef[:, 0]
    within = sum(np.sum((Z[g] @ coef - np.mean(Z[g] @ coef)) ** 2) for g in groups)
    assert coef @ coef + 2.0 * within == pytest.approx(1.0)
