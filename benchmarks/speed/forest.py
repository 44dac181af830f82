"""The forest whose trees grow together beside scikit-learn's: processor time and error on simulated tables.

    python benchmarks/speed/forest.py       # a minute; writes benchmarks/speed/results/forest.csv

100 trees and one thread for both; labels, columns and classes of several sizes, `make_classification` with five
informative columns or a third of them, 2,000 rows to test. Medians of three seeds.
"""

import csv
import statistics
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from sskpca._selection.forest import fit_forest

FILE = Path(__file__).parent / "results" / "forest.csv"
# Labels, columns and classes.
SIZES = ((20, 10, 2), (100, 10, 2), (100, 240, 2), (1000, 20, 2), (50, 64, 10), (250, 20, 25), (500, 20, 50))
SEEDS, N_NEW = 3, 2000


def problem(n, columns, classes, seed):
    """Draw labels of all classes, and rows to test."""
    X, y = make_classification(
        n + N_NEW,
        columns,
        n_informative=max(5, columns // 3),
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=1,
        random_state=seed,
    )
    first = np.array([np.flatnonzero(y == k)[0] for k in range(classes)])
    order = np.concatenate([first, np.setdiff1d(np.arange(len(y)), first)])
    return X[order[:n]], y[order[:n]], X[order[n:]], y[order[n:]]


def measure(n, columns, classes, seed):
    """Return the processor time and the error of ours, and of scikit-learn's."""
    X, y, new, truth = problem(n, columns, classes, seed)
    targets = [np.where(y == k, 1.0, -1.0) for k in ([1] if classes == 2 else range(classes))]
    start = time.process_time()
    forest = fit_forest(X, y, targets)
    ours = time.process_time() - start
    decisions = forest.decide(new)
    found = (decisions[:, 0] > 0).astype(int) if classes == 2 else decisions.argmax(axis=1)
    start = time.process_time()
    theirs = RandomForestClassifier(100, random_state=seed).fit(X, y)
    taken = time.process_time() - start
    return ours, taken, float(np.mean(found != truth)), float(np.mean(theirs.predict(new) != truth))


def main():
    with FILE.open("w", newline="") as file, threadpool_limits(1):
        file.write("# python benchmarks/speed/forest.py; seconds of processor, one thread; medians of three\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["labels", "columns", "classes", "seconds", "to RandomForestClassifier", "error", "its error"])
        measure(*SIZES[0], 0)  # what is loaded late
        for size in SIZES:
            runs = [measure(*size, seed) for seed in range(SEEDS)]
            ratio = statistics.median(ours / theirs for ours, theirs, *_ in runs)
            taken, _, error, other = (statistics.median(column) for column in zip(*runs, strict=True))
            row = [*size, f"{taken:.3g}", f"{ratio:.2f}", f"{error:.3f}", f"{other:.3f}"]
            writer.writerow(row)
            print(*row, flush=True)


if __name__ == "__main__":
    main()
