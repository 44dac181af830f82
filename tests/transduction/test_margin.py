import numpy as np
import pytest

from sskpca._transduction.methods import linear_margin, middle_of_means, threshold_between


def test_separable_scores_are_cut_in_the_middle():
    assert threshold_between(np.array([-3.0, -1.0, 2.0, 5.0]), np.array([-1, -1, 1, 1.0])) == 0.5


def test_fitted_labels_give_zero():
    t = np.array([-1.0] * 9 + [1.0])
    assert threshold_between(t, t) == 0.0
    assert middle_of_means(t, t) == 0.0


def test_the_middle_does_not_depend_on_how_many_there_are_of_each():
    scores, t = np.array([3.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0])
    more = np.r_[scores, np.full(50, -1.0)], np.r_[t, -np.ones(50)]
    assert middle_of_means(scores, t) == middle_of_means(*more) == 0.5


def test_a_rare_class_is_not_given_up():
    """One positive among negatives of equal height: the plain error would call everything negative."""
    scores = np.array([-2.0, -1.0, 0.0, 1.0, 1.5, 3.0])
    t = np.array([-1, -1, -1, 1.0, -1, -1])
    assert threshold_between(scores, t) == pytest.approx(0.5)


def test_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(3, 12))
        s, t = rng.standard_normal(n), np.where(rng.random(n) < 0.5, 1.0, -1.0)
        t[:2] = 1, -1
        cut = threshold_between(s, t)

        def error(c, s=s, t=t):
            return np.mean(s[t > 0] <= c) + np.mean(s[t < 0] > c)

        middles = (np.sort(s)[1:] + np.sort(s)[:-1]) / 2
        assert error(cut) == pytest.approx(min(error(c) for c in middles))


def test_equal_scores_have_no_threshold():
    assert threshold_between(np.ones(3), np.array([1.0, -1, 1])) == 0.0


def test_one_feature_may_point_the_other_way():
    weights, cut = linear_margin(np.array([[3.0], [2.0], [-1.0]]), np.array([-1.0, -1, 1]), 1e4)
    assert weights == [-1.0]
    assert cut == pytest.approx(-0.5)


def test_several_features_get_the_hard_margin():
    rng = np.random.default_rng(0)
    F = rng.standard_normal((20, 3)) * [1, 100, 0.01]
    t = np.sign(F[:, 0] + F[:, 1] / 100)
    weights, cut = linear_margin(F, t, 1e4)
    assert np.all(np.sign(F @ weights - cut) == t)
