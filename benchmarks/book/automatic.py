"""SSKPCAClassifier with its defaults on the book's data: nothing chosen by hand.

    python benchmarks/book/automatic.py                 # about half an hour; resumes where it stopped
    python benchmarks/book/automatic.py USPS 100        # one cell: a set and a number of labels

Each published split is fitted with `SSKPCAClassifier()`. Written to benchmarks/book/results/:

- automatic.csv: error in % on the unlabelled rows, leave-one-out error, expected calibration error and seconds of each
  fit (and of one `numpy.linalg.eigh` of a 1500 x 1500 matrix at that moment);
- kernels.csv: the error that each kernel alone would have had, its own candidates averaged by the same rule.
"""

import csv
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

from sskpca import SSKPCAClassifier
from sskpca.datasets import load_ssl_book
from sskpca.selection.averaging import log_likelihood, pseudo_weights
from sskpca.selection.calibration import expected_calibration_error

SETS = ("g241c", "g241d", "Digit1", "USPS", "BCI", "Text", "COIL")
# The best single method of the book's chapter 21, and the best of thirteen for each set, as means over six sets.
PUBLISHED = {10: (25.7, 22.4), 100: (15.2, 13.3)}
RESULTS = Path(__file__).parent / "results"
FILES = {
    "automatic.csv": ["set", "labels", "split", "error", "loo_error", "calibration_error", "seconds", "eigh"],
    "kernels.csv": ["set", "labels", "split", "kernel", "error", "weight"],
}


def time_of_eigh():
    A = np.random.default_rng(0).standard_normal((1500, 1500))
    start = time.perf_counter()
    np.linalg.eigh(A + A.T)
    return time.perf_counter() - start


def alone(model, book):
    """Yield the error of each kernel's own average."""
    codes = model._labels.codes[model._labels.labeled]
    for name, part, found in zip(model.kernel_weights_, model.coordinates_, model._ensemble.found, strict=True):
        w = pseudo_weights(log_likelihood(found.held_out, codes))
        decision = part.values @ np.tensordot(w, found.coef, 1).T - w @ found.thresholds
        called = model.classes_[model._codes(model._flat(decision))]
        yield name, 100 * np.mean(called[book.unlabeled] != book.target[book.unlabeled])


def fit(name, n_labeled, split):
    book = load_ssl_book(name, n_labeled, split)
    eigh = time_of_eigh()
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with one label: the splits have them
        model = SSKPCAClassifier().fit(book.data, book.y)
    seconds = time.perf_counter() - start
    right = model.transduction_[book.unlabeled] == book.target[book.unlabeled]
    confidence = model.label_distributions_[book.unlabeled].max(axis=1)
    ece = expected_calibration_error(confidence, right)
    cell = [name, n_labeled, split]
    numbers = [100 * np.mean(~right), 100 * model.loo_error_, ece, seconds, eigh]
    kernels = [
        [*cell, " ".join(kernel.split()), f"{error:.2f}", f"{model.kernel_weights_[kernel]:.3f}"]
        for kernel, error in alone(model, book)
    ]
    return [*cell, *(f"{x:.3f}" for x in numbers)], kernels


def append(file, rows):
    path = RESULTS / file
    new = not path.exists()
    with open(path, "a", newline="") as out:
        writer = csv.writer(out)
        if new:
            out.write("# python benchmarks/book/automatic.py; SSKPCAClassifier() on splits 1 to 12, no randomness\n")
            writer.writerow(FILES[file])
        writer.writerows(rows)


def read():
    path = RESULTS / "automatic.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def summary():
    cells = defaultdict(list)
    for row in read():
        cells[row["set"], int(row["labels"])].append(row)
    for n_labeled, (single, each) in PUBLISHED.items():
        print(f"{n_labeled} labels      error (std)    |loo - error|   calibration   time / eigh")
        means = []
        for name in SETS:
            rows = cells[name, n_labeled]
            if not rows:
                continue
            get = lambda key, rows=rows: np.array([float(row[key]) for row in rows])  # noqa: E731
            error = get("error")
            means.append(error.mean())
            print(
                f"{name:8s} {len(rows):3d}   {error.mean():6.2f} ({error.std(ddof=1):5.2f})   "
                f"{np.abs(get('loo_error') - error).mean():8.2f}   {get('calibration_error').mean():10.3f}   "
                f"{np.median(get('seconds') / get('eigh')):10.1f}"
            )
        if len(means) >= 6:
            print(f"mean of six  {np.mean(means[:6]):6.2f}   best published method {single}, best of 13 a set {each}\n")


def main():
    RESULTS.mkdir(exist_ok=True)
    wanted = [(sys.argv[1], int(sys.argv[2]))] if len(sys.argv) == 3 else [(n, k) for k in (10, 100) for n in SETS]
    done = {(row["set"], int(row["labels"]), int(row["split"])) for row in read()}
    for name, n_labeled in wanted:
        for split in range(1, 13):
            if (name, n_labeled, split) not in done:
                row, kernels = fit(name, n_labeled, split)
                append("automatic.csv", [row])
                append("kernels.csv", kernels)
                print(*row, flush=True)
    summary()


if __name__ == "__main__":
    main()
