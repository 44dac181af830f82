"""Tables to files, whole or not at all."""

import csv
import gzip
import json
import os
import sys
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from sskpca._tables.cells import NUMBER, Cells, texts
from sskpca._tables.columns import OWN_COLUMNS, RESULT_COLUMNS
from sskpca._tables.error import TableError, setting
from sskpca._tables.file_form import FileForm, FileTable, encoding_name
from sskpca._tables.json_lines import put_json_lines, rows_at_a_time
from sskpca._tables.stream import format_of
from sskpca._tables.workbooks import put_workbook
from sskpca.saving._atomic import atomic_path

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
    if os.fspath(path) == "-":
        put_table(table, sys.stdout.buffer, known, packed, delimiter)
        sys.stdout.buffer.flush()
        return
    if Path(path).exists() and not Path(path).is_dir() and not overwrite:
        raise TableError(f"{path} already exists; give {setting('overwrite', True)} to replace it, or another name.")
    try:
        with atomic_path(path, overwrite) as temporary, temporary.open("wb") as file:
            put_table(table, file, known, packed, delimiter)
    except OSError as error:
        # With a number it comes from the system, otherwise it is a sentence of `atomic_path`.
        reason = f"{path} was not written: {error.strerror}; make room or take another folder."
        raise TableError(reason if error.errno else str(error)) from None


def put_table(
    table: pa.Table,
    file: BinaryIO,
    format: str,
    packed: bool,
    delimiter: str | None = None,
    origin: FileTable | None = None,
) -> None:
    """Write a table to an open file; see `write_table`.

    Parameters
    ----------
    table : pyarrow.Table
    file : binary file
    format : str
    packed : bool
        By gzip?
    delimiter : str, optional
        By default that of the origin, if it has the same format.
    origin : FileTable, optional
        Where the table comes from, with as many rows: cells are written as they are there, CSV in its encoding and with
        its decimal mark.
    """
    if packed:
        with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packer:
            put_table(table, packer, format, False, delimiter, origin)  # type: ignore[arg-type]
        return
    try:
        if format == "parquet":
            from pyarrow import parquet  # here: it loads the file systems of clouds

            # Lists keep the name of their elements, so that types stay as they are.
            parquet.write_table(table, file, use_compliant_nested_type=False)
        elif format == "arrow":
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        elif format in ("json", "jsonl"):
            as_lines = origin is not None and origin.form == FileForm("json")  # as they were, whatever their name
            put_json_lines(table, file, origin.lines if origin else None, format == "json" and not as_lines)
        elif format == "xlsx":
            put_workbook(table, file, origin)
        else:
            _write_csv(table, file, _text_form(format, delimiter, origin), origin)
    except TableError:
        raise
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:  # a date of the year 300000, bytes, ...
        raise TableError(f"the table cannot be written as {format}: {error}; take another format.") from None


def _text_form(format: str, delimiter: str | None, origin: FileTable | None) -> FileForm:
    """Decide how CSV is written: as it was, if it was CSV."""
    usual = FileForm(format, delimiter or ("\t" if format == "tsv" else ","))
    if origin is None:
        return usual
    if origin.form.format == "xlsx":  # for Excel, which takes UTF-8 for something else without the mark
        return replace(usual, encoding="utf-8-sig")
    if not origin.form.is_text:
        return usual
    mark = delimiter or (origin.form.delimiter if origin.form.format == format else usual.delimiter)
    kept = mark == origin.form.delimiter and origin.form.separator_line
    return replace(origin.form, format=format, delimiter=mark, separator_line=kept)


def _write_csv(table: pa.Table, file: BinaryIO, form: FileForm, origin: FileTable | None) -> None:
    table = _with_originals(table, form, origin)
    # Python's writer quotes cells that need it and no others, so that a file stays as it was as far as it can. It takes
    # a carriage return for harmless unless lines end with one, but no reader does.
    has_return = any("\r" in name for name in table.column_names) or any(map(_has_return, table.columns))
    text = TextIOWrapper(file, form.encoding, newline="", write_through=True)
    try:
        writer = csv.writer(text, delimiter=form.delimiter, lineterminator="\r\n" if has_return else form.line_end)
        if form.separator_line:
            text.write(f"sep={form.delimiter}{form.line_end}")
        writer.writerow(table.column_names)
        for batch in table.to_batches(rows_at_a_time(table)):
            writer.writerows(zip(*(_cells(column) for column in batch.columns), strict=True))
    except UnicodeEncodeError as error:
        raise TableError(
            f'"{error.object[error.start : error.end]}" cannot be written in {encoding_name(form.encoding)}, the '
            "encoding of the table; write another format, such as .xlsx."
        ) from None
    finally:
        text.detach()  # or the file would be closed with it


def _with_originals(table: pa.Table, form: FileForm, origin: FileTable | None) -> pa.Table:
    """Put back the cells as they were, and write what was found like them."""
    if origin is None or not origin.form.is_text:
        return table
    label = origin.label_column
    for i, name in enumerate(table.column_names):
        column = table.column(i)
        if name == RESULT_COLUMNS[0] and label in origin.originals:
            written = dict(
                zip(texts(origin.table.column(label)).to_pylist(), origin.originals[label].to_pylist(), strict=True)
            )
            table = table.set_column(
                i, name, pa.array([written.get(cell, cell) for cell in column.to_pylist()], pa.string())
            )
        elif name in OWN_COLUMNS:
            if form.decimal == "," and (pa.types.is_floating(column.type) or pa.types.is_string(column.type)):
                plain = column.cast(pa.string())
                comma = pc.replace_substring(plain, ".", ",")
                table = table.set_column(i, name, pc.if_else(pc.match_substring_regex(plain, NUMBER), comma, plain))
        elif name in origin.originals:
            table = table.set_column(i, name, origin.originals[name])
    return table


def _has_return(column: Cells) -> bool:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return bool(pc.any(pc.match_substring(column, "\r")).as_py())
    return bool(pa.types.is_dictionary(kind))  # may be text


def _cells(column: Cells) -> list[str | None]:
    """Write the values as text; lists and structures as JSON, which is read as a vector again."""
    if pa.types.is_nested(column.type):
        return [None if value is None else json.dumps(value, default=str) for value in column.to_pylist()]
    if pa.types.is_duration(column.type):
        return [None if value is None else str(value) for value in column.to_pylist()]
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        raise TypeError("a column holds bytes")
    return list(column.cast(pa.string()).to_pylist())
