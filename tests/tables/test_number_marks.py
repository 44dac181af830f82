"""Decimal commas, separators of thousands, signs of per cent and money: read as numbers, written as they were."""

import io
from dataclasses import replace

import pytest

from sskpca._tables import TableError
from sskpca._tables.options import FileOptions
from sskpca._tables.reading import read_file
from sskpca._tables.writing import put_table


def read(folder, *columns, delimiter=";", **options):
    """Read columns of cells; the first is called a."""
    lines = [delimiter.join(chr(97 + i) for i in range(len(columns)))]
    lines += [delimiter.join(f'"{cell}"' for cell in row) for row in zip(*columns, strict=True)]
    path = folder / "a.csv"
    path.write_text("\n".join(lines) + "\n")
    return read_file(path, FileOptions(**options))


def refused(words, *args, **options):
    with pytest.raises(TableError, match=words):
        read(*args, **options)


X = ["x", "y"]


def test_a_column_of_numbers_with_commas_has_points(tmp_path):
    found = read(tmp_path, ["1,5", "-2"], [",25", "1,5e3"], ["NA", "0,125"], X)
    assert found.table.to_pydict() == {"a": ["1.5", "-2"], "b": [".25", "1.5e3"], "c": ["NA", "0.125"], "d": X}
    assert found.form.decimal_columns == ("a", "b", "c")


@pytest.mark.parametrize("cells", [["1,5", "2.5"], ["1,5", "x"], ["1,5,6", "1"], ["1", "2"], ["1,5", "2:30"]])
def test_a_column_with_anything_else_stays_as_it_is(tmp_path, cells):
    found = read(tmp_path, cells, X)
    assert found.table["a"].to_pylist() == cells
    assert found.originals == {}


def test_where_columns_have_commas_between_them_a_comma_is_decimal_only_if_given(tmp_path):
    assert read(tmp_path, ["1,5", "2,5"], X, delimiter=",").table["a"].to_pylist() == ["1,5", "2,5"]
    assert read(tmp_path, ["1,5", "2,5"], X, delimiter=",", decimal=",").table["a"].to_pylist() == ["1.5", "2.5"]


def test_a_comma_that_may_stand_between_thousands_is_refused(tmp_path):
    cells = ["1,234", "22,500"]
    refused(r'a.csv has "1,234" in "a", which may be 1.234 or 1234; give decimal=","', tmp_path, cells, X)
    assert read(tmp_path, cells, X, decimal=",").table["a"].to_pylist() == ["1.234", "22.500"]
    assert read(tmp_path, cells, X, decimal=".").table["a"].to_pylist() == ["1234", "22500"]


@pytest.mark.parametrize("other", [["0,123", "1"], ["1,5", "2"], ["1234,567", "0"]])
def test_another_number_tells_that_the_comma_is_decimal(tmp_path, other):
    assert read(tmp_path, ["1,234", "22,500"], other).table["a"].to_pylist() == ["1.234", "22.500"]
    refused("decimal=", tmp_path, ["1,234", "22,500"], other, ["1.5", "2.25"])  # and this one that it is not


def test_a_point_that_may_stand_between_thousands_beside_decimal_commas_is_refused(tmp_path):
    cells = ["1.234", "22.500"]
    refused(r'"1.234" in "a", which may be 1.234 or 1234; give decimal="."', tmp_path, cells, ["1,5", "2"])
    assert read(tmp_path, cells, ["1,5", "2"], decimal=",").table["a"].to_pylist() == ["1234", "22500"]
    assert read(tmp_path, cells, X).table["a"].to_pylist() == cells  # no doubt without a decimal comma


@pytest.mark.parametrize(
    "cells", [["1.234,56", "7,5"], ["1 234,56", "1,0"], ["1'234'567,8", "0,5"], ["1.234.567", "5"]]
)
def test_separators_of_thousands_are_read_and_noted(tmp_path, cells):
    plain = [float("".join(c for c in cell if c in "0123456789,").replace(",", ".")) for cell in cells]
    for given in (None, ","):
        found = read(tmp_path, cells, X, decimal=given)
        assert [float(cell) for cell in found.table["a"].to_pylist()] == plain
        assert found.originals["a"].to_pylist() == cells
    (note,) = read(tmp_path, cells, X).form.notes
    assert note == f'the numbers in "a" have separators of thousands: {cells[0]} is read as {plain[0]:.15g}.'


def test_english_thousands(tmp_path):
    found = read(tmp_path, ["1,234.5", "7.5"], X, delimiter=",")
    assert found.table["a"].to_pylist() == ["1234.5", "7.5"]
    assert found.form.decimal == "."
    assert "1,234.5 is read as 1234.5" in found.form.notes[0]
    assert read(tmp_path, ["1,234,567.5", "7.5"], X, decimal=".").table["a"].to_pylist() == ["1234567.5", "7.5"]


def test_a_comma_before_three_digits_between_commas_needs_another_number_to_tell(tmp_path):
    cells = ["3,504", "950"]
    refused(r'"3,504" in "a", which may be 3.504 or 3504; give decimal=","', tmp_path, cells, X, delimiter=",")
    refused(r'"3,504" in "a"', tmp_path, cells, ["1.234", "2.500"], delimiter=",")  # in doubt itself
    for other in (["1.5", "2"], ["1,234.5", "2"], ["$1,200.50", "$7.00"]):
        assert read(tmp_path, cells, other, delimiter=",").table["a"].to_pylist() == ["3504", "950"]


def test_signs_of_money_are_taken_off_numbers(tmp_path):
    found = read(tmp_path, ["$1.50", "$2"], ["3 €", "1.250,75 €"], ["£5", "x"])
    assert found.table.to_pydict() == {"a": ["1.50", "2"], "b": ["3", "1250.75"], "c": ["£5", "x"]}
    assert found.form.currency_columns == ("a", "b")
    assert "currency signs" in found.form.sentence
    assert found.originals["a"].to_pylist() == ["$1.50", "$2"]


def test_dates_addresses_and_versions_are_no_numbers(tmp_path):
    cells = [["31.12.2020", "1.1.2021"], ["192.168.1.1", "10.0.0.1"], ["1.2.3", "1.10.0"], ["12:30", "1:15"]]
    found = read(tmp_path, *cells, ["1,5", "2"], decimal=",")
    assert [found.table.column(i).to_pylist() for i in range(4)] == cells


def test_percent_signs_are_taken_off_numbers(tmp_path):
    found = read(tmp_path, ["12%", "5 %"], ["1,5 %", "NA"], ["5%", "x"])
    assert found.table.to_pydict() == {"a": ["12", "5"], "b": ["1.5", "NA"], "c": ["5%", "x"]}
    assert found.form.percent_columns == ("a", "b")
    assert read(tmp_path, ["12.5%", "5%"], X, delimiter=",").table["a"].to_pylist() == ["12.5", "5"]


def test_cells_are_written_as_they_were_and_numbers_that_are_added_like_them(tmp_path):
    found = read(tmp_path, ["1,50", "2"], ["12 %", ""], ["1,0", "2,0"])
    table = found.table.append_column("sskpca_label", [["1.0", "2.0"]]).append_column("sskpca_confidence", [[0.5, 1.0]])
    file = io.BytesIO()
    put_table(table, file, "csv", False, None, replace(found, label_column="c"))
    expected = "a;b;c;sskpca_label;sskpca_confidence\n1,50;12 %;1,0;1,0;0,5\n2;;2,0;2,0;1\n"
    assert file.getvalue().decode() == expected


def test_far_down_a_text_is_seen(tmp_path):
    cells = ["1,5"] * 500 + ["x"]
    assert read(tmp_path, cells, cells).table["a"].to_pylist() == cells
    late = ["1"] * 500 + ["1,5"]
    assert read(tmp_path, late, late).table["a"].to_pylist() == ["1"] * 500 + ["1.5"]
