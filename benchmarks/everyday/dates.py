"""A table with a date that matters, the weather of Seattle day by day, with and without the date.

    python benchmarks/everyday/dates.py 4    # four draws of 60 labels among 500 days; some minutes

The forest gets the measurements, the number of the day and the month. Written to results/dates.csv.
"""

import csv
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
from run import draw
from sklearn.ensemble import RandomForestClassifier
from vega_datasets import local_data

from sskpca._tables import Options, label_table

FILE = Path(__file__).parent / "results" / "dates.csv"


def main(draws=4):
    days = local_data.seattle_weather().rename(columns={"weather": "label"}).sample(500, random_state=0)
    target = days.label.to_numpy(dtype=str)
    X = days.assign(day=days.date.astype("int64"), month=days.date.dt.month).drop(columns=["date", "label"]).to_numpy()
    table = days.assign(date=days.date.astype(str))
    rows = []
    for seed in range(int(draws)):
        labeled = draw(target, 60, seed)
        free = np.setdiff1d(np.arange(len(target)), labeled)
        given = np.full(len(target), None, dtype=object)
        given[labeled] = target[labeled]
        arrow = pa.Table.from_pandas(table.assign(label=given), preserve_index=False)
        row = {"seed": seed, "labels": 60}
        for name, ignored in (("with_date", ()), ("without_date", ("date",))):
            found, _, _ = label_table(arrow, Options(label="label", ignore=ignored))
            row[name] = f"{100 * np.mean(np.array(found.classes)[found.called][free] == target[free]):.1f}"
        forest = RandomForestClassifier(300, random_state=0).fit(X[labeled], target[labeled])
        row["forest"] = f"{100 * forest.score(X[free], target[free]):.1f}"
        rows.append(row)
        print(row, flush=True)
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main(*sys.argv[1:])
