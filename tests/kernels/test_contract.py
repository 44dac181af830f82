"""What every kernel must do; registering one is having it tested."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from sskpca import LSKPCA
from sskpca.kernels import Cosine, FunctionKernel, Gaussian, Kernel, Laplacian, Mixture, Polynomial
from sskpca.kernels._given import KERNELS, make_kernel
from sskpca.kernels._stationary import median_off_diagonal

rng = np.random.default_rng(0)
X = rng.standard_normal((25, 4))
NEW = rng.standard_normal((7, 4))
REGISTERED = [name for name in KERNELS if name != "precomputed"]
GRAPHS = ("diffusion", "regularized_laplacian", "laplacian_pseudoinverse", "transducer", "manifold")


def registered(name):
    """Make a kernel of the registry that suits 25 points."""
    kernel = make_kernel(name)
    return kernel.set_params(n_neighbors=4) if name in GRAPHS else kernel


@pytest.mark.parametrize("name", REGISTERED)
class TestContract:
    def test_symmetric_and_positive_semi_definite(self, name):
        _, K = registered(name).fit_gram(X)
        np.testing.assert_allclose(K, K.T, atol=1e-14)
        assert np.linalg.eigvalsh(K).min() > -1e-12 * np.linalg.norm(K)

    def test_cross_of_the_data_is_the_gram_matrix(self, name):
        fitted, K = registered(name).fit_gram(X)
        np.testing.assert_allclose(K, fitted.cross(X), atol=1e-7)
        assert fitted.cross(NEW).shape == (7, 25)

    def test_gram_is_fresh(self, name):
        before = X.copy()
        fitted, K = registered(name).fit_gram(X)
        K[:] = 0
        np.testing.assert_array_equal(X, before)
        assert np.abs(fitted.cross(X)).max() > 0

    def test_parameters_and_clone(self, name):
        kernel = registered(name)
        assert isinstance(kernel, Kernel)
        assert type(clone(kernel).set_params(**kernel.get_params())) is type(kernel)

    def test_sparse_input_agrees_with_dense(self, name):
        sparse = scipy.sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
        fitted, K = registered(name).fit_gram(sparse)
        dense, expected = registered(name).fit_gram(sparse.toarray())
        np.testing.assert_allclose(K, expected, atol=1e-12)
        new = scipy.sparse.csr_matrix(NEW)
        np.testing.assert_allclose(fitted.cross(new), dense.cross(NEW), atol=1e-12)
        np.testing.assert_allclose(dense.cross(new), dense.cross(NEW), atol=1e-12)

    def test_single_precision_input_is_computed_in_double(self, name):
        _, K = registered(name).fit_gram(X.astype(np.float32))
        assert K.dtype == np.float64
        np.testing.assert_allclose(K, registered(name).fit_gram(X)[1], atol=1e-5 * np.abs(K).max())

    def test_values_beyond_floating_point_are_refused(self, name):
        huge = X * 1e300
        if name in ("cosine", "laplacian", "transducer", "random_trees", "rank_rbf"):  # these stay in range
            assert np.isfinite(registered(name).fit_gram(huge)[1]).all()
        else:
            with pytest.raises(ValueError, match="not finite: the features are too large"):
                registered(name).fit_gram(huge)


def test_gaussian_agrees_with_scikit_learn():
    np.testing.assert_allclose(Gaussian(0.3).fit_gram(X)[1], rbf_kernel(X, gamma=0.3), atol=1e-13)


def test_laplacian_agrees_with_scikit_learn():
    np.testing.assert_allclose(Laplacian(0.3).fit_gram(X)[1], laplacian_kernel(X, gamma=0.3), atol=1e-13)


def test_polynomial_agrees_with_scikit_learn():
    ours = Polynomial(degree=2, gamma=0.5, coef0=2.0).fit_gram(X)[1]
    np.testing.assert_allclose(ours, polynomial_kernel(X, degree=2, gamma=0.5, coef0=2.0), atol=1e-12)


def test_median_bandwidth_is_one_over_the_median_squared_distance():
    fitted = Gaussian().fit(X)
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    assert fitted.gamma_ == pytest.approx(1 / np.median(D[np.triu_indices(25, 1)]))


@pytest.mark.parametrize("n", [2, 3, 50, 700, 701])
def test_median_is_exact_also_where_it_is_found_by_sampling(n):
    D = np.random.default_rng(n).exponential(size=(n, n))
    D = D + D.T
    assert median_off_diagonal(D) == np.median(D[np.triu_indices(n, 1)])


def test_median_of_ties():
    D = np.ones((800, 800))
    np.fill_diagonal(D, 0)
    assert median_off_diagonal(D) == 1.0


def test_median_bandwidth_survives_duplicates():
    duplicated = np.vstack([np.repeat(X[:1], 30, axis=0), X[:5]])
    fitted, K = Gaussian().fit_gram(duplicated)
    assert np.isfinite(K).all()
    assert fitted.gamma_ > 0


def test_distances_do_not_suffer_from_a_large_offset():
    _, shifted = Gaussian(0.5).fit_gram(X + 1e6)
    np.testing.assert_allclose(shifted, Gaussian(0.5).fit_gram(X)[1], atol=1e-8)


@pytest.mark.parametrize("gamma", [0, -1.0, "mean", None, np.nan, np.inf, True])
def test_bad_bandwidths_are_refused(gamma):
    with pytest.raises(ValueError, match="gamma must be"):
        Gaussian(gamma).fit_gram(X)


@pytest.mark.parametrize("params", [{"degree": 0}, {"degree": 1.5}, {"coef0": -1}, {"gamma": -1}])
def test_bad_polynomials_are_refused(params):
    with pytest.raises(ValueError, match="Polynomial: "):
        Polynomial(**params).fit_gram(X)


def test_function_kernel():
    fitted, K = FunctionKernel(lambda A, B: A @ B.T).fit_gram(X)
    np.testing.assert_allclose(K, X @ X.T)
    np.testing.assert_allclose(fitted.cross(NEW), NEW @ X.T)


def test_unknown_kernels_are_refused():
    with pytest.raises(ValueError, match="is not known; choose from"):
        make_kernel("gaussian")
    with pytest.raises(ValueError, match=r"pass an object: Gaussian\(\)"):
        make_kernel(Gaussian)
    with pytest.raises(ValueError, match="kernel must be"):
        make_kernel(3)


@pytest.mark.parametrize(
    "kernel",
    [
        *(make_kernel(name) for name in ("rbf", "laplacian", "linear", "poly", "cosine")),
        FunctionKernel(lambda A, B: (A @ B.T) ** 2),
        2.0 * Gaussian() + Laplacian(),
        Mixture(Gaussian(), Polynomial(2), 0.3),
    ],
    ids=lambda kernel: type(kernel).__name__,
)
def test_the_diagonal_is_that_of_the_matrix(kernel):
    fitted, K = kernel.fit_gram(X)
    np.testing.assert_allclose(fitted.diagonal(X), np.diagonal(K), rtol=1e-12)
    assert fitted.diagonal(X[:3]).shape == (3,)


def test_single_precision_agrees_with_double():
    fitted = Gaussian().fit(X)
    single = X.astype(np.float32)
    found = fitted.cross_single(single)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, fitted.cross(single.astype(np.float64)), atol=1e-5)


@pytest.mark.parametrize("other", ["linear", 1.0, None, Gaussian])
def test_what_is_no_kernel_cannot_be_added_to_one(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        Gaussian() + other


@pytest.mark.parametrize("kernel", ["precomputed", "manifold"])
def test_a_kernel_that_needs_all_rows_is_shown_a_way_that_is_open(kernel):
    with pytest.raises(ValueError, match='not landmarks; use coordinates="exact"'):
        LSKPCA(kernel, coordinates="nystrom").fit(X @ X.T, np.arange(len(X)) % 2)


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e200])
def test_the_cosine_kernel_does_not_depend_on_the_scale(scale):
    X = np.random.default_rng(2).standard_normal((20, 4))
    np.testing.assert_allclose(Cosine().fit_gram(scale * X)[1], Cosine().fit_gram(X)[1], atol=1e-14)
