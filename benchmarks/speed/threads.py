"""Label problems with all threads of the BLAS beside the same with one.

    python benchmarks/speed/threads.py    # some minutes; writes benchmarks/speed/results/threads.csv

Fits on given coordinates, one label more, and leave-one-out, in two processes: as they start by themselves, and with
OMP_NUM_THREADS=1. The least of several runs that take turns, since other work on the machine only ever adds time.
"""

import csv
import json
import os
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
# Leave-one-out of these refits every label: only for few.
REFITTED = 100


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
    """Return the least time of five runs, or of fewer if they take long."""
    times = []
    while len(times) < 5 and sum(times) < 1.0:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


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
            found[f"{name} leave_one_out"] = timed(model.leave_one_out)
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
    path = Path(__file__).parent / "results" / "threads.csv"
    with open(path, "w", newline="") as file:
        file.write(
            f"# python benchmarks/speed/threads.py; seconds, least of {ROUNDS} processes; {os.cpu_count()} processors; "
            "rank 500, from 700 labels on 1500\n"
        )
        writer = csv.writer(file)
        writer.writerow(["labels", "task", "one thread", "by default", "ratio"])
        for n_labels in LABELS:
            runs = {0: [], 1: []}
            for _ in range(ROUNDS):
                for threads, answers in runs.items():
                    answers.append(in_process(n_labels, threads))
            for task in runs[0][0]:
                free, one = (min(answer[task] for answer in runs[threads]) for threads in (0, 1))
                writer.writerow([n_labels, task, f"{one:.4f}", f"{free:.4f}", f"{free / one:.2f}"])
                print(f"{n_labels:5d} {task:24s} {one:8.4f} {free:8.4f} {free / one:6.2f}", flush=True)
            file.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        main()
