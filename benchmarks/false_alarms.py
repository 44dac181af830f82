"""How often ordinary tables raise an alarm about their labels: cells missing at random, rows labelled at random.

``python benchmarks/false_alarms.py random 2000`` draws 2,000 tables, with seeds from 0; with ``class`` in place of
``random``, how often a cell is missing depends on the class, which is no reason for an alarm either.
"""

import sys

import numpy as np
import pyarrow as pa

from sskpca._tables import Options, TableError, check_table


def column(rng, codes):
    """Draw measurements, counts that are mostly 0, categories with a rare value, marks of a class, or amounts."""
    n = len(codes)
    kind = rng.integers(5)
    if kind == 0:
        return rng.normal(size=n) + rng.normal() * codes
    if kind == 1:
        return rng.poisson(rng.choice([0.02, 0.1, 1.0]), n) * (1 + (codes == 0))
    if kind == 2:
        return np.array(list("abcdef"))[np.minimum(rng.geometric(rng.choice([0.3, 0.9, 0.97]), n) - 1, 5)]
    if kind == 3:
        return np.where(rng.random(n) < 0.05 * (1 + 3 * (codes == 1)), "yes", "no")
    return np.round(rng.exponential(size=n), 2)


def draw(seed, by_class):
    """Draw a table of 30 to 3,000 rows, with 3 to 100 labels and 2 to 24 columns."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([30, 100, 300, 1000, 3000]))
    n_labeled = min(int(rng.choice([3, 5, 10, 30, 100])), n // 2)
    n_classes = int(rng.integers(2, 6))
    codes = rng.choice(n_classes, n, p=rng.dirichlet(np.ones(n_classes)))
    columns = {}
    for k in range(int(rng.integers(2, 25))):
        cells = np.array([str(value) for value in column(rng, codes)], dtype=object)
        share = rng.choice([0, 0, 0.02, 0.1, 0.5, 0.9, 0.97])
        if by_class:
            share = share * rng.choice([0.3, 1, 1.5], n_classes)[codes]
        cells[rng.random(n) < share] = ""
        columns[f"column {chr(97 + k)}"] = cells.tolist()
    labeled = rng.permutation(n) < n_labeled
    columns["label"] = [f"class {code}" if given else "" for code, given in zip(codes, labeled, strict=True)]
    return pa.table(columns)


def main(kind, number):
    """Count the tables that raise each alarm."""
    counts = dict.fromkeys(("tables", "a column left out", "empty cells not used", "rows differ"), 0)
    for seed in range(number):
        try:
            found = check_table(draw(seed, kind == "class"), Options(label="label"))
        except TableError:  # labels of one class only, or no column to learn from
            continue
        counts["tables"] += 1
        counts["a column left out"] += any("left out" in warning for warning in found.warnings)
        counts["empty cells not used"] += any("no coincidence" in note for note in found.notes)
        counts["rows differ"] += any("differ" in warning for warning in found.warnings)
    print(f"{kind}: " + ", ".join(f"{name} {n}" for name, n in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
