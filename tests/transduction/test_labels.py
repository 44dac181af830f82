import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sskpca._transduction.labels import read_labels

nan = float("nan")
STRINGS = ["cat", None, "dog", "cat", None]


@pytest.mark.parametrize(
    "y",
    [
        STRINGS,
        tuple(STRINGS),
        ["cat", "", "dog", "cat", ""],
        np.array(STRINGS, dtype=object),
        ["cat", nan, "dog", "cat", nan],
        np.array(["cat", "", "dog", "cat", ""]),
        pd.Series(STRINGS),
        pd.Series(["cat", pd.NA, "dog", "cat", pd.NA], dtype="string"),
        pd.Series(STRINGS, dtype="category"),
        pl.Series(STRINGS),
        pl.Series(STRINGS, dtype=pl.Categorical),
        pa.array(STRINGS),
        pd.Index(STRINGS),
        np.ma.MaskedArray(np.array(["cat", "x", "dog", "cat", "x"]), mask=[0, 1, 0, 0, 1]),
        pa.chunked_array([STRINGS[:2], STRINGS[2:]]),
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]}-{type(y).__name__}",
)
def test_missing_labels_as_people_have_them(y):
    labels = read_labels(y)
    assert labels.classes.tolist() == ["cat", "dog"]
    assert labels.codes.tolist() == [0, -1, 1, 0, -1]
    assert labels.labeled.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    "y",
    [
        [0, -1, 1, 0, -1],
        np.array([0, -1, 1, 0, -1]),
        np.array([0.0, nan, 1.0, 0.0, nan]),
        [0, None, 1, 0, None],
        pd.Series([0, pd.NA, 1, 0, pd.NA], dtype="Int64"),
        pl.Series([0, None, 1, 0, None]),
        pl.Series([0.0, nan, 1.0, 0.0, None]),
        pa.array([0, None, 1, 0, None]),
        pd.Series([0, None, 1, 0, None]),
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]}-{type(y).__name__}",
)
def test_missing_numbers(y):
    labels = read_labels(y)
    assert labels.classes.tolist() == [0, 1]
    assert labels.codes.tolist() == [0, -1, 1, 0, -1]


def test_minus_one_is_a_class_if_it_must_be_and_that_is_said():
    with pytest.warns(UserWarning, match="-1 is taken for a class"):
        assert read_labels([-1, 1, 1, -1]).classes.tolist() == [-1, 1]


def test_what_the_user_says_about_minus_one_wins():
    assert read_labels([-1, 1, 1], unlabeled=-1).classes.tolist() == [1]
    assert read_labels([-1, 0, 1], unlabeled=None).classes.tolist() == [-1, 0, 1]


def test_a_mark_of_the_users_own():
    assert read_labels(["a", "?", "b"], unlabeled="?").codes.tolist() == [0, -1, 1]


@pytest.mark.parametrize("word", ["nan", "-1", "None", "<NA>", "unknown", "N/A", "?", "Unlabelled"])
def test_text_that_says_unlabelled_is_refused_unless_told(word):
    with pytest.raises(ValueError, match="looks like a mark for unlabelled rows"):
        read_labels(["a", word, "b"])
    assert read_labels(["a", word, "b"], unlabeled=word).codes.tolist() == [0, -1, 1]
    assert word in read_labels(["a", word, "b"], unlabeled=None).classes


def test_text_and_numbers_do_not_mix():
    with pytest.raises(ValueError, match="y mixes text with int"):
        read_labels(["a", 1, "b"])


def test_text_minus_one_is_not_the_number():
    with pytest.raises(ValueError, match="looks like a mark"):
        read_labels(["a", "-1", "b", "c"])


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="infinity"):
        read_labels([0.0, np.inf, 1.0])


def test_measurements_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        read_labels([0.1, 0.7, 1.3, None])


def test_a_class_for_each_row_is_refused():
    with pytest.raises(ValueError, match="30 classes on 30 labelled rows"):
        read_labels([f"id{i}" for i in range(30)] + [None] * 5)


def test_one_label_a_class_is_fine_for_few_classes():
    assert len(read_labels([*list("abcde"), None]).classes) == 5


def test_booleans_are_classes():
    assert read_labels([True, False, None]).classes.tolist() == [False, True]


def test_tables_of_several_columns_are_refused():
    with pytest.raises(ValueError, match="one column"):
        read_labels(pl.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}))


def test_blank_text_is_unlabelled():
    assert read_labels(["a", "  ", "b"]).codes.tolist() == [0, -1, 1]


def test_only_minus_one_is_no_label():
    assert len(read_labels([-1, -1, -1]).classes) == 0


def test_the_name_of_a_column_is_not_a_column():
    with pytest.raises(ValueError, match=r"pass table\['grape'\]"):
        read_labels("grape")
