"""The page about speed."""

from collections.abc import Iterator

import numpy as np

from markdown_table import BENCHMARKS, head, link, table
from paper.protocol import read_csv

__all__ = ["exponent", "speed_page"]

FROM = 2000  # rows, from which on growth is fitted
PARTS = {
    "fits": "Fits and re-solves, as ratios",
    "leave_one_out": "The plane of label weights and variances, all labels held out",
    "portfolio": "The classifier with nothing to choose",
    "live": "One label more",
    "predict": "Many new rows",
    "busy": "On a busy machine",
    "label": "Labelling many rows on the command line",
    "start": "Start of a command",
    "graphs": "Graphs",
}


def speed_page() -> Iterator[str]:
    path = "speed/results/growth.csv"
    yield "# Speed\n"
    yield ("Written by `make results` from the files in `benchmarks/speed`; `make speed` measures anew.\n")
    yield "![Time against the number of rows](../images/growth.png)\n"
    yield (
        "Seconds for rows of 50 features in 20 overlapping clusters, 100 of them labelled, with all threads of the "
        f"machine ({'; '.join(head(path))}; {link(path)}). What would take many minutes is left out. The last column "
        f"is the power of m that fits the sizes from {FROM:,} rows on.\n"
    )
    rows = read_csv(BENCHMARKS / path)
    sizes = sorted({int(r["rows"]) for r in rows})
    took = {(r["what"], int(r["rows"])): float(r["seconds"]) for r in rows}
    shown = [
        [name, *(f"{took[name, m]:.3g}" if (name, m) in took else "" for m in sizes), f"m^{exponent(name, took):.1f}"]
        for name in dict.fromkeys(r["what"] for r in rows)
    ]
    yield from table(["rows", *(f"{m:,}" for m in sizes), "grows like"], shown)
    yield from (BENCHMARKS / "speed" / "notes.md").read_text(encoding="utf-8").splitlines()
    yield ""
    for file, title in PARTS.items():
        yield f"## {title}\n"
        path = f"speed/results/{file}.csv"
        yield "; ".join(head(path)) + f" ({link(path)}).\n"
        found = read_csv(BENCHMARKS / path)
        yield from table(list(found[0]), [list(row.values()) for row in found])


def exponent(name: str, took: dict[tuple[str, int], float]) -> float:
    """Fit a power of m to the larger sizes."""
    points = np.log([(m, seconds) for (what, m), seconds in took.items() if what == name and m >= FROM])
    return float(np.polyfit(*points.T, 1)[0])
