"""What many new rows cost beside the arithmetic that they need.

    python benchmarks/speed/predict.py     # a minute; writes benchmarks/speed/results/predict.csv

100,000 rows (digits with noise) for a model of scikit-learn's digits (1,797 rows, ten classes, 50 labels, seed 0).
Needed at least: for every kernel, products with the rows of the fit or with its landmarks, one exponential for each,
and the product with weights; for the graphs of a metric, products with the rows of the fit, and the nearest of them.
The forest is left out on that side, and so are novelty and everything that is written. Processor time, one thread;
medians of three.
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
from sskpca._transduction.answer import KernelPart

FILE = Path(__file__).parent / "results" / "predict.csv"
ROUNDS, N_NEW, BLOCK = 3, 100_000, 4096
N_LANDMARKS, NEIGHBORS = 300, 20


def arithmetic(parts, X, new):
    """Do what the parts need at least."""
    n_functions = parts[0].weights.shape[1]
    total, weights = np.zeros((len(new), n_functions)), np.ones((len(X), n_functions))
    for part in parts:
        name = type(part.features.__self__).__name__
        for first in range(0, len(new), BLOCK):
            block = new[first : first + BLOCK]
            if name == "FittedLinear":
                found = block @ part.weights
            elif name == "FittedSpectra":  # graphs
                near = np.argpartition(block @ X.T, NEIGHBORS, axis=1)[:, :NEIGHBORS]
                found = weights[near].sum(axis=1)
            else:
                rows = X[:N_LANDMARKS] if name == "FittedNystrom" else X
                found = np.exp(-1e-4 * (block @ rows.T)) @ weights[: len(rows)]
            total[first : first + BLOCK] += found
    return total


def seconds(function):
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main():
    warnings.simplefilter("ignore")
    X, target = load_digits(return_X_y=True)
    labeled = np.random.default_rng(0).permutation(len(target))[:50]
    y = np.where(np.isin(np.arange(len(target)), labeled), target, -1)
    rng = np.random.default_rng(1)
    new = X[rng.integers(len(X), size=N_NEW)] + rng.normal(0, 1, (N_NEW, X.shape[1]))
    with threadpool_limits(1):
        model = SSKPCAClassifier(n_jobs=1).fit(X, y)
        parts = [part for part in model.answer_.predictor.parts if isinstance(part, KernelPart)]
        needed = seconds(lambda: arithmetic(parts, X, new))
        found = {"decision_function": model.decision_function, "predict_proba": model.predict_proba}
        rows = [("needed at least", needed)] + [(k, seconds(lambda f=f: f(new))) for k, f in found.items()]
    with FILE.open("w", newline="") as file:
        file.write(f"# python benchmarks/speed/predict.py; {N_NEW} rows, {len(parts)} kernels; seconds of processor\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["what", "seconds", "to what is needed"])
        for name, taken in rows:
            writer.writerow([name, f"{taken:.2f}", f"{taken / needed:.2f}"])
            print(f"{name:20s} {taken:8.2f} s {taken / needed:6.2f}")


if __name__ == "__main__":
    main()
