import numpy as np
import pytest

from sskpca.coordinates import IndefiniteKernelError, NoVarianceError, exact_coordinates
from sskpca.coordinates._principal import coordinates_from_features

rng = np.random.default_rng(0)
POINTS = rng.standard_normal((40, 3))


def gaussian(X, Y, gamma=0.5):
    return np.exp(-gamma * ((X[:, None] - Y[None]) ** 2).sum(-1))


KERNELS = {
    "gaussian": gaussian,
    "smooth gaussian": lambda X, Y: gaussian(X, Y, 1e-3),
    "linear": lambda X, Y: X @ Y.T,
    "linear with offset": lambda X, Y: X @ Y.T + 1,
    "laplacian": lambda X, Y: np.exp(-np.abs(X[:, None] - Y[None]).sum(-1)),
    "identity-like": lambda X, Y: gaussian(X, Y, 1e4),
}


def make(name, X=POINTS, **options):
    kernel = KERNELS[name]
    return kernel(X, X), exact_coordinates(kernel(X, X), lambda new: kernel(new, X), **options)


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("rank", [None, 5])
@pytest.mark.parametrize("name", KERNELS)
def test_values_norms_and_variances_are_those_of_the_functions(name, rank, centered):
    """The three identities that everything rests on, checked in the RKHS itself through the dual coefficients."""
    K, c = make(name, rank=rank, centered=centered)
    scale = np.linalg.norm(K, 2)
    # orthonormal in the RKHS, as far as double precision can tell: large dual coefficients cancel
    sound = (c.dual**2).sum(0) * np.finfo(float).eps * scale < 1e-8
    Q = c.dual[:, sound]
    np.testing.assert_allclose(Q.T @ K @ Q, np.eye(sound.sum()), atol=1e-6)
    # values of the functions
    np.testing.assert_allclose(K @ Q, c.values[:, sound], atol=1e-6 * np.sqrt(scale))
    np.testing.assert_allclose(c.project(POINTS)[:, sound], c.values[:, sound], atol=1e-6 * np.sqrt(scale))
    # variances diagonal
    H = np.eye(40) - 1 / 40 if centered else np.eye(40)
    np.testing.assert_allclose(c.values.T @ H @ c.values, np.diag(c.variances), atol=1e-9 * scale)
    assert np.all(np.diff(c.variances) <= 1e-12 * scale)
    assert c.total_variance == pytest.approx(np.trace(H @ K), rel=1e-9)


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "linear with offset", "identity-like"])
def test_full_rank_holds_the_constants_at_their_price(name):
    """The function that is 1 on the data costs 1/kappa = 1'K^+ 1."""
    K, c = make(name)
    assert c.variances[-1] == 0
    assert np.ptp(c.values[:, -1]) < 1e-6
    kappa = c.values[0, -1] ** 2
    assert 1 / kappa == pytest.approx(np.ones(40) @ np.linalg.pinv(K, rcond=1e-12) @ np.ones(40), rel=1e-5)
    assert c.discarded_variance == pytest.approx(0, abs=1e-9)


def test_linear_kernel_without_constants_has_no_constant_coordinate():
    _, c = make("linear")
    assert c.rank == 3
    assert np.all(c.variances > 0)


def test_all_of_the_kernel_is_represented():
    K, c = make("gaussian")
    np.testing.assert_allclose(c.values @ c.values.T, K, atol=1e-10)


def test_truncation_keeps_the_leading_components_and_the_rest_of_the_mean():
    K, full = make("gaussian")
    _, c = make("gaussian", rank=6)
    assert c.rank == 7
    np.testing.assert_allclose(c.variances[:6], full.variances[:6])
    np.testing.assert_allclose(c.values[:, :6], full.values[:, :6], atol=1e-9)
    # the data's mean is in the space: its values are the row means of K
    mean_values = K.mean(0)
    coef = np.linalg.lstsq(c.values, mean_values, rcond=None)[0]
    np.testing.assert_allclose(c.values @ coef, mean_values, atol=1e-9)
    assert c.discarded_variance == pytest.approx(c.total_variance - c.variances.sum())


def test_rank_beyond_all_is_all():
    _, full = make("linear", rank=30)
    assert full.rank == 3


def test_krylov_coordinates_are_exact_in_their_subspace(monkeypatch):
    from sskpca.coordinates import _exact as exact

    monkeypatch.setattr(exact, "DENSE_SIZE", 0)
    X = np.random.default_rng(1).standard_normal((300, 5))
    K = gaussian(X, X, 0.1)
    dense = exact_coordinates(K.copy(), lambda new: gaussian(new, X, 0.1), rank=None)
    for tol, centered in ((1e-2, True), (1e-10, True), (1e-10, False)):
        c = exact_coordinates(K.copy(), lambda new: gaussian(new, X, 0.1), rank=20, tol=tol, centered=centered)
        H = np.eye(300) - 1 / 300 if centered else np.eye(300)
        np.testing.assert_allclose(c.dual.T @ K @ c.dual, np.eye(c.rank), atol=1e-8)
        np.testing.assert_allclose(K @ c.dual, c.values, atol=1e-9)
        np.testing.assert_allclose(c.values.T @ H @ c.values, np.diag(c.variances), atol=1e-9)
        if tol < 1e-9 and centered:
            np.testing.assert_allclose(c.variances[:20], dense.variances[:20], rtol=1e-8)


def test_features_of_any_origin_give_the_same_coordinates():
    K, c = make("gaussian")
    L = np.linalg.cholesky(K + 1e-13 * np.eye(40))
    other = coordinates_from_features(L, lambda F: F, np.eye(40), centered=True, total_variance=c.total_variance)
    np.testing.assert_allclose(other.variances[:20], c.variances[:20], rtol=1e-6)
    np.testing.assert_allclose(np.abs(other.values[:, :10]), np.abs(c.values[:, :10]), atol=1e-6)
    assert other.variances[-1] == 0


def test_redundant_features_are_dropped_and_the_constant_is_kept():
    A = np.column_stack([POINTS, POINTS[:, 0], np.ones(40), np.zeros(40)])
    c = coordinates_from_features(A, lambda F: F, np.eye(6), centered=True, total_variance=0.0)
    assert c.rank == 4
    assert np.ptp(c.values[:, -1]) < 1e-9
    assert abs(c.values[0, -1]) == pytest.approx(1.0)


def test_duplicate_points_share_their_coordinates():
    X = np.vstack([POINTS, POINTS[:7]])
    _, c = make("gaussian", X)
    np.testing.assert_allclose(c.values[:7], c.values[40:], atol=1e-6)


@pytest.mark.parametrize("rank", [None, 3])
@pytest.mark.parametrize("centered", [True, False])
def test_indefinite_matrix_is_refused(rank, centered):
    K = np.diag(np.r_[np.linspace(2, 1, 39), -0.5])
    with pytest.raises(IndefiniteKernelError, match="not positive semi-definite"):
        exact_coordinates(K, lambda X: X, rank=rank, centered=centered)


def test_negative_squared_distance_is_refused_although_it_is_definite_when_centred():
    D = ((POINTS[:, None] - POINTS[None]) ** 2).sum(-1)
    with pytest.raises(IndefiniteKernelError):
        exact_coordinates(-D, lambda X: X)


def test_no_variance_is_refused():
    with pytest.raises(NoVarianceError):
        exact_coordinates(np.ones((5, 5)), lambda X: X)
