"""Whatever table is given: the same kind comes back with all that was there, or one sentence says why not."""

import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames_of_animals import GIVEN, KIND, N_LABELED, NAMES, N, animals

import sskpca
from sskpca._tables import RESULT_COLUMNS, TableError
from sskpca._tables.columns import is_own


def roles(found):
    return {column.name: column.role for column in found.labelling.columns}


def assert_right(found):
    guess = [str(value) for value in found.arrow["sskpca_guess"].to_pylist()]
    assert np.mean(np.array(guess) == NAMES) > 0.85


PANDAS = {
    "plain": {},
    "dates and times": {
        "when": pd.date_range("2020", periods=N),
        "long": pd.to_timedelta(range(N), unit="s"),
        "day": pd.period_range("2020", periods=N, freq="D"),
    },
    "nullable types": {
        "count": pd.array([1, 2, None] * 20, dtype="Int64"),
        "flag": [True, False] * 30,
        "maybe": pd.array([True, None, False] * 20, dtype="boolean"),
    },
    "objects with nothing in several ways": {
        "words": pd.Series([None, np.nan, pd.NA, "a", "b", "c"] * 10, dtype=object),
        "mixed": pd.Series([1, "a", 2.5] * 20, dtype=object),
        "yes": pd.Series([True, None, False] * 20, dtype=object),
    },
    "decimal numbers, as databases give": {"price": [Decimal(f"{i % 11}.25") for i in range(N)]},
    "intervals": {"bin": pd.cut(np.arange(N) % 7, 4)},
    "sparse numbers": {"rare": pd.arrays.SparseArray([0.0] * 50 + [1.5] * 10)},
    "what is no number": {
        "complex": np.arange(N) * 1j,
        "bytes": [b"x"] * N,
        "dict": [{"a": 1}] * N,
        "array": [np.array([1.0, 2.0]) * i for i in range(N)],
    },
}


@pytest.mark.parametrize("more", PANDAS.values(), ids=PANDAS)
def test_a_data_frame_of_pandas_comes_back_as_it_was(more):
    frame = animals(**more)
    before = frame.copy(deep=True)
    found = sskpca.label(frame, method="ls")
    pd.testing.assert_frame_equal(found.table[list(frame.columns)], frame)
    pd.testing.assert_frame_equal(frame, before)
    assert list(found.table.columns) == [*frame.columns, *RESULT_COLUMNS]
    assert_right(found)


def test_the_columns_of_pandas_are_used_as_those_of_a_file():
    found = sskpca.label(animals(**PANDAS["nullable types"], **PANDAS["intervals"]), method="ls")
    expected = {"count": "number", "flag": "number", "maybe": "number", "bin": "category"}
    assert roles(found).items() >= expected.items()
    found = sskpca.label(animals(**PANDAS["objects with nothing in several ways"]), method="ls")
    assert roles(found).items() >= {"words": "category", "mixed": "category", "yes": "number"}.items()
    assert roles(sskpca.label(animals(**PANDAS["what is no number"]), method="ls"))["array"] == "vector"


INDEXES = {
    "several levels": pd.MultiIndex.from_product([range(6), list("abcdefghij")]),
    "not unique": pd.Index([1] * N),
    "names": pd.Index([f"A{i}" for i in range(N)], name="animal"),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_any_index_stays(index):
    frame = animals().set_axis(index)
    found = sskpca.label(frame, method="ls")
    pd.testing.assert_frame_equal(found.table[list(frame.columns)], frame)
    assert_right(found)
    assert sskpca.predict(found, frame).index.equals(index)


def test_rows_to_label_and_messages_have_the_names_of_the_index():
    frame = animals().set_axis(INDEXES["names"])
    found = sskpca.label(frame, kernels=("rbf",), rank=20)
    rows = found.next_rows(3)
    assert [int(name[1:]) for name in rows.index] == list(found.labelling.next_rows[:3])
    assert rows["sskpca_next"].tolist() == [1, 2, 3]
    assert f"({rows.index[0]})" in repr(found)
    frame["bad"] = [np.inf, *np.linspace(0, 1, N - 1)]
    with pytest.raises(TableError, match=r'"bad" has an infinite number in row 0 \(animal A0\)'):
        sskpca.label(frame)


def test_names_of_columns_need_not_be_text():
    frame = animals().set_axis([0, "x", 2], axis=1)
    found = sskpca.label(frame, label=2, method="ls")
    assert list(found.table.columns)[:3] == [0, "x", 2]
    assert_right(found)
    assert roles(sskpca.label(frame, label=2, ignore=0, method="ls"))["0"] == "ignored"


LABELS = {
    "category": pd.Categorical(GIVEN),
    "category with blanks": pd.Categorical([None if name is None else f" {name}" for name in GIVEN]),
    "numbers and -1": [int(KIND[i]) + 7 if i < N_LABELED else -1 for i in range(N)],
    "numbers with gaps": [KIND[i] + 7.0 if i < N_LABELED else np.nan for i in range(N)],
    "whole numbers with gaps": pd.array([int(KIND[i]) + 7 if i < N_LABELED else None for i in range(N)], dtype="Int64"),
    "categories of numbers": pd.Categorical([int(KIND[i]) + 7 if i < N_LABELED else None for i in range(N)]),
    "truth": pd.array([bool(KIND[i]) if i < N_LABELED else None for i in range(N)], dtype="boolean"),
    "text of Arrow": pd.array(GIVEN, dtype=pd.ArrowDtype(pa.string())),
}
# Text is a type of its own from pandas 3 on.
TEXT = "str" if int(pd.__version__.split(".")[0]) >= 3 else "object"
DTYPES = ("category", TEXT, "Int64", "float64", "Int64", "category", "boolean", "string")


@pytest.mark.parametrize(("labels", "dtype"), list(zip(LABELS.values(), DTYPES, strict=True)), ids=LABELS)
def test_labels_have_the_type_that_they_had(labels, dtype):
    frame = animals(species=labels)
    table = sskpca.label(frame, method="ls", least_confidence=0.99).table
    assert str(table["sskpca_label"].dtype).startswith(dtype)
    assert table["sskpca_label"].isna().sum() == (table["sskpca_source"] == "").sum()
    given = table["sskpca_source"] == "given"
    assert given.sum() == N_LABELED
    stripped = [str(value).strip() for value in table["species"][given]]
    assert [str(value) for value in table["sskpca_label"][given]] == stripped


REFUSED = {
    "no columns": (pd.DataFrame(), "the table has no columns"),
    "no rows": (animals().iloc[:0], "the table has no rows"),
    "no labels": (animals(species=None), 'no row has a label in the column "species"'),
    "one class": (animals(species=["cat"] * 5 + [None] * (N - 5)), 'are "cat"; label rows of at least one other class'),
    "all labelled": (animals(species=NAMES), "every row has a label"),
    "a name twice": (animals().set_axis(["a", "a", "species"], axis=1), 'several columns called "a"'),
    "a name as number and text": (animals().set_axis([1, "1", "species"], axis=1), 'several columns called "1"'),
    "names with levels": (
        animals().set_axis(pd.MultiIndex.from_product([["a"], ["x", "y", "species"]]), axis=1),
        "have several levels; give each one name",
    ),
    "a column": (animals()["length"], "is no table|not a Series"),
    "an array": (animals()[["length"]].to_numpy(), r"SSKPCAClassifier\(\)\.fit"),
    "a dict": ({"a": [1]}, "not a dict"),
    "nothing": (None, "not a NoneType"),
    "a lazy frame": (pl.LazyFrame({"a": [1]}), r"call \.collect\(\) first"),
    "no rows in polars": (pl.DataFrame({"a": []}), "the table has no rows"),
    "a type Arrow does not know": (
        pl.DataFrame({"a": [1], "species": ["x"]}).with_columns(pl.col("a").cast(pl.Int128)),
        'the column "a" is of the type Int128',
    ),
    "a name twice in Arrow": (pa.table([[1], [2]], names=["a", "a"]), 'several columns called "a"'),
    "no file": (Path("nowhere/none.csv"), r"no file .*none\.csv"),
}


@pytest.mark.parametrize(("table", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_labelled_gets_one_sentence(table, words):
    for function in (sskpca.label, sskpca.check):
        with pytest.raises(TableError, match=words) as caught:
            function(table)
        assert "\n" not in str(caught.value)
        assert str(caught.value).endswith((".", "?"))


def test_three_rows_are_labelled():
    found = sskpca.label(pd.DataFrame({"x": [1.0, 5.0, 1.1], "species": ["a", "b", None]}))
    assert found.table["sskpca_guess"].tolist()[2] == "a"


def test_a_data_frame_of_polars_comes_back_as_it_was():
    frame = pl.from_pandas(animals()).with_columns(
        pl.col("species").cast(pl.Categorical),
        size=pl.Series(["small", "large"] * 30, dtype=pl.Enum(["small", "large"])),
        day=pl.Series([datetime.date(2020, 1, 1)] * N),
        embedding=pl.Series([[4.0 * kind, 1.0] for kind in KIND]),
        fixed=pl.Series([[4.0 * kind, 1.0] for kind in KIND], dtype=pl.Array(pl.Float64, 2)),
        nothing=pl.Series([None] * N),
        struct=pl.Series([{"a": 1}] * N),
    )
    found = sskpca.label(frame, method="ls")
    assert found.table.select(frame.columns).equals(frame)
    assert found.table.columns == [*frame.columns, *RESULT_COLUMNS]
    assert found.table["sskpca_label"].dtype == pl.Categorical
    used = {name: role for name, role in roles(found).items() if role not in ("ignored", "label")}
    assert used == {
        **{"length": "number", "weight": "number", "size": "category"},
        **{"embedding": "vector", "fixed": "vector"},
    }
    assert_right(found)
    rows = found.next_rows(2)
    assert rows.height == 0 or rows.columns[0] == "sskpca_row"
    assert isinstance(sskpca.predict(found, frame), pl.DataFrame)


def test_labels_in_an_enum_of_polars_stay_one():
    frame = pl.from_pandas(animals()).with_columns(pl.col("species").cast(pl.Enum(["cat", "dog"])))
    assert sskpca.label(frame, method="ls").table["sskpca_guess"].dtype == pl.Enum(["cat", "dog"])


def test_a_table_of_arrow_comes_back_as_it_was():
    table = pa.Table.from_pandas(animals(), preserve_index=False)
    table = table.set_column(2, "species", table["species"].dictionary_encode())
    table = table.append_column("nested", pa.array([{"a": [1, 2]}] * N))
    table = table.append_column("map", pa.array([[("a", 1)]] * N, pa.map_(pa.string(), pa.int64())))
    found = sskpca.label(table, method="ls")
    assert found.table.select(table.column_names).equals(table)
    assert_right(found)
    assert isinstance(sskpca.label(table.to_batches()[0], method="ls").table, pa.Table)


def test_whatever_hands_out_arrow_is_understood():
    class Handed:
        def __arrow_c_stream__(self, requested_schema=None):
            table = pa.Table.from_pandas(animals(), preserve_index=False)
            return table.__arrow_c_stream__(requested_schema)

    assert_right(sskpca.label(Handed(), method="ls"))


def test_a_result_that_is_labelled_again_has_no_column_twice():
    first = sskpca.label(animals(), method="ls", probabilities=True)
    assert list(first.table.columns)[-2:] == ["sskpca_p_cat", "sskpca_p_dog"]
    again = sskpca.label(first.table, method="ls")
    assert list(again.table.columns) == [*animals().columns, *RESULT_COLUMNS]
    assert any("earlier run" in note for note in again.notes)
    assert is_own("sskpca_p_cat")


def test_rows_taken_from_a_result_have_their_numbers_and_can_be_given_back():
    frame = pl.from_pandas(animals())
    found = sskpca.label(frame, kernels=("rbf",), rank=20, n_next=3)
    rows = found.next_rows(3)
    assert rows["sskpca_row"].to_list() == list(found.labelling.next_rows)
    assert rows.drop("sskpca_row").equals(found.table[rows["sskpca_row"].to_list()])
    assert is_own("sskpca_row")
    taken = sskpca.label(pa.table(frame.to_arrow()), kernels=("rbf",), rank=20, n_next=3).next_rows(3)
    assert taken["sskpca_row"].to_pylist() == rows["sskpca_row"].to_list()
