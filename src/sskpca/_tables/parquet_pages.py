"""How many values the pages of a Parquet file hold, and of what size, as their own headers say.

What the index at the end of the file says of a column need not be true: pages are decoded as their headers tell. Index
and headers are read as the format describes them (`parquet.thrift`, in Thrift's compact protocol), and not by Arrow,
which ends the process where some fields of an index contradict each other.
"""

import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

__all__ = ["Chunk", "count_pages", "read_index"]

# Bytes of a header; statistics of texts are in it.
LARGEST_HEADER = 2**20
DEEPEST = 16
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)


@dataclass(frozen=True)
class Chunk:
    """Where the pages of a column in a group of rows are.

    Attributes
    ----------
    n_rows, n_values : int
        As the index says.
    start, size : int
        Of the pages in the file.
    """

    n_rows: int
    n_values: int
    start: int
    size: int


def read_index(file: BinaryIO) -> list[list[Chunk]]:
    """List the column chunks of each group of rows.

    Raises
    ------
    ValueError, LookupError, TypeError, struct.error
        The index is damaged.
    """
    file.seek(-8, 2)
    length, end = int.from_bytes(file.read(4), "little"), file.tell() - 4
    file.seek(max(end - length, 0))
    index, _ = _struct(file.read(length), 0, 0)
    return [[_chunk(column[3], group.get(3, 0)) for column in group[1]] for group in index.get(4, [])]


def _chunk(column: dict[int, Any], n_rows: int) -> Chunk:
    start, dictionary = column[9], column.get(11, 0)
    found = Chunk(n_rows, column[5], dictionary if 0 < dictionary < start else start, column[7])
    if min(found.n_rows, found.n_values, found.start, found.size) < 0:
        raise ValueError("a negative size")
    return found


def count_pages(file: BinaryIO, chunk: Chunk) -> tuple[int, int]:
    """Add up the pages of a column chunk.

    Returns
    -------
    values : int
        Those of dictionaries are counted too.
    size : int
        Bytes, decompressed.

    Raises
    ------
    ValueError, LookupError, TypeError, struct.error
        A header is damaged.
    """
    start, end = chunk.start, chunk.start + chunk.size
    values = size = seen = 0
    while start < end and seen < max(chunk.n_values, 1):
        file.seek(start)
        header, length = _header(file)
        content: dict[int, Any] = next((header[i] for i in (5, 7, 8) if isinstance(header.get(i), dict)), {})
        number, unpacked, packed = content.get(1, 0), header.get(2, -1), header.get(3, -1)
        if not all(isinstance(n, int) and n >= 0 for n in (number, unpacked, packed)):
            raise ValueError("a page without a size")
        values, size, start = values + number, size + unpacked, start + length + packed
        seen += number if 7 not in header else 0
    return values, size


def _header(file: BinaryIO) -> tuple[dict[int, Any], int]:
    """Read the header of a page, which is mostly short."""
    text = file.read(2**10)
    try:
        return _struct(text, 0, 0)
    except (LookupError, struct.error):
        return _struct(text + file.read(LARGEST_HEADER), 0, 0)


def _struct(text: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Read the fields of a structure by number; return where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while kind := text[at]:
        at += 1
        if kind >> 4:
            number += kind >> 4
        else:
            number, at = _integer(text, at)
        fields[number], at = _value(text, at, kind & 15, depth)
    return fields, at + 1


def _value(text: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if depth > DEEPEST:
        raise ValueError("nested without end")
    if kind in (TRUE, FALSE):
        return kind == TRUE, at
    if kind == BYTE:
        return text[at], at + 1
    if kind in INTEGERS:
        return _integer(text, at)
    if kind == DOUBLE:
        return struct.unpack_from("<d", text, at)[0], at + 8
    if kind == BINARY:
        length, at = _varint(text, at)
        return None, at + length
    if kind in (LIST, SET):
        head, at = text[at], at + 1
        length, at = (head >> 4, at) if head >> 4 < 15 else _varint(text, at)
        values = []
        for _ in range(length):
            value, at = _value(text, at, head & 15, depth + 1)
            values.append(value)
        return values, at
    if kind == STRUCT:
        return _struct(text, at, depth + 1)
    raise ValueError("no kind of value")


def _integer(text: bytes, at: int) -> tuple[int, int]:
    number, at = _varint(text, at)
    return number >> 1 ^ -(number & 1), at


def _varint(text: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = text[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
        if shift > 63:
            raise ValueError("a number too long")
