"""Files that cannot be labelled: one clear sentence, exit code 2, nothing written."""

import gzip
import json
import os
import subprocess
import zipfile
from functools import partial

import pyarrow as pa
import pyarrow.parquet
import pytest
from commands import animals, as_csv, contents, refused, run

from sskpca._tables import reading
from sskpca._tables.stream import Limits

HEADER, ROWS, NAMES = animals(30, 10)
GOOD = as_csv(HEADER, ROWS)


def labels(change):
    """Write the table with other labels: `change` gets the number and the class of a row."""
    return as_csv(HEADER, [[*row[:3], change(i, name)] for i, (row, name) in enumerate(zip(ROWS, NAMES, strict=True))])


FILES = {
    "empty": ("a.csv", b"", "a.csv is empty"),
    "header only": ("a.csv", "id,length,label\n", "has no rows"),
    "ragged rows": ("a.csv", GOOD + "A1,1.5,2.5,cat,more\n", "has 5 cells in line 32 but 4 columns"),
    "wrong encoding": ("a.csv", labels(lambda i, name: "кот" if i < 9 else "").encode("cp1251"), "is not in UTF-8"),
    "no label column": ("a.csv", "a,b\n1.5,2.5\n2.5,3.5\n3.5,0.5\n", "no column looks like labels"),
    "two label columns": ("a.csv", "label,class,x\ncat,a,1.5\n,,2.5\ndog,b,0.5\ncat,b,0.1\n", 'in "label", "class"'),
    "all labelled": ("a.csv", labels(lambda i, name: name), "every row has a label"),
    "none labelled": ("a.csv", labels(lambda i, name: ""), "no row has a label"),
    "one class": ("a.csv", labels(lambda i, name: "cat" if i < 9 else ""), 'are "cat"; label rows of at least one'),
    "-1 as the only class": ("a.csv", labels(lambda i, name: "-1"), "no row has a label"),
    "all text": (
        "a.csv",
        as_csv(["label", "note"], [[row[3], f"w{i} x{i} y{i} z{i} and{i}"] for i, row in enumerate(ROWS)]),
        "no column is left to learn from",
    ),
    "a column twice": ("a.csv", "x,x,label\n1.5,2.5,cat\n", 'several columns called "x"'),
    "infinite numbers": (
        "a.csv",
        as_csv(
            HEADER, [["A", "inf" if i == 4 else "NaN" if i == 5 else row[1], *row[2:]] for i, row in enumerate(ROWS)]
        ),
        '"length"',
    ),
    "a mark that may mean no label": ("a.csv", labels(lambda i, name: name if i < 9 else "todo"), "--unlabeled"),
    "two delimiters": ("a.csv", "x, mm;y, mm;label\n1,5;2,5;cat\n", "by --delimiter"),
    "a label that is no text": ("a.csv", labels(lambda i, name: "\0" if i < 9 else ""), "has a NUL character"),
    "a row twice in place of names": ("a.csv", "0.5,0.5,cat\n1.5,2.5,\n", "add a line of names above it"),
    "a damaged workbook": ("a.xlsx", b"PK\x03\x04", "is no Excel workbook (.xlsx), or is cut off or damaged"),
    "an old spreadsheet": ("a.xls", b"", "save it as .xlsx or as CSV"),
    "a name without an ending": ("animals", GOOD, "does not say what format"),
}


@pytest.mark.parametrize("command", ["check", "label"])
@pytest.mark.parametrize("what", FILES)
def test_it_is_refused_with_a_sentence(tmp_path, what, command):
    name, content, words = FILES[what]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    _refused(tmp_path, name, words, command)


def _refused(folder, name, words, command="label"):
    before = contents(folder)
    out = ["-o", folder / "out.csv", "--report", folder / "out.html", "--save-model", folder / "out.sskpca"]
    refused(run(command, folder / name, *(out if command == "label" else [])), words)
    assert contents(folder) == before


def test_a_file_that_is_not_there_is_refused(tmp_path):
    _refused(tmp_path, "none.csv", "there is no file")


COMMAS = "nr,size,age,share,label\n" + "".join(
    f'{i},"{i},{i % 10}5","{30 - i},{i % 10}1",{i}.5,{NAMES[i] if i < 10 else "unknown"}\n' for i in range(30)
)


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    (tmp_path / "a.csv").write_text(COMMAS)
    commas = 'the numbers in "size", "age" have a decimal comma'
    for words in ("give --unlabeled unknown", commas):
        _refused(tmp_path, "a.csv", words, "check")
    options = ["--delimiter", ",", "--unlabeled", "unknown", "--ignore", "size", "--ignore", "age"]
    refused(run("check", tmp_path / "a.csv", *options[:2]), f"if it is a class. Also: {commas}")
    refused(run("label", tmp_path / "a.csv", *options[:2], "--dry-run"), f"if it is a class. Also: {commas}")
    assert run("check", tmp_path / "a.csv", *options).exit_code == 0
    assert run("check", tmp_path / "a.csv", "--unlabeled", "unknown", "--decimal", ",").exit_code == 0


def test_a_folder_is_not_taken_for_a_file_without_a_format(tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "folder").mkdir()
    _refused(tmp_path, "folder", "is a folder; give the name of a file in it", "check")
    for more in ([], ["--format", "csv"]):
        result = run("label", tmp_path / "a.csv", "-o", tmp_path / "folder", *more)
        refused(result, "is a folder; give the name of a file in it")


def test_an_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "Limits", partial(Limits, row=10_000))
    (tmp_path / "a.csv").write_text(GOOD + '"' + "x" * 100_000)
    _refused(tmp_path, "a.csv", "has a line of more than 10 kB")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "a.csv").mkdir()
    _refused(tmp_path, "a.csv", "is a folder")


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_file_without_permission_is_refused_by_the_system_itself(tmp_path, request):
    path = tmp_path / "a.csv"
    path.write_text(GOOD)
    path.chmod(0)
    run("check", path)  # loads what is needed, while that may be read
    request.getfixturevalue("unprivileged")
    refused(run("label", path, "-o", "-"), "may not be read by you")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 48 kB: a real one where that is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "none", str(folder)], capture_output=True)
    if done.returncode:
        pytest.skip("to mount a file system is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_on_a_full_disk_nothing_is_written(small_disk, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(as_csv(*animals(1200, 10)[:2]))
    (small_disk / "out.html").write_text("old")
    out = ["-o", small_disk / "out.csv", "--report", small_disk / "out.html", "--overwrite", "--method", "ls"]
    refused(run("label", source, *out), "No space left on device; nothing was written")
    assert contents(small_disk) == {"out.html": b"old"}


def test_where_the_disk_is_said_to_be_full_nothing_is_written(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text(GOOD)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = contents(tmp_path)
    out = ["-o", tmp_path / "o.csv", "--report", tmp_path / "o.html", "--save-model", tmp_path / "o", "--method", "ls"]
    refused(run("label", tmp_path / "a.csv", *out), "No space left on device; nothing was written")
    assert contents(tmp_path) == before


def test_a_truncated_parquet_is_refused(tmp_path):
    columns = {name: [row[i] for row in ROWS] for i, name in enumerate(HEADER)}
    pa.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[: len(content) // 2])
    _refused(tmp_path, "a.parquet", "is no Parquet file, or is cut off or damaged")


def test_a_gzip_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "Limits", partial(Limits, harmless=10**6))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(GOOD.encode() + b"A,0,0,\n" * 10**6))
    _refused(tmp_path, "a.csv.gz", "unpacks to more than 300 times its size")


def test_a_model_of_another_version_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    made = run("label", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--save-model", tmp_path / "m", "--method", "ls")
    assert made.exit_code == 0, made.output
    with zipfile.ZipFile(tmp_path / "m") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    description = json.loads(members["model.json"])
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        members["model.json"] = json.dumps({**description, "format_version": 99}).encode()
        for name, content in members.items():
            archive.writestr(name, content)
    before = contents(tmp_path)
    result = run("predict", tmp_path / "m", tmp_path / "a.csv", "-o", tmp_path / "c.csv")
    refused(result, "is of version 99 of the format")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 but no archive", GOOD.encode()])
def test_what_is_no_model_is_refused(tmp_path, content):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "m").write_bytes(content)
    refused(run("predict", tmp_path / "m", tmp_path / "a.csv", "-o", tmp_path / "c.csv"), "m ")
    refused(run("predict", tmp_path / "none", tmp_path / "a.csv", "-o", tmp_path / "c.csv"), "there is no file")


def crafted(folder, change):
    """Save a model, and change its parts: `change` gets the archive's members by name."""
    (folder / "a.csv").write_text(GOOD)
    made = run("label", folder / "a.csv", "-o", folder / "b.csv", "--save-model", folder / "m", "--method", "ls")
    assert made.exit_code == 0, made.output
    with zipfile.ZipFile(folder / "m") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(folder / "m", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    result = run("predict", folder / "m", folder / "a.csv", "-o", folder / "c.csv")
    assert not (folder / "c.csv").exists()
    return result


def described(change):
    def apply(members):
        description = json.loads(members["model.json"])
        change(description)
        members["model.json"] = json.dumps(description).encode()

    return apply


def _of(description, name):
    return next(state for known, state in description["objects"] if known == name)


def _shorter(description):
    _of(description, "Predictor")["mean"] = {"array": 0}


def _no_kernel(description):
    _of(description, "Predictor")["parts"] = 5


def _no_columns(description):
    description["features"] = {"dict": [["columns", 7]]}


def header(text):
    def apply(members):
        members["0.npy"] = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + members["0.npy"][128:]

    return apply


def _no_share(description):
    pairs = description["features"]["dict"]
    pairs[:] = [[key, "role" if key == "least_confidence" else value] for key, value in pairs]


CRAFTED = {
    "a share that is none": (described(_no_share), "does not say how a table is read"),
    "an array of Python 2": (
        header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L,)}"),
        "cut short or damaged",
    ),
    "a part that is not known": (described(_shorter), "is cut short or damaged"),
    "a number in place of parts": (described(_no_kernel), "m cannot predict the rows of"),
    "columns that are none": (described(_no_columns), "does not say how a table is read"),
    "an array described by brackets": (header(b"[" * 9000), "is cut short or damaged"),
    "an array described by half a sentence": (header(b"{'descr': ("), "is cut short or damaged"),
}


@pytest.mark.parametrize("what", CRAFTED)
def test_a_crafted_model_is_refused(tmp_path, what):
    change, words = CRAFTED[what]
    refused(crafted(tmp_path, change), words)


def test_a_part_of_a_model_far_beyond_the_end_of_the_file_is_refused(tmp_path):
    crafted(tmp_path, described(_no_columns))
    content = bytearray((tmp_path / "m").read_bytes())
    index = content.rindex(b"PK\x01\x02")  # of the last part: 64-bit offset in an extra field
    name_length = int.from_bytes(content[index + 28 : index + 30], "little")
    content[index + 42 : index + 46] = b"\xff" * 4
    content[index + 30 : index + 32] = (12).to_bytes(2, "little")
    extra = (1).to_bytes(2, "little") + (8).to_bytes(2, "little") + (2**62).to_bytes(8, "little")
    content[index + 46 + name_length : index + 46 + name_length] = extra
    end = content.rindex(b"PK\x05\x06")
    size = int.from_bytes(content[end + 12 : end + 16], "little") + 12
    content[end + 12 : end + 16] = size.to_bytes(4, "little")
    (tmp_path / "m").write_bytes(content)
    refused(run("predict", tmp_path / "m", tmp_path / "a.csv", "-o", tmp_path / "c.csv"), "is cut short or damaged")
