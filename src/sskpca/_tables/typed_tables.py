"""Tables that know their types: Parquet and Arrow files, validated before anything is read, and data frames."""

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import scipy.sparse
from narwhals.exceptions import DuplicateError
from sklearn.utils.validation import check_array

from sskpca._linalg.array import Column, RowsLike
from sskpca._tables.cells import Cells
from sskpca._tables.error import TableError
from sskpca._tables.stream import Limits, Source, Watched, too_large
from sskpca._tables.unpacked_sizes import LEAST, count_pages, decompressed_size, read_index, unpacked_size

__all__ = ["as_arrow", "is_frame", "read_typed"]

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


def _check_names(fields: Iterable[pa.Field]) -> None:
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


def _validated(batch: pa.RecordBatch, counter: _Counter) -> pa.RecordBatch:
    """Return a batch all of whose offsets, lengths and texts are sound, and whose values have room."""
    batch.validate(full=True)
    counter.take(sum(unpacked_size(column) for column in batch.columns))
    return batch


def _parquet(file: pa.NativeFile, limits: Limits) -> Iterator[pa.Schema | pa.RecordBatch]:
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
            found: Iterable[pa.RecordBatch] = [
                _validated(batch, counter) for batch in coded.iter_batches(BATCH, row_groups=[number])
            ]
        except (pa.ArrowNotImplementedError, OSError):
            # Some encodings know no dictionaries, and lists only one. A text has the size of its chunk at most.
            counter.left = left
            few = min(max(limits.size // largest[number], 1), BATCH)
            found = (_validated(batch, counter) for batch in plain.iter_batches(few, row_groups=[number]))
        for batch in found:
            yield batch.cast(plain.schema_arrow)


def _is_text(leaf: pa.DataType) -> bool:
    return leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type in TEXT


def _width(leaf: pa.DataType) -> int:
    if _is_text(leaf):
        return LEAST
    return max(leaf.length, LEAST) if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY" else WIDTHS[leaf.physical_type]


def _arrow(file: pa.NativeFile, limits: Limits) -> Iterator[pa.Schema | pa.RecordBatch]:
    """Yield the schema, then batches."""
    size = file.size()
    if size > limits.size or decompressed_size(file) > limits.size:
        raise MemoryError
    reader = pa.ipc.open_stream(file)
    yield reader.schema
    counter = _Counter(limits.size)
    for batch in reader:
        yield _validated(batch, counter)


def is_frame(X: RowsLike) -> bool:
    """Return whether X is a table whose columns have names: of pandas, polars, Arrow or others that narwhals knows."""
    try:
        return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)
    except DuplicateError:
        names = [str(name) for name in X.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise TableError(f'two columns are called "{twice}"; rename one.') from None


def as_arrow(X: RowsLike) -> pa.Table:
    """Return a table of another library, or an array of rows, as an Arrow table.

    Columns of mixed types become text. The columns of an array are called x0, x1, ...; of one of numbers, NaN is
    missing and infinity is refused.

    Raises
    ------
    TableError
        Columns have the same name.
    ValueError
        An array is not two-dimensional, sparse, complex or empty, as scikit-learn says it.
    """
    if isinstance(X, pa.Table):
        table = X
    elif is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        table = pa.table({str(name): _column(frame[name]) for name in frame.columns})
    else:
        array = _array(X)
        table = pa.table({f"x{i}": _cells(column) for i, column in enumerate(array.T)})
    return table


def _column(series: nw.Series[Any]) -> Cells:
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return _cells(series.to_numpy())


def _cells(column: Column) -> pa.Array:
    """Return a column of an array; of objects of several types, as text."""
    if column.dtype.kind != "O":
        return pa.array(np.ascontiguousarray(column), from_pandas=True)
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        missing = [cell is None or cell != cell for cell in column]
        return pa.array([None if gone else str(cell) for cell, gone in zip(column, missing, strict=True)], pa.string())


def _array(X: RowsLike) -> Column:
    if scipy.sparse.issparse(X):
        raise TypeError("Sparse data was passed to TableEncoder, but dense data is required. Use '.toarray()'.")
    given = X if hasattr(X, "dtype") or hasattr(X, "__array__") else np.asarray(X, dtype=object)
    numeric = np.asarray(given).dtype.kind in "biufc"
    array = check_array(
        given, dtype="numeric" if numeric else None, ensure_all_finite="allow-nan" if numeric else False
    )
    return np.asarray(array)
