"""Weights of candidates against slow, obvious code."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from sskpca._selection.averaging import (
    MOST_EVIDENCE,
    SLOPES,
    bootstrap_draws,
    bootstrap_weights,
    counts_likelihood,
    family_prior,
    log_likelihood,
    predicted_shares,
)


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
    assert -log_likelihood(decisions[0], codes, 2.0).mean() == pytest.approx(log_loss(codes, table))


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


def by_hand(decisions, codes, prior, counts=None):
    """Weights, factors and jackknifed decisions by loops over slopes, candidates, draws and labels."""
    n, candidates = len(codes), len(decisions)
    factors_of_counts = np.ones((candidates, n)) if counts is None else np.exp(counts)
    every, prior = prior, [p * np.prod(row) for p, row in zip(prior, factors_of_counts, strict=True)]
    likelihood = np.array([[log_likelihood(d, codes, s) for d in decisions] for s in SLOPES])
    draws = bootstrap_draws(likelihood.reshape(-1, n))
    assert draws.sum(axis=1) == pytest.approx(n)
    draws = draws * min(1.0, MOST_EVIDENCE / n)
    weights, factors, held_out = np.zeros(candidates), np.zeros(candidates), np.zeros(decisions.shape[1:])
    for draw in draws:
        products = np.array(
            [[p * np.exp(row @ draw) for p, row in zip(prior, part, strict=True)] for part in likelihood]
        )
        weights += products.sum(axis=0) / products.sum() / len(draws)
        factors += SLOPES @ products / products.sum() / len(draws)
        for i in range(n):
            others = draw.copy()
            others[i] = 0
            left = [
                p * np.prod(np.delete(row, i)) for p, row in zip(every, factors_of_counts, strict=True)
            ]  # without the label's own count
            products = np.array(
                [[p * np.exp(row @ others) for p, row in zip(left, part, strict=True)] for part in likelihood]
            )
            held_out[:, i] += (SLOPES @ products / products.sum()) @ decisions[:, :, i] / len(draws)
    return weights, factors, held_out


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_weights_against_loops(n_classes, n, counted):
    decisions, codes = draw(n_classes, n)
    prior = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    shares = np.random.default_rng(n).dirichlet(np.ones(n_classes), 5)
    counts = 4 * counts_likelihood(shares, codes) if counted else None
    found = bootstrap_weights(decisions, codes, prior, np.ones(len(codes), dtype=bool), counts)
    for one, other in zip(
        (found.weights, found.factors, found.held_out), by_hand(decisions, codes, prior, counts), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-12)
    assert found.weights.sum() == pytest.approx(1)


def test_weights_of_decisions_that_are_far_out_sum_to_one():
    decisions, codes = draw(2)
    found = bootstrap_weights(1e5 * decisions, codes, np.full(5, 0.2), np.ones(12, dtype=bool))
    assert np.isfinite(found.factors).all()
    assert found.weights.sum() == pytest.approx(1)


def test_the_order_of_the_labels_does_not_matter():
    decisions, codes = draw(3)
    order = np.random.default_rng(5).permutation(len(codes))
    known = np.arange(len(codes)) != 3
    one = bootstrap_weights(decisions, codes, np.full(5, 0.2), known)
    other = bootstrap_weights(decisions[:, :, order], codes[order], np.full(5, 0.2), known[order])
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-12)
    np.testing.assert_allclose(other.held_out, one.held_out[:, order], atol=1e-12)


def test_one_candidate_has_all_the_weight():
    decisions, codes = draw(3, candidates=1)
    found = bootstrap_weights(decisions, codes, np.ones(1), np.ones(12, dtype=bool))
    np.testing.assert_allclose(found.weights, [1.0])
    assert SLOPES[0] <= found.factors[0] <= SLOPES[-1]


def test_labels_that_do_not_count_have_no_say():
    decisions, codes = draw(2)
    known = np.arange(12) != 4
    other = codes.copy()
    other[4] = 1 - other[4]
    one, two = (bootstrap_weights(decisions, c, np.full(5, 0.2), known) for c in (codes, other))
    np.testing.assert_allclose(one.weights, two.weights, atol=1e-12)


def test_families_share_the_prior_and_members_a_family():
    prior = family_prior(["a ls", "a ridge", "a ls", "b ls"])
    np.testing.assert_allclose(prior, [1 / 6, 1 / 3, 1 / 6, 1 / 3])


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_predicted_shares_are_counted_row_by_row(n_classes):
    """Off the cuts each row is in one class; one row more is thought to be in each."""
    decisions, _ = draw(n_classes, n=50)
    decisions *= 100
    for one, found in zip(decisions, predicted_shares(decisions), strict=True):
        called = (one[0] > 0).astype(int) if n_classes == 2 else one.argmax(axis=0)
        counts = [sum(called == k) + 1 for k in range(n_classes)]
        np.testing.assert_allclose(found, np.array(counts) / (50 + n_classes), atol=1e-3)


def test_a_row_on_a_cut_is_half_on_either_side():
    assert predicted_shares(np.array([[0.0, 1e-12, -1e-12]])) == pytest.approx([0.5, 0.5])
    assert predicted_shares(np.zeros((3, 4))) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("n", [6, 40])
def test_class_counts_by_hand(n):
    """The square root of the probability of each label's class; of more than ten labels less."""
    rng = np.random.default_rng(n)
    codes, shares = rng.integers(0, 3, n), rng.dirichlet(np.ones(3), 4)
    expected = [[np.log(own[code] ** (0.5 if n <= 10 else 50 / n**2)) for code in codes] for own in shares]
    np.testing.assert_allclose(counts_likelihood(shares, codes), expected, rtol=1e-12)
