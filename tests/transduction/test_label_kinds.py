"""Columns and values that labels may come in."""

import datetime
import decimal
import enum
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from sskpca import LSKPCA
from sskpca._transduction.labels import read_labels

DAY = datetime.date(2020, 1, 1)
Color = enum.Enum("Color", "RED BLUE")


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([DAY, None], "date"),
        (pd.Series(pd.date_range("2020", periods=3)), "Timestamp"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]"), "datetime64"),
        (pl.Series([DAY, DAY]), "date"),
        (pd.Series(pd.interval_range(0, 3)), "Interval"),
        (pd.IntervalIndex.from_breaks([0, 1, 2]), "Interval"),
        ([decimal.Decimal(1), decimal.Decimal(2)], "Decimal"),
        ([fractions.Fraction(1, 2)], "Fraction"),
        ([Color.RED, Color.BLUE], "Color"),
        ([b"cat", b"dog"], "bytes"),
        ([1j, 2j], "complex"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_values_that_are_neither_text_nor_numbers_are_named(y, kind):
    words = rf"labels must be text or numbers, got {kind} values such as .*; turn them into text, y.astype\(str\)"
    with pytest.raises(ValueError, match=words) as caught:
        read_labels(y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("y", "shown"),
    [
        ([["cat"], [None]], r"list \['cat'\]"),
        ([("a", "b"), ("a", "c")], r"tuple \('a', 'b'\)"),
        (pd.MultiIndex.from_tuples([("a", "b")]), r"tuple \('a', 'b'\)"),
        ([{"a": 1}], r"dict \{'a': 1\}"),
        ([np.array([1])], r"ndarray array\(\[1\]\)"),
    ],
)
def test_several_values_are_no_label(y, shown):
    with pytest.raises(ValueError, match=f"y must hold one label for each row, text or a number, got the {shown}"):
        read_labels(y)


def test_a_lazy_table_is_to_be_collected():
    with pytest.raises(ValueError, match=r"y is a lazy table; collect\(\) it first"):
        read_labels(pl.LazyFrame({"y": ["a", "b"]}))


def test_numbers_too_large_for_an_array_are_refused():
    with pytest.raises(ValueError, match="y has numbers as large as 1000000000000000000000;"):
        read_labels([10**21, 1])


@pytest.mark.parametrize(
    "y",
    [
        pd.DataFrame({"y": ["cat", None, "dog"]}),
        pd.DataFrame(["cat", None, "dog"]),
        pl.DataFrame({"y": ["cat", None, "dog"]}),
        pa.table({"y": ["cat", None, "dog"]}),
        np.array([["cat"], [None], ["dog"]], dtype=object),
    ],
    ids=lambda y: type(y).__module__.split(".")[0],
)
def test_a_table_of_one_column_is_its_column_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        assert read_labels(y).codes.tolist() == [0, -1, 1]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_of_two_columns_is_refused(frame):
    with pytest.raises(ValueError, match=r"y must be one column, got a table of 2; pass table\[name\]"):
        read_labels(frame({"a": ["x", "y"], "b": ["x", "y"]}))


def test_members_of_text_and_number_enumerations_are_labels():
    assert read_labels(list(enum.StrEnum("Word", "CAT DOG"))).classes.tolist() == ["cat", "dog"]
    assert read_labels(list(enum.IntEnum("Code", "ONE TWO"))).classes.tolist() == [1, 2]


class Animal(str, enum.Enum):  # noqa: UP042
    CAT = "cat"
    DOG = "dog"


def test_members_of_an_enumeration_of_text_are_their_text():
    found = read_labels([Animal.CAT, None, Animal.DOG])
    assert found.classes.tolist() == ["cat", "dog"]


def test_a_label_with_a_nul_character_is_refused():
    with pytest.raises(ValueError, match="NUL"):
        read_labels(["a\0", "a", "b"])


def test_a_table_of_labels_with_a_name_twice_is_refused():
    table = pd.DataFrame([["a", "b"], ["b", "a"], ["a", "a"]], columns=["y", "y"])
    with pytest.raises(ValueError, match="more than once"):
        LSKPCA().fit(np.arange(6.0).reshape(3, 2), table)


def test_auto_is_no_mark_among_others():
    with pytest.raises(ValueError, match="unlabeled must be"):
        read_labels(["a", "?", "b"], unlabeled=["auto", "?"])


def test_true_is_not_the_class_1():
    with pytest.raises(ValueError, match="mixes True and False with numbers"):
        read_labels([True, 2, 1, None])
