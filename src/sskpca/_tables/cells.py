"""What the cells of a column say: text, numbers, vectors, and where they say nothing."""

import json
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca._tables.error import TableError, row_name

__all__ = [
    "MISSING",
    "NUMBER",
    "Cells",
    "all_numbers",
    "clipped",
    "is_date",
    "is_missing",
    "is_number",
    "is_plain",
    "is_vector",
    "matches",
    "numbers",
    "texts",
    "vectors",
]

Mask = NDArray[np.bool_]
# The cells of a column, in one piece or several.
Cells: TypeAlias = pa.Array | pa.ChunkedArray

# What people and programs write where there is no value; in lower case, without blanks.
MISSING = ("", "na", "n/a", "#n/a", "#nv", "nan", "null", "<na>", "?")
# What a spreadsheet writes where a formula failed.
FAILED = ("#div/0!", "#value!", "#wert!", "#ref!", "#bezug!", "#num!", "#zahl!", "#name?", "#null!")
# Among numbers, these too: as a category they may be one.
NO_NUMBER = (*MISSING, *FAILED, "none", "-", "--", ".", "missing", "unknown")
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# Characters of a cell in a message.
LONGEST = 40
INFINITE = r"^[+-]?inf(inity)?$"


def is_number(kind: pa.DataType) -> bool:
    """Say whether values of this Arrow type are numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_plain(kind: pa.DataType) -> bool:
    """Say whether values of this Arrow type are text, numbers or truth values, so that they can be written as text."""
    if pa.types.is_dictionary(kind):
        return is_plain(kind.value_type)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return bool(text or is_number(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind))


def is_date(kind: pa.DataType) -> bool:
    """Say whether values of this Arrow type are times of some kind."""
    return bool(pa.types.is_temporal(kind))


def is_vector(kind: pa.DataType) -> bool:
    """Say whether values of this Arrow type are lists of numbers."""
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return bool(lists) and is_number(kind.value_type)


def texts(column: Cells) -> Cells:
    """Write the values of a column as text without blanks around it; null stays null.

    Whole numbers have no point, whatever their type: a table that has been through another program is the same.

    Examples
    --------
    >>> texts(pa.chunked_array([[1.0, 2.5, None]])).to_pylist()
    ['1', '2.5', None]
    """
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_floating(column.type):
        return pa.chunked_array([[_short(value) for value in column.to_pylist()]], type=pa.string())
    return pc.utf8_trim_whitespace(column if pa.types.is_string(column.type) else pc.cast(column, pa.string()))


def _short(value: float | None) -> str | None:
    if value is None or value != value:
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def matches(text: Cells, pattern: str, ignore_case: bool = False) -> Mask:
    """Say where a column of text matches a regular expression; null does not."""
    found = pc.fill_null(pc.match_substring_regex(text, pattern, ignore_case=ignore_case), False)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def clipped(cell: str) -> str:
    """Return the beginning of a long text, for a message."""
    return cell if len(cell) <= LONGEST else cell[:LONGEST] + "…"


def is_missing(text: Cells, marks: tuple[str, ...] = MISSING) -> Mask:
    """Say where a column of text has null or a mark for it."""
    found = pc.is_in(pc.utf8_lower(text), value_set=pa.array([*marks, None], pa.string()))
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def numbers(column: Cells, name: str) -> tuple[Array, Mask]:
    """Read the numbers of a column, and say where there is none.

    Returns
    -------
    values : ndarray of shape (n_rows,)
        Zero where missing.
    missing : ndarray of bool, shape (n_rows,)

    Raises
    ------
    TableError
        Where a cell is no number, or infinite; with its row.
    """
    if is_number(column.type) or pa.types.is_boolean(column.type):
        # A cast to what it is already takes as long as one that changes something.
        wide = column if column.type == pa.float64() else pc.cast(column, pa.float64(), safe=False)
        values = np.array(wide.to_numpy(), dtype=np.float64)
        missing = np.isnan(values)
    else:
        text = texts(column)
        plain_numbers = all_numbers(text)
        if plain_numbers is not None:
            return plain_numbers, np.zeros(len(plain_numbers), dtype=bool)
        missing = is_missing(text, NO_NUMBER)
        strange = _strange(text, missing)
        if len(strange):
            raise TableError(
                f'the column "{name}" has "{text[int(strange[0])].as_py()}" in {row_name(strange[0])}, which is no '
                "number; correct it, or leave the cell empty."
            )
        plain = pc.if_else(pa.array(missing), "0", text)
        values = np.asarray(pc.cast(plain, pa.float64()).to_numpy(), dtype=np.float64).copy()
    if not np.isfinite(values).all() and len(infinite := np.flatnonzero(np.isinf(values) & ~missing)):
        raise TableError(
            f'the column "{name}" has an infinite number in {row_name(infinite[0])}; correct it, or leave the cell '
            "empty."
        )
    values[missing] = 0.0
    return values, missing


def all_numbers(text: Cells) -> Array | None:
    """Read the numbers of a column that has nothing else, as most have."""
    try:
        values = np.asarray(pc.cast(text, pa.float64()).to_numpy(), dtype=np.float64)
    except pa.ArrowInvalid:
        return None
    return values.copy() if np.isfinite(values).all() else None


def _strange(text: Cells, missing: Mask) -> NDArray[np.intp]:
    """List the cells that are neither missing nor numbers nor infinite."""
    fine = pc.or_(pc.match_substring_regex(text, NUMBER), pc.match_substring_regex(text, INFINITE, ignore_case=True))
    return np.flatnonzero(~missing & ~np.asarray(pc.fill_null(fine, False).to_numpy(zero_copy_only=False), dtype=bool))


def vectors(column: Cells, name: str) -> tuple[Array, Mask]:
    """Read a column of lists of numbers, typed or as "[0.1, 0.2]".

    Returns
    -------
    values : ndarray of shape (n_rows, n_numbers)
        Zero where missing.
    missing : ndarray of bool, shape (n_rows,)

    Raises
    ------
    TableError
        Where a cell is no list, or of another length than the first, or holds something else than finite numbers.
    """
    if is_vector(column.type):
        cells = _lists(column)
    else:
        text = texts(column)
        gone = is_missing(text)
        cells = [None if empty else _parsed(cell) for cell, empty in zip(text.to_pylist(), gone, strict=True)]
    missing = np.array([cell is None for cell in cells], dtype=bool)
    real = [cell for cell in cells if cell is not None]
    length = next((len(cell) for cell in real if isinstance(cell, list | np.ndarray)), 0)
    values = np.zeros((len(cells), length))
    try:
        block = np.asarray(real) if real else values[:0]
    except ValueError:  # lists of different lengths
        block = np.empty(0)
    if (
        block.shape != (len(real), length)
        or length == 0
        or block.dtype.kind not in "iuf"
        or not np.isfinite(block).all()
    ):
        if not real:
            return values, missing
        row = next((i for i, cell in enumerate(cells) if cell is not None and not _is_list(cell, length)), 0)
        raise TableError(
            f'the column "{name}" has no list of {length} finite numbers in {row_name(row)}; correct it, or leave '
            "the cell empty."
        )
    values[~missing] = block
    return values, missing


def _lists(column: Cells) -> list[Array | None]:
    """Take typed lists apart without making an object of each number."""
    found: list[Array | None] = []
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        flat = pc.cast(chunk.flatten(), pa.float64()).to_numpy(zero_copy_only=False)
        lengths = pc.list_value_length(chunk)
        ends = np.cumsum(pc.fill_null(lengths, 0).to_numpy(zero_copy_only=False))
        parts = np.split(flat, ends[:-1]) if len(chunk) else []
        null = chunk.is_null().to_numpy(zero_copy_only=False)
        found += [None if empty else part for part, empty in zip(parts, null, strict=True)]
    return found


def _is_list(cell: object, length: int) -> bool:
    return isinstance(cell, list | np.ndarray) and len(cell) == length > 0 and all(map(_finite, cell))


def _parsed(cell: str) -> Any:
    """Read a flat list; numbers as an array, since as objects they take five times the memory."""
    if "[" in cell[1:] or "{" in cell:
        return cell
    try:
        found = json.loads(cell)
    except ValueError:
        return cell
    plain = isinstance(found, list) and {*map(type, found)} <= {int, float}
    return np.array(found, dtype=np.float64) if plain else found


def _finite(value: object) -> bool:
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool) and bool(np.isfinite(value))
