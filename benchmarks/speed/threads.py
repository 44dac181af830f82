"""Label problems with all threads of the BLAS beside the same with one.

    python benchmarks/speed/threads.py    # some minutes; writes benchmarks/speed/results/threads.csv

Fits on given coordinates, one label more, and leave-one-out, in two processes: as they start by themselves, and with
OMP_NUM_THREADS=1. The least of several runs that take turns, since other work on the machine only ever adds time.

On a machine that is never quiet wall time compares the neighbours. So there is besides, for each, the processor time of
the thread that calls, that of all others of its process, such as threads of the BLAS that work or wait by spinning, and
how often the caller gave up the processor by itself to wait. Where the others take nothing and the caller never waits,
it does everything itself: its processor time is the wall time of a quiet machine, and the ratio of that is the one to
look at.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from sskpca import LRKPCA, LSKPCA, MVKPCA
from sskpca.coordinates._principal import coordinates_from_features

LABELS = (50, 100, 150, 300, 700, 2000)
ROUNDS = 3
THREAD = resource.RUSAGE_THREAD  # Linux
CLOCKS = (time.perf_counter, time.thread_time, time.process_time, lambda: resource.getrusage(THREAD).ru_nvcsw)
# Leave-one-out of these refits every label: only for few.
REFITTED = 100
OF_PROCESSOR = ("caller, one thread", "caller, by default", "other threads", "waits", "ratio of callers")


def problem(n_labels, rank):
    """Draw coordinates of a decaying spectrum and labels of four clouds."""
    rng = np.random.default_rng(n_labels)
    n = max(2 * n_labels, 1000)
    which = rng.integers(4, size=n)
    A = (rng.standard_normal((n, rank)) + rng.standard_normal((4, rank))[which]) / np.sqrt(1 + np.arange(rank))
    coordinates = coordinates_from_features(
        A, np.asarray, np.eye(rank), centered=True, total_variance=float(np.sum((A - A.mean(axis=0)) ** 2))
    )
    target = which % 2
    return coordinates, np.where(np.arange(n) < n_labels, target, -1), target


def timed(work):
    """Return wall time, processor time of this thread and of the others, and how often it waited.

    Each is the least of five runs, or of fewer if they take long.
    """
    times = []
    while len(times) < 5 and sum(own for _, own, *_ in times) < 1.0:
        before = [clock() for clock in CLOCKS]
        work()
        wall, own, every, waits = (clock() - start for clock, start in zip(CLOCKS, before, strict=True))
        times.append((wall, own, max(every - own, 0.0), waits))
    return [min(column) for column in zip(*times, strict=True)]


def update(model, row, target):
    model.update_labels(row, target[row])


def measure(n_labels):
    """Return the seconds of each task."""
    warnings.simplefilter("ignore")
    rank = 500 if n_labels < 700 else 1500
    coordinates, y, target = problem(n_labels, rank)
    X = np.zeros((len(y), 1))
    found = {}
    for estimator in (LSKPCA, LRKPCA, MVKPCA):
        name = estimator.__name__
        if estimator is LRKPCA and n_labels > 700:
            continue  # minutes
        model = estimator(coordinates=coordinates)
        found[f"{name} fit"] = timed(lambda model=model: model.fit(X, y))
        rows = iter(range(n_labels, len(y)))
        found[f"{name} update_labels"] = timed(lambda model=model, rows=rows: update(model, next(rows), target))
        if estimator is LSKPCA or n_labels <= REFITTED:
            # With a fit, since the answer is kept: a second call would return it.
            found[f"{name} fit, leave_one_out"] = timed(lambda model=model: model.fit(X, y).leave_one_out())
    return found


def in_process(n_labels, threads):
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    if threads:
        environment["OMP_NUM_THREADS"] = str(threads)
    answer = subprocess.run(
        [sys.executable, __file__, "--measure", str(n_labels)], env=environment, capture_output=True, check=True
    )
    return json.loads(answer.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--labels", type=int, nargs="*", default=LABELS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    path = Path(__file__).parent / "results" / "threads.csv"
    with open(path, "w", newline="") as file:
        file.write(
            f"# python benchmarks/speed/threads.py; seconds, least of {options.rounds} processes; "
            f"{os.cpu_count()} processors; rank 500, from 700 labels on 1500\n"
        )
        writer = csv.writer(file)
        writer.writerow(["labels", "task", "one thread", "by default", "ratio", *OF_PROCESSOR])
        for n_labels in options.labels:
            runs = {0: [], 1: []}
            for _ in range(options.rounds):
                for threads, answers in runs.items():
                    answers.append(in_process(n_labels, threads))
            for task in runs[0][0]:
                free, one = (np.min([answer[task] for answer in runs[threads]], axis=0) for threads in (0, 1))
                wall, caller = free[:2] / one[:2]
                numbers = [one[0], free[0], wall, one[1], free[1], free[2], free[3], caller]
                writer.writerow([n_labels, task, *(f"{number:.4f}" for number in numbers)])
                print(f"{n_labels:5d} {task:24s}", *(f"{number:8.4f}" for number in numbers), flush=True)
            file.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        main()
