"""Twelve exports of one table: the labels must be those of the clean CSV, and every cell must come back.

    python benchmarks/everyday/exports.py     # two minutes

Each is labelled by the command line and written in its own format. The labels are compared with those found in the
clean CSV, row by row, and all cells but the added ones with those of the export, as independent readers see them
(Python's csv and json, openpyxl).
"""

import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from spoiled import EXPORTS, clean, clean_table

RESULTS = Path(__file__).parent / "results" / "exports.csv"
ENCODINGS = {"Latin-1": "latin-1", "UTF-16": "utf-16", "a line sep=": "cp1252", "byte order mark": "utf-8-sig"}
DELIMITERS = {"semicolons": ";", "decimal commas": ";", "UTF-16": "\t", "a line sep=": ";"}
COMMAND = [sys.executable, "-c", "from sskpca._cli import main; main()"]
ADDED = "sskpca_"


def cells(what: str, path: Path) -> list[list]:
    """Read the cells of a file, the names first, without our library."""
    if path.suffix == ".xlsx":
        from openpyxl import load_workbook

        rows = [list(row) for row in load_workbook(path)["Weine"].iter_rows(values_only=True)]
    elif path.suffix == ".json":
        content = json.loads(path.read_text("utf-8"))
        rows = [list(content[0]), *(list(row.values()) for row in content)]
    else:
        text = path.read_bytes().decode(ENCODINGS.get(what, "utf-8"))
        if what == "a line sep=":
            first, text = text.split("\r\n", 1)
            assert first == "sep=;"
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=DELIMITERS.get(what, ",")))
    if what == "trailing commas":  # columns without names and cells are left out
        kept = [i for i, name in enumerate(rows[0]) if name]
        rows = [[row[i] for i in kept] for row in rows]
    return rows


def labelled(path: Path) -> tuple[Path, str]:
    """Label a file; return the output and how it was read."""
    out = path.with_name(f"labelled{path.suffix}")
    command = [*COMMAND, "label", str(path), "-o", str(out), "--label", "class", "--json"]
    done = subprocess.run([*command, "--overwrite"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{path.name}: {done.stderr}")
    return out, json.loads(done.stdout)["read_as"]["sentence"]


def main() -> None:
    _, _, truth = clean_table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clean.csv"
        path.write_bytes(clean())
        out, _ = labelled(path)
        expected = found_labels(cells("clean", out))
        rows = []
        for what, (name, content) in EXPORTS.items():
            path = Path(folder) / name
            path.write_bytes(content())
            out, sentence = labelled(path)
            before, after = cells(what, path), cells(what, out)
            kept = [i for i, column in enumerate(after[0]) if not str(column).startswith(ADDED)]
            changed = sum(
                a != b
                for one, other in zip(before, after, strict=True)
                for a, b in zip(one, [other[i] for i in kept], strict=True)
            )
            labels = found_labels(after)
            differ = sum(a != b for a, b in zip(labels, expected, strict=True))
            sure = [(a, b) for a, b in zip(labels, truth, strict=True) if a]
            wrong = sum(a != b for a, b in sure)
            rows.append([what, name, sentence, len(labels), differ, changed, len(sure), wrong])
            print(*rows[-1], sep=" | ", flush=True)
    header = ["export", "file", "read_as", "rows", "labels_that_differ", "cells_changed", "rows_with_label", "wrong"]
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def found_labels(rows: list[list]) -> list[str]:
    column = rows[0].index("sskpca_label")
    return [row[column] or "" for row in rows[1:]]


if __name__ == "__main__":
    main()
