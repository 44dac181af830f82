"""The answer of permuted rows is the permuted answer; units do not matter."""

import warnings

import numpy as np
import pytest

from sskpca import SSKPCAClassifier
from sskpca._selection.portfolio import listed_kernels
from sskpca.kernels import Diffusion, Gaussian, Linear, Nystrom, TransducerSpectrum, default_kernels
from sskpca.rows._arrays import canonical_order


def column():
    rng = np.random.default_rng(12)
    target = rng.integers(0, 2, 100)
    return rng.standard_normal((100, 1)) + 2.0 * target[:, None], target


def integers():
    rng = np.random.default_rng(7)
    target = rng.integers(0, 3, 120)
    return np.round(2 * rng.standard_normal((120, 4)) + 3 * rng.standard_normal((3, 4))[target]), target


def duplicates():
    X, target = integers()
    rows = np.random.default_rng(1).integers(0, 50, 120)
    return X[rows], target[rows]


def bits():
    X, target = integers()
    return (X[:, :3] > 0).astype(float), target


DATA = {"column": column, "integers": integers, "duplicates": duplicates, "bits": bits}


def labelled(name):
    X, target = DATA[name]()
    y = np.full(len(X), -1)
    for k in np.unique(target):
        y[np.flatnonzero(target == k)[:3]] = k
    return X, y


def answer(X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of equal rows with different labels
        return SSKPCAClassifier(**options).fit(X, y)


@pytest.mark.parametrize("name", DATA)
def test_permuted_rows_have_the_permuted_answer(name):
    X, y = labelled(name)
    model = answer(X, y)
    new = X[:10] + 0.5
    order = np.random.default_rng(0).permutation(len(X))
    other = answer(X[order], y[order])
    np.testing.assert_array_equal(other.transduction_, model.transduction_[order])
    np.testing.assert_allclose(other.label_distributions_, model.label_distributions_[order], atol=1e-6)
    np.testing.assert_allclose(other.predict_proba(new), model.predict_proba(new), atol=1e-6)


@pytest.mark.parametrize("name", DATA)
def test_units_do_not_matter(name):
    X, y = labelled(name)
    model, other = answer(X, y), answer(37.5 * X, y)
    np.testing.assert_array_equal(other.transduction_, model.transduction_)
    np.testing.assert_allclose(other.label_distributions_, model.label_distributions_, atol=1e-6)


@pytest.mark.parametrize("name", ["integers", "duplicates"])
def test_kernels_of_distances_and_angles_do_not_feel_a_rotation(name):
    X, y = labelled(name)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((X.shape[1], X.shape[1])))[0]
    cosine = {"metric": "cosine", "weights": "transducer"}
    kernels = [Gaussian(), Linear(), Diffusion(5, 30.0), Diffusion(5, 30.0, **cosine), TransducerSpectrum(5)]
    model, other = answer(X, y, kernels=kernels), answer(X @ Q, y, kernels=kernels)
    np.testing.assert_array_equal(other.transduction_, model.transduction_)
    np.testing.assert_allclose(other.label_distributions_, model.label_distributions_, atol=1e-6)


def test_landmarks_and_krylov_methods_start_from_sorted_rows():
    rng = np.random.default_rng(0)
    X, order = rng.standard_normal((1400, 3)), rng.permutation(1400)
    y = np.full(1400, -1)
    y[:20] = X[:20, 0] > 0
    kernels = [Gaussian(), Nystrom(Gaussian(factor=4.0), 100, landmarks="sorted")]
    one, other = (answer(X[i], y[i], kernels=kernels, rank=50) for i in (np.arange(1400), order))
    np.testing.assert_allclose(other.label_distributions_, one.label_distributions_[order], atol=1e-9)


def test_of_one_column_no_graph_is_made_of_angles():
    assert not any(getattr(kernel, "metric", "") == "cosine" for kernel in default_kernels(300, n_columns=1))
    assert len(listed_kernels("auto", np.ones((300, 1)))) < len(listed_kernels("auto", np.ones((300, 2))))


def test_a_graph_of_rows_in_one_direction_is_left_out():
    X = np.outer(np.arange(1.0, 41.0), [1.0, 2.0])
    y = np.where(np.arange(40) % 10 == 0, np.arange(40) // 20, -1)
    with pytest.warns(UserWarning, match="all rows look the same"):
        model = SSKPCAClassifier([Gaussian(), TransducerSpectrum(5)]).fit(X, y)
    assert len(model.kernels_) == 1


def test_sorted_rows():
    X = np.random.default_rng(0).integers(0, 3, (200, 4)).astype(float)
    np.testing.assert_array_equal(X[canonical_order(X)], np.array(sorted(X.tolist())))
    from scipy.sparse import csr_matrix

    order = np.random.default_rng(1).permutation(200)
    first, second = (csr_matrix(part) for part in (X, 37.5 * X[order]))
    np.testing.assert_array_equal(X[canonical_order(first)], X[order][canonical_order(second)])
