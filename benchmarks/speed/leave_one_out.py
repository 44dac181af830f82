"""Exact leave-one-out over the plane of label weights and variances, beside refits; ratios measured in one run.

    python benchmarks/speed/leave_one_out.py    # a minute or two; writes benchmarks/speed/results/leave_one_out.csv

1,500 points, 100 labels, Gaussian kernel at full rank; 8 label weights, 12 variances: 9,600 problems for each data set.
The naive ways would take minutes to hours, so they are extrapolated from a sample, and say so.
"""

import csv
import platform
import time
from pathlib import Path

import numpy as np
import scipy

from sskpca import LSKPCA
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Gaussian
from sskpca.solvers import leave_one_out, solve_ls_kpca
from sskpca.solvers._pencil import PencilFamily
from sskpca.solvers._plane import leave_one_out_plane

RESULTS = Path(__file__).parent / "results"
SETS = ("USPS", "g241c", "Digit1")
WEIGHTS = np.geomspace(1e-2, 1e3, 8)
SHARES = np.linspace(0.2, 1.5, 12)  # of the variance of a labelling, 4p(1 - p)
REPEATS, SAMPLE = 3, 20


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def without_compression(B, d, t, variances):
    family = PencilFamily(B, d)
    return [leave_one_out(family.at(c), np.full(len(t), np.sqrt(c)), t, variances) for c in WEIGHTS.tolist()]


def measure(name):
    """Return rows of (data set, what, seconds or amount, ratio to eigh)."""
    book = load_ssl_book(name, 100, 1)
    _, K = Gaussian().fit_gram(book.data)
    model = LSKPCA(Gaussian()).fit(book.data, book.y)
    B, d = model.coordinates_.values[book.labeled], model.coordinates_.variances
    t = np.where(book.target[book.labeled] == 1, 1.0, -1.0)
    p = (np.sum(t > 0) + 1) / (len(t) + 2)
    variances = SHARES * 4 * p * (1 - p) * len(K)
    problems = len(WEIGHTS) * len(variances) * len(t)
    # The sample is spread over the plane and the labels, for other places may be harder.
    rng = np.random.default_rng(0)
    sample = np.column_stack([rng.integers(size, size=SAMPLE) for size in (len(WEIGHTS), len(variances), len(t))])

    def refits():
        return [
            B @ solve_ls_kpca(np.delete(B, i, 0), d, np.delete(t, i), WEIGHTS[a], variances[v]).coef
            for a, v, i in sample
        ]

    ways = {
        "np.linalg.eigh of the kernel matrix": (lambda: np.linalg.eigh(K), 1),
        "leave_one_out_plane": (lambda: leave_one_out_plane(B, d, t, WEIGHTS, variances), 1),
        "the same without compression": (lambda: without_compression(B, d, t, variances), 1),
        f"refits on the same coordinates, extrapolated from {SAMPLE}": (refits, problems / SAMPLE),
        "fits from the data, extrapolated from one": (lambda: LSKPCA(Gaussian()).fit(book.data, book.y), problems),
    }
    # One after the other in each round, so that a noisy neighbour hits all alike.
    took = {what: [] for what in ways}
    for _ in range(REPEATS):
        for what, (function, factor) in ways.items():
            took[what].append(factor * seconds(function))
    median = {what: float(np.median(times)) for what, times in took.items()}
    eigh = next(iter(median.values()))
    plane = leave_one_out_plane(B, d, t, WEIGHTS, variances)
    size = np.sqrt(np.mean(plane.values**2, axis=(2, 3)))
    expected = refits()
    difference = max(
        np.abs(plane.values[a, v, i] - f).max() / size[a, v] for (a, v, i), f in zip(sample, expected, strict=True)
    )
    amounts = {
        "rank": len(d),
        "rank after compression": plane.rank,
        f"largest relative difference to {SAMPLE} refits": difference,
        "largest KKT residual": plane.residual,
    }
    return [
        *((name, what, f"{took:.4g}", f"{took / eigh:.4g}") for what, took in median.items()),
        *((name, what, f"{amount:.4g}", "") for what, amount in amounts.items()),
    ]


def main():
    rows = [row for name in SETS for row in measure(name)]
    RESULTS.mkdir(exist_ok=True)
    versions = f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}"
    with open(RESULTS / "leave_one_out.csv", "w", newline="") as file:
        file.write(f"# python benchmarks/speed/leave_one_out.py; {versions}\n")
        writer = csv.writer(file)
        writer.writerow(["data", "what", "seconds or amount", "ratio to eigh"])
        writer.writerows(rows)
    for name, what, amount, ratio in rows:
        print(f"{name:7s} {what:57s} {amount:>10s} {ratio and ratio + ' x eigh':>18s}")


if __name__ == "__main__":
    main()
