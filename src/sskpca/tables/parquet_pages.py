"""How many values the pages of a Parquet file hold, and of what size, as their own headers say.

What the index at the end of the file says of a column need not be true: pages are decoded as their headers tell. These
are read as the format describes them (`parquet.thrift`, in Thrift's compact protocol).
"""

import struct
from typing import Any, BinaryIO

__all__ = ["count_pages"]

# Bytes of a header; statistics of texts are in it.
LARGEST_HEADER = 2**20
DEEPEST = 8
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)


def count_pages(file: BinaryIO, chunk: Any) -> tuple[int, int]:
    """Add up the pages of a column chunk.

    Parameters
    ----------
    file : binary file
    chunk : pyarrow.parquet.ColumnChunkMetaData

    Returns
    -------
    values : int
        Those of dictionaries are counted too.
    size : int
        Bytes, decompressed.

    Raises
    ------
    ValueError, struct.error
        A header is damaged.
    """
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    end = start + chunk.total_compressed_size
    values = size = seen = 0
    while start < end and seen < max(chunk.num_values, 1):
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
    except struct.error:
        return _struct(text + file.read(LARGEST_HEADER), 0, 0)


def _struct(text: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Read the fields of a structure by number; return where it ends."""
    if depth > DEEPEST:
        raise ValueError("nested without end")
    fields: dict[int, Any] = {}
    number = 0
    while kind := _byte(text, at):
        at += 1
        if kind >> 4:
            number += kind >> 4
        else:
            number, at = _integer(text, at)
        fields[number], at = _value(text, at, kind & 15, depth)
    return fields, at + 1


def _value(text: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (TRUE, FALSE):
        return kind == TRUE, at
    if kind == BYTE:
        return _byte(text, at), at + 1
    if kind in INTEGERS:
        return _integer(text, at)
    if kind == DOUBLE:
        return struct.unpack_from("<d", text, at)[0], at + 8
    if kind == BINARY:
        length, at = _varint(text, at)
        return None, at + length
    if kind in (LIST, SET):
        head, at = _byte(text, at), at + 1
        length, at = (head >> 4, at) if head >> 4 < 15 else _varint(text, at)
        for _ in range(length):
            _, at = _value(text, at, head & 15, depth + 1)
        return None, at
    if kind == STRUCT:
        return _struct(text, at, depth + 1)
    raise ValueError("no kind of value")


def _integer(text: bytes, at: int) -> tuple[int, int]:
    number, at = _varint(text, at)
    return number >> 1 ^ -(number & 1), at


def _varint(text: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = _byte(text, at)
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
        if shift > 63:
            raise ValueError("a number too long")


def _byte(text: bytes, at: int) -> int:
    return int(struct.unpack_from("<B", text, at)[0])
