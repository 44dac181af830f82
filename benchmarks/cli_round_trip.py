"""Label a CSV of 50,000 rows with every nasty cell there is, and compare what comes back, cell by cell.

    python benchmarks/cli_round_trip.py [ROWS]     # some minutes

Quotes, commas, line ends, unicode, empty cells and large integers stand beside ten columns of numbers; ten rows in a
thousand are labelled. The output is read by Python's csv module, not by the library that wrote it.
"""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

NASTY = [
    'say "hi"',
    "a,b",
    "two\nlines",
    "naïve ☃ 漢字",
    "",
    " blanks ",
    "'",
    "12345678901234567890123",
    "-0.0",
    "1e5",
    "\t",
]


def write(path, n):
    rng = np.random.default_rng(0)
    group = rng.integers(6, size=n)
    numbers = rng.standard_normal((6, 10))[group] * 2 + rng.standard_normal((n, 10))
    labels = np.where(rng.random(n) < 0.01, np.where(group < 3, "left", "right"), "")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "remark", "code", *(f"x{k}" for k in range(10)), "label"])
        for i in range(n):
            cells = (f"{NASTY[i % len(NASTY)]}{i // len(NASTY)}" if i % 7 else NASTY[i % len(NASTY)], 10**18 + i)
            writer.writerow([i, *cells, *(f"{x:.6g}" for x in numbers[i]), labels[i]])
    return np.where(group < 3, "left", "right"), labels


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.csv", Path(folder) / "after.csv"
        truth, given = write(before, n)
        start = time.perf_counter()
        command = [str(Path(sys.executable).parent / "sskpca"), "label", str(before), "-o", str(after), "--fill"]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        took = time.perf_counter() - start
        tables = []
        for path in (before, after):
            with open(path, newline="", encoding="utf-8") as file:
                tables.append(list(csv.reader(file)))
        width = len(tables[0][0])
        changed = sum(a != b[:width] for a, b in zip(*tables, strict=True))
        found = np.array([row[width] for row in tables[1][1:]])
        wrong = np.mean((found != truth)[given == ""])
    print(f"{n} rows, {took:.0f} s; rows with a changed cell: {changed}; {100 * wrong:.2f} % of the labels wrong")
    raise SystemExit(changed > 0)


if __name__ == "__main__":
    main()
