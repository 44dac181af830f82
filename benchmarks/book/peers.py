"""Today's packages on the book's data, their settings chosen from the labels alone.

    python benchmarks/book/peers.py                                       # all: two hours; resumes where it stopped
    python benchmarks/book/peers.py --method svc --set USPS --labels 100  # one cell, anew; nothing is written
    ... --split 3      # one split of it        ... --chosen      # with the settings in the file, choosing none anew
    python benchmarks/book/peers.py --summary                             # the table; writes results/peers_summary.csv

Results: benchmarks/book/results/peers.csv, one row for a method and a published split. The methods and their grids are
in packages.py. Needs graphlearning.

Selection. Labelled rows are held out in turn: one at a time if there are 10, in ten stratified folds if there are 100,
the same for all methods. They stay among the data, unlabelled. The setting with the fewest held-out errors is taken; of
several, the smoothest, which is the first in the order of the grid: wide kernels and many neighbours first, then large
alpha, small C, high threshold. Folds that leave labels of one class only are left out. Then the package's own class is
fitted to the data with all labels of the split: the error is that fit's, in % on the unlabelled rows.

Columns: ties (settings with as few held-out errors), selection_stopped (settings that reached max_iter, in percent),
stopped (the scored fit did), seconds (CPU time of the scored fit, one thread, graph and prediction included) and
eigh_seconds (that of numpy.linalg.eigh of a 1500 x 1500 matrix, at most a minute earlier in the same process).
"""

import csv
import io
import sys
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import product

import numpy as np
from cells import LABELS, RESULTS, SETS, SIX, SPLITS, compare, options, read, write
from packages import GRIDS, PEERS, SEED, Fold, load
from rich.console import Console
from rich.progress import Progress
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from threadpoolctl import threadpool_limits

from sskpca.datasets import load_ssl_book

FILE = "peers.csv"
PACKAGES = ("scikit-learn", "graphlearning", "numpy", "scipy")
COLUMNS = (
    "method", "set", "labels", "split", "error", "setting", "held_out_error", "ties", "selection_stopped", "stopped",
    "seconds", "eigh_seconds",
)  # fmt: skip
HEADER = f"""\
# python benchmarks/book/peers.py; {", ".join(f"{name} {version(name)}" for name in PACKAGES)}
{GRIDS}\
# folds: leave-one-out (10 labels), 10 stratified (100 labels); ties: the first of the grid, which is the smoothest
# Text: the SVC may be linear (gamma=0); self-training: gamma and C of svc, threshold from every other fold (100 labels)
"""


def folds_of(y, n_labeled, split):
    rows = np.flatnonzero(y >= 0)
    splitter = LeaveOneOut() if n_labeled == 10 else StratifiedKFold(10, shuffle=True, random_state=SEED)
    for train, test in splitter.split(rows, y[rows]):
        if len(np.unique(y[rows[train]])) > 1:
            held = y.copy()
            held[rows[test]] = -1
            yield Fold(split, held, rows[test])


@dataclass(frozen=True)
class Choice:
    """The setting of a split, with its held-out error in %, the number of its equals, and iterations cut short in %."""

    setting: dict
    error: float
    ties: int
    stopped: float


def select(peer, problem, folds):
    """Choose a setting for each split: the first of those with the fewest held-out errors."""
    grid = peer.grid(problem, chosen(peer.after, problem, folds)) if peer.after else peer.grid(problem)
    if peer.thin and len(folds[0].rows) > 1:
        folds = folds[::2]
    if len(grid) == 1:
        return {fold.split: Choice(grid[0], np.nan, 1, 0.0) for fold in folds}
    wrong, cut = defaultdict(list), []
    for setting in grid:
        found, stopped = peer.held_out(problem, folds, **setting)
        cut.append(stopped)
        count = defaultdict(int)
        for fold, classes in zip(folds, found, strict=True):
            count[fold.split] += int(np.sum(classes != problem.target[fold.rows]))
        for split, errors in count.items():
            wrong[split].append(errors)
    held = defaultdict(int)
    for fold in folds:
        held[fold.split] += len(fold.rows)
    return {
        split: Choice(
            grid[int(np.argmin(errors))],
            100 * min(errors) / held[split],
            errors.count(min(errors)),
            100 * float(np.mean(cut)),
        )
        for split, errors in wrong.items()
    }


def chosen(method, problem, folds):
    """Give a method's setting for one split: as read, if it has been selected already, from the same folds."""
    n_labeled = len(folds[0].rows) + np.count_nonzero(folds[0].y >= 0)
    wanted = method, problem.name, str(n_labeled), str(folds[0].split)
    rows = [row for row in read(FILE) if tuple(row[key] for key in COLUMNS[:4]) == wanted]
    if rows:
        return setting_of(rows[0])
    return select(PEERS[method], problem, folds)[folds[0].split].setting


def setting_of(row):
    """Read a setting as it was written."""
    return {key: number(value) for key, value in (part.split("=") for part in row["setting"].split())}


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


@lru_cache(maxsize=1)
def time_of_eigh(moment):
    A = np.random.default_rng(SEED).standard_normal((1500, 1500))
    start = time.process_time()
    np.linalg.eigh(A + A.T)
    return time.process_time() - start


def run(method, name, n_labeled, splits):
    """Select and fit for some splits; yields rows of the table."""
    peer, problem = PEERS[method], load(name)
    labels = {split: load_ssl_book(name, n_labeled, split).y for split in splits}
    folds = [fold for split in splits for fold in folds_of(labels[split], n_labeled, split)]
    for split, choice in select(peer, problem, folds).items():
        eigh = time_of_eigh(time.monotonic() // 60)
        error, stopped, seconds = score(method, name, n_labeled, split, choice.setting)
        setting = " ".join(f"{key}={value}" for key, value in choice.setting.items())
        held_out = "" if np.isnan(choice.error) else f"{choice.error:.2f}"
        numbers = [choice.ties, f"{choice.stopped:.0f}", int(stopped), f"{seconds:.4f}", f"{eigh:.4f}"]
        yield [method, name, n_labeled, split, error, setting, held_out, *numbers]


def score(method, name, n_labeled, split, setting):
    """Fit a setting to all labels of a split: error on the other rows, whether max_iter stopped it, seconds."""
    problem, book = load(name), load_ssl_book(name, n_labeled, split)
    start = time.process_time()
    found, stopped = PEERS[method].fit(problem, book, **setting)
    seconds = time.process_time() - start
    return f"{100 * np.mean(found != problem.target[book.unlabeled]):.4f}", stopped, seconds


def append(rows):
    """Write rows in one call, so that a run may be killed at any moment."""
    path, text = RESULTS / FILE, io.StringIO()
    if not path.exists():
        text.write(HEADER)
        csv.writer(text, lineterminator="\n").writerow(COLUMNS)
    elif not path.read_text().startswith(HEADER):
        sys.exit(f"{path} comes from other versions or grids: move it away, or restore them.")
    csv.writer(text, lineterminator="\n").writerows(rows)
    with open(path, "a", newline="") as out:
        out.write(text.getvalue())


def summary():
    cells = defaultdict(list)
    for row in read(FILE):
        cells[row["method"], int(row["labels"]), row["set"]].append(row)
    lines = []
    for n_labeled, method in product(LABELS, PEERS):
        means = {}
        for name in SETS:
            rows = cells[method, n_labeled, name]
            if len(rows) < 2:
                continue
            error, seconds, eigh, stopped = (
                np.array([float(row[key]) for row in rows]) for key in ("error", "seconds", "eigh_seconds", "stopped")
            )
            means[name] = error.mean()
            numbers = [error.mean(), error.std(ddof=1), np.median(seconds), np.median(seconds / eigh)]
            lines.append([method, n_labeled, name, len(rows), *(f"{x:.3f}" for x in numbers), int(stopped.sum())])
            print(
                f"{method:16s} {n_labeled:4d} {name:7s} {len(rows):3d} {numbers[0]:6.2f} ({numbers[1]:5.2f})   "
                f"{numbers[2]:7.3f} s, {numbers[3]:6.3f} eigh   stopped {int(stopped.sum())}"
            )
        six = [means[name] for name in SIX if name in means]
        if len(six) == 6:
            print(f"{method:16s} {n_labeled:4d} mean of six sets, without COIL: {np.mean(six):.2f}\n")
            lines.append([method, n_labeled, "six", "", f"{np.mean(six):.3f}", "", "", "", ""])
    about = "python benchmarks/book/peers.py --summary; from peers.csv; six: the mean without COIL"
    columns = ("method", "labels", "set", "splits", "error", "std", "seconds", "seconds/eigh", "stopped")
    write("peers_summary.csv", about, columns, lines)


def anew(cells, splits, chosen):
    """Yield rows of cells, from the settings in the file or from new ones."""
    kept = {tuple(row[column] for column in COLUMNS[:4]): row for row in read(FILE)} if chosen else {}
    for cell in cells:
        if not chosen:
            for part in parts(cell[0], splits):
                yield from run(*cell, part)
            continue
        for split in splits:
            row = kept.get((*map(str, cell), str(split)))
            if row:
                yield *cell, split, score(*cell, split, setting_of(row))[0]


def parts(method, splits):
    """Say which splits are selected for together."""
    if PEERS[method].all_splits_at_once:
        return [splits] if splits else []
    return [[split] for split in splits]


def fill(cells):
    """Run what is not in the file yet."""
    done = {(row["method"], row["set"], int(row["labels"]), int(row["split"])) for row in read(FILE)}
    console = Console(stderr=True)
    with Progress(console=console, transient=console.is_terminal) as progress:
        bar = progress.add_task("", total=len(cells) * len(SPLITS))
        for method, name, n_labeled in cells:
            progress.update(bar, description=f"{method} {name} {n_labeled}")
            missing = [split for split in SPLITS if (method, name, n_labeled, split) not in done]
            progress.advance(bar, len(SPLITS) - len(missing))
            start = time.monotonic()
            for part in parts(method, missing):
                append(list(run(method, name, n_labeled, part)))
                progress.advance(bar, len(part))
            if missing and not console.is_terminal:
                print(f"{method} {name} {n_labeled}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def main():
    flags = {
        "chosen": "fit with the settings in the file: choose none anew",
        "summary": "print the table of what is there, run nothing",
    }
    wanted = options(__doc__, PEERS, flags)
    RESULTS.mkdir(exist_ok=True)
    if wanted.summary:
        summary()
        return
    cells = [
        (method, name, n_labeled)
        # Cheap methods first, and COIL after all: it has six classes, and is in no mean.
        for names in (SIX, SETS[6:])
        for method, name, n_labeled in product(PEERS, names, LABELS)
        if wanted.method in (None, method) and wanted.name in (None, name) and wanted.labels in (None, n_labeled)
    ]
    warnings.simplefilter("ignore", ConvergenceWarning)  # counted instead
    warnings.filterwarnings("ignore", message="The least populated class")  # COIL has classes of fewer than ten labels
    warnings.filterwarnings("ignore", message=".*probability.*", category=FutureWarning)  # what self-training needs
    warnings.filterwarnings("ignore", message="Graph is not fully connected")  # eigenmaps: what people would get
    with threadpool_limits(1):
        if not any((wanted.chosen, wanted.method, wanted.name, wanted.labels, wanted.split)):
            fill(cells)
            return
        found = {}
        for row in anew(cells, [wanted.split] if wanted.split else list(SPLITS), wanted.chosen):
            found[tuple(row[:4])] = row[4]
            print(*row[:5], flush=True)
        print(f"mean {np.mean([float(error) for error in found.values()]):.2f}")
        compare(found, FILE, *COLUMNS[:4])


if __name__ == "__main__":
    main()
