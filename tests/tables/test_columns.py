"""What the columns of a table are taken for."""

import datetime
import json
import time

import numpy as np
import pyarrow as pa
import pytest

from sskpca._tables import TableError, check_table, decide_columns, read_table
from sskpca._tables.cells import numbers
from sskpca._tables.columns import decide_column

N = 60


def role(values, name="thing", kind=None, **settings):
    found = decide_column(pa.chunked_array([values], type=kind), name, **settings)
    assert found.name == name
    return found


WHOLE = [str(i * i + 3) for i in range(N)]
DECIMAL = [f"{i / 7:.3f}" for i in range(N)]

USED = {
    "numbers as text": (DECIMAL, "number", 0),
    "exponents, signs and bare points": (["1e3", "-.5", "+2.", "1E-3"] * 15, "number", 0),
    "blanks around numbers": ([f" {x} " for x in DECIMAL], "number", 0),
    "marks for missing numbers": (["", "NA", "NaN", "null", "?", "-", "none", *DECIMAL[7:]], "number", 7),
    "typed numbers": ([0.5 * i for i in range(N)], "number", 0),
    "typed numbers with gaps": ([None, float("nan"), *range(2, N)], "number", 2),
    "whole numbers that repeat": ([str(i % 7) for i in range(N)], "number", 0),
    "typed decimals": (pa.array([i / 4 for i in range(N)]).cast(pa.decimal128(10, 2)), "number", 0),
    "few texts": (["red", "blue", "green"] * 20, "category", 0),
    "few texts with gaps": (["red", "", None] * 20, "ignored", 40),
    "two texts with gaps": (["red", "blue", None] * 20, "category", 20),
    "codes with letters": ([f"A{i % 12}" for i in range(N)], "category", 0),
    "few codes with zeros in front": (["007", "011"] * 30, "category", 0),
    "typed truth": ([True, False] * 30, "number", 0),
    "truth with gaps": ([True, None, False] * 20, "number", 20),
    "true and false as text": (["TRUE", "False", ""] * 20, "number", 20),
    "truth as text": (["yes", "no"] * 30, "category", 0),
    "a dictionary": (pa.array(["red", "blue"] * 30).dictionary_encode(), "category", 0),
    "sentences": ([f"the cat number {i} sat on a mat" for i in range(N)], "text", 0),
    "sentences with gaps": (["", *(f"the cat number {i} sat on a mat" for i in range(1, N))], "text", 1),
    "many places, some of them common": (
        [*["Rome"] * 20, *["Oslo"] * 20, *map(str, "abcdefghijklmnopqrst")],
        "category",
        0,
    ),
    "numbers with a slip": ([*DECIMAL[1:], "tall"], "number", 0),
    "numbers with a unit": ([f"{x} kg" for x in DECIMAL], "number", 0),
    "numbers, some with a unit, some missing": (["12", "n/a", "15 kg", "17.5kg"] * 15, "number", 15),
    "prices": ([f"$ {x}" for x in DECIMAL], "number", 0),
    "dates": ([f"2020-01-{1 + i % 28:02d}" for i in range(N)], "date", 0),
    "dates of other kinds": ([f"{1 + i % 28}.3.2020" for i in range(N)], "date", 0),
    "dates with gaps": (["", *(f"{1 + i % 28}.3.2020" for i in range(1, N))], "date", 1),
    "times": ([f"2020-01-{1 + i % 28:02d}T10:00:{i % 60:02d}Z" for i in range(N)], "date", 0),
    "times of day": ([f"{i % 24}:30" for i in range(N)], "date", 0),
    "typed dates": ([datetime.date(2020, 1, 1 + i % 28) for i in range(N)], "date", 0),
    "typed times": ([datetime.datetime(2020, 1, 1 + i % 28, tzinfo=datetime.UTC) for i in range(N)], "date", 0),
    "typed times of day": ([datetime.time(i % 24) for i in range(N)], "date", 0),
    "lists": ([[0.5, i] for i in range(N)], "vector", 0),
    "lists with gaps": ([None, *([1.0, i] for i in range(1, N))], "vector", 1),
    "lists of whole numbers": ([[1, i] for i in range(N)], "vector", 0),
    "lists as text": ([f"[0.5, {i}]" for i in range(N)], "vector", 0),
}


@pytest.mark.parametrize(("values", "expected", "missing"), USED.values(), ids=USED)
def test_columns_that_are_used(values, expected, missing):
    found = role(values)
    assert (found.role, found.n_missing) == (expected, missing)
    assert found.reason


IGNORED = {
    "whole numbers, all different": (WHOLE, "id"),
    "large whole numbers": ([str(10**18 + 7 * i) for i in range(N)], "id"),
    "larger than any type": ([str(10**30 + 7 * i) for i in range(N)], "id"),
    "typed whole numbers, all different": ([i * i for i in range(N)], "id"),
    "codes, all different": ([f"A-{i}" for i in range(N)], "id"),
    "names": ([f"Anna {i // 2}" for i in range(N)], "too many for categories"),
    "addresses": ([f"https://a.org/{i}" for i in range(N)], "files or addresses"),
    "files": ([f"img/photo {i}.JPG" for i in range(N)], "files or addresses"),
    "paths": ([f"/home/me/{i // 2}" for i in range(N)], "files or addresses"),
    "one value": (["x"] * N, 'always "x"'),
    "one number": ([1.5] * N, 'always "1.5"'),
    "nothing": ([""] * N, "empty"),
    "marks only": (["NA", "?"] * 30, "empty"),
    "nulls": (pa.nulls(N), "empty"),
    "typed nulls": (pa.nulls(N, pa.float64()), "empty"),
    "email addresses": ([f"anna{i // 2}@example.org" for i in range(N)], "email"),
    "one date": ([datetime.date(2020, 1, 1)] * N, 'always "2020-01-01"'),
    "durations": ([datetime.timedelta(hours=i) for i in range(N)], "durations"),
    "dates in two orders": (["31.1.2020", "1.31.2020"] * 30, "day first and with the month first"),
    "sentences without a common word": ([f"a{i} b{i} c{i} d{i} e{i}" for i in range(N)], "text=["),
    "bytes": ([b"x", b"y"] * 30, "type binary"),
    "identifiers": (pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)] * N, pa.binary(16))), "type ext"),
    "structures": ([{"a": i} for i in range(N)], "type struct"),
    "lists of different lengths": ([[1.0] * (1 + i % 2) for i in range(N)], "not all of as many"),
    "the same list": ([[1.0, 2.0]] * N, "same list"),
    "codes with zeros in front": ([f"{i // 2:05d}" for i in range(N)], "zeros in front"),
}


@pytest.mark.parametrize(("values", "reason"), IGNORED.values(), ids=IGNORED)
def test_columns_that_are_ignored_with_a_reason(values, reason):
    found = role(values)
    assert found.role == "ignored"
    assert reason in found.reason


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "rowId", "user id", "uuid", "userID"])
def test_what_is_called_an_id_is_one(name):
    assert role(["1", "2", "3"] * 20, name).role == "ignored"


@pytest.mark.parametrize("name", ["paid", "valid", "acid", "humid", "width"])
def test_what_only_ends_like_an_id_is_none(name):
    assert role(["1", "2", "3"] * 20, name).role == "number"


def test_sentences_are_left_out_if_wanted():
    cells = [f"the cat number {i} sat on a mat" for i in range(N)]
    assert role(cells, sentences=False).role == "ignored"
    table = pa.table({"y": ["a"] * N, "note": cells})
    assert decide_columns(table, "y", sentences=False)[1].role == "ignored"
    assert decide_columns(table, "y", text=["note"], sentences=False)[1].role == "text"


def test_what_is_made_of_odd_columns_is_said():
    assert role([*DECIMAL[1:], "tall"]).reason == "numbers, except for 1 of 60 cells"
    assert role([f"{x} kg" for x in DECIMAL]).reason == 'numbers, with the unit "kg"'
    assert "read as day, month, year" in role([f"{1 + i % 28}.3.2020" for i in range(N)]).reason
    assert "read as month, day, year" in role([f"3/{1 + i % 28}/2020" for i in range(N)]).reason
    places = [*["Rome"] * 20, *["Oslo"] * 20, *"abcdefghijklmnopqrst"]
    assert role(places).reason == "22 different texts: the 2 most frequent, and the others as one"


def test_numbers_in_two_units_are_no_numbers():
    assert role(["12 kg", "700 g"] * 30).role == "category"
    assert role([f"{i} {'kg' if i % 2 else 'g'}" for i in range(N)]).role == "ignored"


def test_in_a_small_table_whole_numbers_may_differ():
    assert role(["170", "181", "165"]).role == "number"
    assert role(["1", "2", "3"]).role == "ignored"  # rows counted
    assert role([170, 181, 165]).role == "number"
    assert role([7, 8, 9]).role == "ignored"


def test_too_many_categories_are_refused_even_if_wanted():
    with pytest.raises(TableError, match=r"use: .* 1001 different texts, too many"):
        role([f"A{i}" for i in range(1001)], wanted=True)


def test_an_id_is_used_if_wanted():
    assert role(WHOLE, wanted=True).role == "number"
    assert role([f"A-{i}" for i in range(N)], wanted=True).role == "category"
    assert role(["x"] * N, wanted=True).role == "ignored"


TABLE = pa.table({"species": ["cat", ""], "x": ["1.5", "2.5"], "note": ["a b", "c d"], "sskpca_label": ["cat", "dog"]})


def test_columns_keep_their_order_and_earlier_results_are_left_out():
    found = decide_columns(TABLE, "species", text=["note"])
    assert [(column.name, column.role) for column in found] == [
        ("species", "label"),
        ("x", "number"),
        ("note", "text"),
    ]
    assert decide_columns(TABLE, "species", ignore=["x"])[1].role == "ignored"


@pytest.mark.parametrize("option", ["text", "use", "ignore"])
def test_a_column_that_is_not_there_is_named_with_the_nearest(option):
    with pytest.raises(TableError, match=f'{option}: the table has no column "nota"; did you mean "note"'):
        decide_columns(TABLE, "species", **{option: ["nota"]})


def test_a_column_has_one_use():
    with pytest.raises(TableError, match='"note" cannot be used in two ways'):
        decide_columns(TABLE, "species", text=["note"], ignore=["note"])
    with pytest.raises(TableError, match='"species" cannot be used in two ways'):
        decide_columns(TABLE, "species", use=["species"])


def test_numbers_with_a_decimal_comma_are_refused_unless_they_are_left_out():
    table = pa.table({"y": ["a"] * N, "size": [f"{i},{i % 10}5" for i in range(N)]})
    with pytest.raises(TableError, match=r'the numbers in "size" have a decimal comma; .* ignore=\["size"\]'):
        decide_columns(table, "y")
    assert decide_columns(table, "y", ignore=("size",))[1].role == "ignored"


def test_all_columns_with_a_decimal_comma_are_told_at_once():
    comma = [f"{i},{i % 10}5" for i in range(N)]
    table = pa.table({"y": ["a"] * N, "size": comma, "x": DECIMAL, "age": comma})
    with pytest.raises(TableError, match=r'the numbers in "size", "age" have .* ignore=\["size", "age"\]\.'):
        decide_columns(table, "y")


def test_time_grows_with_the_columns_and_not_with_their_square():
    rng = np.random.default_rng(0)
    columns = {f"c{i}": values for i, values in enumerate(rng.standard_normal((8000, 10)))}
    table = pa.table({**columns, "label": ["a", "b"] * 2 + [None] * 6})
    start = time.process_time()
    assert len(check_table(table).columns) == 8001
    assert time.process_time() - start < 15  # two seconds; where names are looked up in a list, thirty


def test_time_grows_with_the_keys_of_json_lines_and_not_with_their_square(tmp_path):
    path = tmp_path / "wide.jsonl"
    keys = {f"c{i}": i / 7 for i in range(8000)}
    path.write_text("".join(json.dumps({"label": label, **keys}) + "\n" for label in ["a", "b"] * 2 + [None] * 6))
    start = time.process_time()
    assert read_table(path).num_columns == 8001
    assert time.process_time() - start < 5  # half a second


@pytest.mark.parametrize(
    "cell",
    [
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "1e5",
        "1E-5",
        "007",
        "1_0",
        "0x10",
        "1d5",
        "nan",
        "inf",
        "-Infinity",
        "",
        "1,5",
        "٣",
    ],
)
def test_numbers_are_read_the_same_alone_and_beside_an_empty_cell(cell):
    def outcome(*cells):
        try:
            values, missing = numbers(pa.chunked_array([cells]), "x")
        except TableError as error:
            return str(error)
        return values[0], missing[0]

    assert outcome(cell) == outcome(cell, "NA")
