"""Labels that come and go: always the answer of one fit to the labels that are left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

MOONS, MOON_LABELS, MOON = make_two_moons(60)
IMAGES, DIGIT = load_digits(n_class=3, return_X_y=True)
IMAGES, DIGIT = IMAGES[:120] / 16, DIGIT[:120]
MODELS = [LSKPCA(), LRKPCA(label_weight=1.0, rank=20), MVKPCA(), SpectralGraphTransducer(6, 20)]
NAMES = ["LSKPCA", "LRKPCA", "MVKPCA", "SpectralGraphTransducer"]
each_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)
nan = float("nan")


def column(n, given):
    """Labels of all rows, None where there is none."""
    y = np.full(n, None, dtype=object)
    for row, label in given.items():
        y[row] = label
    return y


def first_of_each(target, number, names=None):
    rows = np.concatenate([np.flatnonzero(target == k)[:number] for k in np.unique(target)])
    return {int(row): int(target[row]) if names is None else names[target[row]] for row in rows}


def fitted(model, X, given):
    return clone(model).fit(X, column(len(X), given))


def state(model):
    return {name: np.copy(getattr(model, name)) for name in ("decision_", "threshold_", "transduction_", "classes_")}


def assert_same(live, fresh, X, atol=1e-8):
    assert live.classes_.dtype == fresh.classes_.dtype
    np.testing.assert_array_equal(live.classes_, fresh.classes_)
    np.testing.assert_array_equal(live.transduction_, fresh.transduction_)
    np.testing.assert_allclose(live.threshold_, fresh.threshold_, atol=atol)
    np.testing.assert_allclose(live.decision_, fresh.decision_, atol=atol)
    np.testing.assert_allclose(live.decision_function(X), fresh.decision_function(X), atol=atol)
    np.testing.assert_array_equal(live.predict(X), fresh.predict(X))


def enough(given):
    """Two classes, and two labels of one of them, without which MV-KPCA has nothing to do."""
    numbers = np.unique(list(given.values()), return_counts=True)[1]
    return len(numbers) >= 2 and numbers.max() >= 2


@each_model
@settings(max_examples=20, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.lists(st.integers(0, 119), min_size=1, max_size=3, unique=True), st.sampled_from([0, 1, 2, None])),
        max_size=6,
    ),
    shuffle=st.randoms(use_true_random=False),
)
def test_any_sequence_of_changes_is_one_fit_of_what_is_left(model, changes, shuffle):
    start = first_of_each(DIGIT, 2)
    live, given = fitted(model, IMAGES, start), dict(start)
    for rows, label in changes:
        if label is None:
            taken = [row for row in rows if row in given]
            after = {row: name for row, name in given.items() if row not in taken}
            if taken and enough(after):
                live.forget_labels(taken)
                given = after
        else:
            after = given | dict.fromkeys(rows, label)
            if enough(after):
                live.update_labels(rows, [label] * len(rows), new_classes=True)
                given = after
    fresh = fitted(model, IMAGES, given)
    assert_same(live, fresh, IMAGES)
    # The same set by another way: everything that is new one by one, in any order, then what is to go.
    other, rows = fitted(model, IMAGES, start), list(given)
    shuffle.shuffle(rows)
    for row in rows:
        if enough(start | {r: given[r] for r in rows[: rows.index(row) + 1]}):
            other.update_labels(row, given[row], new_classes=True)
    other.update_labels(rows, [given[row] for row in rows], new_classes=True)
    gone = [row for row in start if row not in given]
    if gone:
        other.forget_labels(gone)
    assert_same(other, fresh, IMAGES)


@each_model
def test_two_classes_one_label_after_the_other(model):
    rows = np.flatnonzero(MOON_LABELS >= 0)
    first = [*rows[MOON[rows] == 0][:2].tolist(), *rows[MOON[rows] == 1][:2].tolist()]
    live = clone(model).fit(MOONS, np.where(np.isin(np.arange(60), first), MOON, -1))
    for row in rows:
        live.update_labels(row, MOON[row])
    assert_same(live, clone(model).fit(MOONS, MOON_LABELS), MOONS)


@each_model
def test_a_label_can_be_changed_and_changed_back(model):
    given = first_of_each(DIGIT, 3)
    row = next(iter(given))
    live = fitted(model, IMAGES, given)
    before = state(live)
    assert live.update_labels(row, 2) is live
    assert live.transduction_[row] == 2
    assert_same(live, fitted(model, IMAGES, given | {row: 2}), IMAGES)
    assert np.abs(live.decision_ - before["decision_"]).max() > 1e-3
    live.update_labels(row, DIGIT[row])
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(live, name), value)


@each_model
@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (50, 1),
        (np.int32(50), np.int64(1)),
        ([50], [1]),
        ((50,), (1,)),
        (np.array([50]), np.array([1])),
        ([50, 50], [1, 1]),
        ([50], 1),
    ],
)
def test_rows_and_labels_of_any_form(model, rows, labels):
    given = first_of_each(DIGIT, 2)
    assert_same(
        fitted(model, IMAGES, given).update_labels(rows, labels), fitted(model, IMAGES, given | {50: 1}), IMAGES
    )
    assert_same(fitted(model, IMAGES, given | {50: 1}).forget_labels(rows), fitted(model, IMAGES, given), IMAGES)


@each_model
def test_names(model):
    names = ["oh", "i", "squiggle"]
    given = first_of_each(DIGIT, 2, names)
    live = fitted(model, IMAGES, given)
    live.update_labels(70, "oh").update_labels([71, 72], ["i", "squiggle"])
    assert_same(live, fitted(model, IMAGES, given | {70: "oh", 71: "i", 72: "squiggle"}), IMAGES)
    assert live.classes_.tolist() == ["i", "oh", "squiggle"]


@each_model
def test_longer_names_than_before_are_not_cut_off(model):
    given = first_of_each(MOON, 3, ["a", "b"])
    live = fitted(model, MOONS, given).update_labels(40, "something else", new_classes=True)
    assert_same(live, fitted(model, MOONS, given | {40: "something else"}), MOONS)
    assert live.transduction_[40] == "something else"


@each_model
@pytest.mark.parametrize("known", [[0, 1], [0, 2], [1, 2]])
def test_a_class_can_come_and_go(model, known):
    """From one function to three and back, wherever the new class is in the order."""
    everything = first_of_each(DIGIT, 2)
    given = {row: label for row, label in everything.items() if label in known}
    new = [row for row in everything if row not in given]
    live = fitted(model, IMAGES, given)
    assert live.decision_.ndim == 1
    before = state(live)
    live.update_labels(new, [everything[row] for row in new], new_classes=True)
    assert live.classes_.tolist() == [0, 1, 2]
    assert live.decision_.shape == (120, 3)
    assert_same(live, fitted(model, IMAGES, everything), IMAGES)
    live.forget_labels(new[0])
    assert live.classes_.tolist() == [0, 1, 2]
    live.forget_labels(new[1])
    assert live.classes_.tolist() == known
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(live, name), value)


REFUSED_UPDATES = [
    (120, 0, "there is no row 120; the data have the rows 0 to 119"),
    ([3, 10**9], [0, 0], "there is no row 1000000000"),
    (-1, 0, "there is no row -1"),
    (1.0, 0, "rows must be row numbers, counted from 0, got"),
    ([1.5], [0], "rows must be row numbers, counted from 0, got"),
    ("3", 0, "rows must be row numbers, counted from 0, got"),
    (None, 0, "rows must be row numbers, counted from 0, got None"),
    (True, 0, "rows must be row numbers, counted from 0, got True"),
    (np.arange(120) == 3, [0], "rows must be row numbers"),
    (60, 7, "7 is none of the classes 0, 1, 2; correct it, or pass new_classes=True"),
    (60, "cat", "'cat' is none of the classes 0, 1, 2"),
    ([60, 61], [0, 7], "7 is none of the classes"),
    ([60, 61], [0], "2 rows but 1 labels; give one label for each row"),
    (60, [0, 1], "1 rows but 2 labels"),
    ([60, 61], 0, "2 rows but 1 labels"),
    ([60], [], "1 rows but 0 labels"),
    (60, None, "the label of row 60 is empty; to take labels back use forget_labels"),
    ([60, 61], [0, None], "the label of row 61 is empty"),
    (60, nan, "the label of row 60 is empty"),
    (60, np.float32(nan), "the label of row 60 is empty"),
    (60, -1, "the label of row 60 is empty"),
    (60, "", "the label of row 60 is empty"),
    ([60, 61, 60], [0, 0, 1], "row 60 is given two different labels; give it one"),
    ([], [], "no rows were given"),
]
REFUSED_REMOVALS = [
    (120, "there is no row 120"),
    (-1, "there is no row -1"),
    (0.0, "rows must be row numbers"),
    (60, "row 60 has no label to forget"),
    ([0, 60], "row 60 has no label to forget"),
    ([], "no rows were given"),
    ([0, 1, 10, 11], "all labelled rows are of one class, 2; label rows of at least one other class"),
    ([0, 1, 10, 11, 2, 12], "no row is labelled; label some rows"),
]


def assert_untouched(model, before, predicted):
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    np.testing.assert_array_equal(model.predict(IMAGES), predicted)


@each_model
def test_what_cannot_be_done_is_said_and_changes_nothing(model):
    given = {0: 0, 10: 0, 1: 1, 11: 1, 2: 2, 12: 2}
    live = fitted(model, IMAGES, given)
    before, predicted = state(live), live.predict(IMAGES)
    for rows, labels, words in REFUSED_UPDATES:
        with pytest.raises(ValueError, match=words) as caught:
            live.update_labels(rows, labels)
        assert str(caught.value).startswith(f"{type(model).__name__}: ")
        assert "\n" not in str(caught.value)
        assert_untouched(live, before, predicted)
    for rows, words in REFUSED_REMOVALS:
        with pytest.raises(ValueError, match=words) as caught:
            live.forget_labels(rows)
        assert "\n" not in str(caught.value)
        assert_untouched(live, before, predicted)
    with pytest.raises(ValueError, match="mixes text with int"):
        live.update_labels(60, "cat", new_classes=True)
    assert_untouched(live, before, predicted)
    # And it goes on as if nothing had been.
    assert_same(live.update_labels(60, 1), fitted(model, IMAGES, given | {60: 1}), IMAGES)


def test_the_last_pair_of_a_class_is_kept_for_variance_within_classes():
    live = fitted(MVKPCA(), IMAGES, {0: 0, 10: 0, 1: 1, 2: 2})
    before, predicted = state(live), live.predict(IMAGES)
    with pytest.raises(ValueError, match="no class has two labelled rows"):
        live.forget_labels(10)
    assert_untouched(live, before, predicted)


def test_minus_one_may_be_a_class():
    y = np.where(np.arange(60) % 7 == 0, 2 * MOON - 1, 0)
    live = LSKPCA(unlabeled=0).fit(MOONS, y).update_labels(3, -1)
    y[3] = -1
    assert_same(live, LSKPCA(unlabeled=0).fit(MOONS, y), MOONS)
    with pytest.raises(ValueError, match="the label of row 4 is empty"):
        live.update_labels(4, 0)


@each_model
def test_unfitted(model):
    for change in (lambda m: m.update_labels(0, 0), lambda m: m.forget_labels(0)):
        with pytest.raises(NotFittedError):
            change(clone(model))


@pytest.mark.parametrize("model", MODELS[:3], ids=NAMES[:3])
def test_on_coordinates_of_an_earlier_fit(model):
    given = first_of_each(DIGIT, 2)
    coordinates = fitted(model, IMAGES, given).coordinates_
    live = clone(model).set_params(coordinates=coordinates, kernel="linear", rank=None)
    live.fit(IMAGES, column(120, given)).update_labels([50, 51], [1, 0]).forget_labels([0])
    after = {row: label for row, label in (given | {50: 1, 51: 0}).items() if row != 0}
    assert live.coordinates_ is coordinates
    assert_same(live, fitted(model, IMAGES, after), IMAGES)


def test_the_fit_is_not_decomposed_again(monkeypatch):
    live = fitted(LSKPCA(Gaussian()), IMAGES, first_of_each(DIGIT, 2))
    coordinates = live.coordinates_
    monkeypatch.setattr(LSKPCA, "_fit_coordinates", None)
    live.update_labels(50, 1).forget_labels(50)
    assert live.coordinates_ is coordinates


def test_invariances_stay():
    given = first_of_each(DIGIT, 2)
    moved = np.roll(IMAGES[:20].reshape(20, 8, 8), 1, axis=2).reshape(20, 64)
    model = LSKPCA(label_weight=1.0, invariance_weight=3.0)
    live = clone(model).fit(IMAGES, column(120, given), invariances=(IMAGES[:20], moved))
    live.update_labels([50, 51], [1, 0]).forget_labels(0)
    after = {row: label for row, label in (given | {50: 1, 51: 0}).items() if row != 0}
    assert_same(live, clone(model).fit(IMAGES, column(120, after), invariances=(IMAGES[:20], moved)), IMAGES)
    assert np.abs(live.decision_ - fitted(model, IMAGES, after).decision_).max() > 1e-3


def test_groups_stay():
    given = first_of_each(DIGIT, 2)
    groups = column(120, {row: int(row % 4) for row in range(40)})
    live = MVKPCA(2).fit(IMAGES, column(120, given), groups=groups).update_labels(50, 1)
    assert_same(live, MVKPCA(2).fit(IMAGES, column(120, given | {50: 1}), groups=groups), IMAGES)


@each_model
def test_a_copy_made_before_is_not_changed(model):
    """What was read from the model stays what it was: nothing is overwritten in place."""
    live = fitted(model, IMAGES, first_of_each(DIGIT, 2))
    held, before = {name: getattr(live, name) for name in state(live)}, state(live)
    live.update_labels(50, 2)
    for name, value in before.items():
        np.testing.assert_array_equal(held[name], value)
