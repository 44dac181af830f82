"""The cells of the book's table: what the book printed, what was found, and how one is named on the command line."""

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path

__all__ = ["LABELS", "RESULTS", "SETS", "SIX", "SPLITS", "compare", "options", "published", "read", "write"]

SETS = ("g241c", "g241d", "Digit1", "USPS", "BCI", "Text", "COIL")
SIX = SETS[:6]  # COIL has six classes, and not all methods of the book have a number for it
LABELS = (10, 100)
SPLITS = range(1, 13)
RESULTS = Path(__file__).parent / "results"


def read(file: str) -> list[dict[str, str]]:
    """List the rows of a file of results; none if it is not there yet."""
    path = RESULTS / file
    if not path.exists():
        return []
    with open(path, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def write(file: str, about: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a file of results; its first line says what it is about."""
    RESULTS.mkdir(exist_ok=True)
    with open(RESULTS / file, "w", newline="") as out:
        out.write(f"# {about}\n")
        csv.writer(out, lineterminator="\n").writerows([columns, *rows])


def published() -> dict[tuple[str, str, int], float]:
    """Return the book's errors, of its cells that were checked against a source."""
    rows = read("../published.csv")
    return {(row["method"], row["set"], int(row["labels"])): float(row["error"]) for row in rows}


def options(
    about: str, methods: Iterable[str] = (), flags: dict[str, str] | None = None, splits: bool = True
) -> argparse.Namespace:
    """Read from the command line which cells are wanted: of a method, a set, a number of labels, or one split."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    if methods:
        parser.add_argument("--method", choices=list(methods))
    parser.add_argument("--set", choices=SETS, dest="name")
    parser.add_argument("--labels", type=int, choices=LABELS)
    if splits:
        parser.add_argument("--split", type=int, choices=SPLITS, help="one of the twelve")
    for flag, help in (flags or {}).items():
        parser.add_argument(f"--{flag}", action="store_true", help=help)
    return parser.parse_args()


def compare(found: dict[tuple, str], file: str, *key: str) -> None:
    """Say how many errors are those in a file, whose columns `key` name them."""
    kept = {tuple(row[column] for column in key): row["error"] for row in read(file)}
    same = sum(kept.get(tuple(map(str, name))) == error for name, error in found.items())
    print(f"{same} of {len(found)} errors are those in {file}")
