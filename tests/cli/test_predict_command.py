"""The command that labels new rows."""

import json
import re

import pytest
from commands import animals, as_csv, read_csv, refused, run

OWN = ["sskpca_label", "sskpca_confidence", "sskpca_guess", "sskpca_second", "sskpca_unseen"]


@pytest.fixture
def model(table, tmp_path, few_kernels):
    path = tmp_path / "m.sskpca"
    assert run("label", table, "-o", tmp_path / "labelled.csv", "--save-model", path).exit_code == 0
    return path


@pytest.fixture
def new(tmp_path):
    header, rows, _ = animals(20, 0, seed=5)
    path = tmp_path / "new.csv"
    path.write_text(as_csv(header[1:3], [*(row[1:3] for row in rows), ["1e6", "-1e6"]]))
    return path


def test_new_rows_are_labelled_and_one_like_nothing_seen_says_so(model, new, tmp_path):
    result = run("predict", model, new, "-o", tmp_path / "out.csv")
    assert result.exit_code == 0, result.output
    header, rows = read_csv(tmp_path / "out.csv")
    assert header == ["length", "weight", *OWN]
    right = [row[2] == name for row, name in zip(rows, animals(20, 0, seed=5)[2], strict=False) if row[2]]
    assert len(right) > 12
    assert sum(right) >= len(right) - 1
    assert [rows[-1][2], rows[-1][6]] == ["", "true"]
    assert float(rows[-1][3]) == pytest.approx(0.5, abs=1e-4)
    assert "unseen    1 row is unlike all rows that the model has seen" in result.stdout
    assert ": 22 (numbered as in a spreadsheet" in result.stdout


def test_rows_are_as_sure_as_the_model_was_told_or_as_is_said_now(table, new, tmp_path):
    options = ["--method", "ls", "--least-confidence", "1", "--save-model", tmp_path / "m"]
    assert run("label", table, "-o", tmp_path / "o.csv", *options).exit_code == 0
    found = json.loads(run("predict", tmp_path / "m", new, "--dry-run", "--json").stdout)
    assert found["n_blank"] == found["n_rows"] == 21
    found = json.loads(run("predict", tmp_path / "m", new, "--dry-run", "--json", "--least-confidence", "0").stdout)
    assert found["n_blank"] == 0
    assert found["unseen_rows"] == [{"row": 21, "spreadsheet_row": 22, "id": None}]
    refused(run("predict", tmp_path / "m", new, "--dry-run", "--least-confidence", "2"), "between 0 and 1")


def test_nothing_is_overwritten_unless_asked_for(model, new, tmp_path):
    (tmp_path / "out.csv").write_text("old")
    refused(run("predict", model, new, "-o", tmp_path / "out.csv"), "already exists")
    refused(run("predict", model, new, "-o", model, "--format", "csv", "--force"), "which would be lost")
    refused(run("predict", model, new), "give -o OUT")
    assert (tmp_path / "out.csv").read_text() == "old"
    assert run("predict", model, new, "-o", tmp_path / "out.csv", "--overwrite").exit_code == 0
    assert (tmp_path / "out.csv").read_text().startswith("length,")


def test_what_is_not_used_is_named(model, new, tmp_path):
    result = run("predict", model, new, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "not used" not in result.stdout
    header, rows, _ = animals(20, 2, seed=5)
    new.write_text(as_csv([*header, "extra"], [[*row, "more"] for row in rows]))
    result = run("predict", model, new, "--dry-run")
    assert "note      not used: animal_id, species, extra.\n" in result.stdout
    assert 'note      2 labels in "species" are ignored: sskpca_label is what the model says.\n' in result.stdout


def test_a_column_that_is_not_there_is_named(model, tmp_path):
    (tmp_path / "short.csv").write_text("length\n1.5\n")
    refused(run("predict", model, tmp_path / "short.csv", "-o", "-"), 'lacks the column "weight"')


def test_new_rows_go_through_a_pipe(model, new):
    result = run("predict", model, "-", "-o", "-", "--fill", input=new.read_bytes())
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) == 22
    assert result.stderr.startswith("labelled  21 rows of 21")


def test_classes_of_a_model_that_look_like_formulas_are_made_harmless_in_csv(tmp_path):
    header, rows, _ = animals()
    evil = {"cat": "=cmd|'/c calc'!A0", "dog": "-1"}
    (tmp_path / "a.csv").write_text(as_csv(header, [[*row[:3], evil.get(row[3], "")] for row in rows]))
    made = run("label", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--save-model", tmp_path / "m", "--method", "ls")
    assert made.exit_code == 0, made.output  # "-1" beside one other class is a class
    (tmp_path / "new.csv").write_text(as_csv(header[:3], [row[:3] for row in rows]))
    for name in ("out.csv", "out.tsv"):
        result = run("predict", tmp_path / "m", tmp_path / "new.csv", "-o", tmp_path / name, "--fill")
        assert result.exit_code == 0
        assert (
            "classes of the model that look like formulas; in the table they begin with an apostrophe" in result.stdout
        )
        text = (tmp_path / name).read_text()
        assert "'=cmd|'/c calc'!A0" in text
        assert not any(cell.startswith("=") for line in text.splitlines() for cell in re.split("[,\t]", line))
        assert "'-1" not in text
    assert run("predict", tmp_path / "m", tmp_path / "new.csv", "-o", tmp_path / "o.jsonl", "--fill").exit_code == 0
    assert {json.loads(line)["sskpca_label"] for line in (tmp_path / "o.jsonl").read_text().splitlines()} == {
        *evil.values()
    }
