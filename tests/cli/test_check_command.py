"""The command that looks at a table."""

import json

from commands import N_LABELED, N, contents, run


def test_a_check_says_what_would_be_done_and_changes_nothing(table, tmp_path):
    before = contents(tmp_path)
    result = run("check", table)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[:2] == [
        "table     animals.csv: 60 rows, 4 columns",
        'labels    in the column "species" (guessed: by its name; --label NAME to change)',
    ]
    assert lines[2].startswith("given     12 rows: cat ")
    assert lines[3:6] == [
        "empty     48 rows without a label",
        "using     2 columns: 2 as numbers (length, weight)",
        "not used  animal_id: called an id (--use animal_id to use it)",
    ]
    assert lines[6].startswith("plan      exact, 60 rows: needs ")
    out = "-o animals.labelled.csv --report animals.html --save-model animals.sskpca"
    assert lines[7] == f"to do it  sskpca label {table} {out}"
    assert len(lines) == 8
    assert contents(tmp_path) == before


def test_the_command_to_do_it_has_the_options_that_were_chosen(table):
    result = run("check", table, "--label", "species", "--ignore", "length", "--unlabeled", "to do")
    last = result.stdout.splitlines()[-1]
    assert "--unlabeled 'to do' --ignore length --label species" in last


def test_a_mark_is_told(table):
    table.write_text(table.read_text().replace(",\n", ",-1\n", 3))
    result = run("check", table)
    assert 'note      3 rows have the label "-1": taken as unlabelled; give --unlabeled none if' in result.stdout


def test_a_first_line_that_is_no_names_is_told(table):
    table.write_text(table.read_text().split("\n", 1)[1])
    result = run("check", table)
    assert result.exit_code == 0, result.output
    assert (
        "note      the first line is taken for the names of the columns, and most" not in result.stdout
    )  # two of four
    table.write_text("\n".join(line.split(",", 1)[1] for line in table.read_text().splitlines()))
    result = run("check", table)
    assert result.exit_code == 0, result.output
    assert "note      the first line is taken for the names of the columns, and most of them are" in result.stdout


def test_json_is_for_programs(table):
    found = json.loads(run("check", table, "--json").stdout)
    assert (found["n_rows"], found["label_column"], found["n_unlabeled"]) == (N, "species", N - N_LABELED)
    assert found["plan"]["coordinates"] == "exact"
    assert [column["role"] for column in found["columns"]] == ["ignored", "number", "number", "label"]


def test_stdin_can_be_checked(table):
    result = run("check", "-", input=table.read_bytes())
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("table     the standard input: 60 rows")
    assert "to do it" not in result.stdout


def test_a_by_product_of_labelling_is_told_loudly(table):
    header, *rows = table.read_text().splitlines()
    table.write_text("\n".join([f"{header},by", *(f"{row},{'' if row.endswith(',') else row[-2:]}" for row in rows)]))
    lines = run("check", table).stdout.splitlines()
    (warning,) = (line for line in lines if line.startswith("warning"))
    assert warning.startswith('warning   column left out: "by" (filled in 12 of 12 labelled rows and 0 of 48 others).')
    assert "by: filled in 12 of 12 labelled rows and 0 of 48 others, so a by-product" in lines[5]
    found = json.loads(run("check", table, "--json").stdout)
    assert found["warnings"] == [warning.split(maxsplit=1)[1]]
    assert "used because of --use" in run("check", table, "--use", "by").stdout
