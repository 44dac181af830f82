"""How the time of a fit and of an update grows with the number of classes.

    python benchmarks/speed/classes.py       # some minutes; writes benchmarks/speed/results/classes.csv

1,000 rows of 20 columns in as many clusters as classes, 100 labels (at least two of every class); processor time with
one thread, and its ratio to that of two classes.
"""

import csv
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier

FILE = Path(__file__).parent / "results" / "classes.csv"
CLASSES = (2, 5, 10, 25, 50)
ROWS, LABELS = 1000, 100


def table(classes):
    """Draw rows, their classes, and the classes with most of them forgotten."""
    rng = np.random.default_rng(0)
    target = np.arange(ROWS) % classes
    X = 1.5 * rng.standard_normal((classes, 20))[target] + rng.standard_normal((ROWS, 20))
    return X, target, np.where(np.arange(ROWS) < LABELS, target, -1)


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def main():
    warnings.simplefilter("ignore", UserWarning)
    with FILE.open("w", newline="") as file, threadpool_limits(1):
        file.write("# python benchmarks/speed/classes.py; seconds of processor, one thread\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["classes", "fit", "fit to two classes", "update_labels", "update to two classes", "error"])
        first = None
        for classes in CLASSES:
            X, target, y = table(classes)
            model = SSKPCAClassifier(n_jobs=1)
            taken = seconds(lambda model=model, X=X, y=y: model.fit(X, y))
            error = float(np.mean(model.transduction_ != target))
            update = seconds(lambda model=model, target=target: model.update_labels(LABELS, target[LABELS]))
            first = first or (taken, update)
            row = [classes, f"{taken:.3g}", f"{taken / first[0]:.2f}", f"{update:.3g}", f"{update / first[1]:.2f}"]
            row.append(f"{error:.3f}")
            writer.writerow(row)
            file.flush()
            print(*row, flush=True)


if __name__ == "__main__":
    main()
