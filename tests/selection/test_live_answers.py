"""Answers while somebody waits: the first is near, the last is that of a refit."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from sskpca import SSKPCAClassifier
from sskpca._selection.live import answers, first_answer
from sskpca.kernels import Diffusion, Gaussian

KERNELS = [Gaussian(), Gaussian(factor=4.0), Diffusion(5, 30.0)]


def changed(answer, row, label):
    return answer.labels.with_labels(np.array([row]), np.array([label], dtype=object))


@pytest.fixture(scope="module")
def digits():
    X, target = load_digits(return_X_y=True)
    X, target = X[:400], target[:400]
    y = np.where(np.random.default_rng(0).random(400) < 0.1, target, -1)
    return X, target, y


@pytest.fixture(scope="module")
def model(digits):
    X, _, y = digits
    return SSKPCAClassifier(KERNELS).fit(X, y)


def test_the_last_answer_is_that_of_a_refit(digits, model):
    X, target, y = digits
    row = int(np.flatnonzero(y < 0)[3])
    *_, last = answers(model.answer_, changed(model.answer_, row, target[row]))
    y = y.copy()
    y[row] = target[row]
    refit = SSKPCAClassifier(KERNELS).fit(X, y)
    np.testing.assert_allclose(last.decision, refit.decision_, atol=1e-8)
    assert last.expected[0] == pytest.approx(refit.expected_error_, abs=1e-8)


def test_the_first_answer_is_nearer_to_the_last_than_the_old_one(digits, model):
    _, target, y = digits
    far, near = [], []
    for row in np.flatnonzero(y < 0)[:20:4].tolist():
        first, last = answers(model.answer_, changed(model.answer_, row, target[row]))
        far.append(np.abs(model.decision_ - last.decision).mean())
        near.append(np.abs(first.decision - last.decision).mean())
    assert np.mean(near) < np.mean(far)


def test_without_a_change_the_first_answer_is_the_old_one(model):
    first = first_answer(model.answer_, model.answer_.labels)
    np.testing.assert_allclose(first.decision, model.decision_, atol=1e-8)
    np.testing.assert_allclose(first.found.held_out, model.answer_.found.held_out, atol=1e-12)


def test_decisions_of_the_first_answer_are_those_of_its_functions(digits, model):
    """On the rows of the data, and on the same rows as new ones."""
    X, target, y = digits
    row = int(np.flatnonzero(y < 0)[0])
    first = first_answer(model.answer_, changed(model.answer_, row, target[row]))
    np.testing.assert_allclose(first.decide(X), first.decision, atol=1e-6)


def test_held_out_decisions_of_the_first_answer_have_not_seen_the_new_label(digits, model):
    _, target, y = digits
    row = int(np.flatnonzero(y < 0)[0])
    first = first_answer(model.answer_, changed(model.answer_, row, target[row]))
    where = first.labels.labeled == row
    np.testing.assert_array_equal(first.found.held_out[:, where].ravel(), model.decision_[row])


def test_a_label_can_be_taken_back(digits, model):
    labels = model.answer_.labels.without(model.labeled_rows_[:1])
    first, last = answers(model.answer_, labels)
    assert len(first.held_out.rows) == len(last.held_out.rows) == len(model.labeled_rows_) - 1


def test_a_new_class_has_only_the_complete_answer(digits, model):
    _, _, y = digits
    found = list(answers(model.answer_, changed(model.answer_, int(np.flatnonzero(y < 0)[0]), 77)))
    assert len(found) == 1
    assert 77 in found[0].classes


def test_before_there_are_two_classes_there_is_only_the_complete_answer():
    X, target = make_blobs(60, centers=2, random_state=0)
    model = SSKPCAClassifier(KERNELS).fit(X)
    rows = np.array([int(np.argmax(target == k)) for k in (0, 1)])
    labels = model.answer_.labels.with_labels(rows, np.array([0, 1], dtype=object))
    (only,) = answers(model.answer_, labels)
    assert (only.called == target).mean() > 0.9
