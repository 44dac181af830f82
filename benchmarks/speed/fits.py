"""Speed as ratios measured in one run: against one eigendecomposition, the paper's way, and a peer.

python benchmarks/speed/fits.py            # everything, a few minutes; writes benchmarks/speed/results/fits.csv
python benchmarks/speed/fits.py --quick    # without m = 10,000
"""

import argparse
import csv
import platform
import subprocess
import sys
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from sklearn.semi_supervised import LabelSpreading

from sskpca import LRKPCA, LSKPCA
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Gaussian
from sskpca.solvers import solve_lr_kpca, solve_ls_kpca

RESULTS = Path(__file__).parent / "results"


def seconds(function, repeats=5):
    """Take the median time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def papers_way(K, labeled, t, c, zetas):
    """Evaluate the secular function of the paper once for each multiplier: an m by m solve each."""
    m = len(K)
    K_L = K[labeled]
    P = K @ K - np.outer(K.mean(0), K.sum(0))
    C = K + c * K_L.T @ K_L
    b = c * K_L.T @ t
    for zeta in zetas:
        alpha = np.linalg.solve(C - zeta * P, b)
        _ = alpha @ P @ alpha
    return m


def at_1500(rows):
    """Compare everything with one eigh of the same matrix (USPS, 100 labels, split 1)."""
    book = load_ssl_book("USPS", 100, 1)
    _, K = Gaussian().fit_gram(book.data)
    t = np.where(book.target[book.labeled] == 1, 1.0, -1.0)
    model = LSKPCA().fit(book.data, book.y)
    B, d = model.coordinates_.values[book.labeled], model.coordinates_.variances
    # One after the other in each round, so that a noisy neighbour hits all alike.
    eigh = seconds(lambda: np.linalg.eigh(K))
    measured = {
        "LSKPCA.fit from X": (seconds(lambda: LSKPCA().fit(book.data, book.y)), 2.5),
        "further LS solve, other (c, s)": (seconds(lambda: solve_ls_kpca(B, d, t, 10.0, 900.0), 20), 0.08),
        "LR solve on the same coordinates": (seconds(lambda: solve_lr_kpca(B, d, t, 100.0, 1000.0)), 0.5),
        "LRKPCA.fit on the same coordinates": (
            seconds(lambda: LRKPCA(coordinates=model.coordinates_).fit(book.data, book.y)),
            0.5,
        ),
        "the paper's way: ten m by m solves": (
            seconds(lambda: papers_way(K, book.labeled, t, 10.0, np.linspace(-1, 0, 10) / d[0]), 2),
            None,
        ),
    }
    rows.append(("np.linalg.eigh", 1500, eigh, "eigh", 1.0, None))
    for name, (took, limit) in measured.items():
        rows.append((name, 1500, took, "eigh", took / eigh, limit))


def blobs(m):
    """Make m rows of 50 features in 20 overlapping clusters of two classes, 100 of them labelled."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((20, 50))
    which = rng.integers(20, size=m)
    X = centres[which] + 0.7 * rng.standard_normal((m, 50))
    y = np.full(m, -1)
    labeled = rng.permutation(m)[:100]
    y[labeled] = which[labeled] % 2
    return X, y


PEERS = {
    "LSKPCA(rank=200).fit": lambda: LSKPCA(rank=200),
    "LabelSpreading(rbf).fit": lambda: LabelSpreading(kernel="rbf", alpha=0.99, max_iter=1000),
}


def fit_once(name, data, m):
    """Fit twice in this process, which does nothing else; print seconds, and peak memory in MB from the second run."""
    X, y = table(data, m)
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    PEERS[name]().fit(X, y)
    print(time.perf_counter() - start, peak_memory(lambda: PEERS[name]().fit(X, y)) / 2**20)


def peak_memory(function):
    """Return the most bytes that numpy and Python held at a time during a call."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def table(data, m):
    """Load a data set by name; "scaled" brings LabelSpreading's default gamma of 20 to 7 over the median distance."""
    name, _, scaled = data.partition(" ")
    if name == "blobs":
        X, y = blobs(m)
    else:
        book = load_ssl_book(name, 100, 1)
        X, y = book.data, book.y
    if scaled:
        X = X * np.sqrt(7 / 20 * Gaussian().fit(X[:1500]).gamma_)
    return X, y


def against_label_spreading(rows, data, m, limit, repeats):
    """Compare time and memory with scikit-learn's LabelSpreading on the same data."""
    took = {name: [] for name in PEERS}
    for _ in range(repeats):
        for name in PEERS:
            out = subprocess.run(
                [sys.executable, __file__, "--one", name, data, str(m)], check=True, capture_output=True, text=True
            )
            took[name].append([float(word) for word in out.stdout.split()])
    (ours, our_memory), (theirs, their_memory) = (np.median(took[name], axis=0) for name in PEERS)
    rows.append((f"LabelSpreading(rbf).fit, {data}", m, theirs, "itself", 1.0, None))
    rows.append((f"LSKPCA(rank=200).fit, {data}", m, ours, "LabelSpreading", ours / theirs, limit))
    rows.append((f"peak memory in MB, LabelSpreading, {data}", m, their_memory, "itself", 1.0, None))
    rows.append(
        (
            f"peak memory in MB, LSKPCA(rank=200), {data}",
            m,
            our_memory,
            "LabelSpreading",
            our_memory / their_memory,
            limit,
        )
    )


def full_fit_memory(rows):
    """Count the matrices of m by m that a full fit holds at its peak."""
    m = 2000
    X, y = blobs(m)
    matrices = peak_memory(lambda: LSKPCA().fit(X, y)) / (8 * m * m)
    rows.append(("peak memory of LSKPCA.fit in m by m matrices", m, matrices, "8 m^2 bytes", matrices, 6))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out m = 10,000")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        fit_once(options.one[0], options.one[1], int(options.one[2]))
        return
    rows = []
    at_1500(rows)
    full_fit_memory(rows)
    against_label_spreading(rows, "USPS", 1500, 2.0, 5)
    # LabelSpreading's default bandwidth suits these data better, and it converges sooner.
    against_label_spreading(rows, "USPS scaled", 1500, None, 5)
    if not options.quick:
        against_label_spreading(rows, "blobs scaled", 10_000, 1.0, 3)
    RESULTS.mkdir(exist_ok=True)
    versions = (
        f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )
    with open(RESULTS / "fits.csv", "w", newline="") as file:
        file.write(f"# python benchmarks/speed/fits.py; {versions}\n")
        writer = csv.writer(file)
        writer.writerow(["what", "m", "seconds or amount", "against", "ratio", "limit"])
        writer.writerows([(w, m, f"{s:.4g}", a, f"{r:.3g}", limit or "") for w, m, s, a, r, limit in rows])
    for what, m, amount, against, ratio, limit in rows:
        verdict = "" if limit is None else ("ok" if ratio <= limit else "TOO SLOW") + f" (limit {limit})"
        print(f"{what:55s} m={m:6d} {amount:10.4g}  {ratio:8.3f} x {against:15s} {verdict}")


if __name__ == "__main__":
    main()
