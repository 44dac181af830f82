"""Rows in a line, so that a person recognises them."""

from typing import Any

import numpy as np

from sskpca._linalg.array import Indices
from sskpca._tables.labelling import Labelling
from sskpca._tables.own_columns import is_own

__all__ = ["MOST_UNSURE", "describe_rows", "unsure_rows"]

MOST_UNSURE = 500
"""More rows that are not sure are not listed: nobody reads them one by one."""

MOST_CELLS = 8
# Of the columns that the model does not use, such as an id, so many come first, of so many that are looked at.
MOST_NAMES, MOST_UNUSED = 2, 20


def unsure_rows(labelling: Labelling) -> Indices:
    """Return the rows that the report lists as not sure, the least sure first."""
    rows = np.flatnonzero(~labelling.sure & (labelling.given < 0))
    order = np.argsort(labelling.confidence[rows], kind="stable")
    return np.asarray(rows[order][:MOST_UNSURE], dtype=np.intp)


def describe_rows(labelling: Labelling, table: Any) -> list[str]:
    """Return the cells of the rows that the report lists, in a line each; all other rows are empty texts.

    Columns that the model does not use come first, since they often name the row; then texts; then the columns that
    matter most. Empty cells are left out.

    Parameters
    ----------
    labelling : Labelling
    table : pyarrow.Table
        The one that was labelled.
    """
    rows = sorted({*labelling.next_rows, *(s.row for s in labelling.suspects), *unsure_rows(labelling).tolist()})
    texts = [""] * table.num_rows
    if not rows:
        return texts
    unused, used = _columns(labelling)
    shown = {name: _cells(table.column(name), rows) for name in unused}
    # The same in every row, a column names none of them.
    naming = [name for name in unused if len(rows) == 1 or len(set(map(str, shown[name]))) > 1][:MOST_NAMES]
    names = [*naming, *used][:MOST_CELLS]
    shown |= {name: _cells(table.column(name), rows) for name in names[len(naming) :]}
    for k, row in enumerate(rows):
        cells = [(name, shown[name][k]) for name in names]
        texts[row] = " · ".join(f"{name}: {cell}" for name, cell in cells if cell not in (None, ""))
    return texts


def _columns(labelling: Labelling) -> tuple[list[str], list[str]]:
    """List the columns that the model does not use, and those that it uses, the most telling first."""
    gain = {entry.column: entry.gain for entry in labelling.relevance}
    others = [c for c in labelling.columns if c.role != "label" and not is_own(c.name)]
    used = sorted((c for c in others if c.role != "ignored"), key=lambda c: (c.role != "text", -gain.get(c.name, 0.0)))
    return [c.name for c in others if c.role == "ignored"][:MOST_UNUSED], [c.name for c in used]


def _cells(column: Any, rows: list[int]) -> list[Any]:
    try:
        return list(column.take(rows).to_pylist())
    except (OverflowError, ValueError):  # times that Python does not know
        return [_cell(column.slice(row, 1)) for row in rows]


def _cell(column: Any) -> Any:
    try:
        return column.to_pylist()[0]
    except (OverflowError, ValueError):
        return "?"
