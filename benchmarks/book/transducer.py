"""The spectral graph transducer as published, and LS-KPCA with the diffusion kernel, on the book's data.

    python benchmarks/book/transducer.py       # some minutes; writes benchmarks/book/results/transducer.csv

Mean and standard deviation of the error in % on the unlabelled points over the 12 published splits, beside the
book's number for the transducer (from its chapter 21). All settings are fixed: those of Joachims for the transducer
(100 neighbours by cosine, 80 eigenvectors, c = 3200); n_neighbors=5, time=30 and the label weights in the table
for the diffusion kernel, set before the first run.
"""

import csv
from pathlib import Path

import numpy as np

from sskpca import LSKPCA, SpectralGraphTransducer
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Diffusion

BOOK = {
    10: {"g241c": 22.76, "g241d": 18.64, "Digit1": 8.92, "USPS": 25.36, "BCI": 49.59, "Text": 29.02},
    100: {"g241c": 17.41, "g241d": 9.11, "Digit1": 2.61, "USPS": 6.80, "BCI": 45.03, "Text": 23.09},
}
DIFFUSION = [("USPS", 1.0), ("Digit1", 0.1)]


def errors(name, n_labeled, make):
    for split in range(1, 13):
        book = load_ssl_book(name, n_labeled, split)
        model = make().fit(book.data, book.y)
        yield 100 * np.mean(model.transduction_[book.unlabeled] != book.target[book.unlabeled])


def main():
    rows = []
    for n_labeled, published in BOOK.items():
        for name, book in published.items():
            found = list(errors(name, n_labeled, SpectralGraphTransducer))
            rows.append(("SGT", name, n_labeled, np.mean(found), np.std(found, ddof=1), book))
    for name, weight in DIFFUSION:
        found = list(
            errors(name, 100, lambda weight=weight: LSKPCA(Diffusion(5, 30.0), label_weight=weight, threshold=0.0))
        )
        rows.append((f"LS, diffusion, c={weight:g}", name, 100, np.mean(found), np.std(found, ddof=1), ""))
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    with open(results / "transducer.csv", "w", newline="") as file:
        file.write("# python benchmarks/book/transducer.py; splits 1 to 12, all settings fixed\n")
        writer = csv.writer(file)
        writer.writerow(["method", "set", "labels", "error", "std", "book's SGT"])
        for method, name, n_labeled, mean, std, book in rows:
            writer.writerow([method, name, n_labeled, f"{mean:.2f}", f"{std:.2f}", book])
            print(f"{method:24s} {name:7s} {n_labeled:4d} labels  {mean:6.2f} ({std:.2f}) %   book {book}")


if __name__ == "__main__":
    main()
