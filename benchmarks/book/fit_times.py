"""Time of one fit of ours on the book's sets, as the packages' is measured: processor time, one thread, beside eigh.

    python benchmarks/book/fit_times.py    # five minutes; writes results/fit_times.csv

Default settings, 100 labels, splits 1 to 3 (1 for SSKPCAClassifier) of the sets with 1500 rows and two classes.
"""

import time
import warnings

import numpy as np
from cells import write
from threadpoolctl import threadpool_limits

from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Diffusion

SETS = ("g241c", "g241d", "Digit1", "USPS", "Text")
MODELS = {
    "LSKPCA()": lambda: LSKPCA(),
    "LSKPCA(rank=200)": lambda: LSKPCA(rank=200),
    "LSKPCA(Diffusion(10))": lambda: LSKPCA(Diffusion(10, n_eigenvectors=200)),
    "LRKPCA()": lambda: LRKPCA(),
    "MVKPCA()": lambda: MVKPCA(),
    "SpectralGraphTransducer()": lambda: SpectralGraphTransducer(),
    "SSKPCAClassifier()": lambda: SSKPCAClassifier(),
}
COLUMNS = ("method", "set", "labels", "split", "seconds", "eigh_seconds")


def took(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def measure():
    A = np.random.default_rng(0).standard_normal((1500, 1500))
    for name in SETS:
        for split in (1, 2, 3):
            book = load_ssl_book(name, 100, split)
            eigh = took(lambda: np.linalg.eigh(A + A.T))
            for title, make in MODELS.items():
                if title == "SSKPCAClassifier()" and split > 1:
                    continue
                model = make()
                seconds = took(lambda model=model, book=book: model.fit(book.data, book.y))
                yield title, name, 100, split, f"{seconds:.4f}", f"{eigh:.4f}"


def main():
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        rows = list(measure())
    write("fit_times.csv", "python benchmarks/book/fit_times.py; processor seconds of a fit, one thread", COLUMNS, rows)


if __name__ == "__main__":
    main()
