"""Excel workbooks: values with their types in, the same cells out, and no harm by crafted ones."""

import io
import re
import sys
import zipfile
from datetime import date, datetime, time, timedelta

import pyarrow as pa
import pytest
from openpyxl import Workbook, load_workbook

from sskpca._tables import Limits, TableError, read_table, write_table
from sskpca._tables.reading import read_file
from sskpca._tables.writing import put_table

DAY = datetime(2024, 2, 29)


def book(path, *rows, title="Data", more=None):
    workbook = Workbook()
    workbook.active.title = title
    for row in rows:
        workbook.active.append(row)
    for name, cells in (more or {}).items():
        sheet = workbook.create_sheet(name)
        for row in cells:
            sheet.append(row)
    workbook.save(path)
    return path


def crafted(path, changes):
    """Change the parts of a workbook, or add some."""
    with zipfile.ZipFile(path) as archive:
        parts = {**dict.fromkeys(changes, b""), **{name: archive.read(name) for name in archive.namelist()}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, changes[name](content) if name in changes else content)
    return path


def refused(path, words, **settings):
    with pytest.raises(TableError, match=words) as caught:
        read_table(path, **settings)
    assert "\n" not in str(caught.value)


def written(read, path):
    with path.open("wb") as file:
        put_table(read.table, file, "xlsx", False, None, read)
    return path


def values(path):
    return [list(row) for row in load_workbook(path).worksheets[0].iter_rows(values_only=True)]


SHEET = "xl/worksheets/sheet1.xml"


def test_values_have_their_types(tmp_path):
    rows = [
        ["text", "whole", "number", "truth", "day", "moment", "clock", "span", "empty"],
        ["ä", 1, 0.1, True, DAY, DAY + timedelta(hours=1), time(12, 30), timedelta(hours=30), None],
        [None, 2**52, 3, False, None, DAY, None, None, None],
    ]
    table = read_table(book(tmp_path / "a.xlsx", *rows))
    assert [str(kind) for kind in table.schema.types] == [
        *("string", "int64", "double", "bool", "date32[day]", "timestamp[s]", "time32[s]", "duration[us]", "string"),
    ]
    assert table["day"].to_pylist() == [date(2024, 2, 29), None]
    assert table["number"].to_pylist() == [0.1, 3.0]
    assert table["text"].to_pylist() == ["ä", None]


def test_a_column_of_several_kinds_is_text_and_is_written_as_it_was(tmp_path):
    rows = [["a", 2020], [1, "x"], ["NA", "x"], [0.5, "x"], [True, "x"], [DAY, "#N/A"]]
    read = read_file(book(tmp_path / "a.xlsx", *rows))
    assert read.table["a"].to_pylist() == ["1", "NA", "0.5", "true", "2024-02-29"]
    assert read.table.column_names == ["a", "2020"]
    assert values(written(read, tmp_path / "b.xlsx")) == rows


TEXTS = ["=1+1", "=", "+1", "007", " x ", "two\nlines", "a\r\nb", "\x01", "_x000D_", "é☃🦊", "1e3", "'", "#REF!", "-"]
NUMBERS = [0.1 + 0.2, 1e-300, -1.5, 1 / 3, 2.0**60, 5e-324]


def test_every_cell_comes_back(tmp_path):
    table = pa.table({"t": TEXTS, "n": [*NUMBERS, *[None] * (len(TEXTS) - len(NUMBERS))]})
    write_table(table, tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").equals(table)


def test_a_text_is_never_a_formula(tmp_path):
    write_table(pa.table({"=A1": ["=1+1", '=HYPERLINK("x")']}), tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"<f" not in archive.read(SHEET)
    assert values(tmp_path / "a.xlsx")[1] == ["=1+1"]


def test_numbers_of_csv_become_numbers_but_codes_stay_text(tmp_path):
    (tmp_path / "a.csv").write_text("n;c;t;v\n1,5;007;x;12 %\n;1;2;13 %\n")
    read = read_file(tmp_path / "a.csv")
    assert values(written(read, tmp_path / "b.xlsx")) == [
        ["n", "c", "t", "v"],
        [1.5, "007", "x", 12],
        [None, "1", "2", 13],
    ]


def test_the_first_sheet_with_cells_is_taken_and_another_can_be_named(tmp_path):
    path = book(tmp_path / "a.xlsx", title="Empty", more={"One": [["a"], [1]], "Two": [["b"], [2]]})
    form = read_file(path).form
    assert (form.sheet, form.other_sheets) == ("One", ("Two",))
    assert 'sheet="NAME" to change' in form.sentence
    assert read_table(path, sheet="Two").column_names == ["b"]
    assert read_file(written(read_file(path), tmp_path / "b.xlsx")).form.sheet == "One"
    refused(path, r'has no sheet "Three"; it has "Empty", "One", "Two"', sheet="Three")
    refused(path, 'no cells in the sheet "Empty"', sheet="Empty")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    refused(tmp_path / "a.csv", "is no Excel workbook", sheet="One")


def test_a_line_about_the_table_on_a_sheet_before_it_is_no_table(tmp_path):
    rows = [["a", "b"], [1, "x"], [2, "y"]]
    read = read_file(book(tmp_path / "a.xlsx", ["made by", "me"], title="About", more={"Data": rows}))
    assert read.form.sheet == "Data"
    assert read.table.to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
    assert '"About"' in read.form.sentence


def test_a_sheet_with_a_wrong_size_is_read_whole(tmp_path):
    path = book(tmp_path / "a.xlsx", ["a", "b"], [1, 2], [3, 4])
    crafted(path, {SHEET: lambda xml: xml.replace(b'ref="A1:B3"', b'ref="A1"')})
    assert read_table(path).to_pydict() == {"a": [1, 3], "b": [2, 4]}


def test_empty_rows_and_columns_around_the_table_are_no_part_of_it(tmp_path):
    path = book(tmp_path / "a.xlsx", [], [None, "a", None, "b"], [None, 1, None, "x"], [], [None, 2, " ", None], [])
    read = read_file(path)
    assert read.table.to_pydict() == {"a": [1, 2], "b": ["x", None]}
    assert read.form.n_blank == 2


def test_a_cell_far_away_makes_no_wide_table(tmp_path):
    path = book(tmp_path / "a.xlsx", ["a", "b"], [1, 2])
    workbook = load_workbook(path)
    workbook.active["XFD1048576"] = 5
    workbook.save(path)
    assert read_table(path).to_pydict() == {"a": [1, None], "b": [2, None], "": [None, 5]}


def test_times_are_written_as_people_write_them(tmp_path):
    moment = datetime(2024, 2, 29, 5, 30)
    read = read_file(book(tmp_path / "a.xlsx", ["a", "b", "c"], [moment, time(5, 30), timedelta(hours=30)]))
    file = io.BytesIO()
    put_table(read.table, file, "csv", False, None, read)
    assert file.getvalue().splitlines()[1] == b'2024-02-29 05:30:00,05:30:00,"1 day, 6:00:00"'
    assert values(written(read, tmp_path / "b.xlsx")) == values(tmp_path / "a.xlsx")


def test_a_title_and_names_twice_are_refused(tmp_path):
    refused(book(tmp_path / "a.xlsx", ["Title"], ["a", "b", "c"], [1, 2, 3]), "is it a title")
    refused(book(tmp_path / "b.xlsx", ["a", "a"], [1, 2]), 'several columns called "a"')
    refused(book(tmp_path / "c.xlsx", ["a", None, None], [1, 2, 3]), "is it a title")
    refused(book(tmp_path / "d.xlsx", ["a", "b", None, None], [1, 2, 3, 4]), "without a name")
    refused(book(tmp_path / "e.xlsx", ["a", "b"]), "has no rows")
    refused(book(tmp_path / "f.xlsx"), "is empty")


def test_a_formula_without_a_value_is_refused_and_one_with_a_value_is_that(tmp_path):
    path = book(tmp_path / "a.xlsx", ["a", "b"], [1, "=A2"])
    refused(path, r"a formula without a value in B2; open it")
    crafted(path, {SHEET: lambda xml: re.sub(rb"(<f>A2</f>)<v ?/>|(<f>A2</f>)<v></v>", rb"<f>A2</f><v>7</v>", xml)})
    assert read_table(path)["b"].to_pylist() == [7]
    crafted(
        path, {SHEET: lambda xml: xml.replace(b'<c r="B2"><f>A2</f><v>7</v>', b'<c r="B2" t="str"><f>A2</f><v></v>')}
    )
    assert read_table(path)["b"].to_pylist() == [None]


@pytest.mark.parametrize("keep", [0, 3, 100, 0.3, 0.9, 0.99])
def test_a_truncated_workbook_is_refused(tmp_path, keep):
    content = book(tmp_path / "a.xlsx", ["a", "b"], *[[i, f"t{i}"] for i in range(500)]).read_bytes()
    (tmp_path / "a.xlsx").write_bytes(content[: int(keep * len(content)) if isinstance(keep, float) else keep])
    refused(tmp_path / "a.xlsx", "cut off or damaged")


@pytest.mark.parametrize(
    ("part", "change"),
    [
        (SHEET, lambda xml: xml[: len(xml) // 2]),
        (SHEET, lambda xml: xml.replace(b'<row r="2"', b'<row r="99999999999"')),
        (SHEET, lambda xml: xml.replace(b'<row r="2"', b'<row r="1048577"')),
        (SHEET, lambda xml: b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + xml),
        (SHEET, lambda xml: ('<!DOCTYPE x [<!ENTITY a "aaaa">]>' + xml.decode()).encode("utf-16")),
        (SHEET, lambda xml: b" " * (2**20 - 4) + b"<!DOCTYPE x>" + xml),  # where one piece ends that is read
        (SHEET, lambda xml: b'<?xml version="1.0" encoding="cp037"?>' + xml.decode().encode("cp037")),
        ("xl/workbook.xml", lambda xml: b""),
        ("xl/styles.xml", lambda xml: b"<x"),
        (SHEET, lambda xml: xml.replace(b't="inlineStr"><is><t>x</t></is>', b't="s"><v>7</v>')),
    ],
)
def test_a_crafted_workbook_is_refused(tmp_path, part, change):
    path = crafted(book(tmp_path / "a.xlsx", ["a", "b"], ["x", 2]), {part: change})
    refused(path, "cut off or damaged")


def test_a_password_or_an_old_format_is_told(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))
    refused(tmp_path / "a.xlsx", "a password, or is an old .xls")


def test_bombs_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    path = book(tmp_path / "a.xlsx", ["a", "b"], ["x", 2])
    bomb = crafted(path, {SHEET: lambda xml: xml.replace(b"</sheetData>", b"<row/>" * 10**6 + b"</sheetData>")})

    def opened(self, *args, **kwargs):
        raise AssertionError("unpacked")

    with monkeypatch.context() as patch:
        patch.setattr(zipfile.ZipFile, "open", opened)
        refused(bomb, "more than 300 times its size", limits=Limits(size=10**9, harmless=10**6))
        refused(bomb, "more than 1 MB when unpacked", limits=Limits(size=10**6))
    refused(bomb, "when unpacked", limits=Limits(size=10**8))


def test_a_text_that_all_rows_share_counts_for_each(tmp_path):
    path = book(tmp_path / "a.xlsx", ["a", "b"], *[["x", 1]] * 2000)
    shared = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>%s</t></si></sst>'
    inline, number = b't="inlineStr"><is><t>x</t></is>', b't="s"><v>0</v>'
    kind = (
        b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        b'spreadsheetml.sharedStrings+xml"/></Types>'
    )
    changes = {
        SHEET: lambda xml: xml.replace(inline, number),
        "xl/sharedStrings.xml": lambda xml: shared % (b"x" * 30_000),
        "[Content_Types].xml": lambda xml: xml.replace(b"</Types>", kind),
    }
    crafted(path, changes)
    assert read_table(path)["a"][-1].as_py() == "x" * 30_000
    refused(path, "when unpacked", limits=Limits(size=10**7))


def test_what_a_sheet_has_no_room_for_is_refused(tmp_path):
    for table, words in (
        (pa.table({"a": ["x" * 40_000]}), "32767 at most"),
        (pa.table({"a": pa.nulls(2**20, pa.int8())}), "1048576"),
        (pa.table({"a": [[1.0]]}), "lists"),
    ):
        with pytest.raises(TableError, match=words):
            write_table(table, tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_that_are_too_long_for_excel_are_text(tmp_path):
    write_table(pa.table({"a": [2**60 + 1]}), tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx")["a"].to_pylist() == [str(2**60 + 1)]


def test_csv_from_a_workbook_is_for_excel(tmp_path):
    read = read_file(book(tmp_path / "a.xlsx", ["ä", "d"], [1.5, DAY]))
    file = io.BytesIO()
    put_table(read.table, file, "csv", False, None, read)
    assert file.getvalue().decode("utf-8-sig") == "ä,d\n1.5,2024-02-29\n"
    assert file.getvalue().startswith(b"\xef\xbb\xbf")


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    path = book(tmp_path / "a.xlsx", ["a", "b"], [1, 2])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    refused(path, r'openpyxl is needed; install it: pip install "sskpca\[excel\]"')
