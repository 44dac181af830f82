"""Columns that were filled in together with the labels, and say nothing about rows without one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sskpca._linalg.array import Indices
from sskpca._tables.cells import MISSING, NO_NUMBER, is_missing, is_number, is_vector, texts
from sskpca._tables.encoders import ENCODERS
from sskpca._tables.error import listed, quoted, setting
from sskpca._tables.labelling import Column
from sskpca._tables.sampling import RARE, Contrast, contrast

__all__ = ["Screened", "screen_columns"]

# At most one table in a hundred whose cells are missing at random has a column that is called a by-product, or whose
# empty cells are called related to the labels.
LEVEL = 0.01


@dataclass(frozen=True)
class Screened:
    """What is left of the columns of a table.

    Attributes
    ----------
    columns : tuple of Column
        By-products of labelling are ignored.
    hidden : frozenset of str
        Columns whose empty cells tell labelled rows from others, so that emptiness must not be a feature.
    warnings, notes : tuple of str
    """

    columns: tuple[Column, ...]
    hidden: frozenset[str]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def screen_columns(table: pa.Table, columns: Sequence[Column], codes: Indices, use: Sequence[str] = ()) -> Screened:
    """Leave out the columns that are by-products of labelling.

    Such a column holds something in labelled rows and (almost) nothing in others, or the other way round. Nothing is an
    empty cell, or a value that fills the place: the one that nearly all unlabelled rows have. A column that is filled
    everywhere is no by-product, even if it decides the label.

    Parameters
    ----------
    table : pyarrow.Table
    columns : sequence of Column
        From `decide_columns`.
    codes : ndarray of shape (n_rows,)
        Classes of the rows, -1 where unlabelled.
    use : sequence of str
        Columns that stay even if they are by-products, with a warning.
    """
    used = [column for column in columns if column.role in ENCODERS]
    # Each column is tested for its empty cells, and for as many values as nearly all unlabelled rows could have.
    n_values = max(1, int(len(codes) / ((1 - RARE) * np.sum(codes < 0))))
    level = LEVEL / max(1, len(used) * (1 + n_values))
    reasons: dict[str, str] = {}
    related: dict[str, Contrast] = {}
    for column in used:
        cells = table.column(column.name)
        empty = _empty(cells, column)
        filled = contrast(~empty, codes)
        if filled.only_labeled(level) or filled.only_others(level):
            reasons[column.name] = f"filled in {_compared(filled)}"
        elif reason := _placed(cells, empty, codes, level):
            reasons[column.name] = reason
        if filled.p_value <= level:
            related[column.name] = filled
    left_out = {name: reason for name, reason in reasons.items() if name not in use}
    kept = {name: reason for name, reason in reasons.items() if name in use}
    told = {*related} - {*left_out}
    notes = [_hidden(column, related[column.name]) for column in used if column.name in told]
    return Screened(
        tuple(
            replace(
                c,
                role="ignored",
                reason=f"{left_out[c.name]}, so a by-product of labelling ({_use(c.name)} to use it)",
            )
            if c.name in left_out
            else c
            for c in columns
        ),
        frozenset(related) - frozenset(left_out),
        (*_left_out(left_out), *_kept(kept)),
        tuple(notes),
    )


def _empty(cells: Any, column: Column) -> NDArray[np.bool_]:
    if column.n_missing == 0:
        return np.zeros(len(cells), dtype=bool)
    if is_number(cells.type) or is_vector(cells.type):
        return np.asarray(pc.is_null(cells, nan_is_null=True).to_numpy(zero_copy_only=False), dtype=bool)
    return is_missing(texts(cells), NO_NUMBER if column.role == "number" else MISSING)


def _placed(cells: Any, empty: NDArray[np.bool_], codes: Indices, level: float) -> str:
    """Describe the value that fills the place in unlabelled rows if labelled rows have others; "" if there is none."""
    if is_vector(cells.type):
        return ""
    values = cells if is_number(cells.type) else texts(cells)
    others = codes < 0
    counts = pc.value_counts(values.filter(pa.array(others & ~empty)))
    if len(counts) == 0:
        return ""
    numbers = np.asarray(counts.field("counts"))
    if np.sum(others & empty) + numbers.max() < (1 - RARE) * np.sum(others):
        return ""
    value = counts.field("values")[int(numbers.argmax())]
    same = np.asarray(pc.fill_null(pc.equal(values, value), False).to_numpy(zero_copy_only=False), dtype=bool)
    found = contrast(~(empty | same), codes)
    gaps = "empty or " if np.any(others & empty) else ""
    return f'other than {gaps}"{value.as_py()}" in {_compared(found)}' if found.only_labeled(level) else ""


def _compared(found: Contrast) -> str:
    (labeled, n_labeled), (others, n_others) = found.with_label, found.without
    return f"{labeled:,} of {n_labeled:,} labelled rows and {others:,} of {n_others:,} others"


def _left_out(reasons: dict[str, str]) -> list[str]:
    if not reasons:
        return []
    first, *more = reasons
    described = listed([f'"{name}" ({reason})' for name, reason in reasons.items()], 4)
    what, it, one = ("columns", "them", "one") if more else ("column", "it", "it")
    return [
        f"{what} left out: {described}. This shows which rows have labels, as by-products of labelling do; what is "
        f"learned from {it} need not hold for the other rows. To use {one} all the same, give {_use(first)}."
    ]


def _kept(reasons: dict[str, str]) -> list[str]:
    return [
        f'"{name}" is {reason}, and used because of {_use(name)}: if it is a by-product of labelling, the expected '
        "error is far too low for the other rows."
        for name, reason in reasons.items()
    ]


def _use(name: str) -> str:
    return setting("use", [name])


def _hidden(column: Column, found: Contrast) -> str:
    end = (
        "an empty text has no words, so this cannot be kept from the model"
        if column.role == "text"
        else "whether a cell is empty is not used"
    )
    return f"{quoted([column.name])} is filled in {_compared(found)}, which is no coincidence: {end}."
