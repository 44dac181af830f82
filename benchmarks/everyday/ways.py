"""Penguins by every way into the software: the same labels, to the row.

    python benchmarks/everyday/ways.py     # a minute

The species of 344 penguins from 15 labels, and the sex of 333 from 20, seeds 0 to 2: by the command from a CSV, and by
`sskpca.label` from the same file, from frames of pandas and polars and from an Arrow table. Compared with the command
row by row: label (blank where not sure), best guess and confidence. Written to results/ways.csv.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from trial_tables import TRIALS
from trials import half_labelled

import sskpca

FILE = Path(__file__).parent / "results" / "ways.csv"
COMMAND = [sys.executable, "-c", "from sskpca._cli import main; main()"]
COMPARED = ("sskpca_label", "sskpca_guess", "sskpca_confidence")


def by_command(path, label):
    out = path.with_name("labelled.csv")
    command = [*COMMAND, "label", str(path), "-o", str(out), "--label", label, "--overwrite"]
    subprocess.run(command, check=True, capture_output=True)
    return pd.read_csv(out)


def ways(table, label, folder):
    """Yield the name of each way, and the labelled table as a frame of pandas."""
    path = Path(folder) / "penguins.csv"
    table.to_csv(path, index=False)
    yield "command", by_command(path, label)
    yield "path", sskpca.label(path, label=label).table.to_pandas()
    yield "pandas", sskpca.label(table, label=label).table
    yield "polars", sskpca.label(pl.from_pandas(table), label=label).table.to_pandas()
    yield "Arrow", sskpca.label(pa.Table.from_pandas(table), label=label).table.to_pandas()


def cells(frame, name):
    """Return a column as text, empty where there is nothing."""
    return frame[name].astype(object).where(frame[name].notna(), "").astype(str).to_numpy()


def main():
    rows = []
    for name in ("penguins, species", "penguins, sex"):
        for seed in range(3):
            trial = TRIALS[name]
            table, target, labeled = half_labelled(trial, seed)
            free = np.setdiff1d(np.arange(len(target)), labeled)
            with tempfile.TemporaryDirectory() as folder:
                found = dict(ways(table, trial.label, folder))
            first = found["command"]
            for way, frame in found.items():
                differ = [int(np.sum(cells(frame, c) != cells(first, c))) for c in COMPARED[:2]]
                apart = np.abs(frame[COMPARED[2]].to_numpy(float) - first[COMPARED[2]].to_numpy(float))
                right = 100 * np.mean(cells(frame, COMPARED[1])[free] == target[free])
                rows.append([name, seed, way, len(table), *differ, f"{np.nanmax(apart):.0e}", f"{right:.2f}"])
                print(*rows[-1], sep=" | ", flush=True)
    header = ["table", "seed", "way", "rows", "labels_that_differ", "guesses_that_differ", "confidences_apart", "right"]
    with FILE.open("w", newline="", encoding="utf-8") as out:
        out.write("# python benchmarks/everyday/ways.py\n")
        csv.writer(out, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    main()
