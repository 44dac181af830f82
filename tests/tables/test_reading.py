"""Files as people have them: read as they are, or refused with a sentence."""

import csv
import gzip
import io
import json
import os
import sys
import zipfile
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sskpca._tables import Limits, TableError, read_table
from sskpca._tables.json_lines import read_json_lines
from sskpca._tables.reading import _read_csv
from sskpca._tables.stream import source_of

GOOD = b"name,length,species\nTom,1.5,cat\nRex,007,\n"


def put(folder, content, name="animals.csv"):
    path = folder / name
    path.write_bytes(content)
    return path


def refused(path, *words, **settings):
    """See that a file is refused in one sentence with these words."""
    with pytest.raises(TableError) as caught:
        read_table(path, **settings)
    sentence = str(caught.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence, sentence
    return sentence


def test_cells_of_a_csv_stay_text(tmp_path):
    table = read_table(put(tmp_path, GOOD))
    assert table.to_pydict() == {"name": ["Tom", "Rex"], "length": ["1.5", "007"], "species": ["cat", ""]}
    assert set(table.schema.types) == {pa.string()}


@pytest.mark.parametrize("cell", ["1e3", "NA", "null", "2020-01-01", "true", "123456789012345678901234567890", " x "])
def test_no_cell_is_taken_for_something_else(tmp_path, cell):
    assert read_table(put(tmp_path, f"a,b\n{cell},1\n".encode()))["a"].to_pylist() == [cell]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    assert read_table(put(tmp_path, b"\xef\xbb\xbf" + GOOD)).column_names[0] == "name"


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_of_other_systems(tmp_path, end):
    assert read_table(put(tmp_path, GOOD.replace(b"\n", end))).equals(read_table(put(tmp_path, GOOD, "b.csv")))


def test_newlines_in_cells(tmp_path):
    assert read_table(put(tmp_path, b'a,b\n"x\r\ny\nz",1\n'))["a"].to_pylist() == ["x\r\ny\nz"]


def test_a_blank_line_is_no_row_but_in_a_column_of_its_own_a_blank_cell(tmp_path):
    assert read_table(put(tmp_path, b"a,b\n1,2\n\n3,4\n\n")).num_rows == 2
    assert read_table(put(tmp_path, b"a\n1\n\n3\n"))["a"].to_pylist() == ["1", "", "3"]


def test_a_last_line_without_end(tmp_path):
    assert read_table(put(tmp_path, GOOD[:-1])).num_rows == 2
    assert read_table(put(tmp_path, b'a,b\n1,"x"'))["b"].to_pylist() == ["x"]


@pytest.mark.parametrize("cell", ['""', '""""', '"a""b"', '"x\n"', '"\n"', '"a""\n""b"', 'ab"c', '5"'])
def test_quotes_in_the_last_cell(tmp_path, cell):
    for end in ("", "\n", "\r\n"):
        path = put(tmp_path, f"a,b\n1,{cell}{end}".encode())
        with path.open(newline="") as file:
            expected = list(csv.reader(file))[1][1]
        assert read_table(path)["b"].to_pylist() == [expected]


@pytest.mark.parametrize("rest", ["", "abc", "abc\n3,4\n", 'abc""\n', "\n"])
def test_a_quote_that_is_not_closed_is_refused(tmp_path, rest):
    refused(put(tmp_path, f'a,b\n1,2\n1,"{rest}'.encode()), "not closed")


@pytest.mark.parametrize("n_rows", range(2040, 2060))
def test_a_quote_that_is_not_closed_is_refused_wherever_the_file_is_cut_in_parts(tmp_path, n_rows):
    path = put(tmp_path, b"a,b\n" + b"1,2\n" * n_rows + b'1,"abc\n1,2\n')
    refused(path, "not closed", limits=Limits(row=2**12))


def test_a_quote_that_is_not_closed_in_another_column_is_refused(tmp_path):
    refused(put(tmp_path, b'a,b\n"1,2\n3,4\n'), "cells")


def test_the_delimiter_is_detected_and_one_that_is_given_counts(tmp_path):
    path = put(tmp_path, GOOD.replace(b",", b";"))
    assert read_table(path).equals(read_table(put(tmp_path, GOOD, "b.csv")))
    assert read_table(path, delimiter=";").num_columns == 3
    assert read_table(path, delimiter=",").column_names == ["name;length;species"]


def test_tsv(tmp_path):
    table = read_table(put(tmp_path, b"a\tb, c\n1\tx, y\n", "a.tsv"))
    assert table.to_pydict() == {"a": ["1"], "b, c": ["x, y"]}


def test_columns_of_the_same_name_are_refused(tmp_path):
    refused(put(tmp_path, b"a,b,a\n1,2,3\n"), '"a"', "a name of its own")


@pytest.mark.parametrize(("row", "number"), [(b"3", "1 cells"), (b"3,4,5", "3 cells")])
def test_a_ragged_row_is_refused_with_its_line(tmp_path, row, number):
    content = b'a,b\n1,"two\nlines"\n' + row + b"\n5,6\n"
    refused(put(tmp_path, content), "line 4", number, "2 columns")


def test_a_ragged_row_far_down_is_refused_with_its_line(tmp_path):
    content = b"a,b\n" + b"1,2\n" * 50_000 + b"3\n"
    refused(put(tmp_path, content), "line 50002", limits=Limits(row=2**12))


def test_an_encoding_that_is_not_clear_is_refused(tmp_path):
    refused(put(tmp_path, "a,b\nx,кот\n".encode("cp1251")), "line 2", "UTF-8", "encoding=")
    refused(put(tmp_path, "имя,b\nx,y\n".encode("cp1251")), "line 1", "UTF-8", "encoding=")
    assert read_table(put(tmp_path, "a,b\nx,кот\n".encode("cp1251")), encoding="cp1251")["b"].to_pylist() == ["кот"]


def test_another_encoding_far_down_is_refused(tmp_path):
    content = b"a,b\n" + b"1,2\n" * 5000 + "x,é\n".encode("latin-1")
    refused(put(tmp_path, content), "UTF-8", limits=Limits(row=2**10))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \n"])
def test_an_empty_file_is_refused(tmp_path, content):
    refused(put(tmp_path, content), "is empty")
    refused(put(tmp_path, b"", "a.jsonl"), "is empty")


@pytest.mark.parametrize("content", [b"a,b\n", b"a,b"])
def test_names_without_rows_are_refused(tmp_path, content):
    refused(put(tmp_path, content), "no rows")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    refused(tmp_path / "folder.csv", "is a folder")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    refused(tmp_path / "none.csv", "there is no file")


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    path = put(tmp_path, GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser may read all
        real = type(path).open

        def opened(self, *args, **kwargs):
            if self == path:
                raise PermissionError(13, "Permission denied")
            return real(self, *args, **kwargs)

        monkeypatch.setattr(type(path), "open", opened)
    refused(path, "may not be read", "permissions")


@pytest.mark.parametrize(("name", "words"), [("a.xls", ".xlsx or as CSV"), ("a.data", "format="), ("a", "format=")])
def test_a_format_that_is_not_known_is_refused(tmp_path, name, words):
    refused(put(tmp_path, GOOD, name), words)


def test_the_format_can_be_given(tmp_path):
    assert read_table(put(tmp_path, GOOD, "a.data"), format="csv").num_rows == 2
    refused(put(tmp_path, GOOD, "a.data"), "choose one of", format="excel")


def test_something_else_called_csv_is_refused(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    refused(put(tmp_path, (tmp_path / "a.parquet").read_bytes()), ".parquet")
    refused(put(tmp_path, gzip.compress(GOOD)), ".gz")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.csv", GOOD)
    refused(put(tmp_path, archive.getvalue()), "zip archive")
    refused(put(tmp_path, archive.getvalue(), "a.csv.gz"), "not packed by gzip")
    refused(put(tmp_path, bytes(range(128, 256)) * 100), "UTF-8")


def test_packed_files(tmp_path):
    assert read_table(put(tmp_path, gzip.compress(GOOD), "a.csv.gz")).num_rows == 2
    assert read_table(put(tmp_path, gzip.compress(GOOD.replace(b",", b"\t")), "a.tsv.gz")).num_rows == 2
    assert read_table(put(tmp_path, gzip.compress(b'{"a": 1}\n'), "a.jsonl.gz")).num_rows == 1


def test_a_packed_file_that_is_cut_off_is_refused(tmp_path):
    refused(put(tmp_path, gzip.compress(GOOD * 1000)[:-20], "a.csv.gz"), "cut off")


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.jsonl.gz"])
def test_a_bomb_is_refused_by_its_ratio_before_it_is_unpacked(tmp_path, name):
    path = put(tmp_path, gzip.compress(b"a,b\n" + b"1,2\n" * 10**6), name)
    limits = Limits(size=10**9, row=2**16, harmless=10**5)
    if "csv" in name:
        refused(path, "more than 300 times", limits=limits)
    with source_of(path).open(limits) as stream, pytest.raises(TableError, match="300 times"):
        stream.read()
    assert stream.total < 3 * 10**6  # the whole has 4


def test_what_is_larger_than_the_memory_is_refused(tmp_path):
    small = Limits(size=10**5, row=2**12)
    refused(put(tmp_path, gzip.compress(GOOD * 10**4), "a.csv.gz"), "100 kB when unpacked", limits=small)
    refused(put(tmp_path, GOOD * 10**4), "more than 100 kB", limits=small)
    refused(put(tmp_path, b"a,b\n" + b",\n" * 45_000), "100 kB when unpacked", limits=small)
    refused(put(tmp_path, ",".join(f"c{i}" for i in range(5000)).encode() + b"\n"), "unpacked", limits=Limits(10**6))
    refused(put(tmp_path, b'{"a": 12345}\n' * 10**4, "a.jsonl"), "100 kB", limits=small)
    big = pa.table({"a": [0.0] * 10**5})
    pq.write_table(big, tmp_path / "a.parquet", use_dictionary=False, compression="zstd")
    refused(tmp_path / "a.parquet", "100 kB", limits=small)
    with pa.ipc.new_file(tmp_path / "a.arrow", big.schema) as writer:
        writer.write_table(big)
    refused(tmp_path / "a.arrow", "100 kB", limits=small)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_an_endless_line_is_refused_without_reading_all_of_it(tmp_path, name):
    start = b'a,b\n1,2\n"' if name == "a.csv" else b'{"a": "'
    path = put(tmp_path, start + b"x" * 2**22, name)
    limits = Limits(row=2**13)
    refused(path, "more than 8.2 kB", limits=limits)
    with source_of(path).open(limits) as stream:
        read = {"a.csv": lambda: _read_csv(source_of("-"), stream, ","), "a.jsonl": lambda: read_json_lines(stream)}
        with pytest.raises(TableError, match=r"8\.2 kB"):
            read[name]()
        assert stream.total <= 2**20 + 2**13  # of four million


def test_the_standard_input(monkeypatch):
    def given(content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    given(GOOD)
    assert read_table("-").num_rows == 2
    given(b'{"a": 1}\n')
    assert read_table("-", format="jsonl")["a"].to_pylist() == [1]
    packed = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2]}), packed)
    given(packed.getvalue())
    assert read_table("-", format="parquet").num_rows == 2
    given(b"a,b\n1\n")
    sentence = refused("-", "1 cells", "2 columns")
    assert "row 2, the names counted" in sentence or "the row that begins '1'" in sentence  # as Arrow's threads have it
    assert not sys.stdin.buffer.closed


def test_json_lines_keep_their_types(tmp_path):
    rows = [
        {"n": 2**53 + 1, "x": 0.1, "t": "2020-01-01", "b": True, "v": [0.5, 1.5], "s": {"k": "é"}},
        {"x": None, "t": "", "new": "007"},
    ]
    path = put(tmp_path, "\n".join(json.dumps(row) for row in rows).encode(), "a.jsonl")
    table = read_table(path)
    assert table.column_names == ["n", "x", "t", "b", "v", "s", "new"]
    found = [{k: v for k, v in row.items() if v is not None} for row in table.to_pylist()]
    assert found == [{k: v for k, v in row.items() if v is not None} for row in rows]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": 1}\n[1]\n', "no object in line 2"),
        (b'{"a": 1}\n{"a": \n', "no JSON in line 2"),
        (b'{"a": 1, "a": 2}\n', "a name twice in line 1"),
        (b'{"a": 1}\n{"a": "x"}\n', 'mixes kinds of values in "a"'),
        (b'{"a": 100000000000000000000000}\n', "too long"),
        (b'{"a": "\xff"}\n', "UTF-8 (line 1)"),
        (b"[" * 10**5 + b"\n", "cut off"),
        (b"{}\n", "no columns"),
    ],
)
def test_lines_that_are_no_rows_are_refused(tmp_path, content, words):
    refused(put(tmp_path, content, "a.jsonl"), words)


@pytest.mark.parametrize("keep", [0, 3, 100, 0.5, 0.99])
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_truncated_file_is_refused(tmp_path, name, keep):
    table = pa.table({"a": list(range(1000)), "b": ["x" * 20] * 1000})
    if name == "a.parquet":
        pq.write_table(table, tmp_path / name)
    else:
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write_table(table)
    content = (tmp_path / name).read_bytes()
    put(tmp_path, content[: int(keep * len(content)) if isinstance(keep, float) else keep], name)
    refused(tmp_path / name, "cut off or damaged")


def test_types_and_metadata_of_parquet_stay(tmp_path):
    schema = pa.schema(
        [pa.field("a", pa.int8()), pa.field("d", pa.dictionary(pa.int32(), pa.string())), ("t", pa.timestamp("us"))],
        metadata={"owner": "me"},
    )
    table = pa.table([[1], ["x"], [0]], schema=schema)
    folder = tmp_path / "kind=1"  # no column comes out of this
    folder.mkdir()
    pq.write_table(table, folder / "a.parquet")
    found = read_table(folder / "a.parquet")
    assert found.equals(table)
    assert found.schema.equals(schema, check_metadata=True)


def test_streams_of_arrow(tmp_path):
    table = pa.table({"a": [1, 2]})
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    assert read_table(tmp_path / "a.arrow").equals(table)


def test_of_a_short_file_nothing_of_python_is_left_to_threads_of_arrow(tmp_path, monkeypatch):
    # One that asks a stream of ours for more after an error ended the interpreter by an abort.
    given, original = [], pa.csv.open_csv
    monkeypatch.setattr(pa.csv, "open_csv", lambda file, **options: given.append(file) or original(file, **options))
    (tmp_path / "a.csv").write_text("x,label\n")
    with pytest.raises(TableError, match="has no rows"):
        read_table(tmp_path / "a.csv")
    assert isinstance(given[0], pa.BufferReader)
