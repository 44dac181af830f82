"""Does the interval of the expected error hold? On simulated tables, whose true error is known.

    python benchmarks/tables/simulated.py          # 500 tables, forty minutes; resumes
    python benchmarks/tables/simulated.py --summary

Tables of 200 to 600 rows and 2 to 6 classes, of four kinds: classes that are clouds of one or more humps, classes by
noisy linear scores, classes by a noisy random tree, and labels that are pure noise (one table in ten); numbers, skewed
numbers and categories, relevant and not; 20 to 150 labels drawn at random, one of each class among them. Seeds 0 to
499.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import ExtraTreeClassifier
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier

FILE = Path(__file__).parent / "results" / "simulated.csv"
COLUMNS = ("seed", "kind", "rows", "columns", "classes", "labels", "error", "expected", "low", "high", "forest")
KINDS = ("clouds", "scores", "tree", "noise")


def simulated(seed):
    """Return the kind of a table, its features, its classes and the rows whose labels are known."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(200, 601)), int(rng.integers(2, 7))
    relevant, others = int(rng.integers(2, 9)), int(rng.integers(0, 13))
    kind = rng.choice(KINDS, p=(0.3, 0.3, 0.3, 0.1))
    X = rng.standard_normal((n, relevant))
    if kind == "clouds":
        humps = int(rng.integers(1, 4))
        y, hump = rng.integers(0, k, n), rng.integers(0, humps, n)
        X += rng.uniform(0.5, 2.5) * rng.standard_normal((k, humps, relevant))[y, hump]
    elif kind == "scores":
        scores = rng.uniform(0.5, 3) * X @ rng.standard_normal((relevant, k)) + rng.gumbel(size=(n, k))
        y = scores.argmax(axis=1)
    elif kind == "tree":
        start = rng.integers(0, k, n)
        tree = ExtraTreeClassifier(max_depth=4, random_state=seed).fit(X, start)
        y = np.where(rng.random(n) < rng.uniform(0, 0.3), rng.integers(0, k, n), tree.predict(X))
    else:
        y = rng.choice(k, n, p=rng.dirichlet(np.full(k, 3.0)))
    y = np.unique(y, return_inverse=True)[1]
    columns = [_as_column(x, rng) for x in X.T] + [_as_column(rng.standard_normal(n), rng) for _ in range(others)]
    order = rng.permutation(n)
    first = [order[np.argmax(y[order] == c)] for c in range(y.max() + 1)]
    number = int(np.clip(np.exp(rng.uniform(np.log(20), np.log(150))), 3 * (y.max() + 1), n // 2))
    labeled = np.concatenate([first, order[~np.isin(order, first)]])[:number]
    return str(kind), np.hstack(columns), y, np.sort(labeled)


def _as_column(x, rng):
    """Show a number as it is, skewed, or as a category."""
    how = rng.choice(["number", "skewed", "category"], p=(0.6, 0.2, 0.2))
    if how == "category":
        codes = np.digitize(x, np.sort(rng.standard_normal(int(rng.integers(1, 5)))))
        return (codes[:, None] == np.unique(codes)).astype(float)
    x = np.exp(x) if how == "skewed" else x
    return ((x - x.mean()) / x.std())[:, None]


def measure(seed):
    kind, X, target, labeled = simulated(seed)
    y = np.full(len(target), -1)
    y[labeled] = target[labeled]
    model = SSKPCAClassifier().fit(X, y)
    free = y < 0
    error = np.mean(model.transduction_[free] != target[free])
    forest = RandomForestClassifier(300, random_state=0).fit(X[labeled], y[labeled])
    other = np.mean(forest.predict(X[free]) != target[free])
    found = [error, model.expected_error_, *model.expected_interval_, other]
    return [seed, kind, *X.shape, target.max() + 1, len(labeled), *(f"{100 * x:.3f}" for x in found)]


def read():
    if not FILE.exists():
        return []
    with open(FILE, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def summary():
    rows = read()
    for kind in (*KINDS, "all"):
        own = [row for row in rows if kind in (row["kind"], "all")]
        error, expected, low, high, forest = (
            np.array([float(row[name]) for row in own]) for name in ("error", "expected", "low", "high", "forest")
        )
        held = np.mean((low <= error) & (error <= high))
        print(
            f"{kind:7s} {len(own):4d} tables: interval holds in {100 * held:.1f} %, width {np.mean(high - low):.1f}; "
            f"error {error.mean():.2f}, expected {expected.mean():.2f}, random forest {forest.mean():.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary", action="store_true", help="print what is in the file, run nothing")
    parser.add_argument("--tables", type=int, default=500)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    if not wanted.summary:
        done, new = {int(row["seed"]) for row in read()}, not FILE.exists()
        with open(FILE, "a", newline="") as out, threadpool_limits(1):
            writer = csv.writer(out, lineterminator="\n")
            if new:
                out.write("# python benchmarks/tables/simulated.py; seeds 0 to 499\n")
                writer.writerow(COLUMNS)
            for seed in sorted(set(range(wanted.tables)) - done):
                writer.writerow(measure(seed))
                out.flush()
    summary()


if __name__ == "__main__":
    main()
