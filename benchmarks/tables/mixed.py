"""Mixed tables with irrelevant columns, as the command line gets them, beside a random forest on the same labels.

    python benchmarks/tables/mixed.py    # five tables of each kind, about five minutes

Simulated, seeds 0 to 4: "rodents" (13 unequal classes, two measurements, a plot that tells a little, month, day and
year that tell nothing; 1,500 rows, 300 labels) and "churn" (27 % leave; tenure, contract, charges and fibre tell, nine
other columns do not; 1,500 rows, 100 labels). The forest gets the same columns one-hot. Written to results/mixed.csv.
"""

import csv
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from sskpca._tables import label_table

FILE = Path(__file__).parent / "results" / "mixed.csv"
COLUMNS = ("kind", "seed", "labels", "most_frequent", "forest", "sskpca", "expected", "low", "high")


def rodents(rng, n=1500, k=13):
    share = np.maximum(rng.dirichlet(np.ones(k)), 0.01)
    y = rng.choice(k, n, p=share / share.sum())
    size = rng.normal(0, 1.6, (k, 2))
    size[:, 1] = 0.6 * size[:, 0] + 0.8 * size[:, 1]
    preferred = rng.dirichlet(np.full(24, 2.0), k)
    plot = np.array([rng.choice(24, p=preferred[c]) for c in y])
    table = pd.DataFrame(
        {
            "hindfoot_length": np.exp(0.15 * (size[y, 0] + 0.25 * rng.normal(size=n)) + 3.2),
            "weight": np.exp(0.5 * (size[y, 1] + 0.45 * rng.normal(size=n)) + 3.5),
            "month": rng.integers(1, 13, n),
            "day": rng.integers(1, 29, n),
            "year": rng.integers(1977, 2003, n),
            "plot": plot,
            "sex": rng.choice(["F", "M"], n),
            "plot_type": np.array(["Control", "Rodent", "Long", "Short", "Spectab"])[plot % 5],
        }
    )
    return table, np.array([f"species {c}" for c in y]), 300


def churn(rng, n=1500):
    tenure, charges = rng.integers(0, 73, n), 20 + 100 * rng.beta(1.5, 1.5, n)
    contract = rng.choice(["month", "one year", "two years"], n, p=(0.55, 0.25, 0.2))
    fibre = rng.random(n) < np.where(charges > 65, 0.8, 0.1)
    score = -1.7 - 0.04 * (tenure - 20) + 1.2 * (contract == "month") - 0.8 * (contract == "two years") + 0.9 * fibre
    y = rng.random(n) < 1 / (1 + np.exp(-score))
    columns = {
        "tenure": tenure,
        "charges": charges.round(2),
        "total": (tenure * charges * (1 + 0.05 * rng.normal(size=n))).round(2),
        "contract": contract,
        "fibre": np.where(fibre, "yes", "no"),
        "age": rng.integers(18, 90, n),
    }
    for i, number in enumerate((2, 2, 2, 3, 3, 3, 3, 4)):
        columns[f"option {'abcdefgh'[i]}"] = rng.choice([f"v{j}" for j in range(number)], n)
    return pd.DataFrame(columns), np.where(y, "yes", "no"), 100


def measure(kind, seed):
    rng = np.random.default_rng(seed)
    table, target, number = kind(rng)
    order = rng.permutation(len(target))
    first = [order[np.argmax(target[order] == c)] for c in np.unique(target)]
    labeled = np.concatenate([first, order[~np.isin(order, first)]])[:number]
    given = np.full(len(target), None, dtype=object)
    given[labeled] = target[labeled]
    found, _, _ = label_table(pa.Table.from_pandas(table.assign(label=given)))
    free = found.given < 0
    called = np.array(found.classes)[found.called]
    X = pd.get_dummies(table).to_numpy(dtype=float)
    forest = RandomForestClassifier(300, random_state=0).fit(X[labeled], target[labeled])
    values, counts = np.unique(target[labeled], return_counts=True)
    errors = [
        np.mean(target[free] != values[counts.argmax()]),
        np.mean(forest.predict(X[free]) != target[free]),
        np.mean(called[free] != target[free]),
        found.expected_error,
        *found.expected_interval,
    ]
    return [kind.__name__, seed, number, *(f"{100 * error:.2f}" for error in errors)]


def main():
    warnings.simplefilter("ignore")
    with open(FILE, "w", newline="") as out, threadpool_limits(1):
        out.write("# python benchmarks/tables/mixed.py; error in % on the unlabelled rows\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for kind in (rodents, churn):
            rows = [measure(kind, seed) for seed in range(5)]
            writer.writerows(rows)
            out.flush()
            means = np.mean([[float(x) for x in row[3:6]] for row in rows], axis=0)
            print(kind.__name__, "most frequent class {:.1f}, random forest {:.1f}, sskpca {:.1f}".format(*means))


if __name__ == "__main__":
    main()
