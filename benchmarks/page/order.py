"""Labels in the order that the page proposes, beside labels in random order; and what a label takes.

    python benchmarks/page/order.py      # writes benchmarks/page/results/order.csv; goes on where it stopped
    python benchmarks/page/order.py --summary

1,797 digits without any label, as `sskpca demo --page` has them. A script gives the true class of the first row in the
queue, waits for the complete answer, and goes on; until 60 rows are labelled. The error is that of the classes called
on all other rows. Beside it, labels of random rows, in five orders. Seconds: from a label to the first answer, to the
complete one, and to the next rows.
"""

import argparse
import csv
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_digits

from sskpca._selection.query import prior_of
from sskpca._tables import write_table
from sskpca._tables.job import unfitted_model
from sskpca._tables.options import FileOptions, Options
from sskpca._transduction.answer import Transduction
from sskpca._web.queue import queue_of
from sskpca._web.session import Action, Session
from sskpca._web.table import open_table
from sskpca._web.view import view_of
from sskpca._web.worker import Task, steps

RESULTS = Path(__file__).parent / "results" / "order.csv"
HEAD = ["order", "labels", "row", "error in %", "first answer", "complete answer", "next rows"]
N_LABELS, SEEDS, EVERY = 60, 5, 10
NONE = np.empty(0, dtype=np.intp)


def read():
    """Return what was measured, by order and number of labels."""
    if not RESULTS.exists():
        return {}
    with RESULTS.open(newline="") as file:
        lines = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
    return {(order, int(n)): rest for order, n, *rest in lines}


def keep(order, n, *values):
    new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            file.write("# python benchmarks/page/order.py; 1,797 digits; seconds after a label\n")
            writer.writerow(HEAD)
        writer.writerow([order, n, *values])
    print(order, n, *values, flush=True)


def open_digits(folder):
    digits = load_digits()
    table = {
        name: pa.array(column) for name, column in zip(digits.feature_names, digits.data.T.astype(int), strict=True)
    }
    path = Path(folder) / "digits.csv"
    write_table(pa.table(table), path)
    return open_table(path, Options(), FileOptions()), digits.target.astype(str)


def error_of(answer, truth):
    """Return the share of the rows without a label that are called something else."""
    free = answer.labels.codes < 0
    return float(np.mean(np.asarray(answer.called, dtype=str)[free] != truth[free]))


def follow_queue(table, start, truth, priors, done):
    """Label the first row of the queue again and again."""
    session, last, planned, found = Session(len(truth), [], {}), start, (), None
    for n in range(N_LABELS + 1):
        if n:
            known = done.get(("queue", n))
            if known is None:
                view = view_of(session, found, table.options.least_confidence)
                row = queue_of(session, view, planned, ()).next[0]
            else:
                row = int(known[0])
            session.apply(Action("label", (row,), str(truth[row])))
            if known is not None and ("queue", n + 1) in done:
                continue
        began, first, complete = time.perf_counter(), None, None
        for found in steps(last, Task(n, session.labels(), NONE), priors=priors):
            passed = time.perf_counter() - began
            first = passed if first is None else first
            complete = passed if complete is None and found.complete else complete
            if found.next_rows is not None:
                break
        last, planned = found.answer, found.next_rows
        if n and ("queue", n) not in done:
            error = f"{100 * error_of(last, truth):.2f}" if isinstance(last, Transduction) else ""
            keep("queue", n, row, error, *(f"{seconds:.3f}" for seconds in (first, complete, passed)))


def random_orders(start, truth, done):
    """Label random rows."""
    for n in range(EVERY, N_LABELS + 1, EVERY):
        for seed in range(SEEDS):
            if (f"random {seed}", n) not in done:
                rows = np.random.default_rng(seed).permutation(len(truth))[:n].tolist()
                session = Session(len(truth), [], {row: str(truth[row]) for row in rows})
                found = next(f for f in steps(start, Task(n, session.labels(), NONE)) if f.complete)
                keep(f"random {seed}", n, "", f"{100 * error_of(found.answer, truth):.2f}", "", "", "")


def summary(done):
    """Print the errors of both, and what a label takes."""
    for n in range(EVERY, N_LABELS + 1, EVERY):
        errors = [float(done[key][1]) for key in done if key[0] != "queue" and key[1] == n]
        mean = f"{np.mean(errors):.2f} % (mean of {len(errors)})" if errors else "not measured"
        queue = done.get(("queue", n), ["", "not measured"])[1]
        print(f"{n} labels: queue {queue} %, random {mean}")
    times = np.array([rest[2:] for (order, _), rest in done.items() if order == "queue" and rest[1]], dtype=float)
    for name, values in zip(HEAD[4:], times.T, strict=True):
        print(f"{name}: median {np.median(values):.2f} s, 95th percentile {np.quantile(values, 0.95):.2f} s")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--summary", action="store_true")
    if not options.parse_args().summary:
        with tempfile.TemporaryDirectory() as folder:
            table, truth = open_digits(folder)
        start = unfitted_model(table.options, table.ready).fit(table.ready.matrix).answer_
        random_orders(start, truth, read())
        follow_queue(table, start, truth, prior_of(start.geometry), read())
    summary(read())


if __name__ == "__main__":
    main()
