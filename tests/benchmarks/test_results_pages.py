"""The pages of results are those that the files of results give."""

import csv
import re

import numpy as np
import pytest
from scripts import ROOT, imported

NAMES = ("paper", "book", "automatic", "speed", "tables", "everyday")


@pytest.fixture
def report():
    with imported(ROOT / "benchmarks", "report") as found:
        yield found


def rows_of(path):
    with open(ROOT / "benchmarks" / path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def page(name):
    return (ROOT / "docs" / "results" / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_those_of_the_files(report, name):
    written = page(name)
    assert report.text(report.PAGES[name]) == written


@pytest.mark.parametrize(("table", "n_cells", "wanted"), [("1", 60, 54), ("2", 28, 24)])
def test_counts_of_cells_are_those_of_the_file(table, n_cells, wanted):
    written = page("paper")
    agree = better = worse = 0
    found = rows_of(f"paper/results/table{table}.csv")
    for cell in (row for row in rows_of("paper/published.csv") if row["table"] == table):
        key = ("method", "set", "labels")
        errors = [float(row["error"]) for row in found if all(row[k] == cell[k] for k in key)]
        assert len(errors) == 12, cell
        difference = np.mean(errors) - float(cell["mean"])
        worse += difference > float(cell["std"])
        better += difference < -float(cell["std"])
        agree += abs(difference) <= float(cell["std"])
    assert agree + better + worse == n_cells
    assert agree + better >= wanted
    part = re.split(r"\n## ", written)[int(table)]
    said = re.search(r"\*\*(\d+) of (\d+) cells .*: (\d+) agree, (\d+) are better \(▲\), (\d+) worse \(▼\)", part)
    assert [int(number) for number in said.groups()] == [agree + better, n_cells, agree, better, worse]
    assert part.count(" ▲ |") == better
    assert part.count(" ▼ |") == worse


def test_every_split_is_in_the_packages_file_once():
    keys = [(row["method"], row["set"], row["labels"], row["split"]) for row in rows_of("book/results/peers.csv")]
    assert len(keys) == len(set(keys))
    assert len(keys) == 9 * 7 * 2 * 12


def test_nearest_neighbours_are_the_books():
    """The loader is right: its plain 1-NN gives the printed numbers."""
    found = [row for row in rows_of("book/results/peers.csv") if row["method"] == "nearest"]
    printed = [row for row in rows_of("book/published.csv") if row["method"] == "1-NN (plain)"]
    assert len(printed) == 14
    for cell in printed:
        errors = [float(r["error"]) for r in found if r["set"] == cell["set"] and r["labels"] == cell["labels"]]
        assert np.mean(errors) == pytest.approx(float(cell["error"]), abs=0.01)
