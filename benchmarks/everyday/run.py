"""Everyday tables, as the command line gets them, beside a random forest and logistic regression on the same labels.

    python benchmarks/everyday/run.py penguins 10    # species from 15 labels, sex from 20; ten draws
    python benchmarks/everyday/run.py text 5         # five tables with text, 40 labels; five draws

One label of each class, the others at random. Share of the other rows that are right, in %. The peers get the table as
people prepare it: numbers standardised, medians for missing ones, categories one-hot, texts by TF-IDF. "one block" is
sskpca without the kernels of numbers alone and of words alone. Written to results/.
"""

import csv
import sys
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from data import penguin_tables, text_tables
from sskpca._selection import portfolio
from sskpca._tables import Options, label_table

RESULTS = Path(__file__).parent / "results"
COLUMNS = ("table", "seed", "labels", "sskpca", "one_block", "forest", "logistic", "expected_error")


def draw(target, number, seed):
    order = np.random.default_rng(seed).permutation(len(target))
    first = [order[np.argmax(target[order] == c)] for c in np.unique(target)]
    return np.concatenate([first, order[~np.isin(order, first)]])[:number]


def prepared(table):
    numbers = table.select_dtypes("number").columns
    others = table.columns.difference(numbers)
    texts = [name for name in others if table[name].str.split().str.len().mean() >= 4]
    encoder = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), others.difference(texts)),
        *((TfidfVectorizer(sublinear_tf=True, min_df=2), name) for name in texts),
    )
    return encoder.fit_transform(table)


def measure(name, table, number, seed):
    target = table.label.to_numpy(dtype=str)
    labeled = draw(target, number, seed)
    free = np.setdiff1d(np.arange(len(target)), labeled)
    given = np.full(len(target), None, dtype=object)
    given[labeled] = target[labeled]
    arrow = pa.Table.from_pandas(table.assign(label=given), preserve_index=False)
    row = {"table": name, "seed": seed, "labels": number}

    def right(called):
        return f"{100 * np.mean(called[free] == target[free]):.1f}"

    found, _, _ = label_table(arrow, Options(label="label"))
    row["sskpca"] = right(np.array(found.classes)[found.called])
    row["expected_error"] = f"{100 * found.expected_error:.1f}"
    if "text" in {column.role for column in found.columns}:
        with patch.object(portfolio, "block_kernels", lambda *_: []):
            plain, _, _ = label_table(arrow, Options(label="label"))
        row["one_block"] = right(np.array(plain.classes)[plain.called])
    X = prepared(table.drop(columns="label"))
    for peer, model in (
        ("forest", RandomForestClassifier(300, random_state=0)),
        ("logistic", LogisticRegression(max_iter=5000)),
    ):
        row[peer] = right(model.fit(X[labeled], target[labeled]).predict(X))
    return row


def main(which="penguins", draws=10):
    tables = {name: (table, 40) for name, table in text_tables().items()} if which == "text" else penguin_tables()
    rows = []
    for name, (table, number) in tables.items():
        rows += [measure(name, table, number, seed) for seed in range(int(draws))]
        part = pd.DataFrame([row for row in rows if row["table"] == name])
        print(name, part.drop(columns=["table", "seed"]).astype(float).mean().round(1).to_dict(), flush=True)
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{which}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main(*sys.argv[1:])
