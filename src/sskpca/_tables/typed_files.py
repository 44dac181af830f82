"""Tables from Parquet and Arrow files: counted before they are unpacked, validated before anything is read."""

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import pyarrow as pa

from sskpca._tables.arrow_messages import decompressed_size
from sskpca._tables.error import TableError
from sskpca._tables.parquet_pages import count_pages, read_index
from sskpca._tables.stream import Limits, Source, Watched, too_large
from sskpca._tables.unpacked import LEAST, unpacked_size

__all__ = ["read_typed"]

# Rows of Parquet that are decoded at a time.
BATCH = 2**16
# Bytes of a value by its physical type; a text is read as its number in a dictionary first.
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 32}
TEXT = ("STRING", "ENUM", "JSON", "NONE")


def read_typed(source: Source, stream: Watched) -> pa.Table:
    """Read a Parquet or Arrow file.

    Raises
    ------
    TableError
        It is damaged, is something else, or is too large.
    """
    kind = "Parquet" if source.format == "parquet" else "Arrow"
    try:
        # Both are read from their end: a pipe has to be taken in first.
        with closing(
            pa.BufferReader(stream.read()) if source.is_standard else pa.OSFile(os.fspath(source.path))
        ) as file:
            batches = _parquet(file, stream.limits) if kind == "Parquet" else _arrow(file, stream.limits)
            schema = next(batches)
            _check_names(schema)
            return pa.Table.from_batches(list(batches), schema)
    except MemoryError:
        raise too_large(source.name, stream.limits, unpacked=True) from None
    except pa.ArrowNotImplementedError as error:
        raise TableError(
            f"{source.name} has {str(error).splitlines()[0].rstrip('.')}, which cannot be read; leave the column out, "
            "or save it in another type."
        ) from None
    except (pa.ArrowException, OSError, LookupError, TypeError, ValueError, struct.error):
        raise TableError(
            f"{source.name} is no {kind} file, or is cut off or damaged; fetch or make it again."
        ) from None


def _check_names(fields: Iterable[Any]) -> None:
    """Raise UnicodeDecodeError where a name, at whatever depth, is no text: Arrow does not look."""
    for field in fields:
        str(field.name)
        _check_names(field.type.field(i) for i in range(field.type.num_fields))


class _Counter:
    """Bytes that may still be unpacked."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def take(self, size: int) -> None:
        """Take some, or raise MemoryError."""
        self.left -= size
        if self.left < 0:
            raise MemoryError


def _validated(batch: Any, counter: _Counter) -> Any:
    """Return a batch all of whose offsets, lengths and texts are sound, and whose values have room."""
    batch.validate(full=True)
    counter.take(sum(unpacked_size(column) for column in batch.columns))
    return batch


def _parquet(file: Any, limits: Limits) -> Iterator[Any]:
    """Yield the schema, then batches."""
    from pyarrow.parquet import ParquetFile  # here: it loads the file systems of clouds

    # A file of its own, not `read_table`, which makes columns out of folders called like "a=1".
    plain = ParquetFile(file)
    leaves = [plain.schema.column(i) for i in range(plain.metadata.num_columns)]
    groups = read_index(file)
    counter = _Counter(limits.size)
    largest = [1] * len(groups)  # of the chunks of text
    for number, group in enumerate(groups):
        for leaf, chunk in zip(leaves, group, strict=True):
            values, size = count_pages(file, chunk)
            counter.take(max(_width(leaf) * max(values, chunk.n_rows), size))
            largest[number] = max(largest[number], size if _is_text(leaf) else 1)
    yield plain.schema_arrow
    # Texts that are the same in many rows stay so until their size is known.
    coded = ParquetFile(file, read_dictionary=[leaf.path for leaf in leaves if _is_text(leaf)])
    counter = _Counter(limits.size)
    for number in range(len(groups)):
        left = counter.left
        try:
            found: Any = [_validated(batch, counter) for batch in coded.iter_batches(BATCH, row_groups=[number])]
        except (pa.ArrowNotImplementedError, OSError):
            # Some encodings know no dictionaries, and lists only one. A text has the size of its chunk at most.
            counter.left = left
            few = min(max(limits.size // largest[number], 1), BATCH)
            found = (_validated(batch, counter) for batch in plain.iter_batches(few, row_groups=[number]))
        for batch in found:
            yield batch.cast(plain.schema_arrow)


def _is_text(leaf: Any) -> bool:
    return leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type in TEXT


def _width(leaf: Any) -> int:
    if _is_text(leaf):
        return LEAST
    return max(leaf.length, LEAST) if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY" else WIDTHS[leaf.physical_type]


def _arrow(file: Any, limits: Limits) -> Iterator[Any]:
    """Yield the schema, then batches."""
    size = file.size()
    if size > limits.size or decompressed_size(file) > limits.size:
        raise MemoryError
    reader = pa.ipc.open_stream(file)
    yield reader.schema
    counter = _Counter(limits.size)
    for batch in reader:
        yield _validated(batch, counter)
