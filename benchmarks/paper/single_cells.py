"""How long the slowest cells take when each is made anew by its command.

python benchmarks/paper/single_cells.py            # a quarter of an hour on a quiet machine
python benchmarks/paper/single_cells.py --chosen   # only those with the settings in the file

Writes results/single_cells.csv.
"""

import csv
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from protocol import RESULTS, read_csv

SLOW = (
    "table1.py --method LR --set g241c --labels 100",
    "table1.py --method MV --set g241c --labels 100",
    "table1.py --method LS --set g241c --labels 100",
    "table2.py --method M-LS --set COIL --labels 100",
    "table2.py --method M-LS --set g241c --labels 100",
)
CELLS = (*(f"{cell} --chosen" for cell in SLOW), *SLOW)
COLUMNS = ("command", "seconds", "processor_seconds", "same")


def measure(cell):
    """Run the command; its own last lines say how many errors are those in the file."""
    script, *options = cell.split()
    path = Path(__file__).parent / script
    before, start = os.times(), time.perf_counter()
    said = subprocess.run([sys.executable, str(path), *options], check=True, capture_output=True, text=True).stdout
    took, after = time.perf_counter() - start, os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    same = re.search(r"(\d+ of \d+) errors are those", said).group(1)
    return dict(zip(COLUMNS, (cell, f"{took:.0f}", f"{worked:.0f}", same), strict=True))


def main():
    path = RESULTS / "single_cells.csv"
    for cell in (cell for cell in CELLS if all(word in cell.split() for word in sys.argv[1:])):
        row = measure(cell)
        print(row, flush=True)
        found = {r["command"]: r for r in (read_csv(path) if path.exists() else [])} | {cell: row}
        with open(path, "w", newline="") as file:
            file.write("# python benchmarks/paper/single_cells.py; two processes; seconds by the clock\n")
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found[c] for c in CELLS if c in found)


if __name__ == "__main__":
    main()
