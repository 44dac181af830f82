"""Does `next_rows` choose better than chance? From 10 labels to 30 on the book's data.

    python benchmarks/book/next_rows.py                 # about half an hour; writes results/next_rows.csv
    python benchmarks/book/next_rows.py Digit1          # one set, printed only

The 12 published splits with 10 labels are the starts, the same for both ways. Twenty more labels in rounds of four,
either those that `SSKPCAClassifier.next_rows` asks for, or rows drawn at random (three draws a start, seeds 0 to 2).
Error in % on the rows that are unlabelled at the end. Kernels are decomposed once for each set: labels come by
`update_labels`.
"""

import copy
import sys
import warnings

import numpy as np
from cells import SPLITS, write

from sskpca import SSKPCAClassifier
from sskpca.datasets import load_ssl_book

ROUNDS, EACH, DRAWS = 5, 4, 3


def error(model, target):
    rest = np.setdiff1d(np.arange(len(target)), model.labeled_rows_)
    return 100 * np.mean(model.transduction_[rest] != target[rest])


def with_labels(model, target, rows):
    return copy.copy(model).update_labels(rows, target[rows])


def main():
    warnings.simplefilter("ignore", UserWarning)  # classes with one label: the splits have them
    rows = []
    for name in sys.argv[1:] or ("USPS", "Digit1", "g241c"):
        target = load_ssl_book(name, 10, 1).target
        bare = SSKPCAClassifier().fit(load_ssl_book(name, 10, 1).data)
        for split in SPLITS:
            labeled = load_ssl_book(name, 10, split).labeled
            start = model = with_labels(bare, target, labeled)
            for _ in range(ROUNDS):
                model = with_labels(model, target, model.next_rows(EACH))
            chance = []
            for seed in range(DRAWS):
                free = np.setdiff1d(np.arange(len(target)), labeled)
                drawn = np.random.default_rng([seed, split]).choice(free, ROUNDS * EACH, replace=False)
                chance.append(error(with_labels(start, target, drawn), target))
            rows.append([name, split, error(start, target), error(model, target), np.mean(chance)])
            print("{} {:2d}   start {:5.2f}   next_rows {:5.2f}   random {:5.2f}".format(*rows[-1]), flush=True)
        found = np.array([row[2:] for row in rows if row[0] == name])
        better = int(np.sum(found[:, 1] < found[:, 2]))
        print(
            "{} mean   start {:5.2f}   next_rows {:5.2f}   random {:5.2f}   better in {} of 12".format(
                name, *found.mean(0), better
            )
        )
    if len(sys.argv) == 1:
        about = "python benchmarks/book/next_rows.py; 10 labels and 20 more, error in %, seeds 0 to 2"
        found = ([name, split, *(f"{x:.2f}" for x in numbers)] for name, split, *numbers in rows)
        write("next_rows.csv", about, ("set", "split", "start", "next_rows", "random"), found)


if __name__ == "__main__":
    main()
