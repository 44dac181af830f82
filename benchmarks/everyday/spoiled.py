"""One table, written in the twelve ways in which people's programs export it."""

import csv
import io
import json
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from sklearn.datasets import load_wine

CLASSES = ("Spätburgunder", "Müller-Thurgau", "Grüner Veltliner")
N_LABELED = 30
# Not all of the table: the labels are to be compared, not the methods.
COLUMNS = ("alcohol", "malic_acid", "ash", "flavanoids", "color_intensity", "hue", "proline")

Rows = list[list[Any]]


def clean_table() -> tuple[list[str], Rows, list[str]]:
    """Return names, rows and the true classes: numbers, a date, a truth value, a text with commas, and few labels."""
    wine = load_wine(as_frame=True)
    rng = random.Random(0)
    order = rng.sample(range(len(wine.target)), 150)
    header = ["no", *COLUMNS, "bottled", "organic", "note", "class"]
    rows, truth = [], []
    for i, row in enumerate(order):
        name = CLASSES[wine.target.iloc[row]]
        numbers = [round(float(wine.data[column].iloc[row]), 2) for column in COLUMNS]
        day = date(2020, 1, 1) + timedelta(days=rng.randrange(900))
        note = rng.choice(["süß, rund", "trocken", "herb; kühl", 'sehr "rund"'])
        rows.append([f"W{i:03}", *numbers, day, rng.random() < 0.5, note, name if i < N_LABELED else ""])
        truth.append(name)
    return header, rows, truth


def _text(value: Any, decimal: str = ".") -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.2f}".replace(".", decimal)
    return str(value)


def _csv(delimiter: str = ",", decimal: str = ".", end: str = "\n", more: str = "", first: str = "") -> str:
    header, rows, _ = clean_table()
    file = io.StringIO()
    file.write(first)
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(header)
    writer.writerows([[_text(value, decimal) for value in row] for row in rows])
    return file.getvalue().replace(end, more + end)  # no cell has a line of its own


def _workbook() -> bytes:
    from openpyxl import Workbook

    header, rows, _ = clean_table()
    book = Workbook()
    book.active.title = "Info"  # an empty sheet in front
    sheet = book.create_sheet("Weine")
    sheet.append(header)
    for row in rows:
        sheet.append([value if value != "" else None for value in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _json() -> bytes:
    header, rows, _ = clean_table()
    content = [
        {
            key: None if value == "" else str(value) if isinstance(value, date) else value
            for key, value in zip(header, row, strict=True)
        }
        for row in rows
    ]
    return json.dumps(content, indent=2, ensure_ascii=False).encode()


def _other_words(words: dict[str, str]) -> str:
    """Write truth values and dates in other words."""
    header, rows, _ = clean_table()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        cells = [_text(value) for value in row]
        if "true" in words:
            cells[header.index("organic")] = words[cells[header.index("organic")]]
        else:
            day = row[header.index("bottled")]
            cells[header.index("bottled")] = f"{day:%d.%m.%Y}"
        writer.writerow(cells)
    return file.getvalue()


EXPORTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "xlsx": ("wine.xlsx", _workbook),
    "semicolons": ("wine.csv", lambda: _csv(";").encode()),
    "decimal commas": ("wine.csv", lambda: _csv(";", ",").encode()),
    "Latin-1": ("wine.csv", lambda: _csv().encode("latin-1")),
    "UTF-16": ("wine.txt", lambda: _csv("\t").encode("utf-16")),
    "a line sep=": ("wine.csv", lambda: _csv(";", ",", "\r\n", first="sep=;\r\n").encode("cp1252")),
    "JSON array": ("wine.json", _json),
    "other dates": ("wine.csv", lambda: _other_words({}).encode()),
    "other truth values": ("wine.csv", lambda: _other_words({"true": "WAHR", "false": "FALSCH"}).encode()),
    "byte order mark": ("wine.csv", lambda: _csv().encode("utf-8-sig")),
    "line ends of Windows": ("wine.csv", lambda: _csv(end="\r\n").encode()),
    "trailing commas": ("wine.csv", lambda: _csv(more=",,").encode()),
}


def clean() -> bytes:
    """Return the table as CSV with commas, in UTF-8."""
    return _csv().encode()
