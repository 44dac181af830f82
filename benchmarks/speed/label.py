"""What `sskpca label` costs for many rows: seconds of processor a thousand of them.

    python benchmarks/speed/label.py [ROWS ...]     # 10,000, 50,000 and 100,000; writes results/label.csv

A CSV file of 20 columns of numbers in six clusters of three classes, 200 labels; one BLAS thread. A size that is
measured anew replaces the row of the file that it had.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "results" / "label.csv"
SIZES = (10_000, 50_000, 100_000)
COLUMNS = ("rows", "processor seconds", "a thousand rows", "wall seconds", "gigabytes", "wrong")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NAMES = np.array(["red", "green", "blue"])


def write(path, n):
    """Write a table; return the classes of its rows."""
    rng = np.random.default_rng(0)
    group = rng.integers(6, size=n)
    X = rng.normal(0, 1.2, (6, 20))[group] + 1.6 * rng.standard_normal((n, 20))
    names = NAMES[group % 3]
    with open(path, "w") as file:
        file.write(",".join([*(f"x{j}" for j in range(20)), "label"]) + "\n")
        for i, row in enumerate(X):
            file.write(",".join(f"{x:.5g}" for x in row) + f",{names[i] if i < 200 else ''}\n")
    return names


def measure(n):
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder) / "table.csv", Path(folder) / "out.csv"
        names = write(table, n)
        program = "from sskpca._cli import main; main()"
        start = time.perf_counter()
        command = [sys.executable, "-c", program, "label", str(table), "-o", str(out), "--quiet"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        if process.returncode:
            sys.exit(f"sskpca label ended with {process.returncode}.")
        with open(out, newline="") as file:
            found = [row["sskpca_label"] for row in csv.DictReader(file)]
    filled = np.array([name != "" for name in found])
    wrong = float(np.mean(np.array(found)[filled] != names[filled]))
    taken = used.ru_utime + used.ru_stime
    memory = used.ru_maxrss * 1024 / 1e9
    return [n, f"{taken:.1f}", f"{1000 * taken / n:.2f}", f"{wall:.0f}", f"{memory:.2f}", f"{wrong:.3f}"]


def main():
    known = {}
    if FILE.exists():
        with FILE.open(newline="") as file:
            lines = csv.reader(line for line in file if not line.startswith("#"))
            known = {int(row[0]): row for row in list(lines)[1:]}
    for n in [int(word) for word in sys.argv[1:]] or SIZES:
        known[n] = measure(n)
        print(*known[n], flush=True)
        with FILE.open("w", newline="") as file:
            file.write("# python benchmarks/speed/label.py; one thread\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([COLUMNS, *(known[size] for size in sorted(known))])


if __name__ == "__main__":
    main()
