"""Which row next, against dense matrices and fits for every label that a row may have."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca.datasets import make_two_moons
from sskpca.estimators.classifier import label_variance
from sskpca.kernels import Diffusion, Gaussian, Linear
from sskpca.selection.calibration import probabilities
from sskpca.selection.portfolio import portfolio_coordinates
from sskpca.selection.query import Information, expected_change

MOONS, MOON_LABELS, MOON = make_two_moons(40)
IMAGES, DIGIT = load_digits(n_class=3, return_X_y=True)
IMAGES, DIGIT = IMAGES[:40] / 16, DIGIT[:40]
DIGIT_LABELS = np.where(np.arange(40) < 9, DIGIT, -1)
KERNELS = [Gaussian(), Diffusion(4), Linear()]
WEIGHTS = np.array([0.5, 0.2, 0.3])


def coordinates():
    return portfolio_coordinates(KERNELS, MOONS, 30)[1]


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
    np.testing.assert_allclose(Information(coordinates(), labeled, WEIGHTS, noise).gains(), expected, atol=1e-8)


def test_observing_is_labelling():
    everything = coordinates()
    rows = [3, 7, 20, 7]
    information = Information(everything, np.array([], dtype=int), WEIGHTS)
    for i, row in enumerate(rows):
        information.observe(row)
        fresh = Information(everything, np.array(rows[: i + 1]), WEIGHTS)
        np.testing.assert_allclose(information.gains(), fresh.gains(), atol=1e-10)
        for one, other in zip(information.images, fresh.images, strict=True):
            np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-10)


def by_hand(X, part, codes, c, share, slope):
    """Probabilities of all rows by a fit of one candidate."""
    n_classes, columns = codes.max() + 1, []
    for k in [1] if n_classes == 2 else range(n_classes):
        y = np.where(codes < 0, -1, codes == k)
        variance = share * label_variance(np.where(codes[codes >= 0] == k, 1.0, -1.0))
        model = LSKPCA(coordinates=part, label_weight=c, variance=variance, unlabeled=-1).fit(X, y)
        columns.append(model.decision_ / np.sqrt(np.mean((model.decision_ + model.threshold_) ** 2)))
    return probabilities(np.column_stack(columns), slope)


@pytest.mark.parametrize(("X", "y"), [(MOONS, MOON_LABELS), (IMAGES, DIGIT_LABELS)], ids=["two classes", "three"])
def test_expected_change_against_fits(X, y):
    model = SSKPCAClassifier(KERNELS, rank=30).fit(X, y)
    rows = np.flatnonzero(y < 0)[[0, 5, 11, 20]]
    table, expected = model.candidates_, np.zeros(4)
    for kernel, part in zip(model.kernels_, model.coordinates_, strict=True):
        # the heaviest candidate stands for its kernel
        own = np.flatnonzero(table["kernel"] == repr(kernel))
        best = own[np.argmax(table["weight"][own])]
        solve = (table["label_weight"][best], table["variance"][best], model.slope_)
        before = by_hand(X, part, y, *solve)
        for i, row in enumerate(rows):
            likely = model.label_distributions_[row]
            for k in np.argsort(-likely)[:2]:
                codes = y.copy()
                codes[row] = k
                change = np.abs(by_hand(X, part, codes, *solve) - before).sum(axis=1).mean() / 2
                expected[i] += table["weight"][own].sum() * likely[k] * change
    np.testing.assert_allclose(expected_change(model, rows), expected, atol=1e-8)
    assert np.all(expected > 0)


def test_the_first_row_without_labels_is_the_one_that_tells_most():
    model = SSKPCAClassifier(KERNELS, rank=30).fit(MOONS)
    information = Information(model.coordinates_, np.array([], dtype=int), np.full(3, 1 / 3))
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
    gains = Information(model.coordinates_, model.labeled_rows_, weights).gains()
    doubt = 1 - np.abs(model.label_distributions_ @ [1, -1])
    worth = np.where(MOON_LABELS < 0, gains * doubt, -1)
    assert model.next_rows()[0] == np.argmax(worth)


def test_by_change_the_screened_rows_are_weighed_by_it():
    model = SSKPCAClassifier(KERNELS, rank=30).fit(MOONS, MOON_LABELS)
    rows = np.flatnonzero(MOON_LABELS < 0)
    weights = (np.array(list(model.kernel_weights_.values())) + 1 / 3) / 2
    gains = Information(model.coordinates_, model.labeled_rows_, weights).gains()[rows]
    doubt = 1 - np.abs(model.label_distributions_[rows] @ [1, -1])
    screened = rows[np.argsort(-gains * doubt)[:30]]
    worth = expected_change(model, screened) * gains[np.argsort(-gains * doubt)[:30]]
    assert model.next_rows(by="change")[0] == screened[np.argmax(worth)]
    with pytest.raises(ValueError, match='by must be "information" or "change"'):
        model.next_rows(by="luck")
