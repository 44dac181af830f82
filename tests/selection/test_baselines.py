"""Baselines against leaving out by hand, and the paired test against its definition."""

from math import comb

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from sskpca._selection import baselines as module
from sskpca._selection.baselines import baselines, better_baseline, paired_p_value
from sskpca._transduction.held_out import wilson_interval


def clouds(n, n_classes=3, seed=0, shift=2.0):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, 5))
    X[:, 0] += shift * codes
    return X, codes


def test_the_nearest_neighbour_is_that_of_refits_without_each_label():
    X, codes = clouds(60)
    wrong = []
    for i in range(60):
        others = np.arange(60) != i
        wrong.append(KNeighborsClassifier(1).fit(X[others], codes[others]).predict(X[[i]])[0] != codes[i])
    found = baselines(X, codes)[1]
    np.testing.assert_array_equal(found.wrong, wrong)
    assert (found.name, found.n_labels, found.error) == ("nearest neighbour", 60, np.mean(wrong))
    assert found.interval == wilson_interval(int(np.sum(wrong)), 60)


def test_the_most_frequent_class_is_named_and_wrong_on_all_others():
    codes = np.array([0] * 3 + [1] * 7)
    found = baselines(np.random.default_rng(0).normal(size=(10, 2)), codes, ["Yes", "No"])[0]
    assert (found.name, found.always, found.error) == ("most frequent class", "No", 0.3)
    even = baselines(np.random.default_rng(0).normal(size=(10, 2)), np.arange(10) % 2)[0]
    assert even.error == 0.5  # held out, the other class would always be more frequent


def test_a_forest_finds_what_trees_find_and_nothing_in_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10))
    codes = (X[:, 3] > 0).astype(int)
    forest = baselines(X, codes)[2]
    assert forest.name == "random forest"
    assert forest.error < 0.1
    noise = baselines(X, rng.permutation(codes))[2]
    assert noise.interval[0] < 0.5 < noise.interval[1]  # labels that were in the bag would not be predicted so badly


def test_the_only_label_of_a_class_counts_as_wrong():
    X, codes = clouds(30, 2)
    codes[4] = 2
    for found in baselines(X, codes):
        assert found.wrong[4]
    for found in baselines(np.eye(3), np.arange(3)):
        assert found.error == 1


def test_sparse_rows_give_the_answer_of_dense_ones():
    X, codes = clouds(50)
    X[np.abs(X) < 0.5] = 0
    for dense, thin in zip(baselines(X, codes), baselines(sparse.csr_matrix(X), codes), strict=True):
        np.testing.assert_array_equal(dense.wrong, thin.wrong)


def test_of_many_labels_a_fixed_sample_is_held_out(monkeypatch):
    monkeypatch.setattr(module, "MOST_LABELS", 40)
    X, codes = clouds(100)
    first, again = baselines(X, codes), baselines(X, codes)
    assert [found.n_labels for found in first] == [40] * 3
    for found, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(found.labels, first[0].labels)
        np.testing.assert_array_equal(found.wrong, same.wrong)
    assert np.all(np.diff(first[0].labels) > 0)
    np.testing.assert_array_equal(first[0].wrong, codes[first[0].labels] != int(first[0].always))


def test_a_baseline_on_fewer_labels_has_their_error():
    X, codes = clouds(30)
    found = baselines(X, codes)[0]
    part = found.restrict(np.arange(10, 20))
    np.testing.assert_array_equal(part.wrong, found.wrong[10:20])
    assert (part.n_labels, part.error, part.always) == (10, found.wrong[10:20].mean(), found.always)


@pytest.mark.parametrize("n", [0, 1])
def test_without_two_labels_there_are_no_baselines(n):
    assert baselines(np.zeros((n, 2)), np.zeros(n, dtype=int)) == ()


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (1, 0), (5, 0), (8, 2), (3, 9)])
def test_the_p_value_is_the_tail_of_fair_coins(worse, better):
    model = np.array([True] * worse + [False] * better + [True, False])
    baseline = np.array([False] * worse + [True] * better + [True, False])
    n = worse + better
    tail = sum(comb(n, k) for k in range(worse, n + 1)) / 2**n
    assert paired_p_value(model, baseline) == pytest.approx(tail)
    assert better_baseline(model, baseline) == (tail <= 0.05)


def test_equally_good_baselines_are_called_better_at_most_at_the_level():
    rng = np.random.default_rng(0)
    draws = [better_baseline(rng.random(100) < 0.2, rng.random(100) < 0.2) for _ in range(2000)]
    assert np.mean(draws) <= 0.06
