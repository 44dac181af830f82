"""Find out where a cell of Table 1 differs from the paper's: in the method, or in what was chosen.

    python benchmarks/paper/explain.py LR BCI 10       # a few minutes; adds to results/explain.csv
    python benchmarks/paper/explain.py                 # the cells that the results page speaks of

For every split the cell is filled in several ways: with the setting of the least held-out loss (as in the table) and
of the least held-out error (ties by the loss); and with every setting of the grid, the same for all splits. The best of
those is no result, since it was chosen by test errors: it tells what selection could have had.
"""

import csv
import sys
import warnings
from itertools import product

import numpy as np
from protocol import RESULTS, folds_of, load, published
from table1 import LABEL_WEIGHTS, VARIANCES, bandwidths, coordinates, decide, score
from threadpoolctl import threadpool_limits

CELLS = (("LR", "BCI", 10), ("LR", "Text", 10), ("MV", "Text", 10), ("MV", "g241c", 100))
COLUMNS = ("method", "set", "labels", "by_loss", "by_error", "best_fixed", "best_setting", "median_fixed", "paper")


def explain(method, name, n_labeled):
    weights = LABEL_WEIGHTS[method]
    variances = VARIANCES.get(method, (None,))
    settings = list(product(bandwidths(method), weights, variances))
    table, by_loss, by_error = [], [], []
    for split in range(1, 13):
        problem = load(name, n_labeled, split)
        errors, losses = (a.ravel() for a in score(method, name, problem, folds_of(problem.classes))[method])
        true = np.array([problem.error(decide(method, coordinates(name, g), problem, c, v)) for g, c, v in settings])
        tied = errors <= errors.min() + 1e-9
        by_loss.append(true[np.argmin(losses)])
        by_error.append(true[np.argmin(np.where(tied, losses, np.inf))])
        table.append(true)
    fixed = np.mean(table, axis=0)
    best = " ".join("" if part is None else f"{part:g}" for part in settings[int(np.argmin(fixed))])
    numbers = np.mean(by_loss), np.mean(by_error), fixed.min()
    mean, std = published()[method, name, n_labeled]
    shown = (f"{x:.2f}" for x in numbers)
    return (method, name, n_labeled, *shown, best.strip(), f"{np.median(fixed):.2f}", f"{mean} ({std})")


def main():
    warnings.simplefilter("ignore")
    given = [(sys.argv[1], sys.argv[2], int(sys.argv[3]))] if len(sys.argv) == 4 else CELLS
    path = RESULTS / "explain.csv"
    for cell in given:
        with threadpool_limits(1):
            row = explain(*cell)
        new = not path.exists()
        with open(path, "a", newline="") as file:
            if new:
                file.write(
                    "# python benchmarks/paper/explain.py; mean error in % over 12 splits; best_fixed is no result\n"
                )
                csv.writer(file, lineterminator="\n").writerow(COLUMNS)
            csv.writer(file, lineterminator="\n").writerow(row)
        print(dict(zip(COLUMNS, row, strict=True)), flush=True)


if __name__ == "__main__":
    main()
