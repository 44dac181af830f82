import numpy as np
import pytest

from oracles import transducer
from sskpca import LSKPCA, SpectralGraphTransducer
from sskpca._graphs import NeighborGraph, laplacian
from sskpca.datasets import load_ssl_book, make_two_moons
from sskpca.solvers import solve_ls_kpca


@pytest.mark.parametrize("seed", range(8))
def test_it_is_joachims_method(seed):
    rng = np.random.default_rng(seed)
    X = np.abs(rng.standard_normal((70, 6))) + np.repeat([[0.0], [1.0]], 35, axis=0) * rng.random(6)
    y = np.full(70, -1)
    labeled = rng.permutation(70)[:9]
    y[labeled[:3]], y[labeled[3:]] = 1, 0
    model = SpectralGraphTransducer(8, 12, label_weight=50.0).fit(X, y)
    order = np.sort(labeled)
    z = transducer.solve(transducer.graph(X, 8), order, y[order] == 1, 12, 50.0)
    np.testing.assert_allclose(model._in_sample()[:, 0], z, atol=1e-8 * np.abs(z).max())
    assert abs(model.reports_[0].gap) < 1e-9
    plus, minus = np.sqrt(6 / 3), -np.sqrt(3 / 6)
    assert model.threshold_[0] == pytest.approx((plus + minus) / 2)


@pytest.mark.parametrize("seed", range(8))
def test_least_squares_kpca_with_the_pseudo_inverse_is_the_transducer(seed):
    """The paper's claim: uncentred, K = L^+ on zero-mean functions, spectrum as it is. By an estimator and by hand."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 3))
    W = NeighborGraph(6).fit(X).weights_
    L = laplacian(W, "unnormalized").toarray()
    y = np.full(50, -1)
    y[:4], y[4:8] = 0, 1
    t = np.where(y[:8] == 1, 1.0, -1.0)
    # the transducer's problem: min z'Lz + c |z_L - t|^2 over z'z = m, z orthogonal to 1
    lam, U = np.linalg.eigh(L)
    U, lam = U[:, 1:], lam[1:]
    G = np.diag(lam) + 5.0 * U[:8].T @ U[:8]
    b = 5.0 * U[:8].T @ t
    theta, V = np.linalg.eigh(G)
    low, high = theta[0] - 1e4, theta[0] - 1e-13
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (low, middle) if np.sum((V.T @ b / (theta - middle)) ** 2) > 50 else (middle, high)
    z = U @ V @ (V.T @ b / (theta - low))
    K = np.linalg.pinv(L, rcond=1e-10)
    scale = np.trace(K) / 50
    model = LSKPCA("precomputed", centered=False, variance=1.0, label_weight=5.0, threshold=0.0).fit(K, y)
    np.testing.assert_allclose(model.decision_, z, atol=1e-8 * np.abs(z).max())
    assert scale > 0


def test_published_settings_reach_the_published_errors():
    """Two of the ten cells, those that take a second; benchmarks/book/transducer.py has all."""
    for name, n_labeled, published in (("Digit1", 100, 2.61), ("Text", 100, 23.09)):
        errors = []
        for split in (1, 2, 3):
            book = load_ssl_book(name, n_labeled, split)
            model = SpectralGraphTransducer().fit(book.data, book.y)
            errors.append(100 * np.mean(model.transduction_[book.unlabeled] != book.target[book.unlabeled]))
        assert np.mean(errors) <= published + 2.5


def test_three_classes_and_new_points():
    X, _, target = make_two_moons(150)
    three = target + (X[:, 0] > 1.5)
    y = np.where(np.arange(150) % 7 == 0, three, -1)
    model = SpectralGraphTransducer(6, 20, metric="euclidean", weights="gaussian").fit(X, y)
    assert model.decision_.shape == (150, 3)
    assert np.mean(model.predict(X) == three) > 0.8


def test_scaling_the_kernel_is_scaling_the_price():
    """What the estimator relies on to keep kernels at mean diagonal one."""
    rng = np.random.default_rng(0)
    d = np.linspace(2, 1, 10)
    B, t = rng.standard_normal((4, 10)), np.array([1.0, -1, 1, -1])
    plain = solve_ls_kpca(B, d, t, 3.0, 5.0)
    scaled = solve_ls_kpca(np.sqrt(7.0) * B, 7.0 * d, t, 3.0 / 7.0, 5.0)
    np.testing.assert_allclose(np.sqrt(7.0) * B @ scaled.coef, B @ plain.coef, atol=1e-9)
