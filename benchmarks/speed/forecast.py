"""What ``sskpca check`` forecasts beside what ``sskpca label`` takes, in seconds of one processor.

    python benchmarks/speed/forecast.py     # a quarter of an hour; resumes

Gaussian clusters in six columns. Writes results/forecast.csv; a test compares it with the forecast.
"""

import csv
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa

from sskpca._tables import Options, label_table

FILE = Path(__file__).parent / "results" / "forecast.csv"
COLUMNS = ("rows", "classes", "labels", "landmarks", "memory_mb", "processor_seconds")
EXACT = (
    *((100, 2, 10), (150, 2, 20), (150, 3, 60), (200, 10, 100), (300, 20, 100), (400, 30, 200), (500, 2, 20)),
    *((500, 2, 200), (500, 5, 50), (600, 7, 60), (1000, 2, 30), (1000, 3, 300), (1000, 10, 200), (1000, 2, 600)),
    *((1500, 10, 60), (1800, 2, 50), (2000, 3, 30), (2500, 10, 100), (3000, 2, 50), (3000, 4, 100), (5000, 2, 100)),
    (8000, 3, 60),
)
FROM_LANDMARKS = (
    *((2000, 2, 50, 300, 0), (2000, 3, 50, 300, 400), (12_000, 2, 50, 0, 0), (12_000, 3, 200, 0, 0)),
    *((30_000, 2, 100, 0, 0), (60_000, 3, 200, 0, 0), (60_000, 2, 100, 0, 800)),
)


def clusters(n_rows: int, n_classes: int, n_labels: int) -> pa.Table:
    rng = np.random.default_rng(0)
    group = rng.integers(0, n_classes, n_rows)
    group[:n_classes] = np.arange(n_classes)
    values = rng.standard_normal((n_rows, 6)) + 2 * rng.standard_normal((n_classes, 6))[group]
    labels = [f"c{k}" if i < n_labels else None for i, k in enumerate(group)]
    return pa.table({**{f"v{name}": values[:, i] for i, name in enumerate("abcdef")}, "label": labels})


def main() -> None:
    warnings.simplefilter("ignore")
    label_table(clusters(40, 2, 10))  # loads what is needed
    done = []
    if FILE.exists():
        with FILE.open(newline="") as file:
            done = [tuple(int(row[name]) for name in COLUMNS[:-1]) for row in csv.DictReader(file)]
    else:
        FILE.write_text(",".join(COLUMNS) + "\n")
    for case in (*((*sizes, 0, 0) for sizes in EXACT), *FROM_LANDMARKS):
        if case in done:
            continue
        *sizes, landmarks, memory = case
        options = Options(landmarks=landmarks or None, memory=memory * 10**6 or None)
        start = time.process_time()
        plan = label_table(clusters(*sizes), options)[0].plan
        seconds = time.process_time() - start
        print(f"{sizes}: {seconds:.1f} s; {plan}", flush=True)
        with FILE.open("a") as file:
            file.write(",".join(map(str, (*case, round(seconds, 1)))) + "\n")


if __name__ == "__main__":
    main()
