"""Labels in the order that the page proposes, beside labels in random order; and what a label takes.

    python benchmarks/page/order.py      # writes benchmarks/page/results/order.csv and seconds.csv

1,797 digits without any label, as `sskpca demo --page` has them. A script gives the true class of the first row in the
queue, waits for the complete answer, and goes on; until 60 rows are labelled. The error is that of the classes called
on all other rows. Beside it, labels of random rows, the mean over five orders. Seconds: from a label to the first
answer, to the complete one, and to the next rows.
"""

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

RESULTS = Path(__file__).parent / "results"
N_LABELS, SEEDS, EVERY = 60, 5, 10
NONE = np.empty(0, dtype=np.intp)


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


def follow_queue(table, start, truth, priors):
    """Label the first row of the queue again and again."""
    session, last, planned, suspects, found, times, errors = Session(len(truth), [], {}), start, (), (), None, [], {}
    for entry in range(N_LABELS + 1):
        if entry:
            view = view_of(session, found, table.options.least_confidence)
            row = queue_of(session, view, planned, suspects).next[0]
            session.apply(Action("label", (row,), str(truth[row])))
        began, first, complete = time.perf_counter(), None, None
        for found in steps(last, Task(entry, session.labels(), NONE), priors=priors):
            passed = time.perf_counter() - began
            first = passed if first is None else first
            complete = passed if complete is None and found.complete else complete
            if found.next_rows is not None:
                break
        last, planned = found.answer, found.next_rows
        if isinstance(last, Transduction):
            errors[entry] = error_of(last, truth)
            times.append([entry, first, complete, passed])
            print(entry, row, f"{errors[entry]:.4f}", *(f"{t:.2f}" for t in times[-1][1:]), flush=True)
    return errors, times


def random_order(start, truth, seed):
    """Label random rows, those of the first class alone included."""
    order, errors = np.random.default_rng(seed).permutation(len(truth)), {}
    for n in range(EVERY, N_LABELS + 1, EVERY):
        session = Session(len(truth), [], {int(row): str(truth[row]) for row in order[:n]})
        found = next(f for f in steps(start, Task(n, session.labels(), NONE)) if f.complete)
        errors[n] = error_of(found.answer, truth)
    return errors


def main():
    with tempfile.TemporaryDirectory() as folder:
        table, truth = open_digits(folder)
    start = unfitted_model(table.options, table.ready).fit(table.ready.matrix).answer_
    queue, times = follow_queue(table, start, truth, prior_of(start.geometry))
    chance = [random_order(start, truth, seed) for seed in range(SEEDS)]
    with (RESULTS / "order.csv").open("w", newline="") as file:
        file.write("# python benchmarks/page/order.py; 1,797 digits; errors in % on the rows without a label\n")
        writer = csv.writer(file)
        writer.writerow(["labels", "queue", f"random, mean of {SEEDS}", "random, standard deviation"])
        for n in range(EVERY, N_LABELS + 1, EVERY):
            errors = 100 * np.array([found[n] for found in chance])
            shown = [f"{100 * queue[n]:.2f}", f"{errors.mean():.2f}", f"{errors.std(ddof=1):.2f}"]
            writer.writerow([n, *shown])
            print(n, *shown)
    with (RESULTS / "seconds.csv").open("w", newline="") as file:
        file.write("# python benchmarks/page/order.py; seconds after a label, 1,797 digits\n")
        writer = csv.writer(file)
        writer.writerow(["until", "median", "95th percentile"])
        for name, values in zip(("first answer", "complete answer", "next rows"), np.array(times).T[1:], strict=True):
            writer.writerow([name, f"{np.median(values):.3f}", f"{np.quantile(values, 0.95):.3f}"])


if __name__ == "__main__":
    main()
