"""The same answers from rows in blocks; stated accuracy; nothing silent."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SSKPCAClassifier
from sskpca._estimators.routes import automatic_landmarks, decompose
from sskpca.coordinates._values import StreamedValues
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian, Linear, Mixture, Nystrom, Polynomial
from sskpca.rows import ArrayRows, BlockRows

X, y, target = make_two_moons(600, n_labeled=30, random_state=1)
NEW = make_two_moons(200, random_state=2)[0]
SOURCES = {
    "array": lambda X: ArrayRows(X),
    "stream": lambda X: BlockRows(lambda: (X[i : i + 70] for i in range(0, len(X), 70))),
    "sparse": lambda X: ArrayRows(scipy.sparse.csr_array(X)),
}
KERNELS = [
    Gaussian(gamma=4.0),
    Gaussian(gamma=0.05),  # smooth: the landmarks' matrix is close to singular
    Mixture(Gaussian(gamma=4.0), Linear(), 0.7),
    Polynomial(3, gamma=1.0),
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA, MVKPCA])
def test_rows_in_blocks_give_the_decisions_of_the_array(estimator, kernel, source):
    options = {"kernel": kernel, "coordinates": "nystrom", "n_landmarks": 60, "label_weight": 10.0}
    whole = estimator(**options).fit(X, y)
    rows = SOURCES[source](X)
    parts = estimator(**options, memory="1GB").fit(rows, y)
    scale = np.abs(whole.decision_).max()
    np.testing.assert_allclose(parts.decision_, whole.decision_, atol=1e-6 * scale)
    np.testing.assert_allclose(parts.decision_function(NEW), whole.decision_function(NEW), atol=1e-5 * scale)
    np.testing.assert_array_equal(parts.predict(SOURCES[source](NEW)), whole.predict(NEW))
    np.testing.assert_array_equal(parts.transduction_, whole.transduction_)


def test_coordinates_that_do_not_fit_are_never_held():
    options = {"kernel": Gaussian(gamma=4.0), "coordinates": "nystrom", "n_landmarks": 60, "label_weight": 10.0}
    held = LSKPCA(**options).fit(X, y)
    streamed = LSKPCA(**options, memory="800kB").fit(X, y)
    assert isinstance(held.coordinates_.values, np.ndarray)
    assert isinstance(streamed.coordinates_.values, StreamedValues)
    np.testing.assert_allclose(streamed.decision_, held.decision_, atol=1e-7)
    np.testing.assert_allclose(streamed.leave_one_out().decisions, held.leave_one_out().decisions, atol=1e-6)
    row = int(np.flatnonzero(y < 0)[0])
    for model in (held, streamed):
        model.update_labels(row, int(target[row]))
    np.testing.assert_allclose(streamed.decision_, held.decision_, atol=1e-7)


@pytest.mark.parametrize("landmarks", ["uniform", "sorted"])
@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA, MVKPCA])
def test_all_rows_as_landmarks_give_the_exact_answer(estimator, landmarks):
    options = {"kernel": Gaussian(gamma=4.0), "label_weight": 10.0}
    exact = estimator(**options).fit(X, y)
    seen = estimator(**options, coordinates="nystrom", n_landmarks=600, landmarks=landmarks).fit(X, y)
    scale = np.abs(exact.decision_).max()
    np.testing.assert_allclose(seen.decision_, exact.decision_, atol=1e-6 * scale)
    np.testing.assert_allclose(seen.decision_function(NEW), exact.decision_function(NEW), atol=1e-6 * scale)


@pytest.mark.parametrize("estimator", [KPCA, LSKPCA])
def test_components_of_rows_in_blocks(estimator):
    options = {"kernel": Gaussian(gamma=1.0), "coordinates": "nystrom", "n_landmarks": 100}
    if estimator is KPCA:
        whole, parts = (KPCA(4, **options).fit(data) for data in (X, ArrayRows(X)))
        np.testing.assert_allclose(parts.eigenvalues_, whole.eigenvalues_, rtol=1e-9)
        np.testing.assert_allclose(np.abs(parts.transform(NEW)), np.abs(whole.transform(NEW)), atol=1e-6)
    else:
        whole, parts = (LSKPCA(rank=20, **options).fit(data, y) for data in (X, ArrayRows(X)))
        np.testing.assert_allclose(parts.decision_, whole.decision_, atol=1e-6)


@pytest.mark.parametrize("centered", [True, False])
def test_moments_are_those_of_the_matrix(centered):
    kernel = Nystrom(Gaussian(gamma=2.0), 40)
    held = decompose(kernel, X, centered=centered).coordinates
    streamed = decompose(kernel, ArrayRows(X), centered=centered, memory="600kB").coordinates
    assert isinstance(streamed.values, StreamedValues)
    rank = min(held.rank, streamed.rank)
    size = held.variances[0]
    np.testing.assert_allclose(streamed.variances[:rank], held.variances[:rank], atol=1e-12 * size)
    np.testing.assert_allclose(streamed.total_variance, held.total_variance, rtol=1e-10)
    Z = streamed.values @ np.eye(streamed.rank)
    centred = Z - Z.mean(axis=0) * centered
    np.testing.assert_allclose(centred.T @ centred, np.diag(streamed.variances), atol=1e-10 * size)
    np.testing.assert_allclose(streamed.mean, Z.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(streamed.values[np.array([7, 3])], Z[[7, 3]], atol=1e-12)
    np.testing.assert_allclose(streamed.values[5], Z[5], atol=1e-12)


def test_single_precision_is_summed_in_double():
    rng = np.random.default_rng(0)
    data = rng.standard_normal((600, 30))
    some = np.where(rng.random(600) < 0.1, data[:, 0] > 0, -1)
    for gamma, shift, used in [(0.02, 0.0, True), (0.02, 1e3, True), (1e-4, 0.0, False)]:
        single = (data + shift).astype(np.float32)
        options = {"kernel": Gaussian(gamma=gamma), "coordinates": "nystrom", "n_landmarks": 60}
        found = LSKPCA(**options).fit(ArrayRows(single), some)
        double = LSKPCA(**options).fit(ArrayRows(single.astype(np.float64)), some)
        # Where the landmarks' matrix is nearly singular rounding would be magnified: double precision is used.
        assert (found.kernel_.kernel_values(single).dtype == np.float32) is used
        np.testing.assert_allclose(found.decision_, double.decision_, atol=1e-4 if used else 1e-9)


def test_landmarks_of_the_users_own():
    model = LSKPCA(Gaussian(gamma=4.0), coordinates="nystrom", landmarks=X[::10]).fit(X, y)
    assert len(model.kernel_.whitening_) == 60
    assert clone(model).fit(X, y).decision_ == pytest.approx(model.decision_)
    with pytest.raises(ValueError, match="rows with the data's 2 columns, got an array of shape"):
        LSKPCA(coordinates="nystrom", landmarks=X[:, :1]).fit(X, y)
    with pytest.raises(ValueError, match="the landmarks hold NaN"):
        LSKPCA(coordinates="nystrom", landmarks=X[:9] * np.nan).fit(X, y)


def test_the_automatic_classifier_on_rows_in_blocks():
    kernels = [Gaussian(gamma=4.0), Linear(), Diffusion(10)]
    with pytest.warns(UserWarning, match="graphs are made of a sample"):
        parts = SSKPCAClassifier(kernels, coordinates="nystrom", n_landmarks=60, rank=40).fit(ArrayRows(X), y)
    assert np.mean(parts.transduction_ != target) < 0.05
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = SSKPCAClassifier(kernels[:2], coordinates="nystrom", n_landmarks=60, rank=40).fit(X, y)
        parts = SSKPCAClassifier(kernels[:2], coordinates="nystrom", n_landmarks=60, rank=40).fit(ArrayRows(X), y)
        tight = SSKPCAClassifier(kernels[:2], coordinates="nystrom", n_landmarks=60, rank=40, memory="1MB").fit(X, y)
    assert isinstance(tight.coordinates_[0].values, StreamedValues)
    for model in (parts, tight):
        np.testing.assert_allclose(model.label_distributions_, whole.label_distributions_, atol=1e-5)
        np.testing.assert_allclose(model.predict_proba(ArrayRows(NEW)), whole.predict_proba(NEW), atol=1e-5)
        np.testing.assert_array_equal(model.next_rows(3), whole.next_rows(3))
        assert model.loo_error_ == whole.loo_error_


def test_labels_as_a_mapping_from_row_numbers():
    labelled = {int(row): int(y[row]) for row in np.flatnonzero(y >= 0)}
    np.testing.assert_array_equal(LSKPCA().fit(X, labelled).decision_, LSKPCA().fit(X, y).decision_)
    with pytest.raises(ValueError, match="a label for the row 600; the rows have the numbers 0 to 599"):
        LSKPCA().fit(X, {0: 1, 600: 0})


def test_an_exact_fit_that_does_not_fit_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r'600 rows need 8.6 MB of memory, and 1 MB can be used; use coordinates="nys'):
        LSKPCA(memory="1MB").fit(X, y)
    with pytest.warns(UserWarning, match="the 600 rows are approximated by 100 landmarks"):
        LSKPCA(memory="1MB", coordinates="auto", n_landmarks=100).fit(X, y)
    with pytest.raises(ValueError, match='these come in blocks; use coordinates="nystrom"'):
        LSKPCA().fit(ArrayRows(X), y)
    with pytest.raises(ValueError, match=r"features need .* of memory, and 100 kB can be used; use fewer: at most"):
        LSKPCA(coordinates="nystrom", n_landmarks=300, memory="100kB").fit(X, y)


def test_the_number_of_landmarks_can_be_left_to_the_budget():
    with pytest.warns(UserWarning, match=f"approximated by {automatic_landmarks(600, 2_000_000)} landmarks"):
        model = LSKPCA(coordinates="nystrom", n_landmarks="auto", memory="2MB").fit(X, y)
    assert len(model.kernel_.landmarks_) == automatic_landmarks(600, 2_000_000) < 600
    with pytest.raises(ValueError, match='n_landmarks must be "auto" or a whole number'):
        LSKPCA(coordinates="nystrom", n_landmarks="many").fit(X, y)


def test_missing_numbers_in_a_block_are_found():
    bad = X.copy()
    bad[431, 1] = np.nan
    with pytest.raises(ValueError, match=r"the rows \d+ to \d+ hold NaN"):
        LSKPCA(Gaussian(gamma=1.0), coordinates="nystrom", n_landmarks=5, memory="50kB").fit(ArrayRows(bad), y)
    model = LSKPCA(Gaussian(gamma=1.0), coordinates="nystrom", n_landmarks=50).fit(X, y)
    with pytest.raises(ValueError, match="the rows 0 to 599 hold NaN or infinity"):
        model.predict(ArrayRows(bad))
    with pytest.raises(ValueError, match="X has 1 features, but LSKPCA is expecting 2"):
        LSKPCA(coordinates="nystrom").fit(X, y).predict(ArrayRows(X[:, :1]))


def test_many_new_rows_are_mapped_in_blocks(monkeypatch):
    model = LSKPCA(Gaussian(gamma=4.0), coordinates="nystrom", n_landmarks=60).fit(X, y)
    whole = model.decision_function(NEW)
    monkeypatch.setattr("sskpca.rows._source.BLOCK", 600)
    np.testing.assert_allclose(model.decision_function(NEW), whole, atol=1e-12)
