"""What `SSKPCAClassifier` costs: processor time beside one `numpy.linalg.eigh` of a matrix of all pairs.

    python benchmarks/speed/portfolio.py       # some minutes; writes benchmarks/speed/results/portfolio.csv

USPS of the book (1,500 rows, 100 labels, split 1) and scikit-learn's digits (1,797 rows, ten classes, 50 labels, seed
0). One BLAS thread and one thread of Python for both sides. The eigenproblem is solved before and after each
measurement, and the ratio is to the mean of the two. Medians of five. For an update: the largest difference of a
decision to that of a fit.
"""

import csv
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier
from sskpca.datasets import load_ssl_book

FILE = Path(__file__).parent / "results" / "portfolio.csv"
ROUNDS = 5


def usps():
    book = load_ssl_book("USPS", 100, 1)
    target = (book.target == book.target.max()).astype(int)
    return book.data, target, book.labeled


def digits():
    X, target = load_digits(return_X_y=True)
    return X, target, np.random.default_rng(0).permutation(len(target))[:50]


def seconds(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def measure(X, target, labeled):
    """Yield what was measured, its processor time, and the ratio to the eigenproblem."""
    K = np.exp(-((X[:, None, :8] - X[None, :, :8]) ** 2).sum(axis=2))
    y = np.where(np.isin(np.arange(len(X)), labeled), target, -1)
    free = np.setdiff1d(np.arange(len(X)), labeled)
    model = SSKPCAClassifier(n_jobs=1)

    def timed(name, *functions):
        times, ratios = [], []
        for function in functions:
            before, _ = seconds(lambda: np.linalg.eigh(K))
            taken, _ = seconds(function)
            after, _ = seconds(lambda: np.linalg.eigh(K))
            times.append(taken)
            ratios.append(2 * taken / (before + after))
        return name, statistics.median(times), statistics.median(ratios)

    yield timed("numpy.linalg.eigh", *ROUNDS * [lambda: np.linalg.eigh(K)])
    yield timed("fit", *ROUNDS * [lambda: model.fit(X, y)])
    rows = free[:ROUNDS]
    yield timed("update_labels, one label", *[lambda row=row: model.update_labels(row, target[row]) for row in rows])
    yield timed("suspects", *ROUNDS * [model.suspects])
    yield timed("next_rows(5)", *ROUNDS * [lambda: model.next_rows(5)])
    model.predict_proba(X[:1])
    yield timed("predict_proba of one row", *ROUNDS * [lambda: model.predict_proba(X[1:2])])
    y[rows] = target[rows]
    fresh = SSKPCAClassifier(n_jobs=1).fit(X, y)
    yield "largest difference of an update to a fit", float(np.abs(fresh.decision_ - model.decision_).max()), np.nan


def main():
    warnings.simplefilter("ignore", UserWarning)
    with FILE.open("w", newline="") as file, threadpool_limits(1):
        file.write("# python benchmarks/speed/portfolio.py; seconds of processor, one thread\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "what", "seconds", "to numpy.linalg.eigh"])
        for name, load in {"USPS": usps, "digits": digits}.items():
            for what, taken, ratio in measure(*load()):
                writer.writerow([name, what, f"{taken:.3g}", f"{ratio:.2f}"])
                print(f"{name:8s} {what:42s} {taken:9.3g} s {ratio:7.2f}", flush=True)


if __name__ == "__main__":
    main()
