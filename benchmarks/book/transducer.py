"""The spectral graph transducer as published, and LS-KPCA with the diffusion kernel, on the book's data.

    python benchmarks/book/transducer.py                            # some minutes; writes results/transducer.csv
    python benchmarks/book/transducer.py --set USPS --labels 100    # one cell, anew; nothing is written

Mean and standard deviation of the error in % on the unlabelled points over the 12 published splits, beside the
book's number for the transducer (from its chapter 21). All settings are fixed: those of Joachims for the transducer
(100 neighbours by cosine, 80 eigenvectors, c = 3200); n_neighbors=5, time=30 and the label weights in the table
for the diffusion kernel, set before the first run.
"""

from itertools import product

import numpy as np
from cells import LABELS, SIX, SPLITS, compare, options, published, write

from sskpca import LSKPCA, SpectralGraphTransducer
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Diffusion

DIFFUSION = (("USPS", 1.0), ("Digit1", 0.1))
COLUMNS = ("method", "set", "labels", "error", "std", "book's SGT")


def errors(name, n_labeled, model):
    for split in SPLITS:
        book = load_ssl_book(name, n_labeled, split)
        found = model.fit(book.data, book.y).transduction_
        yield 100 * np.mean(found[book.unlabeled] != book.target[book.unlabeled])


def rows(wanted):
    book = published()
    tasks = [("SGT", name, n, SpectralGraphTransducer()) for n, name in product(LABELS, SIX)]
    for name, weight in DIFFUSION:
        model = LSKPCA(Diffusion(5, 30.0), label_weight=weight, threshold=0.0)
        tasks.append((f"LS, diffusion, c={weight:g}", name, 100, model))
    for method, name, n_labeled, model in tasks:
        if wanted.name in (None, name) and wanted.labels in (None, n_labeled):
            found = list(errors(name, n_labeled, model))
            beside = book.get(("SGT", name, n_labeled), "") if method == "SGT" else ""
            yield method, name, n_labeled, f"{np.mean(found):.2f}", f"{np.std(found, ddof=1):.2f}", beside


def main():
    wanted, kept = options(__doc__, splits=False), []
    for row in rows(wanted):
        kept.append(row)
        print("{:24s} {:7s} {:4d} labels  {:>6s} ({}) %   book {}".format(*row), flush=True)
    if wanted.name or wanted.labels:
        compare({row[:3]: row[3] for row in kept}, "transducer.csv", *COLUMNS[:3])
        return
    write("transducer.csv", "python benchmarks/book/transducer.py; splits 1 to 12, all settings fixed", COLUMNS, kept)


if __name__ == "__main__":
    main()
