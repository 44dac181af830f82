"""How the paper's tables are repeated: problems, results that can be resumed, the command line."""

import argparse
import csv
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy
import sklearn
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from threadpoolctl import threadpool_limits

from sskpca.datasets import load_ssl_book

__all__ = ["RESULTS", "Problem", "Results", "Table", "cells", "load", "main", "published", "read_csv", "run"]

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Problem:
    """A data set with one of its published splits."""

    name: str
    n_labeled: int
    split: int
    data: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray
    target: np.ndarray  # all true classes; nothing but `error` looks at those of the unlabelled rows

    @property
    def classes(self) -> np.ndarray:
        """Classes of the labelled rows."""
        return self.target[self.labeled]

    @property
    def t(self) -> np.ndarray:
        """Labels of a problem with two classes: -1 and 1."""
        return np.where(self.classes == 1, 1.0, -1.0)

    def error(self, called: np.ndarray) -> float:
        """Give the share of the unlabelled rows that are called something else than they are, in percent."""
        return 100 * float(np.mean(called[self.unlabeled] != self.target[self.unlabeled]))


def load(name: str, n_labeled: int, split: int) -> Problem:
    book = load_ssl_book(name, n_labeled, split)
    return Problem(name, n_labeled, split, book.data, book.labeled, book.unlabeled, book.target)


def versions() -> str:
    return (
        f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def published() -> dict[tuple[str, str, int], tuple[float, float]]:
    """Give the paper's mean and standard deviation for each method, set and number of labels."""
    rows = read_csv(Path(__file__).parent / "published.csv")
    return {(r["method"], r["set"], int(r["labels"])): (float(r["mean"]), float(r["std"])) for r in rows}


class Results:
    """A CSV file to which rows are added as they are found; its first columns name the problem.

    Parameters
    ----------
    file : str
        Its name, in the folder of results.
    columns : tuple of str
    about : list of str
        Comments for its head: command, grids, seeds.
    """

    KEY = ("method", "set", "labels", "split")

    def __init__(self, file: str, columns: tuple[str, ...], about: list[str]) -> None:
        self.path, self.columns, self.about = RESULTS / file, (*self.KEY, *columns), about

    def read(self) -> list[dict[str, str]]:
        """List what has been found so far."""
        return read_csv(self.path) if self.path.exists() else []

    @staticmethod
    def key(row: dict[str, str]) -> tuple[str, str, int, int]:
        """Name the problem of a row."""
        return row["method"], row["set"], int(row["labels"]), int(row["split"])

    def done(self) -> set[tuple[str, str, int, int]]:
        """Name the problems that have been solved."""
        return {self.key(row) for row in self.read()}

    def add(self, rows: Iterable[tuple]) -> None:
        """Write rows to the end of the file."""
        RESULTS.mkdir(exist_ok=True)
        new = not self.path.exists()
        with open(self.path, "a", newline="") as file:
            if new:
                file.writelines(f"# {line}\n" for line in [*self.about, versions()])
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(self.columns)
            writer.writerows(rows)


@dataclass(frozen=True)
class Table:
    """What fills a table."""

    problems: Callable  # methods, sets, numbers of labels -> names of problems
    solve: Callable  # the name of a problem -> rows of the file
    again: Callable  # the name of a problem and its row in the file -> the row again, with the setting that is in it


def cells(
    rows: Iterable[dict[str, str]], column: str = "error"
) -> dict[tuple[str, str, int], tuple[float, float, int]]:
    """Give mean, standard deviation and number of splits for each method, set and number of labels."""
    found = defaultdict(list)
    for row in rows:
        found[row["method"], row["set"], int(row["labels"])].append(float(row[column]))
    return {
        key: (float(np.mean(x)), float(np.std(x, ddof=1)) if len(x) > 1 else np.nan, len(x)) for key, x in found.items()
    }


def run(task: Callable, problems: list[tuple], keep: Callable, jobs: int = 2) -> None:
    """Do a task for every problem in `jobs` processes, pass each answer to `keep`, and show progress."""
    bar = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*bar) as progress, ProcessPoolExecutor(jobs, initializer=_one_thread) as pool:
        shown = progress.add_task("problems", total=len(problems))
        waiting = {pool.submit(task, *problem): problem for problem in problems}
        for future in as_completed(waiting):
            if future.exception():
                pool.shutdown(cancel_futures=True)
            keep(future.result())
            progress.update(shown, advance=1, description=" ".join(str(part) for part in waiting[future][:3]))


def summary(rows: list[dict[str, str]]) -> None:
    """Print ours beside the paper's, cell by cell."""
    found, good, total = cells(rows), 0, 0
    for key, (mean, std) in published().items():
        if key not in found:
            continue
        method, name, n_labeled = key
        ours, spread, n = found[key]
        good, total = good + (ours <= mean + std), total + 1
        verdict = "WORSE" if ours > mean + std else "better" if ours < mean - std else ""
        print(
            f"{n_labeled:3d} {method:8s} {name:7s} {n:2d} splits  {ours:6.2f} ({spread:5.2f})   "
            f"paper {mean:6.2f} ({std:5.2f})   {verdict}"
        )
    print(f"{good} of {total} cells within one standard deviation of the paper's mean, or better")


def compare(rows: list[dict[str, str]], results: Results) -> None:
    """Say how many of the errors just found are those in the file."""
    kept = {results.key(row): row["error"] for row in results.read()}
    same = sum(kept.get(results.key(row)) == row["error"] for row in rows)
    print(f"{same} of {len(rows)} errors are those in {results.path.name}")


def main(about: str, results: Results, methods: tuple[str, ...], sets: tuple[str, ...], table: Table) -> None:
    """Fill the table, or one cell of it, from the command line."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--method", choices=methods)
    parser.add_argument("--set", choices=sets)
    parser.add_argument("--labels", type=int, choices=(10, 100))
    parser.add_argument("--split", type=int, choices=range(1, 13), help="one of the twelve")
    parser.add_argument("--chosen", action="store_true", help="solve with the settings in the file: choose none anew")
    parser.add_argument("--summary", action="store_true", help="print what has been found")
    parser.add_argument("--jobs", type=int, default=2, help="processes, of one thread each")
    options = parser.parse_args()
    if options.summary:
        return summary(results.read())
    given = (options.method, options.set, options.labels, options.split)
    one = options.chosen or any(given)
    if options.chosen:
        known = [(*results.key(row), row) for row in results.read()]
        wanted = [p for p in known if all(a in (None, b) for a, b in zip(given, p, strict=False))]
    else:
        lists = ([options.method] if options.method else methods, [options.set] if options.set else sets)
        done = set() if one else results.done()
        wanted = table.problems(*lists, [options.labels] if options.labels else (10, 100))
        wanted = [p for p in wanted if p not in done and options.split in (None, p[-1])]
    start, fresh = time.perf_counter(), []
    run(table.again if options.chosen else table.solve, wanted, fresh.extend if one else results.add, options.jobs)
    if one:
        rows = [dict(zip(results.columns, map(str, row), strict=True)) for row in fresh]
        summary(rows)
        compare(rows, results)
    else:
        summary(results.read())
    print(f"{time.perf_counter() - start:.0f} s for {len(wanted)} problems in {options.jobs} processes")


def _one_thread() -> None:
    """Two processes with one thread each, instead of two that wait for each other's threads."""
    threadpool_limits(1)
