"""Labelled rows that are not like the others are found out, and random samples are left in peace."""

import time

import numpy as np
import pyarrow as pa
import pytest
from penguins import FULL, SPECIES, N, half_labelled
from scipy import sparse, stats
from sklearn.metrics import roc_auc_score

from sskpca._tables import check_table
from sskpca._tables.sampling import RIDGE, _aucs, _hat, _held_out, compare_rows, contrast


def test_the_p_value_is_that_of_fishers_exact_test():
    rng = np.random.default_rng(0)
    codes = np.array([0] * 5 + [1] * 7 + [-1] * 40)
    for _ in range(20):
        mask = rng.random(52) < rng.random()
        a, b = int(mask[:12].sum()), int(mask[12:].sum())
        expected = stats.fisher_exact([[a, 12 - a], [b, 40 - b]])[1]
        assert contrast(mask, codes).p_value == pytest.approx(expected)


def test_what_is_so_everywhere_or_nowhere_is_no_contrast():
    codes = np.array([0, 1, -1, -1])
    for mask in (np.ones(4, dtype=bool), np.zeros(4, dtype=bool)):
        found = contrast(mask, codes)
        assert found.p_value == 1
        assert not found.only_labeled(0.01)
        assert not found.only_others(0.01)


def test_the_class_that_has_it_least_decides():
    codes = np.array([0] * 20 + [1] * 20 + [-1] * 1000)
    rows = np.arange(1040)
    one_class = (rows < 20) | (rows >= 1030)
    both = (rows < 40) | (rows >= 1030)
    assert contrast(one_class, codes).p_value < 1e-10
    assert not contrast(one_class, codes).only_labeled(0.01)
    assert contrast(both, codes).only_labeled(0.01)


def test_held_out_decisions_are_those_of_refits():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, 3)), np.array([1.0] * 4 + [0.0] * 8)
    hat = _hat(X)
    K = RIDGE * np.linalg.solve(np.eye(12) - hat, hat)  # H = (K + ridge)^-1 K, solved for K
    target = y - y.mean()
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        alpha = np.linalg.solve(K[np.ix_(rest, rest)] + RIDGE * np.eye(11), target[rest])
        assert _held_out(hat, y[:, None])[i, 0] == pytest.approx(K[i, rest] @ alpha)


def test_the_auc_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    y = rng.random((30, 1)) < 0.4
    decisions = rng.normal(size=(30, 1))
    assert _aucs(decisions, y.astype(float))[0] == pytest.approx(roc_auc_score(y[:, 0], decisions[:, 0]))


@pytest.mark.parametrize("n_labeled", [3, 10, 30, 300])
def test_random_samples_are_hardly_ever_called_different(n_labeled):
    rng = np.random.default_rng(n_labeled)
    found = []
    for _ in range(60):
        X = np.column_stack([rng.standard_t(2, (500, 4)), rng.integers(0, 2, (500, 4))])
        found.append(compare_rows(X, rng.permutation(500) < n_labeled))
    assert sum(difference.significant for difference in found) == 0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_a_shift_is_found_with_its_feature(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 20))
    labeled = rng.permutation(1000) < 60
    X[labeled, 7] -= 1.5
    found = compare_rows(kind(X), labeled)
    assert found.significant
    assert found.feature == 7
    assert found == compare_rows(kind(X), labeled)
    assert 0.7 < found.auc < stats.norm.cdf(1.5 / np.sqrt(2)) + 0.05


def test_three_labels_far_from_all_others_are_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:3] += [6.0, 6.0, 0.0]
    assert compare_rows(X, np.arange(300) < 3).significant


def test_rows_that_are_different_without_a_shift_are_found_without_a_feature():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    labeled = np.arange(800) < 200
    X[labeled] *= 0.2
    found = compare_rows(X, labeled)
    assert found.significant
    assert found.feature is None


def test_equal_rows_and_single_rows_are_no_difference():
    assert not compare_rows(np.ones((50, 2)), np.arange(50) < 5).significant
    assert not compare_rows(np.array([[0.0], [1.0]]), np.array([True, False])).significant


def test_it_takes_less_than_half_a_second():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 50))
    labeled = rng.permutation(10_000) < 1000
    X[labeled, 0] += 1
    times = []
    for _ in range(3):
        start = time.process_time()
        assert compare_rows(X, labeled).significant
        times.append(time.process_time() - start)
    assert min(times) < 1  # twice as long, for machines that are slower


def test_labels_of_heavy_penguins_are_told_to_be_no_sample():
    mass = np.array([float(cell) if cell != "NA" else 0 for cell in FULL["body_mass_g"].to_pylist()])
    rng = np.random.default_rng(0)
    labeled = np.isin(np.arange(N), rng.choice(np.flatnonzero(mass > 4200), 40, replace=False))
    assert len(set(SPECIES[labeled])) > 1
    (warning,) = check_table(half_labelled(labeled)).warnings
    assert warning.startswith(
        "the labelled rows differ from the others (a classifier tells them apart with an AUC of 0."
    )
    assert 'mostly by "body_mass_g"' in warning
    assert "may be too low for the others" in warning


def test_a_category_is_named_by_its_column():
    rng = np.random.default_rng(0)
    site = rng.choice(["north", "south", "east", "west"], 600)
    labeled = (site == "west") & (rng.random(600) < 0.5)
    table = pa.table(
        {
            "label": [rng.choice(["a", "b"]) if given else "" for given in labeled],
            "x": rng.normal(size=600),
            "site": site.tolist(),
            "z": rng.normal(size=600),
        }
    )
    assert 'mostly by "site"' in check_table(table).warnings[0]
