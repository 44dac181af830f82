"""Which row next, against dense matrices."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sskpca import SSKPCAClassifier
from sskpca._selection.portfolio import portfolio_coordinates
from sskpca._selection.query import Information, Prior, next_rows, prior_of
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian, Linear

MOONS, MOON_LABELS, MOON = make_two_moons(40)
IMAGES, DIGIT = load_digits(n_class=3, return_X_y=True)
IMAGES, DIGIT = IMAGES[:40] / 16, DIGIT[:40]
DIGIT_LABELS = np.where(np.arange(40) < 9, DIGIT, -1)
KERNELS = [Gaussian(), Diffusion(4), Linear()]
WEIGHTS = np.array([0.5, 0.2, 0.3])


def coordinates():
    return portfolio_coordinates(KERNELS, MOONS, 30)[1]


def information_of(parts, labeled, weights, noise=0.1):
    """What is known with labels on some rows."""
    return Information([Prior.of(part) for part in parts], [part.values[labeled] for part in parts], weights, noise)


def posterior(K, labeled, noise):
    """The covariance of all rows after noisy labels."""
    seen = K[np.ix_(labeled, labeled)] + noise * np.eye(len(labeled))
    return K - K[:, labeled] @ np.linalg.solve(seen, K[labeled])


def spread(covariance):
    """The trace of the covariance around the mean of the rows."""
    H = np.eye(len(covariance)) - 1 / len(covariance)
    return np.trace(H @ covariance @ H)


@pytest.mark.parametrize("labeled", [[], [3], [3, 7, 20], list(range(0, 40, 3))])
@pytest.mark.parametrize("noise", [0.01, 0.1, 3.0])
def test_gains_are_what_a_label_takes_off_the_variance(labeled, noise):
    labeled = np.array(labeled, dtype=int)
    expected, done = np.zeros(40), []
    for part in coordinates():
        K = part.values @ part.values.T
        before = spread(posterior(K, labeled, noise))
        # a row labelled once more counts as another label of it
        gain = [before - spread(posterior(K, np.append(labeled, row), noise)) for row in range(40)]
        expected += WEIGHTS[len(done)] * np.array(gain) / np.max(gain)
        done.append(part)
    np.testing.assert_allclose(information_of(coordinates(), labeled, WEIGHTS, noise).gains(), expected, atol=1e-8)


def test_observing_is_labelling():
    everything = coordinates()
    rows = [3, 7, 20, 7]
    information = information_of(everything, np.array([], dtype=int), WEIGHTS)
    for i, row in enumerate(rows):
        information.observe(row)
        fresh = information_of(everything, np.array(rows[: i + 1]), WEIGHTS)
        np.testing.assert_allclose(information.gains(), fresh.gains(), atol=1e-10)
        for one, other in zip(information.covariances, fresh.covariances, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-10)


def test_the_first_row_without_labels_is_the_one_that_tells_most():
    model = SSKPCAClassifier(KERNELS, rank=30).fit(MOONS)
    information = information_of(model.coordinates_, np.array([], dtype=int), np.full(3, 1 / 3))
    first, second = model.next_rows(2)
    assert first == np.argmax(information.gains())
    information.observe(first)
    gains = information.gains()
    gains[first] = -1
    assert second == np.argmax(gains)


def test_of_rows_that_are_the_same_one_is_enough():
    X, y = np.vstack([MOONS] * 3), np.r_[MOON_LABELS, [-1] * 80]
    rows = SSKPCAClassifier([Gaussian(), Linear()], rank=30).fit(X, y).next_rows(5) % 40
    assert len(set(rows.tolist())) == 5


def test_with_labels_doubt_counts_and_half_of_the_say_is_for_all_kernels_alike():
    model = SSKPCAClassifier(KERNELS, rank=30).fit(MOONS, MOON_LABELS)
    weights = (np.array(list(model.kernel_weights_.values())) + 1 / 3) / 2
    gains = information_of(model.coordinates_, model.labeled_rows_, weights).gains()
    doubt = 1 - np.abs(model.label_distributions_ @ [1, -1])
    worth = np.where(MOON_LABELS < 0, gains * doubt, -1)
    assert model.next_rows()[0] == np.argmax(worth)


def test_rows_that_somebody_could_not_tell_are_passed_over():
    answer = SSKPCAClassifier(KERNELS, rank=30).fit(MOONS, MOON_LABELS).answer_
    first = next_rows(answer, 3)
    again = next_rows(answer, 3, first[:2], prior_of(answer.geometry))
    assert again[0] not in first[:2]
    assert not set(first[:2].tolist()) & set(next_rows(answer, 40, first[:2]).tolist())


def test_of_very_many_rows_a_sample_is_looked_at_and_the_last_ones_are_found(monkeypatch):
    monkeypatch.setattr("sskpca._selection.query.MOST_ROWS", 20)
    answer = SSKPCAClassifier(KERNELS, rank=10).fit(MOONS, MOON_LABELS).answer_
    free = set(np.flatnonzero(MOON_LABELS < 0).tolist())
    sample = next_rows(answer, 40)
    assert set(sample.tolist()) < free
    assert set(next_rows(answer, 40, sample).tolist()) == free - set(sample.tolist())
