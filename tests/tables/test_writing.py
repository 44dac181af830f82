"""What is written is what was there, whole or not at all."""

import csv
import errno
import io
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sskpca._tables import TableError, read_table, write_table

TABLE = pa.table({"a": ["1", "2"], "b": ["x", ""]})
CELLS = [
    'say "hi"',
    "a, b",
    "two\nlines",
    "cr\r\nlf",
    "a\rb",
    "Ünïcødé ☃ 🦊",
    "",
    " blank ",
    "007",
    "1e3",
    "NA",
    "null",
]
CELLS += [str(2**70), "-0", "'", '"', '""', "\t", ";", "0.1000", "true", "nan", "=1+1", "a\\b", "\u2028"]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_fifty_thousand_rows_come_back_cell_by_cell(tmp_path, name):
    rng = np.random.default_rng(0)
    rows = rng.choice(np.array(CELLS, dtype=object), (50_000 if name == "a.csv" else 500, 8)).tolist()
    header = ["id", "a, b", 'c"d', "e\nf", "é", "", "7", "sp ace"]
    delimiter = "\t" if "tsv" in name else ","
    source = tmp_path / f"source.{'tsv' if 'tsv' in name else 'csv'}"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    table = read_table(source)
    write_table(table, tmp_path / name)
    assert read_table(tmp_path / name).equals(table)
    assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == [tuple(row) for row in rows]
    if name == "a.csv":
        with (tmp_path / name).open(newline="", encoding="utf-8") as file:
            assert list(csv.reader(file)) == [header, *rows]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.text(st.characters(codec="utf-8"))] * 2), min_size=1))
def test_any_text_comes_back(rows):
    table = pa.table({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.csv", "a.tsv", "a.jsonl"):
            write_table(table, Path(folder) / name)
            assert read_table(Path(folder) / name).equals(table)


def test_a_plain_file_comes_back_byte_by_byte(tmp_path):
    content = 'id,x,name\n007,1e3,"a, b"\n8,,é\n'
    (tmp_path / "a.csv").write_text(content)
    write_table(read_table(tmp_path / "a.csv"), tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == content


def test_a_column_of_blank_cells_comes_back(tmp_path):
    table = pa.table({"a": ["1", "", "2", ""]})
    write_table(table, tmp_path / "a.csv")
    assert read_table(tmp_path / "a.csv").equals(table)


TYPED = pa.table(
    {
        "n": pa.array([2**62 + 1, None, 3], pa.int64()),
        "x": pa.array([0.1, 1e300, None]),
        "s": ["é\n", "", None],
        "v": [[1.5, 2.5], None, [0.0]],
        "b": [True, None, False],
    },
    metadata={"owner": "me"},
)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather", "a.jsonl", "a.jsonl.gz"])
def test_typed_formats_come_back(tmp_path, name):
    write_table(TYPED, tmp_path / name)
    found = read_table(tmp_path / name)
    assert found.equals(TYPED)
    if "json" not in name:
        assert found.schema.equals(TYPED.schema, check_metadata=True)


def test_types_become_text_in_csv(tmp_path):
    dates = pa.array([0, None, 1], pa.date32())
    write_table(TYPED.append_column("d", dates), tmp_path / "a.csv")
    assert read_table(tmp_path / "a.csv").to_pydict() == {
        "n": [str(2**62 + 1), "", "3"],
        "x": ["0.1", "1e+300", ""],
        "s": ["é\n", "", ""],
        "v": ["[1.5, 2.5]", "", "[0.0]"],
        "b": ["true", "", "false"],
        "d": ["1970-01-01", "", "1970-01-02"],
    }
    write_table(pa.table({"d": dates}), tmp_path / "d.jsonl")
    assert read_table(tmp_path / "d.jsonl")["d"].to_pylist() == ["1970-01-01", None, "1970-01-02"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_bytes_are_refused_where_there_is_no_way_to_write_them(tmp_path, name):
    with pytest.raises(TableError, match=r"bytes.*take another format"):
        write_table(pa.table({"a": [b"\xff"]}), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays_unless_forced(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("mine")
    with pytest.raises(TableError, match="overwrite=True"):
        write_table(TABLE, path)
    assert path.read_text() == "mine"
    write_table(TABLE, path, overwrite=True)
    assert read_table(path).equals(TABLE)
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TableError, match=r"no folder .*none"):
        write_table(TABLE, tmp_path / "none" / "a.csv")
    with pytest.raises(TableError, match="is a folder"):
        write_table(TABLE, tmp_path, format="csv")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow", "a.jsonl", "a.csv.gz"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, name, monkeypatch):
    path = tmp_path / name
    path.write_text("mine")
    real = type(path).open

    class Full(io.FileIO):
        def write(self, content):
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(self, mode="r", *args, **kwargs):
        return io.BufferedWriter(Full(self, "w")) if mode == "wb" else real(self, mode, *args, **kwargs)

    monkeypatch.setattr(type(path), "open", opened)
    with pytest.raises(TableError, match="No space left on device; make room"):
        write_table(TABLE, path, overwrite=True)
    monkeypatch.undo()
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_killed_run_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("mine")
    program = (
        "import os, signal, sys, pyarrow as pa\n"
        "from sskpca._tables.writing import write_table\n"
        "os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_table(pa.table({'a': ['1']}), sys.argv[1], overwrite=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_text() == "mine"


def test_the_standard_output(monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    write_table(TABLE, "-")
    assert out.getvalue() == b"a,b\n1,x\n2,\n"
    write_table(TABLE, "-", format="jsonl")
    assert out.getvalue().endswith(b'{"a": "1", "b": "x"}\n{"a": "2", "b": ""}\n')


def test_times_that_python_does_not_know_are_refused_where_they_cannot_be_written(tmp_path):
    table = pa.table({"t": pa.array([2**62], pa.timestamp("us"))})
    write_table(table, tmp_path / "a.arrow")
    assert read_table(tmp_path / "a.arrow").equals(table)
    with pytest.raises(TableError, match=r"the table cannot be written as jsonl: .*; take another format"):
        write_table(table, tmp_path / "a.jsonl")
