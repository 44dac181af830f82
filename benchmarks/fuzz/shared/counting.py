"""Cases by number, counted in batches that are kept in a file of results.

A case is decided by its number alone, so that any of them can be run again; a run goes on after the last batch in the
file. ``results/NAME.csv`` has a line a batch: the first case, how many, how often what came out, and the numbers of the
cases that failed.
"""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["count_cases"]

RESULTS = Path(__file__).parents[1] / "results"
BATCH = 500
COLUMNS = ("first", "cases", "outcomes", "largest", "failures", "seconds")

# The number of a case, what came out, how large something was (0 if nothing is measured), and whether it failed.
Outcome = tuple[int, str, float, bool]


def count_cases(
    name: str, run: Callable[[Iterable[int]], Iterable[Outcome]], cases: int, largest: str = "", batch: int = BATCH
) -> None:
    """Parse the arguments ``--cases``, ``--summary`` and ``--case``, and run what is not in the file yet.

    Parameters
    ----------
    name : str
        Of the file of results.
    run : callable
        From numbers of cases to outcomes, in that order.
    cases : int
        How many by default.
    largest : str
        What the third entry of an outcome is.
    batch : int
        Cases of a line in the file.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=cases, help="how many in all (those in the file are not repeated)")
    parser.add_argument("--summary", action="store_true", help="only print what is in the file")
    parser.add_argument("--case", type=int, help="run one case and print what came out")
    options = parser.parse_args()
    if options.case is not None:
        print(*list(run([options.case])))
        return
    path = RESULTS / f"{name}.csv"
    done = sum(int(row["cases"]) for row in read_batches(path))
    while done < options.cases and not options.summary:
        number = min(batch, options.cases - done)
        _append(path, run_batch(run, range(done, done + number)))
        done += number
    failed = summarise(name, path, largest)
    if failed:
        raise SystemExit(1)


def read_batches(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def run_batch(run: Callable[[Iterable[int]], Iterable[Outcome]], numbers: range) -> dict[str, object]:
    """Run some cases; print those that fail."""
    start, counts, largest, failures = time.perf_counter(), Counter[str](), 0.0, []
    for number, outcome, size, failed in run(numbers):
        counts[outcome.partition(":")[0]] += 1
        largest = max(largest, size)
        if failed:
            failures.append(number)
            print(f"case {number}: {outcome}", flush=True)
    outcomes = "; ".join(f"{what} {times}" for what, times in sorted(counts.items()))
    seconds = round(time.perf_counter() - start)
    values = (numbers.start, len(numbers), outcomes, f"{largest:.3g}", " ".join(map(str, failures)), seconds)
    return dict(zip(COLUMNS, values, strict=True))


def summarise(name: str, path: Path, largest: str) -> int:
    """Print the sums over all batches; return how many cases failed."""
    counts, size, failures, cases = Counter[str](), 0.0, 0, 0
    for row in read_batches(path):
        cases += int(row["cases"])
        for part in row["outcomes"].split("; "):
            what, _, times = part.rpartition(" ")
            counts[what] += int(times)
        size = max(size, float(row["largest"]))
        failures += len(row["failures"].split())
    told = ", ".join(f"{what} {times:,} times" for what, times in counts.most_common())
    print(f"{name}: {cases:,} cases: {told}; {failures} failed" + (f"; {largest}: {size:.3g}" if largest else ""))
    return failures


def _append(path: Path, row: dict[str, object]) -> None:
    path.parent.mkdir(exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)
