"""Where the origin is does not matter where it should not, however far away it is."""

import warnings

import numpy as np
import pytest
from sklearn.decomposition import PCA

from sskpca import KPCA, LSKPCA, SSKPCAClassifier
from sskpca.coordinates import NoVarianceError, exact_coordinates
from sskpca.coordinates._exact import linear_coordinates
from sskpca.datasets import make_two_moons
from sskpca.kernels import Laplacian

X, y, target = make_two_moons(200, n_labeled=20)
WIDE = np.random.default_rng(0).standard_normal((40, 60))


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e8, 1e9])
@pytest.mark.parametrize("rows", [X, WIDE], ids=["tall", "wide"])
def test_linear_components_do_not_depend_on_the_origin(rows, offset):
    near, far = (KPCA(2, kernel="linear").fit(data) for data in (rows, rows + offset))
    rounding = 1e-14 * offset
    np.testing.assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=rounding)
    for given, moved in ((rows, rows + offset), (rows[:7] / 2, rows[:7] / 2 + offset)):
        np.testing.assert_allclose(np.abs(far.transform(moved)), np.abs(near.transform(given)), atol=10 * rounding)


@pytest.mark.parametrize("rank", [None, 1, 3, 30])
@pytest.mark.parametrize("offset", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("rows", [X, WIDE, np.hstack([X, np.ones((200, 1))])], ids=["tall", "wide", "constant column"])
def test_coordinates_from_the_rows_are_those_of_the_matrix(rows, offset, rank):
    rows = rows + offset
    from_rows = linear_coordinates(rows, lambda A: A, rank=rank)
    from_matrix = exact_coordinates(rows @ rows.T, lambda A: A @ rows.T, rank=rank)
    assert from_rows.rank == from_matrix.rank
    scale = from_matrix.total_variance
    np.testing.assert_allclose(from_rows.variances, from_matrix.variances, atol=1e-9 * scale)
    np.testing.assert_allclose(from_rows.total_variance, scale)
    for found in (from_rows.values, from_rows.project(rows)):
        np.testing.assert_allclose(found @ found.T, from_matrix.values @ from_matrix.values.T, atol=1e-7 * scale)


def test_a_linear_classifier_far_from_the_origin_is_that_of_the_limit():
    """It is not that of rows near the origin: functions of the linear kernel have no constant of their own."""
    limit = LSKPCA("linear").fit(X + 1e6, y)
    for offset in (1e8, 1e9):
        model = LSKPCA("linear").fit(X + offset, y)
        np.testing.assert_allclose(model.decision_, limit.decision_, atol=1e-4)
        np.testing.assert_allclose(model.decision_function(X + offset), model.decision_, atol=1e-4)


@pytest.mark.parametrize("kernel", ["rbf", Laplacian()])
def test_kernels_of_the_difference_do_not_depend_on_the_origin(kernel):
    near, far = (LSKPCA(kernel).fit(data, y) for data in (X, X + 1e9))
    np.testing.assert_allclose(far.decision_, near.decision_, atol=1e-4)


@pytest.mark.parametrize("offset", [1e8, 1e9, 1e12])
def test_rows_far_from_the_origin_are_classified(offset):
    with warnings.catch_warnings():  # that a kernel sees no difference any more
        warnings.filterwarnings("ignore", "all rows look the same to", UserWarning)
        model = SSKPCAClassifier().fit(X + offset, y)
    assert np.mean(model.transduction_ == target) > 0.95


def test_a_sparse_matrix_stays_sparse_and_a_far_one_is_pca():
    import scipy.sparse

    assert scipy.sparse.issparse(LSKPCA("linear").fit(scipy.sparse.csr_array(X), y).kernel_.rows)
    far = X + 1e7
    components = np.abs(KPCA(2, kernel="linear").fit_transform(far))
    np.testing.assert_allclose(components, np.abs(PCA(2, svd_solver="full").fit_transform(far)), atol=1e-6)


def test_variance_that_drowns_in_rounding_is_refused():
    far = X + 1e9
    with pytest.raises(NoVarianceError):
        exact_coordinates(far @ far.T, lambda A: A)
    with pytest.raises(ValueError, match=r"LSKPCA: all 200 rows look the same to kernel='precomputed'"):
        LSKPCA("precomputed").fit(far @ far.T, y)
    with pytest.raises(ValueError, match=r"KPCA: all 50 rows look the same to kernel='linear'"):
        KPCA(2, kernel="linear").fit(np.full((50, 3), 0.1))
