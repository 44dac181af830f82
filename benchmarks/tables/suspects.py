"""Labels that look wrong: how many right ones are flagged, and how many flipped ones are found.

    python benchmarks/tables/suspects.py            # ten minutes; needs the group bench (cleanlab)
    python benchmarks/tables/suspects.py --summary

On the 22 tables with 100 and with 30 labels: the labels as they are, which are taken to be right, and with one in ten
changed to another class (seed 7). Beside `SSKPCAClassifier.suspects`, cleanlab's `find_label_issues` on the same
held-out probabilities.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from keel import NAMES, draws, load_table
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier
from sskpca._selection.suspects import find_suspects
from sskpca._transduction.calibration import probabilities

FILE = Path(__file__).parent / "results" / "suspects.csv"
METHODS = ("sskpca", "cleanlab", "cleanlab, confident learning")
COLUMNS = ("table", "labels", "draw", "flipped", "method", "n_labels", "n_flagged", "n_found")


def flip(draw, n_classes):
    """Return the labels with one in ten changed, and the rows where they were."""
    rng = np.random.default_rng(7)
    rows = rng.choice(draw.labeled, len(draw.labeled) // 10, replace=False)
    y = draw.y.copy()
    y[rows] = (y[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    return y, rows


def flagged(X, y):
    """Return the rows that each method flags."""
    from cleanlab.filter import find_label_issues

    model = SSKPCAClassifier().fit(X, y)
    held_out = probabilities(model.loo_decision_.reshape(len(model.labeled_rows_), -1), model.slope_)
    codes = np.searchsorted(model.classes_, y[model.labeled_rows_])
    yield "sskpca", [suspect.row for suspect in find_suspects(model.answer_, tried=0)]
    for name, how in (("cleanlab", "prune_by_noise_rate"), ("cleanlab, confident learning", "confident_learning")):
        yield name, model.labeled_rows_[find_label_issues(codes, held_out, filter_by=how, n_jobs=1)]


def read():
    if not FILE.exists():
        return []
    with open(FILE, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def totals(rows, n_labels, method, flipped):
    """Return the number of labels, of those flagged, and of flipped ones among them."""
    own = [r for r in rows if (r["labels"], r["method"], r["flipped"]) == (str(n_labels), method, str(flipped))]
    return tuple(sum(int(row[name]) for row in own) for name in ("n_labels", "n_flagged", "n_found"))


def summary():
    rows = read()
    for n in (30, 100):
        for method in METHODS:
            number, clean, _ = totals(rows, n, method, 0)
            changed, many, found = totals(rows, n, method, 1)
            print(
                f"{n:3d} labels, {method:30s}: {100 * clean / number:5.2f} % of {number} right labels flagged; of "
                f"{changed // 10} flipped, recall {100 * found / (changed // 10):.1f} %, precision "
                f"{100 * found / max(many, 1):.1f} %"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary", action="store_true", help="print what is in the file, run nothing")
    if not parser.parse_args().summary:
        warnings.simplefilter("ignore")
        with open(FILE, "w", newline="") as out, threadpool_limits(1):
            writer = csv.writer(out, lineterminator="\n")
            out.write("# python benchmarks/tables/suspects.py; labels flipped with seed 7\n")
            writer.writerow(COLUMNS)
            for name in NAMES:
                table = load_table(name)
                for n in (30, 100):
                    for draw in draws(table, n):
                        changed, rows = flip(draw, table.n_classes)
                        for which, y in enumerate((draw.y, changed)):
                            for method, found in flagged(table.X, y):
                                hits = np.isin(found, rows).sum() if which else 0
                                writer.writerow(
                                    [name, n, draw.number, which, method, len(draw.labeled), len(found), hits]
                                )
                        out.flush()
    summary()


if __name__ == "__main__":
    main()
