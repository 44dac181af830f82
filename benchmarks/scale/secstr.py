"""SecStr of the book: 83,679 windows of 15 amino acids, the structure of the middle one; 100, 1,000 and 10,000 labels.

    python benchmarks/scale/secstr.py                      # the 30 published splits; resumes where it stopped
    python benchmarks/scale/secstr.py --extra --splits 3   # with 1,189,472 rows more, whose classes nobody knows
    python benchmarks/scale/secstr.py --summary            # what is in results/secstr.csv

LS-KPCA on Nyström coordinates. Each letter of a window is one of 21 columns; the Gaussian kernel counts the letters
that two windows share, all alike ("flat") or those near the middle more ("middle", falling linearly to both ends).
Every kernel is solved for some label weights and variances, with each label held out in turn, exactly; the functions
are averaged by the likelihood of the held-out labels, at the slope that suits each function best. All of it is chosen
by the labels of the split alone, from one portfolio for all splits.

With the extra rows, landmarks are drawn from all 1,273,151 rows, and mean and variance of the coordinates are taken
over all of them; labels and errors are the same.
"""

import argparse
import csv
import platform
import time
from pathlib import Path

import numpy as np
import scipy.sparse
from scipy.special import softmax

from sskpca._linalg.eigen import symmetric_eigen
from sskpca._selection.averaging import log_likelihood
from sskpca._selection.candidates import Grid, evaluate
from sskpca._transduction.labels import read_labels
from sskpca.coordinates import Coordinates
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Gaussian, Nystrom

RESULTS = Path(__file__).parent / "results" / "secstr.csv"
COLUMNS = (
    "labels",
    "split",
    "extra",
    "landmarks",
    "error",
    "held_out",
    "kernel",
    "label_weight",
    "variance",
    "seconds",
)
WIDTH, N_LETTERS = 15, 21
PLACES = {"flat": np.ones(WIDTH), "middle": 1 - np.abs(np.arange(WIDTH) - WIDTH // 2) / (WIDTH // 2 + 1)}
# How places count, and the bandwidth in units of one over the median squared distance.
KERNELS = (("flat", 2.0), ("middle", 2.0), ("middle", 4.0))
GRID = Grid(np.array([1.0, 10.0]), np.array([0.1, 0.4]), np.empty(0))
SLOPES = np.geomspace(0.1, 8.0, 30)
LABELS, N_SPLITS = (100, 1000, 10_000), 10
BLOCK, SEED = 4096, 0


def weighed(X, places):
    """Let some places count more; all windows keep the same length."""
    weights = np.tile(PLACES[places] / PLACES[places].mean(), N_LETTERS)
    return scipy.sparse.csr_matrix(X @ scipy.sparse.diags(np.sqrt(weights)))


def coordinates(X, n_known, places, factor, n_landmarks):
    """Find the coordinates of the first rows; directions and variances (as means) are those of all rows."""
    X = weighed(X, places)
    n = X.shape[0]
    some = X[np.sort(np.random.default_rng(SEED).permutation(n)[:n_landmarks])]
    kernel = Nystrom(Gaussian(factor=factor), n_landmarks).fit(some)
    A, total, gram = [], 0.0, 0.0
    for start in range(0, n, BLOCK):
        block = kernel.features(X[start : start + BLOCK])
        total, gram = total + block.sum(axis=0), gram + block.T @ block
        if start < n_known:
            A.append(block[: n_known - start])
    mean = total / n
    variances, V = symmetric_eigen((gram / n - np.outer(mean, mean)) * n_known, overwrite=True)
    A, variances = np.vstack(A), np.maximum(variances, 0.0)
    whole = n_known * float(1 - mean @ mean)  # of a kernel whose diagonal is 1
    found = Coordinates(A @ V, variances, V, kernel.features, True, whole)
    return found.scaled(n_known / whole)


def solve(parts, n_labeled, split):
    """Choose and average; give the error on the unlabelled rows and on held-out labels, and the heaviest candidate."""
    book = load_ssl_book("SecStr", n_labeled, split)
    labels = read_labels(book.y)
    codes = labels.codes[labels.labeled]
    found = [evaluate(part, labels, GRID, ["ls"]) for part in parts]
    held_out = np.concatenate([candidates.held_out for candidates in found])
    each = np.array([log_likelihood(held_out, codes, slope) for slope in SLOPES])
    likelihood = each[each.sum(axis=2).argmax(axis=0), np.arange(len(held_out))]
    weights = softmax(likelihood.sum(axis=1))
    decision = np.zeros(len(book.target))
    for part, candidates, share in zip(parts, found, np.split(weights, len(parts)), strict=True):
        decision += part.values @ (share @ candidates.coef[:, 0]) - share @ candidates.thresholds[:, 0]
    error = np.mean((decision > 0) != (book.target == 1), where=np.isin(np.arange(len(decision)), book.unlabeled))
    others = softmax(likelihood.sum(axis=1, keepdims=True) - likelihood, axis=0)
    missed = np.mean((np.sum(others * held_out[:, 0], axis=0) > 0) != (codes == 1))
    k, i = divmod(int(weights.argmax()), len(weights) // len(parts))
    setting = "{} {:g}".format(*KERNELS[k]), found[k].label_weights[i], found[k].variances[i]
    return 100 * error, 100 * missed, setting


def read():
    if not RESULTS.exists():
        return []
    with open(RESULTS, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def add(row):
    new = not RESULTS.exists()
    RESULTS.parent.mkdir(exist_ok=True)
    with open(RESULTS, "a", newline="") as file:
        if new:
            file.write(
                f"# python benchmarks/scale/secstr.py; python {platform.python_version()}, numpy {np.__version__}\n"
            )
            file.write("# errors in %; variance as a share of that of a labelling; the setting is the heaviest one\n")
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerow(row)


def summary():
    rows = read()
    for key in sorted({(int(r["labels"]), r["extra"], int(r["landmarks"])) for r in rows}):
        these = [r for r in rows if (int(r["labels"]), r["extra"], int(r["landmarks"])) == key]
        error, held_out = (np.array([float(r[column]) for r in these]) for column in ("error", "held_out"))
        spread = error.std(ddof=1) if len(error) > 1 else np.nan
        print(
            f"{key[0]:6d} labels, extra rows: {key[1]:3s} {key[2]:5d} landmarks {len(error):3d} splits   "
            f"error {error.mean():.2f} ({spread:.2f})   held out {held_out.mean():.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=int, nargs="+", default=LABELS, choices=LABELS)
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="how many")
    parser.add_argument("--extra", action="store_true", help="with a million rows more")
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if options.summary:
        return summary()
    extra = "yes" if options.extra else "no"
    done = {(int(r["labels"]), int(r["split"]), r["extra"], int(r["landmarks"])) for r in read()}
    keys = [(n, s, extra, options.landmarks) for n in options.labels for s in range(1, options.splits + 1)]
    keys = [key for key in keys if key not in done]
    if keys:
        n_known = load_ssl_book("SecStr", 100, 1).data.shape[0]
        X = load_ssl_book("SecStr", 100, 1, extra=options.extra).data
        start = time.perf_counter()
        parts = [coordinates(X, n_known, *kernel, options.landmarks) for kernel in KERNELS]
        print(f"coordinates: {time.perf_counter() - start:.0f} s", flush=True)
        for key in keys:
            start = time.perf_counter()
            error, held_out, (kernel, weight, variance) = solve(parts, *key[:2])
            took = time.perf_counter() - start
            row = (*key, f"{error:.3f}", f"{held_out:.3f}", kernel, f"{weight:g}", f"{variance:g}", f"{took:.1f}")
            add(row)
            print(*row, flush=True)
    summary()


if __name__ == "__main__":
    main()
