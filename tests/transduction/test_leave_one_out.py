"""Held-out decisions against as many fits, label by label."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca._transduction.held_out import flat, held_out_thresholds, members, wilson_interval, without_each
from sskpca._transduction.methods import middle_of_means, solve_without_each
from sskpca.coordinates._principal import coordinates_from_features
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian

MOONS, MOON_LABELS, MOON = make_two_moons(80)
IMAGES, DIGIT = load_digits(n_class=3, return_X_y=True)
IMAGES, DIGIT = IMAGES[:120] / 16, DIGIT[:120]
UNEVEN = np.full(120, -1)
for k, number in enumerate((2, 4, 7)):
    UNEVEN[np.flatnonzero(k == DIGIT)[:number]] = k
# One label that is wrong, so that something is.
WRONG = MOON_LABELS.copy()
WRONG[np.flatnonzero(MOON_LABELS == 1)[0]] = 0


def one_by_one(model, X, y, **fit):
    rows = [i for i in np.flatnonzero(y >= 0) if np.sum(y == y[i]) > 1]
    decisions, wrong = [], []
    for i in rows:
        others = y.copy()
        others[i] = -1
        without = clone(model).set_params(unlabeled=-1).fit(X, others, **fit)
        decisions.append(without.decision_[i])
        wrong.append(without.transduction_[i] != y[i])
    return np.array(rows), np.array(decisions), np.array(wrong)


def check(model, X, y, atol, **fit):
    model = clone(model).set_params(unlabeled=-1).fit(X, y, **fit)
    before = model.decision_.copy()
    found = model.leave_one_out()
    rows, decisions, wrong = one_by_one(model, X, y, **fit)
    np.testing.assert_array_equal(found.rows, rows)
    assert found.decisions.shape == decisions.shape
    np.testing.assert_allclose(found.decisions, decisions, atol=atol)
    np.testing.assert_array_equal(found.wrong, wrong)
    assert found.error == pytest.approx(wrong.mean())
    assert found.interval == wilson_interval(int(wrong.sum()), len(wrong))
    assert found.interval[0] <= found.error <= found.interval[1]
    np.testing.assert_array_equal(model.decision_, before)
    return found


DATA = {"two classes": (MOONS, MOON_LABELS), "one wrong": (MOONS, WRONG), "three classes": (IMAGES, UNEVEN)}
each_data = pytest.mark.parametrize(("X", "y"), DATA.values(), ids=DATA)


@each_data
@pytest.mark.parametrize("threshold", ["auto", 0.0, 0.3])
@pytest.mark.parametrize("variance", ["auto", 0.7])
@pytest.mark.parametrize("centered", [True, False])
def test_least_squares(X, y, threshold, variance, centered):
    for weight in (0.1, 100.0):
        model = LSKPCA(label_weight=weight, threshold=threshold, variance=variance, centered=centered)
        check(model, X, y, 1e-8)


@each_data
@pytest.mark.parametrize("model", [LSKPCA(rank=5), LSKPCA(Diffusion(5), label_weight=10.0)])
def test_least_squares_in_few_coordinates_and_on_a_graph(X, y, model):
    check(model, X, y, 1e-8)


@pytest.mark.parametrize("threshold", ["auto", 0.3])
def test_least_squares_with_invariances(threshold):
    shifted = MOONS + np.array([0.3, 0.0])
    model = LSKPCA(Gaussian(1.0), label_weight=1.0, invariance_weight=0.5, threshold=threshold)
    found = check(model, MOONS, WRONG, 1e-8, invariances=(MOONS[:20], shifted[:20]))
    without = clone(model).fit(MOONS, WRONG).leave_one_out()
    assert np.abs(found.decisions - without.decisions).max() > 1e-3


@each_data
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_logistic(X, y, loss):
    check(LRKPCA(label_weight=1.0, loss=loss, rank=30), X, y, 1e-10)


@pytest.mark.parametrize("weight", [0.1, 1000.0])
def test_logistic_does_not_remember_a_label_where_its_problem_is_nearly_flat(weight):
    # No row is like any other: nothing can be known about a label that is held out.
    far_apart = 10.0 * np.random.default_rng(0).standard_normal((60, 40))
    y = np.full(60, -1)
    y[:12] = np.arange(12) % 2
    found = check(LRKPCA(Gaussian(gamma=1.0), label_weight=weight, variance=2.0), far_apart, y, 1e-10)
    # All that shows is that one label of the class is missing: the same for each.
    assert np.ptp(np.abs(found.decisions)) < 1e-4


@each_data
@pytest.mark.parametrize("number", [None, 3])
def test_minimum_variance(X, y, number):
    check(MVKPCA(number), X, y, 0.0)


@each_data
def test_transducer(X, y):
    check(SpectralGraphTransducer(6, 20), X, y, 0.0)


MODELS = [LSKPCA(), LRKPCA(label_weight=1.0), MVKPCA(), SpectralGraphTransducer(6, 20)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_only_label_of_a_class_stays(model):
    y = UNEVEN.copy()
    alone = np.flatnonzero(y == 0)
    y[alone[1:]] = -1
    found = check(model, IMAGES, y, 1e-5)
    assert alone[0] not in found.rows
    assert len(found.rows) == 11
    assert found.decisions.shape == (11, 3)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[1], MODELS[3]], ids=lambda model: type(model).__name__)
def test_one_label_for_each_class(model):
    model = clone(model).fit(IMAGES, ["a", "b", "c"] + [None] * 117)
    with pytest.raises(ValueError, match=r"every class has one labelled row.*label a second row of some class"):
        model.leave_one_out()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_unfitted(model):
    with pytest.raises(NotFittedError):
        clone(model).leave_one_out()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_it_follows_the_labels(model):
    live = (
        clone(model).fit(IMAGES, UNEVEN).update_labels([60, 61], [1, 0]).forget_labels(np.flatnonzero(UNEVEN == 2)[0])
    )
    fresh = clone(model).fit(IMAGES, live_labels(live))
    np.testing.assert_array_equal(live.leave_one_out().rows, fresh.leave_one_out().rows)
    np.testing.assert_allclose(live.leave_one_out().decisions, fresh.leave_one_out().decisions, atol=1e-8)


def live_labels(model):
    codes = model.answer_.labels.codes
    return np.where(codes >= 0, model.classes_[codes], -1)


@pytest.mark.parametrize("n", [1, 2, 7, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_against_scipy(n, confidence):
    for k in {0, 1, n // 3, n - 1, n}:
        expected = binomtest(k, n).proportion_ci(confidence, method="wilson")
        found = wilson_interval(k, n, confidence)
        np.testing.assert_allclose(found, (expected.low, expected.high), atol=1e-14)
        assert 0 <= found[0] <= k / n <= found[1] <= 1
        assert all(type(bound) is float for bound in found)


def cuts(values, targets):
    """Cut functions whose values at all labelled points are known."""
    return held_out_thresholds(
        np.diagonal(values, axis1=-2, axis2=-1), values @ members(targets).T.astype(float), targets
    )


@pytest.mark.parametrize("shape", [(), (3,), (2, 4)])
def test_held_out_thresholds_against_a_loop(shape):
    rng = np.random.default_rng(0)
    targets = np.array([1.0, -1, -1, 1, -1, 1, -1])
    values = rng.standard_normal((*shape, 7, 7))
    found = cuts(values, targets)
    assert found.shape == (*shape, 7)
    for index in np.ndindex(*shape, 7):
        i, others = index[-1], np.delete(np.arange(7), index[-1])
        expected = middle_of_means(values[(*index[:-1], i, others)], targets[others])
        assert found[index] == pytest.approx(expected, abs=1e-14)


def test_held_out_threshold_of_the_only_label_of_its_side():
    values = np.random.default_rng(0).standard_normal((4, 4))
    found = cuts(values, np.array([1.0, -1, -1, -1]))
    assert found[0] == 0
    assert np.all(found[1:] != 0)


def many_labels():
    """3,000 labels on 5 coordinates."""
    target = np.arange(4000) % 2
    X = np.random.default_rng(0).standard_normal((4000, 5)) + target[:, None]
    coordinates = coordinates_from_features(X, np.asarray, np.eye(5), centered=True, total_variance=1.0)
    return X, np.where(np.arange(4000) < 3000, target, -1), coordinates


@pytest.mark.parametrize("targets", [[1.0, -1, -1, 1, -1], [1.0, 1.0], [-1.0]])
def test_without_each_against_a_loop(targets):
    targets = np.array(targets)

    def found(others):
        return len(others) + 10 * others.sum()

    expected = [found(np.delete(targets, i)) for i in range(len(targets))]
    np.testing.assert_array_equal(without_each(found, targets), expected)


@pytest.mark.parametrize("method", [LSKPCA, LRKPCA, MVKPCA])
def test_many_labels_never_mean_a_square_matrix_of_them(method):
    X, y, coordinates = many_labels()
    tracemalloc.start()
    try:
        model = method(coordinates=coordinates).fit(X, y)
        if method is LSKPCA:  # the others are fitted anew, label by label
            model.leave_one_out()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3000**2 * 8 / 4


def test_many_labels_held_out_against_fits():
    X, y, coordinates = many_labels()
    found = LSKPCA(coordinates=coordinates).fit(X, y).leave_one_out()
    for i in (0, 1234, 2999):
        refit = LSKPCA(coordinates=coordinates).fit(X, np.where(np.arange(4000) == i, -1, y))
        assert found.decisions[i] == pytest.approx(refit.decision_[i], rel=1e-9)


def test_where_removal_would_lose_digits_fits_are_made():
    rng = np.random.default_rng(0)
    target = np.arange(60) % 2
    X = (rng.standard_normal((60, 20)) + target[:, None] * (np.arange(20) < 2)) * 1e5  # label_weight * |x|^2 is 2e13
    y = np.where(np.arange(60) < 8, target, -1)
    model = LSKPCA("linear").fit(X, y)
    found = model.leave_one_out()
    for row, decision in zip(found.rows, found.decisions, strict=True):
        refit = LSKPCA("linear").fit(X, np.where(np.arange(60) == row, -1, y))
        assert decision == pytest.approx(refit.decision_[row], rel=1e-6)


@pytest.mark.parametrize(("kernel", "variance"), [("poly", 1e-12), ("rbf", 1e-12), ("rbf", 1e-8), ("laplacian", 1e-8)])
def test_tiny_variances_with_large_weights_are_left_to_fits(kernel, variance):
    """There the pencil's eigenvalues have too few digits for a price as high as that."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 3)), np.full(100, -1)
    y[:4] = [0, 1, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LSKPCA(kernel, variance=variance, label_weight=1e6).fit(X, y)
        found = model.leave_one_out()
        for i in range(4):
            without = LSKPCA(coordinates=model.coordinates_, variance=variance, label_weight=1e6)
            expected = without.fit(X, np.where(np.arange(100) == i, -1, y)).decision_[i]
            assert found.decisions[i] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_nearly_degenerate_kernels_agree_with_refits(seed):
    rng = np.random.default_rng(seed)
    n, n_labeled = int(rng.integers(10, 40)), int(rng.integers(4, 8))
    noise = rng.standard_normal((n, n)) @ rng.standard_normal((n, n)).T / n
    spread = np.ones((n, n)) if seed % 3 == 0 else (noise + noise.T) / 2
    K = np.eye(n) + 10.0 ** rng.uniform(-13, -8) * spread
    y = np.full(n, -1)
    y[:n_labeled] = np.arange(n_labeled) % 2
    for weight in (0.01, 1.0, 100.0):
        model = LSKPCA("precomputed", label_weight=weight).fit(K, y)
        found, answer = model.leave_one_out(), model.answer_
        expected = flat(solve_without_each(answer.method, answer.geometry, answer.labels, found.rows))
        np.testing.assert_allclose(found.decisions, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("seed", [13, 19, 85, 178, 224, 237])
def test_labels_that_contradict_each_other_on_equal_rows_are_a_hard_case(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 24))
    a = int(rng.integers(3, n - 2))
    K = np.zeros((n, n))
    K[:a, :a], K[a:, a:] = rng.uniform(0.1, 3), rng.uniform(0.1, 3)
    y = np.full(n, -1)
    y[:2] = 0, 1
    for weight in 10.0 ** rng.uniform(-2, 5, 20):
        for centered in (True, False):
            for shift, scale in ((0.0, 1.0), (0.7, 1.0), (0.0, 1e-5), (0.0, 1e5)):
                model = LSKPCA("precomputed", label_weight=weight, centered=centered).fit(scale * (K + shift), y)
                assert model.reports_[0].status == "hard case"


def test_without_one_of_the_only_pair_of_labels_mv_kpca_is_kernel_pca():
    y = {int(row): int(MOON[row]) for row in (*np.flatnonzero(MOON == 0)[:2], np.flatnonzero(MOON == 1)[0])}
    pair = [row for row, value in y.items() if value == 0]
    model = MVKPCA(kernel=Gaussian(gamma=4.0)).fit(MOONS, y)
    found = model.leave_one_out()
    assert sorted(found.rows) == sorted(pair)
    for row, decision in zip(found.rows, found.decisions, strict=True):
        others = {other: value for other, value in y.items() if other != row}
        plain = MVKPCA(kernel=Gaussian(gamma=4.0), label_weight=0.0).fit(MOONS, others)
        np.testing.assert_allclose(decision, plain.decision_[row], rtol=1e-9)
    assert np.isfinite(model.predict_proba(MOONS)).all()


@pytest.mark.parametrize(("size", "weight", "told"), [(1e7, 8e7, True), (1.0, 8e7, False), (1e7, 1.0, False)])
def test_a_label_weight_that_magnifies_the_rounding_of_the_kernel_is_told(size, weight, told):
    rng = np.random.default_rng(0)
    X = np.sqrt(size) * rng.standard_normal((40, 3))
    y = np.where(np.arange(40) < 8, np.arange(40) % 2, -1)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        LSKPCA("linear", label_weight=weight).fit(X, y)
    assert any("which the gap does not see" in str(warning.message) for warning in found) == told
