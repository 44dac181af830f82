"""Ten thousand labels on two thousand coordinates: time as a multiple of one eigh, and memory.

    python benchmarks/speed/many_labels.py    # some minutes; writes benchmarks/speed/results/many_labels.csv
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/speed/many_labels.py    # likewise, on one thread

12,000 points with random coordinates of decaying variance and a constant one, two classes. Nothing that is timed may
need a matrix of labels by labels: 800 MB. Peak memory is that of NumPy's arrays beyond what was there before.
"""

import csv
import platform
import time
import tracemalloc
from pathlib import Path

import numpy as np
import scipy
from threadpoolctl import threadpool_info

from sskpca import LRKPCA, LSKPCA, MVKPCA
from sskpca.coordinates._principal import coordinates_from_features
from sskpca.solvers import solve_ls_kpca

RESULTS = Path(__file__).parent / "results"
N_SAMPLES, N_LABELED, RANK = 12_000, 10_000, 2_000
LABEL_WEIGHT = 1.0
REPEATS = 3


def problem():
    """Draw coordinates of mean variance 1, and labels that a few of them know."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((N_SAMPLES, RANK)) * np.arange(1, RANK + 1) ** -0.75
    A[:, -1] = 0.5
    total = float(np.sum((A - A.mean(axis=0)) ** 2))
    coordinates = coordinates_from_features(A, np.asarray, np.eye(RANK), centered=True, total_variance=total)
    coordinates = coordinates.scaled(N_SAMPLES / total)
    target = A[:, :20].sum(axis=1) + rng.standard_normal(N_SAMPLES) > 0
    return coordinates, np.where(np.arange(N_SAMPLES) < N_LABELED, target.astype(int), -1)


def measured(function):
    """Return seconds and peak memory in MB."""
    tracemalloc.start()
    start = time.perf_counter()
    function()
    took = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return took, peak


def measure():
    """Return rows of (what, seconds, ratio to eigh, peak memory)."""
    coordinates, y = problem()
    B, d = coordinates.values[:N_LABELED], coordinates.variances
    t = np.where(y[:N_LABELED] == 1, 1.0, -1.0)
    X = np.zeros((N_SAMPLES, 1))
    gram = B.T @ B
    model = LSKPCA(coordinates=coordinates, label_weight=LABEL_WEIGHT).fit(X, y)
    print(f"KKT residual {model.reports_[0].kkt_residual:.1e}, gap {model.reports_[0].gap:.1e}")
    ways = {
        f"np.linalg.eigh of a {RANK} x {RANK} matrix": (lambda: np.linalg.eigh(gram), REPEATS),
        "solve_ls_kpca": (lambda: solve_ls_kpca(B, d, t, LABEL_WEIGHT, float(N_SAMPLES)), REPEATS),
        "the same, weight 1e6, where digits need the singular values": (
            lambda: solve_ls_kpca(B, d, t, 1e6 * LABEL_WEIGHT, float(N_SAMPLES)),
            1,
        ),
        "LSKPCA.fit on given coordinates": (
            lambda: LSKPCA(coordinates=coordinates, label_weight=LABEL_WEIGHT).fit(X, y),
            REPEATS,
        ),
        "LSKPCA.leave_one_out": (model.leave_one_out, REPEATS),
        "MVKPCA.fit on given coordinates": (lambda: MVKPCA(coordinates=coordinates).fit(X, y), 1),
        "LRKPCA.fit on given coordinates": (lambda: LRKPCA(coordinates=coordinates).fit(X, y), 1),
    }
    # One after the other in each round, so that a noisy neighbour hits all alike.
    took = {what: [] for what in ways}
    for i in range(REPEATS):
        for what, (function, repeats) in ways.items():
            if i < repeats:
                took[what].append(measured(function))
                print(f"{took[what][-1][0]:8.1f} s  {what}", flush=True)
    median = {what: np.median(pairs, axis=0) for what, pairs in took.items()}
    eigh = next(iter(median.values()))[0]
    return [(what, f"{s:.3g}", f"{s / eigh:.3g}", f"{memory:.0f}") for what, (s, memory) in median.items()]


def main():
    rows = measure()
    RESULTS.mkdir(exist_ok=True)
    versions = f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}"
    threads = max(pool["num_threads"] for pool in threadpool_info())
    with open(RESULTS / "many_labels.csv", "w", newline="") as file:
        file.write(f"# python benchmarks/speed/many_labels.py; {threads} threads; {versions}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["what", "seconds", "ratio to eigh", "peak MB"])
        writer.writerows(rows)
    for what, seconds, ratio, peak in rows:
        print(f"{what:60s} {seconds:>8s} s {ratio:>8s} x eigh {peak:>6s} MB")


if __name__ == "__main__":
    main()
