"""SSKPCAClassifier with its defaults and seven simple peers on 22 ordinary tables.

    python benchmarks/tables/run.py              # half an hour; resumes where it stopped
    python benchmarks/tables/run.py --summary    # what is in results/tables.csv

Every method sees the same rows and the same labels; nothing is chosen by hand, and nothing by the error that is
written: error in % on the unlabelled rows, log loss (probabilities cut at 1e-6), expected calibration error, seconds of
processor time, and of ours the expected error with its interval.
"""

import argparse
import csv
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from keel import LABELS, NAMES, draws, load_table
from peers import PEERS, probabilities
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier
from sskpca._transduction.calibration import expected_calibration_error

FILE = Path(__file__).parent / "results" / "tables.csv"
OURS = "sskpca"
# Draws of the labels; beyond eight classes half as many. With two the means move by a point from pair to pair.
DRAWS = 6
CELL = ("table", "labels", "draw", "method")
COLUMNS = (*CELL, "error", "log_loss", "calibration", "seconds", "expected", "low", "high", "loo")


def ours(table, draw):
    model = SSKPCAClassifier().fit(table.X, draw.y)
    low, high = model.expected_interval_
    extra = [100 * x for x in (model.expected_error_, low, high, model.loo_error_)]
    return model.transduction_, model.label_distributions_, extra


def measure(method, table, draw):
    """Return the numbers of one cell."""
    start = time.process_time()
    if method == OURS:
        called, probability, extra = ours(table, draw)
    else:
        called, probability = probabilities(method, table.X, draw.y, table.n_classes)
        extra = []
    seconds = time.process_time() - start
    rows, target = draw.unlabeled, table.target[draw.unlabeled]
    right, p = called[rows] == target, np.clip(probability[rows], 1e-6, None)
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.mean(np.log(p[np.arange(len(rows)), target]))
    found = [100 * np.mean(~right), loss, expected_calibration_error(p.max(axis=1), right), seconds, *extra]
    return [table.name, draw.labels, draw.number, method, *(f"{x:.4f}" for x in found)]


def read():
    """List the rows of the file of results; none if it is not there yet."""
    if not FILE.exists():
        return []
    with open(FILE, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def of_draws(rows, most):
    """Return the rows of the first draws."""
    many = {table for table, numbers in _numbers(rows).items() if len(numbers) <= DRAWS // 2}
    return [row for row in rows if int(row["draw"]) < (most // 2 if row["table"] in many else most)]


def _numbers(rows):
    found = defaultdict(set)
    for row in rows:
        found[row["table"]].add(row["draw"])
    return found


def means(rows, column):
    """Return the mean over the draws: {labels: {table: {method: mean}}}."""
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in rows:
        if row[column]:
            found[int(row["labels"])][row["table"]][row["method"]].append(float(row[column]))
    return {
        n: {t: {m: float(np.mean(v)) for m, v in methods.items()} for t, methods in tables.items()}
        for n, tables in found.items()
    }


def ranks(errors):
    """Return the mean rank of each method: of a peer among the peers, of ours among the peers and itself."""
    found = defaultdict(list)
    for methods in errors.values():
        peers = [methods[peer] for peer in PEERS]
        for peer, rank in zip(PEERS, rankdata(peers), strict=True):
            found[peer].append(rank)
        found[OURS].append(rankdata([methods[OURS], *peers])[0])
    return {method: float(np.mean(r)) for method, r in found.items()}


def behind(errors, points=2.0):
    """List the tables on which ours is more than two points behind the best peer."""
    return [t for t, m in errors.items() if m[OURS] - min(m[peer] for peer in PEERS) > points]


def coverage(rows, n_labels):
    """Return the share of fits whose interval holds the true error, and the mean width of the interval."""
    own = [row for row in rows if row["method"] == OURS and int(row["labels"]) == n_labels]
    inside = [float(row["low"]) <= float(row["error"]) <= float(row["high"]) for row in own]
    return float(np.mean(inside)), float(np.mean([float(row["high"]) - float(row["low"]) for row in own])), len(own)


def summary(rows):
    errors, loss, ece, seconds = (means(rows, name) for name in ("error", "log_loss", "calibration", "seconds"))
    for n in LABELS:
        own = ranks(errors[n])
        print(f"{n} labels, {len(errors[n])} tables")
        for method in (OURS, *PEERS):
            mean = [np.mean([t[method] for t in part[n].values()]) for part in (errors, loss, ece, seconds)]
            print(
                f"  {method:14s} error {mean[0]:6.2f}  rank {own[method]:.2f}  log loss {mean[1]:.3f}  calibration "
                f"{mean[2]:.3f}  {mean[3]:.2f} s"
            )
        held, width, number = coverage(rows, n)
        print(f"  more than 2 points behind the best peer: {', '.join(behind(errors[n]))}")
        print(f"  interval holds in {100 * held:.0f} % of {number} fits, mean width {width:.1f} points\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary", action="store_true", help="print what is in the file, run nothing")
    parser.add_argument("--ours", action="store_true", help="run ours alone")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    if not wanted.summary:
        done = {tuple(row[name] for name in CELL) for row in read()}
        FILE.parent.mkdir(exist_ok=True)
        new = not FILE.exists()
        with open(FILE, "a", newline="") as out, threadpool_limits(1):
            writer = csv.writer(out, lineterminator="\n")
            if new:
                out.write("# python benchmarks/tables/run.py; seeds 0 (rows), (labels, draw) (labels), 0 (methods)\n")
                writer.writerow(COLUMNS)
            for name in NAMES:
                table = load_table(name)
                for n in LABELS:
                    for draw in draws(table, n, DRAWS):
                        for method in (OURS,) if wanted.ours else (*PEERS, OURS):
                            if (name, str(n), str(draw.number), method) not in done:
                                row = measure(method, table, draw)
                                writer.writerow(row + [""] * (len(COLUMNS) - len(row)))
                                out.flush()
    for first in (2, DRAWS):
        print(f"--- the first {first} draws, half of them beyond eight classes\n")
        summary(of_draws(read(), first))


if __name__ == "__main__":
    main()
