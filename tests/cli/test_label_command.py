"""The command that labels a table."""

import csv
import gzip
import json
import os
import random
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from commands import N_LABELED, N, animals, as_csv, contents, read_csv, refused, run

from report.example_labellings import made_up
from sskpca._frames.wording import labelling_entries
from sskpca._selection.relevance import Relevance
from sskpca._tables import RESULT_COLUMNS
from sskpca.saving import load_model

RESULTS = list(RESULT_COLUMNS)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.csv"


def test_a_table_is_labelled_and_told(table, out, few_kernels):
    result = run("label", table, "-o", out)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    header, rows = read_csv(out)
    assert header == ["animal_id", "length", "weight", "species", *RESULTS]
    names = animals()[2]
    found = [(row[4], name) for row, name in zip(rows, names, strict=True) if row[4]]
    assert len(found) > 0.8 * N
    assert np.mean([label == name for label, name in found]) > 0.95
    assert [row[5] for row in rows[:N_LABELED]] == ["given"] * N_LABELED
    lines = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert lines["given"] == 'given     12 labels in the column "species" of animals.csv'
    n_found = len(found) - N_LABELED
    assert lines["labelled"].startswith(f"labelled  {n_found} rows in ")
    assert re.search(r"; 95 % interval .* \(leave-one-out on 12 labels", lines["error"])
    assert re.match(r'baselines always "\w+": [\d.]+ % wrong; nearest neighbour ', lines["baselines"])
    assert re.search(r"random forest [\d.]+ % \(same held-out labels; this model [\d.]+ %\)$", lines["baselines"])
    assert "columns" in lines
    assert (
        lines["error"].split(" % ", 1)[1].startswith("expected on the 48 unlabelled rows, unsure ones included; 95 %")
    )
    assert (
        "with so few labels all of these numbers are rough, sskpca_confidence too: mind the interval" in result.stdout
    )
    assert re.match(r"optimum   the heaviest of \d+ averaged candidates of a kernel is proved", lines["optimum"])
    assert lines["optimum"].endswith("; this says nothing about whether the labels are right")
    assert "label these rows next, in this order: " in lines["next"]
    assert lines["next"].endswith("(numbered as in a spreadsheet, the header is row 1; in parentheses: animal_id)")
    assert lines["written"] == f"written   {out}"


def test_with_many_labels_confidence_is_not_doubted(tmp_path):
    (tmp_path / "a.csv").write_text(as_csv(*animals(60, 30)[:2]))
    result = run("label", tmp_path / "a.csv", "--method", "ls", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "too high" not in result.stdout


def test_all_files_are_written_and_one_can_be_read_by_predict(table, tmp_path, out, few_kernels):
    page, model = tmp_path / "out.html", tmp_path / "out.sskpca"
    result = run("label", table, "-o", out, "--report", page, "--save-model", model)
    assert result.exit_code == 0, result.output
    assert page.read_text().startswith("<!DOCTYPE html>")
    _, kept, header = load_model(model)
    assert header["model"] == "SSKPCAClassifier"
    assert (kept["label_column"], kept["least_confidence"]) == ("species", 0.75)
    assert set(contents(tmp_path)) == {"animals.csv", "out.csv", "out.html", "out.sskpca"}


@pytest.mark.parametrize("method", ["ls", "lr", "mv", "sgt"])
def test_single_methods_label_and_are_saved(table, tmp_path, out, method):
    model = tmp_path / "m"
    result = run("label", table, "-o", out, "--method", method, "--save-model", model)
    assert result.exit_code == 0, result.output
    predicted = run("predict", model, table, "-o", tmp_path / "again.csv", "--fill")
    assert predicted.exit_code == 0, predicted.output
    assert ("eigenproblem" in result.stdout) == (method == "mv")


def test_json_says_the_same_to_programs(table, out, few_kernels):
    result = run("label", table, "-o", out, "--json", "--least-confidence", "0.9")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["n_rows"], found["label_column"], found["least_confidence"]) == (N, "species", 0.9)
    assert sum(found["given"].values()) == N_LABELED
    rows = read_csv(out)[1]
    assert sum(found["found"].values()) == sum(row[5] == "model" for row in rows)
    assert found["n_blank"] == found["n_unsure"] == sum(row[4] == "" for row in rows)
    assert found["proved"]
    assert found["written"] == [str(out)]
    assert all(N_LABELED < entry["row"] <= N for entry in found["next_rows"])
    assert all(entry["spreadsheet_row"] == entry["row"] + 1 for entry in found["next_rows"])
    assert [entry["id"] for entry in found["next_rows"]] == [f"A{entry['row'] - 1:05}" for entry in found["next_rows"]]
    assert found["id_column"] == "animal_id"
    assert [baseline["name"] for baseline in found["baselines"]][1:] == ["nearest neighbour", "random forest"]
    assert found["baselines"][0]["always"] in found["given"]
    assert {entry["column"] for entry in found["relevance"]} == {"length", "weight"}
    assert {"gain", "standard_error", "helps", "hurts"} <= set(found["relevance"][0])
    assert 0 <= found["loo_interval"][0] <= found["loo_error"] <= found["loo_interval"][1] <= 1


def test_labels_that_are_no_sample_are_told_beside_the_error_in_json_and_in_the_report(tmp_path):
    header, rows, _ = animals()
    rows.sort(key=lambda row: float(row[2]))
    for row in rows[N_LABELED:]:
        row[3] = ""
    for row in rows[:N_LABELED]:
        row[3] = "dog" if float(row[1]) > 4 else "cat"
    (tmp_path / "a.csv").write_text(as_csv(header, rows))
    options = ["--method", "ls", "-o", tmp_path / "b.csv", "--report", tmp_path / "b.html"]
    result = run("label", tmp_path / "a.csv", *options)
    assert result.exit_code == 0, result.output
    words = [line.split()[0] for line in result.stdout.splitlines()]
    assert words.index("error") < words.index("warning") < words.index("optimum")
    assert 'mostly by "weight"' in result.stdout
    assert "Warning:</strong> the labelled rows differ from the others" in (tmp_path / "b.html").read_text()
    (warning,) = json.loads(run("label", tmp_path / "a.csv", *options[:2], "--json", "--dry-run").stdout)["warnings"]
    assert f"warning   {warning}" in result.stdout


@pytest.mark.parametrize(
    ("options", "filled", "replaced"),
    [([], False, False), (["--fill"], True, False), (["--overwrite"], False, True), (["--force"], True, True)],
)
def test_force_is_fill_and_overwrite(table, out, options, filled, replaced):
    strict = ["--method", "ls", "--least-confidence", "1", *options]
    assert run("label", table, "-o", out, *strict).exit_code == 0
    blank = [row[4] == "" for row in read_csv(out)[1]]
    assert sum(blank) == (0 if filled else N - N_LABELED)
    before = out.read_bytes()
    again = run("label", table, "-o", out, *strict)
    if replaced:
        assert again.exit_code == 0
    else:
        refused(again, "already exists; give --overwrite")
    assert out.read_bytes() == before


def test_the_report_knows_that_rows_were_filled_in(table, tmp_path, out):
    page = tmp_path / "out.html"
    strict = ["--method", "ls", "--least-confidence", "1", "--report", page]
    assert run("label", table, "-o", out, "--fill", *strict).exit_code == 0
    assert "left blank" not in page.read_text()
    assert f"{N - N_LABELED} more rows were labelled." in page.read_text()
    assert run("label", table, "-o", out, "--overwrite", *strict).exit_code == 0
    assert f"{N - N_LABELED} rows were left blank:" in page.read_text()


def test_a_better_baseline_and_columns_that_hurt_are_told_with_what_to_do():
    labelling = made_up(loo_error=0.9, warnings=("a random forest is better",))
    lines = [f"{entry.name:10}{entry.text}" for entry in labelling_entries(labelling, False)]
    first = next(k for k, line in enumerate(lines) if line.startswith("baselines"))
    assert lines[first].endswith("(same held-out labels; this model 90.0 %)")
    assert lines[first + 1] == "warning   a random forest is better"
    assert lines[first + 2].startswith("columns   most relevant: weight (+0.21) (log likelihood per held-out label")
    assert lines[first + 3].endswith('held-out labels are predicted better without it: try ignore=["habitat"]')
    useless = (Relevance("a b", 0.3, 0.1), Relevance("c", -0.01, 0.1), Relevance("d e", -0.5, 0.1))
    lines = [entry.text for entry in labelling_entries(replace(labelling, relevance=useless), False)]
    assert 'held-out labels are predicted better without it: try ignore=["d e"]' in lines
    # A loss within noise is no advice: leaving such columns out cost one user eight points.
    assert not any('"c"' in line for line in lines)


def test_an_expected_error_that_combines_two_numbers_says_so():
    labelling = made_up()
    combined = next(entry.text for entry in labelling_entries(labelling, False) if entry.name == "error")
    assert "combined with the mean doubt of the probabilities)" in combined
    plain = replace(labelling, expected_error=labelling.loo_error)
    assert "doubt" not in next(entry.text for entry in labelling_entries(plain, False) if entry.name == "error")


def test_the_order_of_labelling_and_all_probabilities_are_written(table, out, few_kernels):
    result = run("label", table, "-o", out, "--next", "3", "--probabilities", "--least-confidence", "1")
    assert result.exit_code == 0, result.output
    header, rows = read_csv(out)
    assert header[-2:] == ["sskpca_p_cat", "sskpca_p_dog"]
    order = {row[header.index("sskpca_next")]: number for number, row in enumerate(rows)}
    ids = ", ".join(f"{order[str(k)] + 2} (A{order[str(k)]:05})" for k in (1, 2, 3))
    assert f"next      label these rows next, in this order: {ids} (numbered as" in result.stdout
    assert set(order) == {"", "1", "2", "3"}
    assert all(row[header.index("sskpca_guess")] for row in rows)
    refused(run("label", table, "-o", out, "--overwrite", "--next", "-1"), "--next: must be 0 or more, not -1.")


def test_choices_in_notes_are_options_in_all_that_the_command_writes(tmp_path):
    header, rows, _ = animals()
    rows = [[*row, row[3][:1]] for row in rows]
    (tmp_path / "a.csv").write_text(as_csv([*header, "by"], rows))
    files = ["-o", tmp_path / "b.csv", "--report", tmp_path / "b.html", "--method", "ls"]
    told = run("label", tmp_path / "a.csv", *files, "--json")
    assert told.exit_code == 0, told.output
    (warning,) = json.loads(told.stdout)["warnings"]
    assert warning.endswith("give --use by.")
    assert "give --use by." in (tmp_path / "b.html").read_text()
    assert "use=[" not in told.stdout + (tmp_path / "b.html").read_text()


def test_a_dry_run_writes_nothing(table, tmp_path, out):
    before = contents(tmp_path)
    result = run("label", table, "-o", out, "--report", tmp_path / "r.html", "--method", "ls", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "written   nothing (dry run)" in result.stdout
    assert run("label", table, "--method", "ls", "--dry-run").exit_code == 0
    assert contents(tmp_path) == before


def test_the_table_comes_from_stdin_and_goes_to_stdout(table):
    result = run("label", "-", "-o", "-", "--method", "ls", input=table.read_bytes())
    assert result.exit_code == 0, result.output
    header, *rows = csv.reader(result.stdout.splitlines())
    assert header[-len(RESULTS) :] == RESULTS
    assert len(rows) == N
    assert result.stderr.startswith('given     12 labels in the column "species" of the standard input')


def test_what_is_written_has_the_format_of_its_name(tmp_path):
    header, rows, _ = animals()
    columns = {name: [row[i] or None for row in rows] for i, name in enumerate(header)}
    source = pa.table({**columns, "length": [float(row[1]) for row in rows]})
    pa.parquet.write_table(source, tmp_path / "a.parquet")
    for name in ("b.parquet", "b.csv.gz", "b.tsv", "b.jsonl"):
        assert run("label", tmp_path / "a.parquet", "-o", tmp_path / name, "--method", "ls").exit_code == 0
    again = pa.parquet.read_table(tmp_path / "b.parquet")
    assert again.select(header).equals(source)
    assert gzip.decompress((tmp_path / "b.csv.gz").read_bytes()).startswith(b"animal_id,length,")
    assert (tmp_path / "b.tsv").read_text().startswith("animal_id\tlength\t")
    assert json.loads((tmp_path / "b.jsonl").read_text().splitlines()[0])["sskpca_source"] == "given"


def test_another_delimiter_is_kept_and_an_odd_name_gets_its_format(table, tmp_path):
    odd = tmp_path / "animals.data"
    odd.write_text(table.read_text().replace(",", ";"))
    options = ["--format", "csv", "--delimiter", ";", "--method", "ls"]
    assert run("label", odd, "-o", tmp_path / "o.data", *options).exit_code == 0
    assert (tmp_path / "o.data").read_text().startswith("animal_id;length;weight;species;sskpca_label;")


def test_marks_and_columns_are_as_chosen(table, tmp_path, out):
    text = table.read_text().replace(",\n", ",todo\n")
    table.write_text(text)
    refused(run("label", table, "-o", out), '48 rows have the label "todo"')
    result = run("label", table, "-o", out, "--unlabeled", "todo", "--ignore", "weight", "--method", "ls", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert {column["name"]: column["role"] for column in found["columns"]}["weight"] == "ignored"
    assert found["n_blank"] + sum(found["found"].values()) == N - N_LABELED
    refused(run("label", table, "-o", out, "--unlabeled", "none", "--unlabeled", "todo"), "give it alone")


# Targets are looked at before the work.


@pytest.fixture
def no_fit(monkeypatch):
    def fit(*_):
        pytest.fail("the work was begun")

    monkeypatch.setattr("sskpca._frames.labelled.label_table", fit)


def test_a_target_that_is_there_is_refused_before_the_work(table, tmp_path, out, no_fit):
    for option, name in (("-o", "out.csv"), ("--report", "r.html"), ("--save-model", "m")):
        (tmp_path / name).write_text("old")
        others = [] if option == "-o" else ["-o", tmp_path / "free.csv"]
        refused(run("label", table, *others, option, tmp_path / name), f"{name} already exists")
        assert (tmp_path / name).read_text() == "old"


def test_a_target_in_no_folder_is_refused_before_the_work(table, tmp_path, out, no_fit):
    refused(run("label", table, "-o", tmp_path / "none" / "out.csv"), "there is no folder")
    refused(run("label", table, "-o", tmp_path / "none.csv", "--report", tmp_path), "is a folder")


def test_a_target_twice_is_refused_before_the_work(table, tmp_path, out, no_fit):
    refused(run("label", table, "-o", out, "--report", out), f"--report and --out both name {out}, one of which would")
    (tmp_path / "link").symlink_to(tmp_path)
    refused(run("label", table, "-o", out, "--save-model", tmp_path / "link" / "out.csv"), "which would be lost")


def test_the_input_is_never_a_target(table, tmp_path, no_fit):
    refused(run("label", table, "-o", table, "--force"), "which would be lost")
    os.link(table, tmp_path / "same.csv")
    refused(run("label", table, "-o", tmp_path / "same.csv", "--force"), "which would be lost")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--report", "-", "-o", "o.csv"], "only the table can go to the standard output"),
        ([], "give -o OUT"),
        (["-o", ""], "the name of the table is empty"),
        (["-o", "o.csv", "--method", "svm"], "choose one of auto"),
        (["-o", "o.csv", "--least-confidence", "7"], "between 0 and 1"),
        (["-o", "o.csv", "--delimiter", "::"], "give one character"),
        (["-o", "o.csv", "--label", "specie"], 'did you mean "species"'),
        (["-o", "o.csv", "--format", "xml"], 'no format "xml"'),
        (["-o", "o.doc"], "does not say what format"),
    ],
)
def test_choices_that_are_none_are_refused(table, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    refused(run("label", table, *options), words)
    assert contents(tmp_path) == before


def test_a_failure_of_one_file_leaves_all_as_they_were(table, tmp_path, out, monkeypatch):
    for name in ("out.csv", "r.html"):
        (tmp_path / name).write_text("old")
    before = contents(tmp_path)

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sskpca._frames.labelled.put_model", fail)
    options = ["--report", tmp_path / "r.html", "--save-model", tmp_path / "m", "--method", "ls", "--force"]
    refused(run("label", table, "-o", out, *options), "m: No space left on device; nothing was written")
    assert contents(tmp_path) == before


# What is in a table stays as it is.

CELLS = [
    "",
    " ",
    "a,b",
    'say "hi"',
    "two\nlines",
    "two\r\nlines",
    "größe 小さい 🦊",
    "007",
    "1e3",
    "9" * 40,
    "NA",
    "'",
    "#",
]


def test_every_cell_stays_as_it_was(tmp_path):
    header, rows, _ = animals(2000, 20)
    rng = random.Random(0)
    odd = [[rng.choice(CELLS), *row, str(10**25 + i), rng.choice(CELLS)] for i, row in enumerate(rows)]
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    names = ["odd, name", *header, "big", 'last "one"']
    source.write_text(as_csv(names, odd), encoding="utf-8", newline="")
    options = ["--method", "ls", "--ignore", "odd, name", "--ignore", "big", "--ignore", 'last "one"']
    result = run("label", source, "-o", out, *options)
    assert result.exit_code == 0, result.output
    found, found_rows = read_csv(out)
    assert found == [*names, *RESULTS]
    assert [row[: len(names)] for row in found_rows] == odd
    assert read_csv(source) == (names, odd)


def test_what_would_move_the_cursor_is_not_printed(tmp_path):
    header, rows, _ = animals()
    text = as_csv(header, rows).replace("cat", "c\x1b[31mat").replace("dog", "d\x07og")
    (tmp_path / "a.csv").write_text(text)
    result = run("label", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--method", "ls")
    assert result.exit_code == 0, result.output
    assert "c [31mat" in result.stdout
    assert not set("\x1b\x07") & set(result.stdout)
    assert {row[4] for row in read_csv(tmp_path / "b.csv")[1]} <= {"c\x1b[31mat", "d\x07og", ""}


def test_a_bug_is_told_in_a_line_and_shown_on_demand(table, out, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("unheard of")

    monkeypatch.setattr("sskpca._frames.labelled.label_table", fail)
    result = run("label", table, "-o", out)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "ZeroDivisionError: unheard of" in line
    assert "SSKPCA_DEBUG=1" in line
    monkeypatch.setenv("SSKPCA_DEBUG", "1")
    result = run("label", table, "-o", out)
    assert isinstance(result.exception, ZeroDivisionError)
    assert not out.exists()


def test_little_memory_gives_nearly_the_same_labels_and_is_told(tmp_path, few_kernels):
    table = tmp_path / "many.csv"
    table.write_text(as_csv(*animals(3000, 30)[:2]))
    labels = []
    for name, options in (("whole", []), ("little", ["--memory", "350MB", "--landmarks", "100"])):
        result = run("label", table, "-o", tmp_path / name, "--format", "csv", "--fill", *options)
        assert result.exit_code == 0, result.output
        labels.append([row[4] for row in read_csv(tmp_path / name)[1]])
        told = [line for line in result.stdout.splitlines() if line.startswith("note")]
        assert len(told) == 3 * bool(options)
    whole, little = np.array(labels)
    assert np.mean(whole == little) > 0.99
    assert "approximated by 100 of the rows (landmarks)" in told[0]
    assert "only two graphs of neighbours" in told[1]
    assert "do not fit into the memory" in told[2]


def test_too_little_memory_is_refused_before_the_work(table, out):
    refused(run("label", table, "-o", out, "--memory", "1MB"), "60 rows need ")
    refused(run("label", table, "-o", out, "--memory", "1MB"), "give --memory 260MB or more, or leave it out.")
    assert not out.exists()


def test_a_memory_that_is_no_size_is_refused(table, out):
    refused(
        run("label", table, "-o", out, "--memory", "much"), '--memory: give a size such as 2GB or 500MB, not "much"'
    )


@pytest.mark.parametrize("method", ["auto", "ls"])
def test_equal_runs_make_equal_models_whatever_memory_is_free(table, tmp_path, few_kernels, monkeypatch, method):
    for name, available in (("m1", 20 * 10**9), ("m2", 19 * 10**9)):
        monkeypatch.setattr("sskpca._tables.forecast.available_memory", lambda available=available: available)
        options = ["-o", tmp_path / f"{name}.csv", "--save-model", tmp_path / name, "--method", method]
        assert run("label", table, *options).exit_code == 0
    assert (tmp_path / "m1").read_bytes() == (tmp_path / "m2").read_bytes()


def test_json_lines_come_back_as_they_were(tmp_path):
    rows = animals()[1]
    lines = [json.dumps({"x": float(row[1]), "y": float(row[2]), "species": row[3]}) for row in rows]
    lines[1] = '{"x": 1, "y": 2.50}'  # a whole number, a trailing zero, and no label
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert run("label", tmp_path / "a.jsonl", "-o", tmp_path / "b.jsonl", "--method", "ls").exit_code == 0
    found = (tmp_path / "b.jsonl").read_text().splitlines()
    assert len(found) == len(lines)
    for before, after in zip(lines, found, strict=True):
        assert after.startswith(before[:-1] + ', "sskpca_label": ')
        assert list(json.loads(after))[-len(RESULTS) :] == RESULTS
    # Labelled again, there is no column twice.
    assert run("label", tmp_path / "b.jsonl", "-o", tmp_path / "c.jsonl", "--method", "ls").exit_code == 0
    assert (tmp_path / "c.jsonl").read_text().splitlines()[1].startswith('{"x": 1, "y": 2.5, "sskpca_label": ')


def test_times_that_python_does_not_know_are_no_bug_of_the_report(tmp_path, few_kernels):
    header, rows, _ = animals()
    columns = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    columns["when"] = pa.array([2**62 - i for i in range(N)], pa.timestamp("us"))
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    out = ["-o", tmp_path / "b.parquet", "--report", tmp_path / "b.html"]
    assert run("label", tmp_path / "a.parquet", *out).exit_code == 0
