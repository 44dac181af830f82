"""Weights of candidates against slow, obvious code."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from sskpca.selection.averaging import jackknife_decisions, log_likelihood, pseudo_weights


def draw(n_classes, n=12, candidates=5, seed=0):
    rng = np.random.default_rng(seed)
    functions = 1 if n_classes == 2 else n_classes
    return rng.standard_normal((candidates, functions, n)), np.r_[np.arange(n_classes), rng.integers(0, n_classes, n)][
        :n
    ]


def shares(decisions, slope):
    """The probability of each class for one row, from its decisions."""
    if len(decisions) == 1:
        positive = 1 / (1 + np.exp(-slope * decisions[0]))
        return np.array([1 - positive, positive])
    weights = np.exp(slope * decisions)
    return weights / weights.sum()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("slope", [0.5, 2.0, 7.0])
def test_likelihood_row_by_row(n_classes, slope):
    decisions, codes = draw(n_classes)
    found = log_likelihood(decisions, codes, slope)
    assert found.shape == (5, 12)
    for k in range(5):
        expected = [np.log(shares(decisions[k, :, i], slope)[code]) for i, code in enumerate(codes)]
        np.testing.assert_allclose(found[k], expected, atol=1e-12)
        np.testing.assert_allclose(log_likelihood(decisions[k], codes, slope), expected, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_likelihood_is_scikit_learns_loss(n_classes):
    decisions, codes = draw(n_classes, 40)
    table = np.array([shares(row, 2.0) for row in decisions[0].T])
    assert -log_likelihood(decisions[0], codes).mean() == pytest.approx(log_loss(codes, table))


def test_two_classes_are_two_opposite_functions():
    """P(1) = 1 / (1 + e^-2f) is the softmax of 2(-f/2, f/2)."""
    decisions, codes = draw(2)
    both = np.concatenate([-decisions / 2, decisions / 2], axis=1)
    np.testing.assert_allclose(log_likelihood(decisions, codes), log_likelihood(both, codes), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_likelihood_far_out(n_classes):
    decisions, codes = draw(n_classes)
    found = log_likelihood(1e5 * decisions, codes)
    assert np.isfinite(found).all()
    assert found.max() <= 0


def test_weights_are_products_of_probabilities():
    decisions, codes = draw(3)
    likelihood = log_likelihood(decisions, codes)
    products = np.array([np.prod(np.exp(row)) for row in likelihood])
    weights = pseudo_weights(likelihood)
    np.testing.assert_allclose(weights, products / products.sum())
    assert weights.sum() == pytest.approx(1)


def test_weights_that_underflow_sum_to_one():
    weights = pseudo_weights(np.array([[-5000.0, -5000.0], [-5001.0, -5000.0], [-9000.0, -9000.0]]))
    np.testing.assert_allclose(weights, np.array([np.e, 1.0, 0.0]) / (1 + np.e))


def test_one_candidate_has_all_the_weight():
    decisions, codes = draw(3, candidates=1)
    likelihood = log_likelihood(decisions, codes)
    np.testing.assert_array_equal(pseudo_weights(likelihood), [1.0])
    np.testing.assert_allclose(jackknife_decisions(decisions, likelihood), decisions[0])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_jackknife_against_a_loop(n_classes):
    decisions, codes = draw(n_classes)
    likelihood = log_likelihood(decisions, codes)
    found = jackknife_decisions(decisions, likelihood)
    assert found.shape == decisions.shape[1:]
    for i in range(len(codes)):
        weights = pseudo_weights(np.delete(likelihood, i, axis=1))
        np.testing.assert_allclose(found[:, i], weights @ decisions[:, :, i], atol=1e-12)


def test_the_jackknife_does_not_see_the_label():
    decisions, codes = draw(2)
    other = codes.copy()
    other[4] = 1 - other[4]
    np.testing.assert_allclose(
        jackknife_decisions(decisions, log_likelihood(decisions, codes))[:, 4],
        jackknife_decisions(decisions, log_likelihood(decisions, other))[:, 4],
        atol=1e-12,
    )
