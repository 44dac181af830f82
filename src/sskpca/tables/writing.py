"""Tables to files, whole or not at all."""

import csv
import gzip
import json
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from sskpca.tables.atomic import atomic_path
from sskpca.tables.error import TableError
from sskpca.tables.json_lines import put_json_lines, rows_at_a_time
from sskpca.tables.stream import format_of

__all__ = ["put_table", "write_table"]


def write_table(
    table: pa.Table,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    delimiter: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write a table; under its name there is the old file or the whole new one, whenever the run is stopped.

    Parameters
    ----------
    table : pyarrow.Table
    path : path-like
        As for `read_table`; "-" is the standard output.
    format, delimiter : str, optional
        As for `read_table`.
    overwrite : bool, default=False
        Replace a file that is there; without, that is refused.

    Raises
    ------
    TableError
        Nothing was written, and a file that was there still is.
    """
    known, packed = format_of(path, format)
    separator = delimiter or ("\t" if known == "tsv" else ",")
    if os.fspath(path) == "-":
        put_table(table, sys.stdout.buffer, known, packed, separator)
        sys.stdout.buffer.flush()
        return
    if Path(path).exists() and not Path(path).is_dir() and not overwrite:
        raise TableError(f"{path} is there already and stays as it is; give --force to replace it, or another name.")
    try:
        with atomic_path(path, overwrite) as temporary, temporary.open("wb") as file:
            put_table(table, file, known, packed, separator)
    except OSError as error:
        # With a number it comes from the system, otherwise it is a sentence of `atomic_path`.
        reason = f"{path} was not written: {error.strerror}; make room or take another folder."
        raise TableError(reason if error.errno else str(error)) from None


def put_table(
    table: pa.Table, file: BinaryIO, format: str, packed: bool, delimiter: str, lines: bytes | None = None
) -> None:
    """Write a table to an open file; see `write_table`, and `put_json_lines` for the lines."""
    if packed:
        with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packer:
            put_table(table, packer, format, False, delimiter, lines)  # type: ignore[arg-type]
        return
    try:
        if format == "parquet":
            # Lists keep the name of their elements, so that types stay as they are.
            pa.parquet.write_table(table, file, use_compliant_nested_type=False)
        elif format == "arrow":
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        elif format == "jsonl":
            put_json_lines(table, file, lines)
        else:
            _write_csv(table, file, delimiter)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:  # a date of the year 300000, bytes, ...
        raise TableError(f"the table cannot be written as {format}: {error}; take another format.") from None


def _write_csv(table: pa.Table, file: BinaryIO, delimiter: str) -> None:
    # Python's writer quotes cells that need it and no others, so that a file stays as it was as far as it can. It takes
    # a carriage return for harmless unless lines end with one, but no reader does.
    end = "\r\n" if any("\r" in name for name in table.column_names) or any(map(_has_return, table.columns)) else "\n"
    text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
        writer.writerow(table.column_names)
        for batch in table.to_batches(rows_at_a_time(table)):
            writer.writerows(zip(*(_cells(column) for column in batch.columns), strict=True))
    finally:
        text.detach()  # or the file would be closed with it


def _has_return(column: Any) -> bool:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return bool(pc.any(pc.match_substring(column, "\r")).as_py())
    return bool(pa.types.is_dictionary(kind))  # may be text


def _cells(column: Any) -> list[str | None]:
    """Write the values as text; lists and structures as JSON, which is read as a vector again."""
    if pa.types.is_nested(column.type):
        return [None if value is None else json.dumps(value, default=str) for value in column.to_pylist()]
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        raise TypeError("a column holds bytes")
    return list(column.cast(pa.string()).to_pylist())
