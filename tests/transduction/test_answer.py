"""The fitted answer is one frozen value: it changes as a whole, or not at all."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone

from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca._transduction import Predictor
from sskpca._transduction.answer import MOST_REFITS, Unanswered
from sskpca._transduction.methods import LeastSquares, Reweighted
from sskpca.datasets import make_two_moons

X, Y, TARGET = make_two_moons(80)
NEW = np.random.default_rng(0).uniform(-1, 2, size=(30, 2))
CLASSIFIERS = [
    LSKPCA(),
    LRKPCA(),
    MVKPCA(),
    SpectralGraphTransducer(10, 20, metric="euclidean", weights="gaussian"),
    SSKPCAClassifier(["rbf", "diffusion"]),
]
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)


def fitted(model):
    return clone(model).fit(X, Y)


@each_classifier
def test_a_refused_update_leaves_the_very_same_answer(model):
    model = fitted(model)
    answer, state = model.answer_, dict(vars(model))
    for rows, labels in (([0, 0], [0, 1]), ([999], [0]), ([3], ["todo"]), ([3], [None]), ([3], [7])):
        with pytest.raises(ValueError, match=type(model).__name__):
            model.update_labels(rows, labels)
    with pytest.raises(ValueError, match="has no label to forget"):
        model.forget_labels(int(np.flatnonzero(Y < 0)[0]))
    assert model.answer_ is answer
    assert vars(model) == state


@each_classifier
def test_an_interrupted_update_leaves_the_very_same_answer(model, monkeypatch):
    model = fitted(model)
    answer, decision = model.answer_, model.decision_.copy()

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(answer.method), "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.update_labels(5, 1)
    assert model.answer_ is answer
    np.testing.assert_array_equal(model.decision_, decision)


@each_classifier
def test_an_update_makes_another_answer_of_the_same_geometry(model):
    model = fitted(model)
    before = model.answer_
    model.update_labels(5, TARGET[5])
    assert model.answer_ is not before
    assert model.answer_.geometry is before.geometry
    assert model.answer_.method is before.method
    assert before.labels.codes[5] == -1  # nobody else's answer has changed


@each_classifier
def test_an_answer_cannot_be_changed(model):
    answer = fitted(model).answer_
    for part, name in ((answer, "labels"), (answer.geometry, "X"), (answer.method, "held_out"), (answer.found, "coef")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, None)


@each_classifier
def test_an_answer_can_be_pickled(model):
    model = fitted(model)
    again = pickle.loads(pickle.dumps(model.answer_))
    np.testing.assert_array_equal(again.decision, model.answer_.decision)
    np.testing.assert_array_equal(again.decide(NEW), model.answer_.decide(NEW))
    np.testing.assert_array_equal(again.predictor.probabilities(NEW), model.predict_proba(NEW))


@each_classifier
def test_what_new_rows_need_decides_as_the_whole(model):
    model = fitted(model)
    predictor = pickle.loads(pickle.dumps(model.answer_.predictor))
    assert isinstance(predictor, Predictor)
    np.testing.assert_array_equal(predictor.decide(NEW), model.answer_.decide(NEW))
    np.testing.assert_array_equal(predictor.probabilities(NEW), model.predict_proba(NEW))


@each_classifier
def test_every_classifier_gives_probabilities(model):
    model = fitted(model)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(model.classes_[probability.argmax(axis=1)], model.predict(X))
    far = model.predict_proba([[1e3, 1e3]])
    np.testing.assert_allclose(far, 0.5, atol=1e-5)
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1.0, atol=1e-12)
    assert 0 <= model.expected_interval_[0] <= model.expected_error_ <= model.expected_interval_[1] <= 1


def test_parameters_that_change_after_the_fit_do_not_change_the_answer():
    model = fitted(LSKPCA(label_weight=10.0))
    expected = model.leave_one_out().decisions
    other = fitted(LSKPCA(label_weight=10.0)).set_params(label_weight=1e-3)
    np.testing.assert_array_equal(other.leave_one_out().decisions, expected)
    np.testing.assert_array_equal(
        other.update_labels(5, TARGET[5]).decision_, model.update_labels(5, TARGET[5]).decision_
    )


def test_where_each_label_takes_a_solve_a_hundred_calibrate(monkeypatch):
    points, _, target = make_two_moons(MOST_REFITS + 40)
    solved = []
    solve = Reweighted.solve

    def counted(self, geometry, labels):
        solved.append(len(labels.labeled))
        return solve(self, geometry, labels)

    monkeypatch.setattr(Reweighted, "solve", counted)
    model = LRKPCA(rank=10).fit(points, target)
    slope = model.slope_
    assert len(solved) == 1 + MOST_REFITS
    assert LRKPCA(rank=10).fit(points, target).slope_ == slope


def test_least_squares_solve_for_all_labels_at_once(monkeypatch):
    solved = []
    solve = LeastSquares.solve

    def counted(self, geometry, labels):
        solved.append(len(labels.labeled))
        return solve(self, geometry, labels)

    monkeypatch.setattr(LeastSquares, "solve", counted)
    fitted(LSKPCA()).predict_proba(NEW)
    assert len(solved) == 1


def test_before_there_are_labels_there_is_geometry_and_no_answer():
    model = SSKPCAClassifier(["rbf"]).fit(X)
    assert isinstance(model.answer_, Unanswered)
    for name in ("transduction_", "decision_", "loo_error_", "candidates_", "slope_"):
        assert not hasattr(model, name)
    rows = model.next_rows(4)
    model.update_labels(rows, [0, 1, 0, 1])
    assert model.transduction_.shape == (80,)
    assert not hasattr(model.forget_labels(rows), "transduction_")
