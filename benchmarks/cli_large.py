"""Label a Parquet file of a million rows, and predict another million: how long, in how much memory, how well.

    python benchmarks/cli_large.py [ROWS]     # a quarter of an hour

Ten columns of numbers in six clusters that overlap, of three classes, two of the columns bent; a column of remarks that
are of no use; 200 labels. Time is that of the clock and of the processors, memory the largest that was resident.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CLASSES = np.array(["red", "green", "blue"])
NAMES = ["height", "width", "depth", "mass", "speed", "heat", "light", "sound", "age", "load"]


def make(n, seed, n_labels=0):
    """Draw a table and the classes of its rows."""
    centers = np.random.default_rng(42).normal(0, 2.2, (6, 10))
    rng = np.random.default_rng(seed)
    group = rng.integers(6, size=n)
    X = centers[group] + 1.6 * rng.standard_normal((n, 10))
    X[:, 1] += 0.25 * X[:, 0] ** 2
    X[:, 3] += 1.5 * np.sin(X[:, 2])
    names = CLASSES[group % 3]
    remarks = [f"seen by person {a} at place {b} on a day like others" for a, b in rng.integers(10**6, size=(n, 2))]
    labels = np.full(n, None, dtype=object)
    known = rng.choice(n, n_labels, replace=False)
    labels[known] = names[known]
    columns = {**dict(zip(NAMES, X.T, strict=True)), "remark": remarks, "label": pa.array(labels, pa.string())}
    return pa.table(columns), names


def run(*arguments):
    """Run the command; return seconds of the clock, of the processors, and gigabytes."""
    start = time.perf_counter()
    command = subprocess.Popen([str(Path(sys.executable).parent / "sskpca"), *map(str, arguments)])
    _, status, used = os.wait4(command.pid, 0)
    if status:
        sys.exit(f"sskpca {arguments[0]} has failed")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, truth = make(n, 1, 200)
        new, new_truth = make(n, 2)
        pq.write_table(table, folder / "table.parquet")
        pq.write_table(new.drop_columns("label"), folder / "new.parquet")
        model, out, page = folder / "model", folder / "out.parquet", folder / "page.html"
        commands = (
            (["label", folder / "table.parquet", "-o", out, "--report", page, "--save-model", model], truth),
            (["predict", model, folder / "new.parquet", "-o", out, "--overwrite"], new_truth),
        )
        for arguments, names in commands:
            seconds, processor, memory = run(*arguments)
            found = pq.read_table(out).column("sskpca_label").to_numpy(zero_copy_only=False)
            filled = found != None  # noqa: E711
            wrong = 100 * np.mean(found[filled] != names[filled])
            print(
                f"{arguments[0]}: {n} rows, {seconds:.0f} s, {processor:.0f} s of processors, {memory:.2f} GB; "
                f"{100 * filled.mean():.1f} % labelled, {wrong:.2f} % of these wrong"
            )
        print(f"model: {model.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
