"""What a label costs after the fit.

    python benchmarks/speed/live.py       # some minutes; writes benchmarks/speed/results/live.csv

Time of `update_labels` for one label beside the time of the fit, and the largest difference between the decisions and
those of a fit of the final labels. USPS (1,500 rows, 100 labels), and 10,000 rows of four Gaussian clouds at rank 500.
Medians of five labels.
"""

import csv
import time
import warnings
from pathlib import Path

import numpy as np

from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca.datasets import load_ssl_book


def clouds(n=10_000):
    rng = np.random.default_rng(0)
    which = rng.integers(4, size=n)
    X = rng.standard_normal((n, 20)) + 3 * rng.standard_normal((4, 20))[which]
    target = which % 2
    y = np.where(np.isin(np.arange(n), rng.permutation(n)[:100]), target, -1)
    return X, y, target


def measure(make, X, y, target, *, refit=True):
    start = time.perf_counter()
    model = make().fit(X, y)
    fit = time.perf_counter() - start
    rows = np.flatnonzero(y == -1)[:5]
    times = []
    for row in rows:
        start = time.perf_counter()
        model.update_labels(row, target[row])
        times.append(time.perf_counter() - start)
    difference = np.nan
    if refit:
        final = y.copy()
        final[rows] = target[rows]
        difference = float(np.abs(make().fit(X, final).decision_ - model.decision_).max())
    return fit, float(np.median(times)), difference


def main():
    warnings.simplefilter("ignore", UserWarning)
    book = load_ssl_book("USPS", 100, 1)
    target = (book.target == book.target.max()).astype(int)
    small = book.data, np.where(np.isin(np.arange(1500), book.labeled), target, -1), target
    cases = [
        ("LSKPCA", 1500, LSKPCA, small),
        ("LRKPCA", 1500, LRKPCA, small),
        ("MVKPCA", 1500, MVKPCA, small),
        ("SpectralGraphTransducer", 1500, SpectralGraphTransducer, small),
        ("SSKPCAClassifier", 1500, SSKPCAClassifier, small),
        ("LSKPCA(rank=500)", 10_000, lambda: LSKPCA(rank=500), clouds()),
    ]
    path = Path(__file__).parent / "results" / "live.csv"
    with open(path, "w", newline="") as file:
        file.write("# python benchmarks/speed/live.py; one label more, 100 before; seconds\n")
        writer = csv.writer(file)
        writer.writerow(["model", "rows", "fit", "update", "share of the fit in %", "difference to a fit"])
        for name, n, make, (X, y, target) in cases:
            fit, update, difference = measure(make, X, y, target, refit=n < 5000)
            shown = "" if np.isnan(difference) else f"{difference:.1e}"
            writer.writerow([name, n, f"{fit:.3f}", f"{update:.4f}", f"{100 * update / fit:.1f}", shown])
            print(f"{name:24s} {n:6d} rows   fit {fit:7.2f} s   update {1e3 * update:8.1f} ms   {shown}", flush=True)


if __name__ == "__main__":
    main()
