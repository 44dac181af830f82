"""Labels that come and go against new fits.

    python benchmarks/fuzz/updates.py                     # 1,000 models, some minutes; resumes
    python benchmarks/fuzz/updates.py --summary

A model gets labels, others and none again, one or several at a time; in the end its decisions must be those of a fit of
the final labels, to a millionth.
"""

import warnings

import numpy as np
from shared.counting import count_cases

from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca._linalg.threads import one_thread

CASES = 1_000
STEPS = 6
DIFFERENT = 1e-6


def draw(number):
    """Draw data, labels and a model."""
    rng = np.random.default_rng(number)
    n, n_classes = int(rng.integers(20, 60)), int(rng.integers(2, 4))
    target = rng.integers(n_classes, size=n)
    X = rng.standard_normal((n, 3)) + 2 * rng.standard_normal((n_classes, 3))[target]
    if number % 5 == 0:
        X = np.round(X)
    y = np.full(n, -1)
    for k in range(n_classes):
        y[np.flatnonzero(target == k)[:3]] = k
    weight = 10 ** rng.uniform(-1, 3)
    model = (
        LSKPCA(label_weight=weight),
        LRKPCA(label_weight=weight, tol=1e-10),
        MVKPCA(label_weight=weight),
        SpectralGraphTransducer(n_neighbors=8, n_eigenvectors=10),
    )[number % 4]
    return X, y, target, model, rng


def case(number):
    X, y, target, model, rng = draw(number)
    model.fit(X, y)
    for _ in range(STEPS):
        rows = rng.permutation(len(X))[: int(rng.integers(1, 4))]
        given = rows[y[rows] >= 0]
        counts = np.bincount(y[y >= 0], minlength=target.max() + 1)
        if len(given) and rng.random() < 0.5 and np.all(counts - np.bincount(y[given], minlength=len(counts)) >= 2):
            model.forget_labels(given)
            y[given] = -1
        else:
            model.update_labels(rows, target[rows])
            y[rows] = target[rows]
    alone = type(model)(**model.get_params()).fit(X, y)
    difference = float(np.abs(model.decision_ - alone.decision_).max() / np.abs(alone.decision_).max())
    if difference > DIFFERENT:
        return number, f"failed: {type(model).__name__} is off by {difference:.1e}", difference, True
    return number, "the same", difference, False


def run(numbers):
    warnings.simplefilter("ignore")
    with one_thread():
        for number in numbers:
            yield case(number)


def main():
    count_cases("updates", run, CASES, "difference to a fit")


if __name__ == "__main__":
    main()
