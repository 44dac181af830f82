"""How large the batches of an Arrow file are once they are decompressed, without decompressing them.

The headers of the messages are read as the format describes them (`Message.fbs`, FlatBuffers). That they are sound is
for Arrow to find out; here they can at worst raise `struct.error`.
"""

import struct
from typing import BinaryIO

__all__ = ["decompressed_size"]

MAGIC = b"ARROW1"
CONTINUED = 0xFFFFFFFF
DICTIONARY, BATCH = 2, 3
# How files of 2020 say that they are compressed.
EARLY = b"ARROW:experimental_compression"
# Of a header, which describes columns and not rows.
LARGEST_HEADER = 2**28


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
    while header := _header(file):
        size, body = _decompressed(file, header)
        total += size
        if not 0 <= body <= end - file.tell():
            raise ValueError("a body beyond the end")
        file.seek(body, 1)
    file.seek(start)
    return total


def _header(file: BinaryIO) -> bytes:
    """Read the next header; nothing at the end."""
    prefix = file.read(4)
    if not prefix:
        return b""
    (size,) = struct.unpack("<I", prefix)
    if size == CONTINUED:
        (size,) = struct.unpack("<I", file.read(4))
    if size > LARGEST_HEADER:
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
