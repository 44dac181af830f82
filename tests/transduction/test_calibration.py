"""From decisions to probabilities, where the right ones are known."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from sskpca._selection.averaging import log_likelihood
from sskpca._transduction.calibration import expected_calibration_error, fit_slope, probabilities


def simulated(slope, n_classes, n=5000, seed=0):
    """Decisions, and labels drawn with the probabilities that the slope makes of them."""
    rng = np.random.default_rng(seed)
    decisions = rng.standard_normal((1 if n_classes == 2 else n_classes, n))
    p = probabilities(decisions.T, slope)
    return decisions, (p.cumsum(axis=1) < rng.random(n)[:, None]).sum(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("slope", [0.3, 1.0, 4.0])
def test_a_known_slope_is_found(n_classes, slope):
    decisions, codes = simulated(slope, n_classes)
    found = fit_slope(decisions, codes)
    assert found == pytest.approx(slope, abs=3 * standard_error(decisions, slope))
    # As good as can be: no other slope makes the labels more likely, but for the one label of doubt.
    best = max(log_likelihood(decisions, codes, s).sum() for s in np.geomspace(slope / 2, 2 * slope, 400))
    assert log_likelihood(decisions, codes, found).sum() > best - 0.1
    assert expected_calibration_error(*judged(decisions, codes, found)) < 0.03


def standard_error(decisions, slope):
    """By Fisher's information: the variance of the decision for the label, summed over the rows."""
    p = probabilities(decisions.T, slope)
    f = np.vstack([np.zeros_like(decisions), decisions]).T if len(decisions) == 1 else decisions.T
    return 1 / np.sqrt(np.sum(p * f**2) - np.sum(np.sum(p * f, axis=1) ** 2))


def judged(decisions, codes, slope):
    p = probabilities(decisions.T, slope)
    return p.max(axis=1), p.argmax(axis=1) == codes


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_slope_follows_the_scale(scale):
    decisions, codes = simulated(2.0, 2)
    assert fit_slope(scale * decisions, codes) == pytest.approx(fit_slope(decisions, codes) / scale, rel=1e-4)


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_that_are_all_right_do_not_make_certain(n, n_classes):
    codes = np.arange(n) % n_classes
    decisions = (2.0 * codes - 1)[None] if n_classes == 2 else 2.0 * np.eye(n_classes)[codes].T - 1
    slope = fit_slope(decisions, codes)
    assert 0 < slope < np.inf
    p = probabilities(decisions.T, slope)[np.arange(n), codes]
    assert np.all(p > 0.5 if n_classes == 2 else p > 1 / 3)
    assert np.all(p < 1)


def test_more_labels_that_are_right_make_more_certain():
    slopes = [fit_slope(np.r_[-np.ones(n), np.ones(n)][None], np.repeat([0, 1], n)) for n in (1, 3, 10, 100)]
    assert np.all(np.diff(slopes) > 0)


def test_the_slope_by_hand():
    """n labels right and half a label wrong, all with a decision of 1: odds of n + 1/2 to 1/2."""
    for n in (1, 4, 20):
        assert fit_slope(np.ones((1, n)), np.ones(n, dtype=int)) == pytest.approx(np.log(2 * n + 1), rel=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_that_are_all_wrong_leave_it_positive(n_classes):
    codes = np.arange(12) % n_classes
    decisions = (1 - 2.0 * codes)[None] if n_classes == 2 else 1 - 2.0 * np.eye(n_classes)[codes].T
    slope = fit_slope(decisions, codes)
    assert 0 < slope < 0.1


def test_decisions_that_are_all_zero():
    slope = fit_slope(np.zeros((1, 4)), np.array([0, 1, 0, 1]))
    assert 0 < slope < np.inf


def test_probabilities_of_two_classes():
    decisions = np.array([[-1e6], [-1.0], [0.0], [1.0], [1e6]])
    p = probabilities(decisions, 3.0)
    np.testing.assert_allclose(p[:, 1], expit(3.0 * decisions[:, 0]))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p[1, 1] == pytest.approx(1 / (1 + np.exp(3.0)))


def test_probabilities_of_several_classes():
    decisions = np.random.default_rng(0).standard_normal((20, 4))
    for slope in (0.1, 3.0, 1e6):
        p = probabilities(decisions, slope)
        np.testing.assert_allclose(p, softmax(slope * decisions, axis=1))
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(p.argmax(axis=1), decisions.argmax(axis=1))


def test_calibration_error_by_hand():
    probability = np.array([0.55, 0.58, 0.95, 0.95, 0.95, 1.0])
    right = np.array([True, False, True, True, False, True])
    lower = abs(0.55 + 0.58 - 1)
    upper = abs(3 * 0.95 + 1.0 - 3)
    assert expected_calibration_error(probability, right) == pytest.approx((lower + upper) / 6)
    assert expected_calibration_error(probability, right, n_bins=1) == pytest.approx(abs(probability.sum() - 4) / 6)


def test_calibration_error_against_a_loop():
    rng = np.random.default_rng(0)
    probability, right = rng.random(500), rng.random(500) < 0.6
    expected = 0.0
    for low in np.arange(10) / 10:
        inside = (probability >= low) & (probability < low + 0.1)
        expected += inside.mean() * abs(probability[inside].mean() - right[inside].mean())
    assert expected_calibration_error(probability, right) == pytest.approx(expected)


def test_calibration_error_at_the_ends():
    assert expected_calibration_error(np.ones(3), np.ones(3, dtype=bool)) == 0
    assert expected_calibration_error(np.ones(3), np.zeros(3, dtype=bool)) == 1
    assert expected_calibration_error(np.zeros(3), np.zeros(3, dtype=bool)) == 0
