"""What ``sskpca.check`` forecasts beside what ``sskpca.label`` takes by the clock, on a machine as busy as it is.

    python benchmarks/speed/forecast_busy.py     # minutes

Appends to results/forecast_busy.csv, with the load (processes that run or wait) of the last minute.
"""

import csv
import os
import time
from pathlib import Path

from forecast import clusters

import sskpca

FILE = Path(__file__).parent / "results" / "forecast_busy.csv"
COLUMNS = ("rows", "classes", "labels", "cores", "load", "forecast_seconds", "seconds")
SIZES = ((150, 2, 20), (500, 2, 200), (600, 7, 60), (1000, 2, 30), (1000, 3, 300), (1800, 2, 50), (300, 20, 100))


def main() -> None:
    sskpca.label(clusters(40, 2, 10))  # loads what is needed
    if not FILE.exists():
        FILE.write_text(",".join(COLUMNS) + "\n")
    for sizes in SIZES:
        table = clusters(*sizes)
        forecast = sskpca.check(table).plan.seconds
        start = time.perf_counter()
        sskpca.label(table)
        seconds = time.perf_counter() - start
        row = (*sizes, os.cpu_count(), round(os.getloadavg()[0], 1), round(forecast, 1), round(seconds, 1))
        with FILE.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(row)
        print(dict(zip(COLUMNS, row, strict=True)), flush=True)


if __name__ == "__main__":
    main()
