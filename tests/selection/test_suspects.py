"""Labels that look wrong: calibrated on what right labels would do."""

import numpy as np
import pytest

from sskpca import SSKPCAClassifier
from sskpca.kernels import Gaussian, Linear
from sskpca.selection.suspects import FALSE_ALARMS, find_suspects, suspicion_threshold


@pytest.mark.parametrize("n_classes", [2, 5])
def test_of_labels_drawn_from_the_probabilities_one_in_a_hundred_is_flagged(n_classes):
    rng = np.random.default_rng(n_classes)
    probability = rng.dirichlet(np.full(n_classes, 0.3), 4000)
    threshold = suspicion_threshold(probability)
    labels = np.array([rng.choice(n_classes, p=row) for row in probability])
    flagged = probability[np.arange(4000), labels] <= threshold
    assert 0.5 * FALSE_ALARMS <= flagged.mean() <= 1.5 * FALSE_ALARMS


def test_where_outcomes_are_just_noisy_nothing_is_flagged():
    assert suspicion_threshold(np.full((200, 2), 0.5)) == 0.0
    rng = np.random.default_rng(0)
    positive = rng.uniform(0.3, 0.7, 200)
    assert (
        suspicion_threshold(np.column_stack([positive, 1 - positive])) <= np.sort(np.minimum(positive, 1 - positive))[7]
    )


def test_where_classes_are_clear_the_threshold_is_large():
    probability = np.tile([0.9999, 0.0001], (200, 1))
    probability[0] = 0.6, 0.4
    assert suspicion_threshold(probability) == 0.4


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
    (suspect,) = find_suspects(SSKPCAClassifier([Gaussian()]).fit(X, y), tried=0)
    assert suspect.n_changed == -1
    assert np.isnan(suspect.loo_error_if_changed)
