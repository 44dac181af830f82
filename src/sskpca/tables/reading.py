"""Tables from files, every cell as it is there."""

import csv
import os
import re
from collections import Counter
from contextlib import closing
from io import BufferedReader, StringIO, TextIOWrapper

import pyarrow as pa
import pyarrow.csv

from sskpca.rows.memory import in_bytes
from sskpca.tables.columns import header_notes
from sskpca.tables.error import DelimiterError, TableError, quoted, together
from sskpca.tables.json_lines import read_json_lines
from sskpca.tables.stream import Limits, Source, Watched, not_utf8, source_of, too_large
from sskpca.tables.typed_files import read_typed

__all__ = ["read_table", "read_table_and_lines"]

# Bytes that a column takes beside its cells.
COLUMN = 2**12

# Beginnings of files that are not what their name says.
BEGINNINGS = {
    b"\x1f\x8b": "is packed by gzip; name it .gz",
    b"PK\x03\x04": "is a zip archive or a spreadsheet; unpack it, or save it as CSV",
    b"PAR1": "is a Parquet file; name it .parquet",
    b"ARROW1": "is an Arrow file; name it .arrow",
    b"\xff\xfe": "is not in UTF-8 but in UTF-16; save it as CSV in UTF-8",
    b"\xfe\xff": "is not in UTF-8 but in UTF-16; save it as CSV in UTF-8",
}


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    delimiter: str | None = None,
    limits: Limits | None = None,
) -> pa.Table:
    """Read a table.

    From CSV and TSV every cell is text, as it stands there: "007" and "1e3" stay what they are, and blank cells are
    empty text. The other formats have types, which stay too, with their metadata.

    Parameters
    ----------
    path : path-like
        The ending of its name tells the format, see `FORMATS`; CSV, TSV and JSON lines may be packed (.gz). "-" is the
        standard input.
    format : str, optional
        If the name does not tell, or not the truth.
    delimiter : str, optional
        Of CSV, if it is no comma.
    limits : Limits, optional
        What is refused as too large.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    TableError
        With a sentence that says what is wrong and what to do.
    """
    return read_table_and_lines(path, format, delimiter, limits)[0]


def read_table_and_lines(
    path: str | os.PathLike[str],
    format: str | None = None,
    delimiter: str | None = None,
    limits: Limits | None = None,
) -> tuple[pa.Table, bytes | None]:
    """Read a table, and of JSON lines the lines as they are; see `read_table`."""
    source, lines = source_of(path, format), None
    with closing(source.open(limits or Limits())) as stream:
        if source.format in ("csv", "tsv"):
            table = _read_csv(source, stream, delimiter or ("\t" if source.format == "tsv" else ","))
        elif source.format == "jsonl":
            table, lines = read_json_lines(stream)
        else:
            table = read_typed(source, stream)
    if table.num_columns == 0:
        raise TableError(f"{source.name} has no columns; give a table with a column of labels and others.")
    twice = _repeated(table.column_names)
    if twice:
        raise _twice(source.name, twice)
    if table.num_rows == 0:
        raise _no_rows(source.name)
    return table, lines


def _no_rows(name: str) -> TableError:
    return TableError(f"{name} has no rows, only the names of columns; add the rows.")


def _repeated(names: list[str]) -> list[str]:
    return sorted(name for name, number in Counter(names).items() if number > 1)


def _twice(name: str, twice: list[str]) -> TableError:
    return TableError(f"{name} has several columns called {quoted(twice)}; give each column a name of its own.")


def _read_csv(source: Source, stream: Watched, delimiter: str) -> pa.Table:
    names = _header(stream, delimiter)
    limits = stream.limits
    if COLUMN * len(names) > limits.size:
        raise too_large(source.name, limits, unpacked=True)
    read = pa.csv.ReadOptions(block_size=limits.row)
    # A blank line is no row, except where a row is one cell: there it is a blank cell.
    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1)
    convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    # Arrow reads in a thread of its own, and hears no interrupt while that waits: what is awaited is taken in first.
    given = pa.BufferReader(stream.read()) if source.is_standard else stream
    try:
        with pa.csv.open_csv(given, read_options=read, parse_options=parse, convert_options=convert) as reader:
            batches, size = [], 0
            for batch in reader:  # a blank cell takes four bytes for its comma
                size += batch.nbytes
                if size > limits.size:
                    raise too_large(source.name, limits, unpacked=True)
                batches.append(batch)
            table = pa.Table.from_batches(batches, reader.schema)
    except pa.ArrowInvalid as error:
        raise _bad_csv(source, stream, str(error), delimiter) from None
    if table.column_names != names:  # then they had other types than text
        raise TableError(
            f"{source.name} has names of columns that cannot be read; write them plainly in the first line."
        )
    _check_last_quote(stream, table)
    return table


def _header(stream: Watched, delimiter: str) -> list[str]:
    """Read the names of the columns, without taking them off the stream."""
    beginning = stream.peek(stream.limits.row)
    for magic, what in BEGINNINGS.items():
        if beginning.startswith(magic):
            raise TableError(f"{stream.name} {what}.")
    if not beginning.strip(b"\xef\xbb\xbf \t\r\n"):
        raise TableError(f"{stream.name} is empty; give a file with the names of the columns and rows.")
    try:
        # A character may be cut in two at the end of what was peeked; one at the end of the header is not lost on us.
        text = beginning.decode("utf-8-sig", errors="strict" if len(beginning) < stream.limits.row else "ignore")
    except UnicodeDecodeError as error:
        raise not_utf8(stream.name, beginning[: error.start].count(b"\n") + 1) from None
    try:
        names = next(row for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if row)
    except csv.Error:
        raise TableError(
            f"{stream.name} does not begin with the names of columns but with something of more than 100 kB; is a "
            "quote not closed, or is it no table?"
        ) from None
    other = next((mark for mark in ";\t|," if mark != delimiter and names[0].count(mark) > 0), None)
    if len(names) == 1 and other:
        raise DelimiterError(stream.name, other)
    twice = _repeated(names)
    if twice:  # now, before a type is given to each name
        raise together(_twice(stream.name, twice), header_notes(names))
    return names


def _bad_csv(source: Source, stream: Watched, message: str, delimiter: str) -> TableError:
    """Say in our words what Arrow says in its own."""
    if "straddl" in message:
        return TableError(
            f"{source.name} has a row of more than {in_bytes(stream.limits.row)}; is a quote not closed, or is it no "
            "table?"
        )
    if "Empty CSV" in message:  # there are names, as we have read them
        return _no_rows(source.name)
    if "UTF8" in message or "utf8" in message:
        return not_utf8(source.name, None)
    found = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): (.*)", message)
    if not found:
        return TableError(f"{source.name} is no CSV table: {message.splitlines()[0].rstrip('.')}.")
    row, expected, got, content = found.groups()
    line = None if source.is_standard else _ragged_line(source, stream.limits, int(expected), delimiter)
    where = (
        f"line {line}" if line else f"row {row}, the names counted," if row else f"the row that begins {content[:20]!r}"
    )
    return TableError(
        f"{source.name} has {got} cells in {where} but {expected} columns; correct it there (is there a comma in a "
        "cell without quotes?)."
    )


def _ragged_line(source: Source, limits: Limits, expected: int, delimiter: str) -> int | None:
    """Find the line of the first row with another number of cells; rows may have several lines."""
    before = 0
    with closing(source.open(limits)) as stream:
        try:
            reader = csv.reader(TextIOWrapper(BufferedReader(stream), "utf-8-sig", newline=""), delimiter=delimiter)
            for row in reader:
                if row and len(row) != expected:
                    return before + 1
                before = reader.line_num
        except (csv.Error, UnicodeDecodeError, TableError):
            pass
    return None


def _check_last_quote(stream: Watched, table: pa.Table) -> None:
    """Refuse a quote that is opened in the last column and never closed: the rest of the file would be its cell."""
    if table.num_rows == 0:
        return
    cell = '"' + table.column(table.num_columns - 1)[-1].as_py().replace('"', '""')
    raw, tail = cell.encode(), b"".join(stream.last)
    if tail.endswith(raw) and not tail.rstrip(b"\r\n").endswith(raw + b'"'):
        start = cell[1:60].splitlines()[0] if cell[1:].strip() else ""
        raise TableError(
            f'{stream.name} has a quote in its last column that is not closed, before "{start}"; close it there.'
        )
