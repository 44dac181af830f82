"""Runs of ``sskpca label`` that are stopped: every file is the old one or the whole new one.

    python benchmarks/fuzz/kills.py [--cases 200] [--summary] [--case NUMBER]

Half of the moments are anywhere in a run, half in the time in which files are written. SIGKILL may leave a hidden file
behind; SIGTERM, SIGHUP and SIGINT may not.
"""

import os
import random
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from shared.commands import app, base_table
from shared.counting import Outcome, count_cases
from shared.forked import fork

from sskpca._tables import write_table

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
TABLE, MODEL, REPORT = FILES = ("out.csv", "m.sskpca", "out.html")
OLD = b"old"


def started(folder: Path) -> int:
    """Start to label a table in a child of this process."""
    write_table(base_table(random.Random(0)), folder / "a.csv", overwrite=True)
    child = fork()
    if child == 0:
        code = 1
        try:
            for number in SIGNALS[1:]:
                signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os.chdir(folder)
            options = ["--save-model", MODEL, "--report", REPORT, "--method", "ls", "--overwrite"]
            app(["label", "a.csv", "-o", TABLE, *options], prog_name="sskpca")
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            os._exit(code)
    return child


@cache
def reference() -> tuple[float, dict[str, bytes]]:
    """Label the table once; return the seconds that it took, and the files."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        if os.waitpid(started(Path(folder)), 0)[1]:
            raise RuntimeError("the run that nobody stops fails")
        return time.perf_counter() - start, {name: (Path(folder) / name).read_bytes() for name in FILES}


def case(number: int) -> str:
    rng = random.Random(f"kills {number}")
    seconds, new = reference()
    how = SIGNALS[number % len(SIGNALS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in FILES:
            (folder / file).write_bytes(OLD)
        child = started(folder)
        if rng.random() < 0.5:
            time.sleep(rng.uniform(0, seconds))
        else:
            end = time.perf_counter() + 20 * seconds
            while time.perf_counter() < end and not hidden(folder) and (folder / TABLE).read_bytes() == OLD:
                time.sleep(0.0005)
            time.sleep(rng.uniform(0, 0.05 * seconds))
        os.kill(child, how)
        os.waitpid(child, 0)
        table, model, report = ((folder / file).read_bytes() for file in FILES)
        if table not in (OLD, new[TABLE]) or model not in (OLD, new[MODEL]):
            return "failed: a broken file"
        if report != OLD and not report.rstrip().endswith(b"</html>"):
            return "failed: a broken report"
        if table != OLD and OLD in (model, report):
            return "failed: the table is new, and another file is old"
        left = hidden(folder)
        if left and how != signal.SIGKILL:
            return f"failed: {how.name} left {left} behind"
        return ("old" if table == OLD else "new") + (", a hidden file left by SIGKILL" if left else "")


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def outcomes(numbers: Iterable[int]) -> Iterator[Outcome]:
    for number in numbers:
        outcome = case(number)
        yield number, outcome, 0, outcome.startswith("failed")


def main() -> None:
    count_cases("kills", outcomes, 200, batch=50)


if __name__ == "__main__":
    main()
