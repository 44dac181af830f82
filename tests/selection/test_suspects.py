"""Labels that look wrong, against slow, obvious code and on labels that are right."""

import numpy as np
import pytest

from sskpca import SSKPCAClassifier
from sskpca._selection.suspects import (
    PRIOR_LABELS,
    PRIOR_SHARE,
    RATES,
    STEEPER,
    chances_by_the_others,
    find_suspects,
    wrong_label_probabilities,
)
from sskpca._transduction.calibration import fit_slope, probabilities
from sskpca.kernels import Gaussian, Linear


def by_hand(decisions, codes, slope):
    """Loops over rates and slopes, label by label, for two classes."""
    best, found = -np.inf, None
    for times in STEEPER:
        p = [1 / (1 + np.exp(-slope * times * (2 * c - 1) * f)) for f, c in zip(decisions[:, 0], codes, strict=True)]
        for rate in RATES:
            likely = [(1 - rate) * own + rate * (1 - own) for own in p]
            value = (
                np.sum(np.log(likely))
                + (PRIOR_LABELS + PRIOR_SHARE * len(codes)) * np.log(1 - 2 * rate)
                - np.log(times) ** 2 / 8
            )
            if value > best:
                best, found = value, [rate * (1 - own) / both for own, both in zip(p, likely, strict=True)]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_against_loops(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, 40)
    decisions = (2 * codes - 1 + rng.standard_normal(40))[:, None]
    codes[:4] = 1 - codes[:4]
    np.testing.assert_allclose(
        wrong_label_probabilities(decisions, codes, 2.0), by_hand(decisions, codes, 2.0), atol=1e-10
    )


@pytest.mark.parametrize("n_classes", [2, 5])
def test_labels_drawn_from_the_probabilities_are_hardly_ever_flagged(n_classes):
    flagged, number = 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        decisions = 3 * rng.standard_normal((100, 1 if n_classes == 2 else n_classes))
        codes = np.array([rng.choice(n_classes, p=row) for row in probabilities(decisions, 1.0)])
        flagged += np.sum(wrong_label_probabilities(decisions, codes, 1.0) > 0.5)
        number += len(codes)
    assert flagged <= 0.01 * number


@pytest.mark.parametrize("n_classes", [2, 3])
def test_chances_against_slopes_found_without_each_label(n_classes):
    rng = np.random.default_rng(0)
    codes = np.arange(30) % n_classes
    decisions = (2 * codes[:, None] - 1.0 if n_classes == 2 else 2 * np.eye(3)[codes]) + rng.standard_normal(
        (30, 1 if n_classes == 2 else 3)
    )
    found = chances_by_the_others(decisions, codes)
    for i in range(30):
        others = np.arange(30) != i
        slope = fit_slope(decisions[others].T, codes[others])
        assert found[i] == pytest.approx(probabilities(decisions[[i]], slope)[0, codes[i]], abs=0.02)


def test_a_single_error_among_clear_labels_is_found():
    X, target = clouds(n=400)
    y = np.where(np.arange(400) < 60, target, -1)
    y[4] = 1 - y[4]
    found = SSKPCAClassifier([Gaussian(), Linear()]).fit(2 * X, y).suspects()
    assert [suspect.row for suspect in found] == [4]


def test_where_outcomes_are_just_noisy_nothing_is_flagged():
    rng = np.random.default_rng(0)
    decisions = rng.uniform(-1, 1, (200, 1))
    codes = (rng.random(200) < 1 / (1 + np.exp(-decisions[:, 0]))).astype(int)
    assert wrong_label_probabilities(decisions, codes, 1.0).max() < 0.5


def test_flipped_labels_of_clear_classes_are_found():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 60)
    decisions = 4 * np.eye(3)[codes] + rng.standard_normal((60, 3))
    codes[:6] = (codes[:6] + 1) % 3
    found = wrong_label_probabilities(decisions, codes, 1.0) > 0.5
    assert found[:6].sum() >= 5
    assert not found[6:].any()


def clouds(seed=0, n=200):
    rng = np.random.default_rng(seed)
    target = np.arange(n) % 2
    return rng.standard_normal((n, 4)) + 3 * target[:, None], target


def test_flipped_labels_are_found_and_right_ones_left_alone():
    X, target = clouds()
    y = np.where(np.arange(200) < 60, target, -1)
    kernels = [Gaussian(), Linear()]
    assert SSKPCAClassifier(kernels).fit(X, y).suspects() == []
    flipped = np.array([4, 17, 33])
    y[flipped] = 1 - y[flipped]
    found = SSKPCAClassifier(kernels).fit(X, y).suspects()
    assert {suspect.row for suspect in found} == set(flipped.tolist())
    assert all(suspect.suggestion == target[suspect.row] for suspect in found)
    assert [s.probability for s in found] == sorted(s.probability for s in found)
    assert len(SSKPCAClassifier(kernels).fit(X, y).suspects(1)) == 1


def test_suspects_that_are_not_tried_say_so():
    X, target = clouds()
    y = np.where(np.arange(200) < 60, target, -1)
    y[4] = 1 - y[4]
    (suspect,) = find_suspects(SSKPCAClassifier([Gaussian()]).fit(X, y).answer_, tried=0)
    assert suspect.n_changed == -1
    assert np.isnan(suspect.loo_error_if_changed)
