"""How much memory Parquet and Arrow files take once they are unpacked, found without unpacking them.

What the index at the end of a Parquet file says of a column need not be true: pages are decoded as their headers tell,
and they are read as the format describes them (Thrift). So are the headers of the messages of an Arrow file
(`Message.fbs`, FlatBuffers).
"""

import struct
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._linalg.array import Indices

__all__ = ["LEAST", "Chunk", "count_pages", "decompressed_size", "read_index", "unpacked_size"]

# The fields of a structure of Thrift by their numbers.
Struct: TypeAlias = dict[int, Any]

# Bytes that a value takes at least: a pointer, or a number.
LEAST = 8

MAGIC = b"ARROW1"
CONTINUED = 0xFFFFFFFF
DICTIONARY, BATCH = 2, 3
# How files of 2020 say that they are compressed.
EARLY = b"ARROW:experimental_compression"
# Of a header, which describes columns and not rows.
LARGEST_MESSAGE = 2**28
# Bytes of a header; statistics of texts are in it.
LARGEST_PAGE_HEADER = 2**20
DEEPEST = 16
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)


def unpacked_size(array: pa.Array) -> int:
    """Compute the bytes of a column without shared values.

    Values of dictionaries and views of text may be shared by all rows, and rows of nulls take no memory at all, until
    they are cast, encoded or written: a file of a kilobyte can hold gigabytes.

    Parameters
    ----------
    array : pyarrow.Array
        Validated in full.

    Raises
    ------
    pyarrow.ArrowNotImplementedError
        Of a type whose values can overlap in other ways, such as unions or views of lists.

    Examples
    --------
    >>> unpacked_size(pa.array(["x" * 100] * 1000).dictionary_encode()), unpacked_size(pa.nulls(1000))
    (108000, 8000)
    """
    kind, least = array.type, LEAST * len(array)
    if isinstance(array, pa.ExtensionArray):
        return unpacked_size(array.storage)
    if pa.types.is_dictionary(kind):
        return least + _shared(array)
    if pa.types.is_struct(kind):
        return least + sum(unpacked_size(array.field(i)) for i in range(kind.num_fields))
    if pa.types.is_map(kind):
        return least + unpacked_size(array.keys) + unpacked_size(array.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return least + unpacked_size(array.values)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return least + int(_view_lengths(array).sum())
    if pa.types.is_union(kind) or pa.types.is_run_end_encoded(kind) or kind.num_fields or _is_list_view(kind):
        raise pa.ArrowNotImplementedError(f"values of type {kind}")
    return least + int(array.nbytes)


def _is_list_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def _shared(array: pa.Array) -> int:
    """Compute the bytes that the values of a dictionary take if every row has its own."""
    values = array.dictionary
    if len(values) == 0:
        return 0
    if pa.types.is_string_view(values.type) or pa.types.is_binary_view(values.type):
        lengths = _view_lengths(values)
    elif pa.types.is_string(values.type) or pa.types.is_large_string(values.type) or _is_binary(values.type):
        lengths = np.asarray(pc.fill_null(pc.binary_length(values), 0), dtype=np.int64)
    else:  # as if all rows had the largest
        return len(array) * (unpacked_size(values) if values.type.num_fields else LEAST)
    codes = np.asarray(pc.fill_null(array.indices, 0), dtype=np.intp)
    return int(lengths[codes].sum())


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _view_lengths(array: pa.Array) -> Indices:
    """Return the lengths of texts, which are the first four of the sixteen bytes of each view."""
    views = np.frombuffer(array.buffers()[1], dtype=np.int32)
    lengths = views.reshape(-1, 4)[array.offset : array.offset + len(array), 0].astype(np.int64)
    return np.where(array.is_null().to_numpy(zero_copy_only=False), 0, lengths)


def decompressed_size(file: BinaryIO) -> int:
    """Add up what the buffers of all batches and dictionaries take; leave the file where the messages begin.

    Raises
    ------
    ValueError, struct.error
        It is no Arrow file, or is cut off or damaged.
    """
    start = 0
    if file.read(len(MAGIC)) == MAGIC:  # what follows is the same as a stream, and after it an index
        start = 8
        file.seek(-len(MAGIC), 2)
        if file.read() != MAGIC:
            raise ValueError("cut off")
    end = file.seek(0, 2)
    file.seek(start)
    total = 0
    while header := _message(file):
        size, body = _decompressed(file, header)
        total += size
        if not 0 <= body <= end - file.tell():
            raise ValueError("a body beyond the end")
        file.seek(body, 1)
    file.seek(start)
    return total


def _message(file: BinaryIO) -> bytes:
    """Read the next header; nothing at the end."""
    prefix = file.read(4)
    if not prefix:
        return b""
    (size,) = struct.unpack("<I", prefix)
    if size == CONTINUED:
        (size,) = struct.unpack("<I", file.read(4))
    if size > LARGEST_MESSAGE:
        raise ValueError("a header too large")
    header = file.read(size)
    if len(header) < size:
        raise ValueError("cut off")
    return header


def _decompressed(file: BinaryIO, header: bytes) -> tuple[int, int]:
    """Return what the buffers of a message take, and the length of its body."""
    message = _number("<I", header, 0)
    kind, content, length = (_field(header, message, i) for i in (1, 2, 3))
    body = 0 if length is None else _number("<q", header, length)
    what = 0 if kind is None else _number("<B", header, kind)
    if content is None or what not in (DICTIONARY, BATCH):
        return 0, body
    batch = content + _number("<I", header, content)
    if what == DICTIONARY:
        inner = _field(header, batch, 1)
        if inner is None:
            return 0, body
        batch = inner + _number("<I", header, inner)
    packed = _field(header, batch, 3) is not None or EARLY in header
    where = _field(header, batch, 2)
    if where is None:
        return 0, body
    first = where + _number("<I", header, where)
    here, total = file.tell(), 0
    for i in range(_number("<I", header, first)):
        offset, size = struct.unpack_from("<qq", header, first + 4 + 16 * i)
        if packed and size > 0:  # the first eight bytes say how much it will be; -1: not compressed
            file.seek(here + offset)
            size = max(size, *struct.unpack("<q", file.read(8)))
        total += max(size, 0)
    file.seek(here)
    return total, body


def _field(header: bytes, table: int, index: int) -> int | None:
    """Find where a field of a table is, if it is there."""
    fields = table - _number("<i", header, table)
    if 4 + 2 * index >= _number("<H", header, fields):
        return None
    offset = _number("<H", header, fields + 4 + 2 * index)
    return table + offset if offset else None


def _number(code: str, header: bytes, where: int) -> int:
    return int(struct.unpack_from(code, header, where)[0])


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


def _chunk(column: Struct, n_rows: int) -> Chunk:
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
        header, length = _page_header(file)
        content: Struct = next((header[i] for i in (5, 7, 8) if isinstance(header.get(i), dict)), {})
        number, unpacked, packed = content.get(1, 0), header.get(2, -1), header.get(3, -1)
        if not all(isinstance(n, int) and n >= 0 for n in (number, unpacked, packed)):
            raise ValueError("a page without a size")
        values, size, start = values + number, size + unpacked, start + length + packed
        seen += number if 7 not in header else 0
    return values, size


def _page_header(file: BinaryIO) -> tuple[Struct, int]:
    """Read the header of a page, which is mostly short."""
    text = file.read(2**10)
    try:
        return _struct(text, 0, 0)
    except (LookupError, struct.error):
        return _struct(text + file.read(LARGEST_PAGE_HEADER), 0, 0)


def _struct(text: bytes, at: int, depth: int) -> tuple[Struct, int]:
    """Read the fields of a structure by number; return where it ends."""
    fields: Struct = {}
    number = 0
    while kind := text[at]:
        at += 1
        if kind >> 4:
            number += kind >> 4
        else:
            number, at = _integer(text, at)
        fields[number], at = _value(text, at, kind & 15, depth)
    return fields, at + 1


def _value(text: bytes, at: int, kind: int, depth: int) -> tuple[object, int]:
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
