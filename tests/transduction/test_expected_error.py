"""The expected error: two estimates, and an interval that allows for the say of the labels."""

import numpy as np
import pytest

from sskpca import SSKPCAClassifier
from sskpca._transduction.calibration import LABELS_PER_TRIAL, MOST_ROWS, expected_error
from sskpca._transduction.held_out import wilson_interval
from sskpca._transduction.labels import Labels
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian, Linear


def problem(n=50, n_labeled=10):
    codes = np.full(n, -1)
    codes[:n_labeled] = np.arange(n_labeled) % 2
    sure = np.linspace(0.5, 1.0, n)
    return np.column_stack([sure, 1 - sure]), Labels(np.arange(2), codes)


def test_it_is_the_mean_of_held_out_errors_and_of_the_doubt_about_unlabelled_rows():
    probability, labels = problem()
    wrong = np.arange(10) < 3
    error, (low, high) = expected_error(wrong, probability, labels)
    doubt = 1 - probability[10:].max(axis=1)
    assert error == pytest.approx((0.3 + doubt.mean()) / 2)
    trials = 10 / LABELS_PER_TRIAL
    assert (low, high) == pytest.approx(wilson_interval(error * trials, trials))
    assert low < error < high


def test_without_a_label_that_can_be_held_out_the_doubt_is_all_there_is():
    probability, labels = problem(n_labeled=2)
    error, (low, high) = expected_error(np.empty(0, dtype=bool), probability, labels)
    assert error == pytest.approx(np.mean(1 - probability[2:].max(axis=1)))
    assert high - low > 0.5


def test_where_all_rows_are_labelled_the_held_out_error_is_all_there_is():
    probability, labels = problem(10, 10)
    assert expected_error(np.arange(10) < 1, probability, labels)[0] == pytest.approx(0.1)


def test_nothing_is_known_of_rows_that_are_each_the_only_one_of_its_class():
    error, interval = expected_error(np.empty(0, dtype=bool), np.eye(2), Labels(np.arange(2), np.arange(2)))
    assert np.isnan(error)
    assert interval == (0.0, 1.0)


def test_of_very_many_rows_a_sample_is_enough():
    probability, labels = problem(3 * MOST_ROWS)
    error, _ = expected_error(np.zeros(10, dtype=bool), probability, labels)
    assert error == pytest.approx(np.mean(1 - probability[10:].max(axis=1)) / 2, abs=2e-3)


def test_the_order_of_the_rows_does_not_matter():
    X, y, _ = make_two_moons(120)
    order = np.random.default_rng(0).permutation(120)
    one, other = (SSKPCAClassifier([Gaussian(), Linear()]).fit(X[rows], y[rows]) for rows in (np.arange(120), order))
    np.testing.assert_allclose(other.decision_, one.decision_[order], atol=1e-8)
    assert other.expected_error_ == pytest.approx(one.expected_error_, abs=1e-8)
