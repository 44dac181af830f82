"""The table as the page shows it: columns, cells, names of rows, search."""

import os
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._frames.given import ArrowTable, given_table
from sskpca._linalg.array import Indices
from sskpca._tables.cells import all_numbers, is_date, is_number, is_plain, is_vector, texts
from sskpca._tables.columns import check_names
from sskpca._tables.error import TableError
from sskpca._tables.labels import NoLabelColumnError, find_label_column
from sskpca._tables.options import FileOptions, Options
from sskpca._tables.prepared import Prepared, prepare_table
from sskpca._web.journal import fingerprint, journaled_column
from sskpca._web.pictures import Pictures, find_pictures

__all__ = ["OpenTable", "open_table"]

# A column that is made for labels if the table has none.
NEW_LABELS = "label"
# Characters of a cell that are shown, of the row in question and in a list of rows; and columns in such a list.
LONG_CELL, SHORT_CELL, FEW_COLUMNS = 5_000, 80, 4
# How much a name that the table does not have must be like one that it has, to be taken for a slip.
ALIKE = 0.8
KINDS = {"number": "number", "category": "category", "text": "text", "date": "date", "vector": "list"}


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table that was opened for labelling.

    Attributes
    ----------
    path : pathlib.Path
    given : ArrowTable
        As it was read, with a column of labels.
    ready : Prepared
        Its features and its own labels.
    options : Options
        How it was prepared.
    reading : FileOptions
        How it was read.
    pictures : Pictures or None
        Where its pictures are.
    mark : str
        Its fingerprint.
    shown : list of str
        Columns that are shown, those by which rows are told apart first.
    """

    path: Path
    given: ArrowTable
    ready: Prepared
    options: Options
    reading: FileOptions
    pictures: Pictures | None
    mark: str
    shown: list[str]

    @property
    def table(self) -> pa.Table:
        """The cells."""
        return self.given.table

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return int(self.table.num_rows)

    @property
    def label_column(self) -> str:
        """The column of labels."""
        return self.ready.target.name

    def columns(self) -> list[dict[str, object]]:
        """Describe the columns for the page."""
        return [
            {"name": column.name, "kind": self._kind(column.name, column.role), "used": column.role != "ignored"}
            for column in self.ready.columns
            if column.role != "label"
        ]

    def _kind(self, name: str, role: str) -> str:
        if self.pictures is not None and self.pictures.column == name:
            return "picture"
        if role in KINDS:
            return KINDS[role]
        if name == self.ready.rows.title:
            return "id"
        kind = self.table.column(name).type
        if is_number(kind):
            return "number"
        if is_date(kind):
            return "date"
        return "list" if is_vector(kind) else "text" if is_plain(kind) else "other"

    def row_name(self, row: int) -> str:
        """Return what a row is called: by its id, or by its number as its owner sees it."""
        own = self.ready.rows.id(row)
        return f"row {self.ready.rows.first + row}" if own is None else own

    def cells(self, row: int) -> list[dict[str, str]]:
        """Return the cells of a row; empty ones are left out."""
        roles = {column.name: column.role for column in self.ready.columns}
        shown = ((name, self._kind(name, roles[name]), self._text(name, row, LONG_CELL)) for name in self.shown)
        return [{"column": name, "text": text, "kind": kind} for name, kind, text in shown if text]

    def listed(self) -> list[str]:
        """Return the columns that are shown in a list of rows."""
        return self.shown[:FEW_COLUMNS]

    def brief(self, row: int) -> list[str]:
        """Return the cells of a row in a list of rows."""
        return [self._text(name, row, SHORT_CELL) for name in self.listed()]

    def _text(self, name: str, row: int, most: int) -> str:
        try:
            value = self.table.column(name)[row].as_py()
        except (OverflowError, ValueError):  # times that Python does not know
            return "?"
        if value is None:
            return ""
        if isinstance(value, bytes):
            return f"({len(value):,} bytes)"
        if isinstance(value, dict) and isinstance(value.get("bytes"), bytes):
            return str(value.get("path") or f"({len(value['bytes']):,} bytes)")
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return text if len(text) <= most else text[: most - 1] + "…"

    def search(self, text: str, column: str | None = None) -> Indices:
        """Find the rows with a text in a cell, whatever its capitals.

        Raises
        ------
        TableError
            There is no such column.
        """
        if column is not None:
            check_names(self.table, [column], "column")
        found = np.zeros(self.n_rows, dtype=bool)
        for name in self.shown if column is None else [column]:
            cells = self.table.column(name)
            if not is_plain(cells.type) and not is_date(cells.type):
                continue
            try:
                written = pc.cast(cells, pa.string())
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue
            match = pc.fill_null(pc.match_substring(written, text, ignore_case=True), False)
            found |= match.to_numpy(zero_copy_only=False)
        return np.flatnonzero(found)

    def has_changed(self) -> bool:
        """Return whether the file holds other rows by now; labels may have changed."""
        try:
            table = _with_labels(given_table(self.path, self.reading), self.label_column).table
        except TableError:
            return True
        return fingerprint(table, self.label_column) != self.mark


def open_table(
    path: str | os.PathLike[str],
    options: Options,
    reading: FileOptions,
    *,
    picture: str | None = None,
    pixels: tuple[int, int] | None = None,
) -> OpenTable:
    """Read a table for labelling; it may have no labels yet.

    Parameters
    ----------
    path : path-like
    options : Options
        If they name a column of labels that the table does not have, it is made.
    reading : FileOptions
    picture : str, optional
        The column of pictures; found by default.
    pixels : tuple of int, optional
        Width and height: the numbers of a row are the grey values of a picture.

    Raises
    ------
    TableError
        It cannot be labelled; it says why and what to do.
    """
    given = given_table(path, reading)
    assert isinstance(given, ArrowTable)  # of a file
    before = journaled_column(path) if options.label is None else None
    name = before or _label_column(given.table, options.label)
    given = _with_labels(given, name)
    options = replace(options, label=name).of_source(given.source)
    ready = prepare_table(given.table, options, given.rows, to_come=True)
    ignored = {column.name for column in ready.columns if column.role == "ignored"}
    constant = {other for other in ignored if _is_constant(given.table.column(other))}
    # A pixel that is the same in all pictures is not used, and is a pixel.
    pixel = {other for other in constant if all_numbers(texts(given.table.column(other))) is not None}
    numbers = [column.name for column in ready.columns if column.role == "number" or column.name in pixel]
    found = find_pictures(given.table, Path(path).parent, picture, pixels, numbers)
    drawn = () if found is None else found.pixels
    shown = [column.name for column in ready.columns if column.role != "label" and column.name not in drawn]
    # What the model does not use often names the row, unless it is the same in all rows.
    shown.sort(key=lambda other: 2 if other in constant else 0 if other in ignored else 1)
    return OpenTable(Path(path), given, ready, options, reading, found, fingerprint(given.table, name), shown)


def _is_constant(cells: pa.ChunkedArray) -> bool:
    plain = is_plain(cells.type) and not pa.types.is_null(cells.type)
    return plain and pc.count_distinct(cells).as_py() == 1


def _label_column(table: pa.Table, given: str | None) -> str:
    """Find the column of labels, or a name for a new one."""
    if given is not None:
        if not given.strip():
            raise TableError("the name of the column is empty.", parameter="label")
        if given not in table.column_names and get_close_matches(given, table.column_names, 1, ALIKE):
            check_names(table, [given], "label")  # a slip most likely, which the error corrects
        return given
    try:
        return find_label_column(table)[0]
    except NoLabelColumnError:
        name = NEW_LABELS
        while name in table.column_names:
            name += "_"
        return name
    except TableError as error:
        raise TableError(f"{error} A name that the table does not have makes a new column.") from None


def _with_labels(given: Any, name: str) -> ArrowTable:
    """Add a column of labels if there is none of this name."""
    table = given.table
    if name not in table.column_names:
        given = replace(given, table=table.append_column(name, pa.nulls(table.num_rows, pa.string())))
    return given  # type: ignore[no-any-return]
