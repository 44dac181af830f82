"""How far decisions from landmarks are from the exact ones: 5,000 rows, 50 to 2,000 landmarks.

    python benchmarks/scale/approximation.py    # some minutes; writes results/approximation.csv

Two kinds of data: rows of 50 features in 20 overlapping clusters, and rows of SecStr, whose kernel has no few leading
components. 100 labels; LS-KPCA with a Gaussian kernel. The root mean squared difference of the decisions on all rows,
relative to their size; the share of rows called something else; the share of variance that the features say they miss.
Means over seeds 0, 1 and 2. Nothing is chosen by these numbers.
"""

import sys
from pathlib import Path

import numpy as np
from measured import timed, write

from sskpca import LSKPCA
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Gaussian

sys.path.append(str(Path(__file__).parents[1] / "speed"))
from fits import blobs

N = 5000
NUMBERS = (50, 100, 200, 500, 1000, 2000)
SEEDS = (0, 1, 2)


def data():
    yield "clusters", *blobs(N)
    book = load_ssl_book("SecStr", 100, 1)
    rows = np.concatenate([book.labeled, book.unlabeled[: N - 100]])
    yield "SecStr", book.data[rows].toarray(), book.y[rows]


def main():
    found = []
    for name, X, y in data():
        kernel = Gaussian(
            Gaussian().fit(X[:2000]).gamma_
        )  # the same for all: each would learn its own from its landmarks
        exact = LSKPCA(kernel).fit(X, y)
        size = np.sqrt(np.mean(exact.decision_**2))
        for p in NUMBERS:
            parts = []
            for seed in SEEDS:
                model = LSKPCA(kernel, coordinates="nystrom", n_landmarks=p, random_state=seed)
                _, took = timed(model.fit, X, y)
                difference = np.sqrt(np.mean((model.decision_ - exact.decision_) ** 2)) / size
                changed = 100 * np.mean(model.transduction_ != exact.transduction_)
                parts.append((difference, changed, model.kernel_.missed_, took))
            means = np.mean(parts, axis=0)
            found.append((name, "uniform", p, *(f"{value:.4g}" for value in means)))
            print(*found[-1], flush=True)
    columns = ("data", "how", "p", "difference", "changed_percent", "missed", "seconds")
    write("approximation.csv", columns, found, "python benchmarks/scale/approximation.py")


if __name__ == "__main__":
    main()
