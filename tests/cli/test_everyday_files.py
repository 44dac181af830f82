"""Files as people have them, by the command line: no options, one line on how they were read, the same kind out."""

import csv
import io
import json

import pytest
from commands import animals, run
from openpyxl import Workbook, load_workbook

HEADER, ROWS, _ = animals(30, 10)


def text(delimiter=";", decimal=","):
    file = io.StringIO()
    rows = [[row[0], *(cell.replace(".", decimal) for cell in row[1:3]), row[3]] for row in ROWS]
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([HEADER, *rows])
    return file.getvalue()


def labels(path, out, *options):
    result = run("label", path, "-o", out, "--method", "ls", *options)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


@pytest.fixture
def expected(tmp_path):
    (tmp_path / "clean.csv").write_text(text(",", "."))
    lines = labels(tmp_path / "clean.csv", tmp_path / "clean.out.csv")
    assert not any(line.startswith("read as") for line in lines)  # there is nothing to tell
    with (tmp_path / "clean.out.csv").open(newline="") as file:
        return [row["sskpca_label"] for row in csv.DictReader(file)]


def test_a_csv_of_another_country(tmp_path, expected):
    path = tmp_path / "a.csv"
    path.write_text(text().replace("cat", "Bär"), encoding="cp1252")
    told = "read as   ; separated, decimal commas, Windows-1252"
    assert run("check", path).stdout.splitlines()[1] == told
    assert labels(path, tmp_path / "b.csv")[0] == told
    with (tmp_path / "b.csv").open(newline="", encoding="cp1252") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    assert [row["sskpca_label"].replace("Bär", "cat") for row in rows] == expected
    assert all("." not in row["sskpca_confidence"] for row in rows)


def test_what_was_detected_is_in_the_json(tmp_path):
    (tmp_path / "a.csv").write_text(text())
    for command in (["check"], ["label", "--dry-run", "--method", "ls"]):
        found = json.loads(run(command[0], tmp_path / "a.csv", *command[1:], "--json").stdout)["read_as"]
        assert found["sentence"] == "; separated, decimal commas, UTF-8"
        assert (found["delimiter"], found["decimal"], found["encoding"]) == (";", ",", "utf-8")
        assert found["decimal_columns"] == ["length", "weight"]


def test_a_workbook_is_labelled_and_its_model_labels_another(tmp_path, expected):
    book = Workbook()
    book.active.append(["notes"])
    sheet = book.create_sheet("Animals")
    sheet.append(HEADER)
    for name, length, weight, species in ROWS:
        sheet.append([name, float(length), float(weight), species or None])
    book.save(tmp_path / "a.xlsx")
    options = ["--sheet", "Animals", "--save-model", tmp_path / "m"]
    told = labels(tmp_path / "a.xlsx", tmp_path / "b.xlsx", *options)
    assert "b.xlsx has the values of the sheet, without its formats and formulas" in told[-1]
    header, *rows = load_workbook(tmp_path / "b.xlsx")["Animals"].iter_rows(values_only=True)
    assert [list(row[:4]) for row in rows] == [[n, float(a), float(b), s or None] for n, a, b, s in ROWS]
    assert [row[header.index("sskpca_label")] or "" for row in rows] == expected
    done = run("predict", tmp_path / "m", tmp_path / "a.xlsx", "-o", tmp_path / "c.xlsx", "--sheet", "Animals")
    assert done.exit_code == 0, done.output
    assert load_workbook(tmp_path / "c.xlsx")["Animals"].max_row == 31


def test_json_arrays_stay_arrays(tmp_path, expected):
    rows = [{"id": n, "length": float(a), "weight": float(b), "species": s} for n, a, b, s in ROWS]
    (tmp_path / "a.json").write_text(json.dumps(rows, indent=1))
    labels(tmp_path / "a.json", tmp_path / "b.json")
    found = json.loads((tmp_path / "b.json").read_text())
    assert [row["sskpca_label"] or "" for row in found] == expected
    assert [{key: row[key] for key in rows[0]} for row in found] == rows


def test_options_that_were_given_are_in_the_proposed_command(tmp_path):
    (tmp_path / "a.csv").write_text(text())
    options = ["--delimiter", ";", "--encoding", "cp1252", "--decimal", ","]
    (line,) = (line for line in run("check", tmp_path / "a.csv", *options).stdout.splitlines() if line[:5] == "to do")
    assert "--delimiter ';' --encoding cp1252 --decimal ," in line


def test_a_table_from_a_pipe_is_detected_too(tmp_path):
    done = run("check", "-", input=text().encode("utf-16"))
    assert done.stdout.splitlines()[1] == "read as   ; separated, decimal commas, UTF-16"
