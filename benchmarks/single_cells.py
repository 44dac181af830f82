"""How long the slowest cells of the paper's and the book's tables take when each is made anew by its command.

python benchmarks/single_cells.py            # half an hour on a quiet machine
python benchmarks/single_cells.py --chosen   # only those that are documented for a reader in a hurry: ten minutes

Writes single_cells.csv.
"""

import csv
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

from markdown_table import BENCHMARKS, link, table
from paper.protocol import read_csv

__all__ = ["slowest"]

PAPER = (
    "paper/table1.py --method LR --set g241c --labels 100",
    "paper/table1.py --method MV --set g241c --labels 100",
    "paper/table1.py --method LS --set g241c --labels 100",
    "paper/table2.py --method M-LS --set COIL --labels 100",
    "paper/table2.py --method M-LS --set g241c --labels 100",
)
BOOK = (
    "book/automatic.py --set Text --labels 10",
    "book/automatic.py --set COIL --labels 100",
    "book/transducer.py --set Text --labels 100",
    "book/peers.py --method spreading_rbf --set USPS --labels 100 --chosen",
    "book/peers.py --method self_training --set g241d --labels 100 --chosen",
    "book/peers.py --method self_training --set Text --labels 100 --split 1 --chosen",
    "book/peers.py --method self_training --set Text --labels 100 --chosen",
)
QUICK = (*(f"{cell} --chosen" for cell in PAPER), *BOOK)
FILE = BENCHMARKS / "single_cells.csv"
COLUMNS = ("command", "seconds", "processor_seconds", "same")


def measure(cell):
    """Run the command; its own last lines say how many errors are those in the file."""
    script, *options = cell.split()
    before, start = os.times(), time.perf_counter()
    command = [sys.executable, str(BENCHMARKS / script), *options]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    took, after = time.perf_counter() - start, os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    same = re.search(r"(\d+ of \d+) errors are those", said).group(1)
    return dict(zip(COLUMNS, (cell, f"{took:.0f}", f"{worked:.0f}", same), strict=True))


def slowest(folder: str) -> Iterator[str]:
    """Yield the part of a page that says how long the cells of a folder take."""
    rows = [row for row in read_csv(FILE) if row["command"].startswith(f"{folder}/")]
    yield f"The slowest on two cores ({link(FILE.name)}):\n"
    yield from table(
        ["command", "seconds", "of the processors", "errors as in the file"],
        ([f"`python benchmarks/{r['command']}`", r["seconds"], r["processor_seconds"], r["same"]] for r in rows),
    )


def main():
    for cell in QUICK if "--chosen" in sys.argv else (*QUICK, *PAPER):
        row = measure(cell)
        print(row, flush=True)
        found = {r["command"]: r for r in (read_csv(FILE) if FILE.exists() else [])} | {cell: row}
        with open(FILE, "w", newline="") as file:
            file.write("# python benchmarks/single_cells.py; two cores; seconds by the clock\n")
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found[c] for c in (*QUICK, *PAPER) if c in found)


if __name__ == "__main__":
    main()
