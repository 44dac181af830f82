"""Whole automatic models of permuted and rescaled rows.

    python benchmarks/fuzz/whole_models.py                # 1,000 models, an hour; resumes
    python benchmarks/fuzz/whole_models.py --summary

Data with many ties and without: one column, whole numbers, decimals, duplicates, bits. The permuted rows must have the
permuted classes, and rows times 37.5 the same ones. A row whose two most probable classes are equally probable to 1e-6
has no class to change: such rows are counted as "ties".
"""

import warnings

import numpy as np
from shared import counting

from sskpca import SSKPCAClassifier
from sskpca._linalg.threads import one_thread

CASES = 1_000
KINDS = ("column", "integers", "plain", "decimals", "duplicates", "bits")
FACTOR = 37.5
# Models that are kept together: they take seconds each.
BATCH = 25
# Classes whose probabilities differ by less are tied.
TIED = 1e-6


def draw(number):
    """Draw data and labels, three of each class."""
    rng = np.random.default_rng(number)
    kind = KINDS[number % len(KINDS)]
    n, n_columns, n_classes = int(rng.integers(30, 90)), int(rng.integers(2, 8)), int(rng.integers(2, 4))
    target = rng.permutation(np.arange(n) % n_classes)
    n_columns = 1 if kind == "column" else n_columns
    X = rng.standard_normal((n, n_columns)) + 1.5 * rng.standard_normal((n_classes, n_columns))[target]
    if kind == "integers":
        X = np.round(2 * X)
    elif kind == "decimals":
        X = np.round(X, 1)
    elif kind == "bits":
        X = (X > 0).astype(float)
    elif kind == "duplicates":
        rows = np.append(np.arange(n // 2), rng.integers(0, n // 2, n - n // 2))
        X, target = X[rows], target[rows]
    y = np.full(n, -1)
    for k in range(n_classes):
        y[rng.permutation(np.flatnonzero(target == k))[:3]] = k
    return X, y, rng.permutation(n)


def case(number):
    X, y, order = draw(number)
    model = SSKPCAClassifier().fit(X, y)
    largest = 0.0
    probability = np.sort(model.label_distributions_, axis=1)
    tied = probability[:, -1] - probability[:, -2] < TIED
    for name, data, labels, rows in (
        ("permuted", X[order], y[order], order),
        ("scaled", FACTOR * X, y, np.arange(len(X))),
    ):
        other = SSKPCAClassifier().fit(data, labels)
        changed = (other.transduction_ != model.transduction_[rows]) & ~tied[rows]
        difference = float(np.abs(other.label_distributions_ - model.label_distributions_[rows]).max())
        largest = max(largest, difference)
        if changed.any():
            return number, f"failed: {name}, {changed.sum()} classes change ({KINDS[number % 6]})", largest, True
    return number, "ties" if tied.any() else "the same", largest, False


def run(numbers):
    warnings.simplefilter("ignore")
    with one_thread():
        for number in numbers:
            yield case(number)


def main():
    counting.count_cases("whole_models", run, CASES, "difference of probabilities", BATCH)


if __name__ == "__main__":
    main()
