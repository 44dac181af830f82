"""Whether a budget of memory is held.

    python benchmarks/fuzz/memory.py              # twenty fits, some minutes; appends to results/memory.csv and resumes
    python benchmarks/fuzz/memory.py --cases 4    # the first four only
    python benchmarks/fuzz/memory.py --summary    # what has been found so far

Each fit in a process of its own: the peak of its memory over what the process had before, with the data in memory and a
small model fitted. A fit may also refuse, in a sentence.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca.rows._memory import bytes_of

RESULTS = Path(__file__).parent / "results" / "memory.csv"
COLUMNS = ("model", "rows", "columns", "classes", "coordinates", "memory", "peak in MB", "share of the budget", "ended")
# Model, rows, columns, classes, coordinates, memory.
CASES = [
    ("SSKPCAClassifier", 40_000, 20, 2, "auto", "300MB"),
    ("SSKPCAClassifier", 40_000, 20, 2, "auto", "1GB"),
    ("SSKPCAClassifier", 20_000, 20, 2, "auto", "300MB"),
    ("SSKPCAClassifier", 20_000, 50, 5, "auto", "500MB"),
    ("SSKPCAClassifier", 12_000, 10, 2, "auto", "300MB"),
    ("SSKPCAClassifier", 12_000, 10, 3, "auto", "2GB"),
    ("SSKPCAClassifier", 60_000, 10, 2, "auto", "400MB"),
    ("SSKPCAClassifier", 5_000, 20, 2, "auto", "300MB"),
    ("SSKPCAClassifier", 5_000, 20, 2, "auto", "1GB"),
    ("SSKPCAClassifier", 3_000, 20, 2, "auto", "200MB"),
    ("SSKPCAClassifier", 1_500, 20, 2, "auto", "200MB"),
    ("SSKPCAClassifier", 1_500, 20, 2, "auto", "50MB"),
    ("SSKPCAClassifier", 3_000, 20, 2, "exact", "500MB"),
    ("SSKPCAClassifier", 3_000, 20, 2, "exact", "100MB"),
    ("SSKPCAClassifier", 40_000, 20, 2, "nystrom", "600MB"),
    ("SSKPCAClassifier", 40_000, 20, 2, "nystrom", "100MB"),
    ("LSKPCA", 40_000, 20, 2, "auto", "300MB"),
    ("LSKPCA", 5_000, 20, 2, "auto", "300MB"),
    ("LSKPCA", 3_000, 20, 2, "exact", "300MB"),
    ("LSKPCA", 100_000, 20, 2, "auto", "200MB"),
]


def problem(n, d, n_classes):
    rng = np.random.default_rng(n + d)
    target = rng.integers(n_classes, size=n)
    X = rng.standard_normal((n, d)) + 2 * rng.standard_normal((n_classes, d))[target]
    return X, np.where(np.arange(n) < 20 * n_classes, target, -1)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(case):
    """Return the peak of a fit in bytes, and how it ended."""
    model, n, d, n_classes, coordinates, memory = case
    warnings.simplefilter("ignore", UserWarning)
    estimator = {"SSKPCAClassifier": SSKPCAClassifier, "LSKPCA": LSKPCA}[model]
    X, y = problem(n, d, n_classes)
    estimator().fit(*problem(300, d, n_classes))
    before = peak()
    try:
        estimator(coordinates=coordinates, memory=memory).fit(X, y)
        ended = "fitted"
    except ValueError as error:
        ended = str(error)
    return peak() - before, ended


def done():
    if not RESULTS.exists():
        return []
    with open(RESULTS, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=len(CASES))
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(json.loads(options.measure))))
        return
    finished = done()
    if not options.summary:
        start = not RESULTS.exists()
        with open(RESULTS, "a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if start:
                file.write("# python benchmarks/fuzz/memory.py; peak over what the process had before the fit\n")
                writer.writerow(COLUMNS)
            for case in CASES[len(finished) : options.cases]:
                begun = time.perf_counter()
                command = [sys.executable, __file__, "--measure", json.dumps(case)]
                answer = subprocess.run(command, capture_output=True, check=True, text=True).stdout
                number, ended = json.loads(answer.splitlines()[-1])
                share = number / bytes_of(case[-1])
                writer.writerow([*case, f"{number / 1e6:.0f}", f"{share:.2f}", ended])
                file.flush()
                seconds = time.perf_counter() - begun
                print(*case, f"{number / 1e6:.0f} MB, {share:.2f} of the budget, {seconds:.0f} s: {ended}", flush=True)
        finished = done()
    fitted = [float(row["share of the budget"]) for row in finished if row["ended"] == "fitted"]
    over = sum(share > 1.2 for share in fitted)
    print(
        f"{len(finished)} fits, {len(finished) - len(fitted)} refused, {over} beyond 1.2 times their budget, ", end=""
    )
    print(f"the largest share {max(fitted, default=0):.2f}")


if __name__ == "__main__":
    main()
