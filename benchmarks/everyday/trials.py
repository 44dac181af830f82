"""The tables of people's first trials, labelled with nothing but `label=`, beside four baselines of scikit-learn.

    python benchmarks/everyday/trials.py              # all tables, seeds 0 to 4: an hour; resumes where it stopped
    python benchmarks/everyday/trials.py wine leaves  # tables whose names begin so
    python benchmarks/everyday/trials.py --summary    # what is in results/trials.csv

One label of each class, the others at random, by the seed. Seconds by the clock and of the processor, of reading and
labelling together, with one BLAS thread. Share right, in %, among the rows without a label, blank ones included (their
best guess counts); the expected error that was printed, with its interval; and the share right of the baselines on the
same labels, on the columns that a careful person keeps. Nothing is chosen by these numbers.
"""

import csv
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from baselines import BASELINES, predictions, prepared
from run import draw
from threadpoolctl import threadpool_limits
from trial_tables import TRIALS

import sskpca
from sskpca._tables import TableError

FILE = Path(__file__).parent / "results" / "trials.csv"
SEEDS = range(5)
COLUMNS = (
    "table", "seed", "form", "rows", "columns", "classes", "labels", "options", "seconds", "processor_seconds",
    "sskpca", "expected_error", "low", "high", "sure", "right_of_sure", "most_frequent", *BASELINES,
)  # fmt: skip


def written(table, form, folder):
    """Return the table as it is given: itself, or the path of a file."""
    if form == "pandas":
        return table
    path = Path(folder) / {"semicolons": "table.csv"}.get(form, f"table.{form}")
    if form == "semicolons":
        table.to_csv(path, index=False, sep=";", decimal=",")
    elif form == "csv":
        table.to_csv(path, index=False)
    elif form == "xlsx":
        table.to_excel(path, index=False)
    else:
        table.to_parquet(path)
    return path


def half_labelled(trial, seed):
    """Return the table with few labels, all classes, and the positions of the labels."""
    table = trial.load()
    target = table[trial.label].to_numpy(dtype=str)
    labeled = draw(target, trial.n_labels, seed)
    given = np.full(len(target), trial.mark, dtype=object)
    given[labeled] = table[trial.label].to_numpy(dtype=object)[labeled]
    table = table.assign(**{trial.label: given})
    if trial.by_product:
        table[trial.by_product] = table[trial.label].str[:3].str.upper()
    return table, target, labeled


def measure(name, seed):
    trial = TRIALS[name]
    table, target, labeled = half_labelled(trial, seed)
    free = np.setdiff1d(np.arange(len(target)), labeled)
    row = {"table": name, "seed": seed, "form": trial.form, "rows": len(table), "columns": table.shape[1]}
    row |= {"classes": len(np.unique(target)), "labels": len(labeled), "options": "label"}

    def right(called, rows=free):
        return f"{100 * np.mean(called[rows] == target[rows]):.1f}"

    with tempfile.TemporaryDirectory() as folder:
        given = written(table, trial.form, folder)
        start, worked = time.perf_counter(), time.process_time()
        try:
            found = sskpca.label(given, label=trial.label).labelling
        except TableError as error:
            print(name, error)
            return row | {"options": "refused"}
        row["seconds"] = f"{time.perf_counter() - start:.1f}"
        row["processor_seconds"] = f"{time.process_time() - worked:.1f}"
    called = np.array(found.classes)[found.called]
    sure = free[found.sure[free]]
    errors = dict(zip(("expected_error", "low", "high"), (found.expected_error, *found.expected_interval), strict=True))
    row |= {what: f"{100 * error:.1f}" for what, error in errors.items()}
    row |= {"sskpca": right(called), "sure": f"{100 * len(sure) / len(free):.1f}"}
    row["right_of_sure"] = right(called, sure) if len(sure) else ""
    values, counts = np.unique(target[labeled], return_counts=True)
    row["most_frequent"] = right(np.full(len(target), values[counts.argmax()]))
    X = prepared(table.drop(columns=[trial.label, *trial.useless]))
    return row | {method: right(classes) for method, classes in predictions(X, target, labeled).items()}


def read():
    """List the rows of the file of results; none if it is not there yet."""
    if not FILE.exists():
        return []
    with open(FILE, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def sort_file():
    """Put the rows into the order of the tables, whatever was run first."""
    lines = [line for line in FILE.read_text("utf-8").splitlines(keepends=True) if line.startswith("#")]
    rows = sorted(read(), key=lambda row: (list(TRIALS).index(row["table"]), int(row["seed"])))
    with open(FILE, "w", newline="", encoding="utf-8") as out:
        out.writelines(lines)
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def summary():
    numbers = ["labels", "seconds", "sskpca", "expected_error", "most_frequent", *BASELINES]
    table = pd.DataFrame(read()).replace("", np.nan)
    print(table.astype(dict.fromkeys(numbers, float)).groupby("table", sort=False)[numbers].mean().round(1).to_string())


def main(*wanted):
    warnings.simplefilter("ignore")
    names = [name for name in TRIALS if not wanted or name.startswith(wanted)]
    new = not FILE.exists()
    with open(FILE, "a", newline="", encoding="utf-8") as out, threadpool_limits(1, "blas"):
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        if new:
            out.write("# OMP_NUM_THREADS=1 python benchmarks/everyday/trials.py; seeds 0 to 4; share right in %\n")
            writer.writeheader()
        for seed in SEEDS:  # stopped, it has as many draws of every table
            for name in names:
                if (name, str(seed)) not in {(row["table"], row["seed"]) for row in read()}:  # two may run at a time
                    row = measure(name, seed)
                    writer.writerow(row)
                    out.flush()
                    print(row, flush=True)
    sort_file()
    summary()


if __name__ == "__main__":
    if "--summary" in sys.argv:
        summary()
    else:
        main(*sys.argv[1:])
