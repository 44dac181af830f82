"""Labels in the order that the page proposes, beside labels in random order; and what a label takes.

    python benchmarks/page/order.py      # writes benchmarks/page/results/order.csv; goes on with the next order
    python benchmarks/page/order.py --summary

1,797 digits without any label, as `sskpca demo --page` has them. A script gives the true classes of 60 rows:

- page: of the row that the page shows. It shows one at once after a key: that row was chosen before the label counted;
- queue: of the first row of the queue that was chosen with all labels so far, as a person finds it who waits for it;
- random: of random rows, in five orders.

The error is that of the classes called on all other rows. Seconds are those of the processor, in one thread, so that
other people's work on the machine is not in them: what the worker of the page computes from a label to the first
answer, and, beside it in another thread, to the complete answer and to the next rows. The server and the browser are
not in them; keys.py has those. The first label of a class has no first answer: nothing was known of the class.
"""

import argparse
import csv
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_digits

from sskpca._linalg.threads import one_thread
from sskpca._selection.query import prior_of
from sskpca._tables import write_table
from sskpca._tables.job import unfitted_model
from sskpca._tables.options import FileOptions, Options
from sskpca._transduction.answer import Transduction
from sskpca._web.session import Action, Session
from sskpca._web.table import open_table
from sskpca._web.view import queue_of, view_of
from sskpca._web.worker import Task, first_step, steps

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


def keep(lines):
    """Add the lines of an order."""
    new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            file.write("# python benchmarks/page/order.py; 1,797 digits; seconds of the processor after a label\n")
            writer.writerow(HEAD)
        writer.writerows(lines)


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


def follow(order, table, start, truth, priors):
    """Label the rows that the page proposes, one after the other."""
    session, last, planned, found = Session(len(truth), [], {}), start, (), None

    def proposed():
        return queue_of(session, view_of(session, found, table.options.least_confidence), planned, ()).next[0]

    def answer(task):
        nonlocal last, planned, found
        began, times = time.process_time(), []
        first = "" if first_step(last, task) is None else f"{time.process_time() - began:.3f}"
        began = time.process_time()
        for step in steps(last, task, priors=priors):
            found = step
            times.append(f"{time.process_time() - began:.3f}")
            if found.next_rows is not None:
                break
        last, planned = found.answer, found.next_rows
        return [first, times[0], times[-1]]

    answer(Task(0, session.labels(), NONE))
    row, lines = proposed(), []
    for n in range(1, N_LABELS + 1):
        session.apply(Action("label", (row,), str(truth[row])))
        labelled, row = row, proposed()
        seconds = answer(Task(n, session.labels(), NONE))
        if order == "queue":
            row = proposed()
        error = f"{100 * error_of(last, truth):.2f}" if isinstance(last, Transduction) else ""
        lines.append([order, n, labelled, error, *seconds])
        print(*lines[-1], flush=True)
    return lines


def random_order(order, start, truth):
    """Label random rows."""
    lines = []
    for n in range(EVERY, N_LABELS + 1, EVERY):
        rows = np.random.default_rng(int(order.split()[1])).permutation(len(truth))[:n].tolist()
        session = Session(len(truth), [], {row: str(truth[row]) for row in rows})
        found = next(iter(steps(start, Task(n, session.labels(), NONE))))
        lines.append([order, n, "", f"{100 * error_of(found.answer, truth):.2f}", "", "", ""])
        print(*lines[-1], flush=True)
    return lines


def summary(done):
    """Print the errors, and what a label takes."""
    for n in range(EVERY, N_LABELS + 1, EVERY):
        by_order = {order: float(rest[1]) for (order, k), rest in done.items() if k == n}
        others = [error for order, error in by_order.items() if order.startswith("random")]
        ours = ", ".join(f"{order} {by_order[order]:.1f} %" for order in ("page", "queue") if order in by_order)
        if others:
            ours += f", random {np.mean(others):.1f} % ({min(others):.1f} to {max(others):.1f})"
        print(f"{n} labels: {ours}")
    for column, name in enumerate(HEAD[4:], start=2):
        values = [float(rest[column]) for rest in done.values() if rest[1] and rest[column]]
        if values:
            print(f"{name}: median {np.median(values):.2f} s, 95th percentile {np.quantile(values, 0.95):.2f} s")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--summary", action="store_true")
    done = {order for order, n in read() if n == N_LABELS}
    missing = [order for order in ("page", "queue", *(f"random {seed}" for seed in range(SEEDS))) if order not in done]
    if missing and not options.parse_args().summary:
        with tempfile.TemporaryDirectory() as folder:
            table, truth = open_digits(folder)
        with one_thread():  # as the worker has it
            start = unfitted_model(table.options, table.ready).fit(table.ready.matrix).answer_
            priors = prior_of(start.geometry)
            for order in missing:
                own = order in ("page", "queue")
                keep(follow(order, table, start, truth, priors) if own else random_order(order, start, truth))
    summary(read())


if __name__ == "__main__":
    main()
