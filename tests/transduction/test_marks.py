"""What is taken for unlabelled, in the same way by fit, score and update_labels."""

import re

import numpy as np
import pandas as pd
import pytest

from sskpca import LSKPCA
from sskpca._transduction.labels import read_labels
from sskpca.datasets import make_two_moons

X, y, _ = make_two_moons(60)
nan = float("nan")


def named(mark, names=("cat", "dog")):
    """Labels by name, with a mark where there is none."""
    return [names[code] if code >= 0 else mark for code in y]


@pytest.mark.parametrize("mark", ["", " ", "\t", None, nan, pd.NA, pd.NaT, -1])
def test_what_fit_takes_for_unlabelled_does_not_count_in_score(mark):
    labels = named(mark)
    model = LSKPCA().fit(X, labels)
    assert model.classes_.tolist() == ["cat", "dog"]
    assert model.score(X, labels) == model.score(X, named(None)) == 1.0


@pytest.mark.parametrize(
    "marks",
    [
        ["todo", "skip"],
        ("todo", "skip"),
        {"todo", "skip"},
        frozenset({"todo", "skip"}),
        np.array(["todo", "skip"]),
        pd.Series(["todo", "skip"]),
        ["todo", "skip", None, -1],
    ],
    ids=lambda marks: type(marks).__name__,
)
def test_several_marks(marks):
    labels = named("todo")
    labels[int(np.flatnonzero(y < 0)[0])] = "skip"
    model = LSKPCA(unlabeled=marks).fit(X, labels)
    assert model.classes_.tolist() == ["cat", "dog"]
    assert model.score(X, labels) == 1.0
    with pytest.raises(ValueError, match="the label of row 3 is empty"):
        model.update_labels(3, "skip", new_classes=True)


@pytest.mark.parametrize("marks", [(-1, -2), np.array([-1, -2]), [np.int64(-1), -2.0]])
def test_several_numbers_as_marks(marks):
    assert read_labels([0, -1, 1, -2], marks).codes.tolist() == [0, -1, 1, -1]


@pytest.mark.parametrize("mark", [pd.NA, nan, None, pd.NaT, np.array("todo"), []])
def test_missing_values_are_unlabelled_whatever_the_mark_is(mark):
    labels = read_labels(["cat", None, "dog", pd.NA, nan], mark)
    assert labels.codes.tolist() == [0, -1, 1, -1, -1]


@pytest.mark.parametrize("mark", ["todo", -1, pd.NA, ["todo", "skip"], ""])
def test_blank_text_is_no_class_beside_a_mark(mark):
    assert read_labels(["cat", "", "dog", " \t"], mark).codes.tolist() == [0, -1, 1, -1]


def test_blank_text_is_a_class_if_nothing_is_a_mark():
    assert read_labels(["cat", "", "dog", None], None).classes.tolist() == ["", "cat", "dog"]


@pytest.mark.parametrize("mark", [-1, "todo", ["todo", "skip"], nan])
def test_a_mark_that_does_not_occur_is_no_error(mark):
    assert read_labels(["cat", "dog", "cat"], mark).codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("labels", "mark", "right"),
    [
        (["-1", "a", "b"], -1, "-1"),
        ([-1, 0, 1], "-1", -1),
        (["0", "a", "b"], 0, "0"),
        (["-1.0", "a", "b"], -1, "-1.0"),
        (["true", "a", "b"], True, "true"),
        (["todo", "Unknown ", "a"], "todo", ["todo", "Unknown "]),
        (["unknown", "Unknown ", "a"], "unknown", ["unknown", "Unknown "]),
        (["skip", "SKIP", "a"], ["skip", "todo"], ["skip", "SKIP"]),
        (["?", "-1", "a"], "todo", ["-1", "?"]),
    ],
)
def test_what_is_nearly_a_mark_or_says_unlabelled_is_asked_for(labels, mark, right):
    words = f"looks like a mark for unlabelled rows but is not unlabeled={mark!r}; pass unlabeled={right!r} if it is"
    with pytest.raises(ValueError, match=re.escape(words)):
        read_labels(labels, mark)
    assert (read_labels(labels, right).codes < 0).any()  # what is advised is accepted


def test_a_mark_may_be_of_another_kind_than_the_classes():
    assert read_labels([True, False, "maybe"], "maybe").classes.tolist() == [False, True]
    assert read_labels([3, 4, "todo"], "todo").classes.tolist() == [3, 4]


def test_the_advice_does_not_make_classes_of_other_marks():
    with pytest.raises(ValueError, match="or write None for unlabelled rows and pass unlabeled=None if it is a class"):
        read_labels(["cat", "dog", "", "unknown"])
    with pytest.raises(ValueError, match=re.escape("'unknown'] if it is, or write None")):
        read_labels(["cat", "todo", "unknown"], "todo")
    with pytest.raises(ValueError, match="if it is, or unlabeled=None if it is a class"):
        read_labels(["cat", "dog", None, "unknown"])


@pytest.mark.parametrize("mark", [{"a": 1}, object(), b"x", [[1, 2], [3]], float("inf"), 1j])
def test_what_cannot_be_a_mark_is_refused(mark):
    with pytest.raises(ValueError, match='unlabeled must be "auto", None, or a mark or list of marks') as caught:
        LSKPCA(unlabeled=mark).fit(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "advice"),
    [([-1.0, 0.0, 1.0, nan], None), ([-1, 0, 1, None], None), ([-1, 0, 1, pd.NA], None), ([-1, 0, 1, ""], "")],
)
def test_minus_one_beside_missing_values_is_said_to_be_unlabelled(labels, advice):
    with pytest.warns(UserWarning, match=f"both are taken for unlabelled; pass unlabeled={advice!r} if -1 is a class"):
        assert read_labels(labels).codes.tolist() == [-1, 0, 1, -1]
    assert read_labels(labels, advice).codes.tolist() == [0, 1, 2, -1]
    assert read_labels(labels[:3], -1).codes.tolist() == [-1, 0, 1]


def test_minus_one_beside_names_and_missing_values_cannot_be_a_class():
    assert read_labels(["cat", -1, None, "dog"]).codes.tolist() == [0, -1, -1, 1]  # a warning is an error here


@pytest.mark.parametrize(
    ("labels", "rows"), [(pd.NA, 1), (pd.NaT, 1), (pd.Series(["cat", pd.NA], dtype="string"), [0, 1])]
)
def test_no_label_is_given_by_a_missing_value(labels, rows):
    with pytest.raises(ValueError, match="LSKPCA: the label of row 1 is empty; to take labels back use forget_labels"):
        LSKPCA().fit(X, named(None)).update_labels(rows, labels)


def test_a_new_class_that_looks_like_a_mark_is_refused_with_what_can_be_done():
    model = LSKPCA().fit(X, named(None))
    with pytest.raises(ValueError, match=r"LSKPCA: 'todo' looks like a mark .*use forget_labels, or, if it is a class"):
        model.update_labels(1, "todo", new_classes=True)
    model = LSKPCA(unlabeled=None).fit(X, named(None)).update_labels(1, "todo", new_classes=True)
    assert model.transduction_[1] == "todo"
