"""Tables from files, every cell as it is there."""

import codecs
import csv
import os
import re
from collections import Counter
from contextlib import closing
from dataclasses import replace
from io import BufferedReader, StringIO, TextIOWrapper

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from sskpca._tables.columns import header_notes
from sskpca._tables.error import TableError, quoted, together
from sskpca._tables.file_form import FileForm, FileTable, detect_form, encoding_name
from sskpca._tables.json_lines import read_json
from sskpca._tables.number_marks import plain_numbers
from sskpca._tables.options import FileOptions
from sskpca._tables.stream import Limits, Recoded, Source, Watched, not_utf8, source_of, too_large
from sskpca._tables.typed_tables import read_typed
from sskpca._tables.workbooks import read_workbook
from sskpca.rows._memory import in_bytes

__all__ = ["read_file", "read_table"]

# Bytes that a column takes beside its cells.
COLUMN = 2**12
# Bytes that hold the names of the columns, of nearly all tables.
SHORT = 2**16

# Beginnings of files that are not what their name says.
BEGINNINGS = {
    b"\x1f\x8b": "is packed by gzip; name it .gz",
    b"PK\x03\x04": "is a zip archive or a workbook; unpack it, or name it .xlsx if it is of Excel",
    b"\xd0\xcf\x11\xe0": "is a workbook of an old Excel; save it as .xlsx or as CSV",
    b"PAR1": "is a Parquet file; name it .parquet",
    b"ARROW1": "is an Arrow file; name it .arrow",
}
# What the last row begins with if it is no row but sums up the others.
SUMMARY = re.compile(r"(grand |sub)?total|sum|summe|gesamt(summe)?|insgesamt|average|mean|mittelwert", re.IGNORECASE)


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    limits: Limits | None = None,
) -> pa.Table:
    """Read a table.

    From CSV and TSV every cell is text, as it stands there: "007" and "1e3" stay what they are, and blank cells are
    empty text; but a column of numbers with decimal commas or percent signs has decimal points, and no signs. The
    other formats have types, which stay too, with their metadata.

    Parameters
    ----------
    path : path-like
        The ending of its name tells the format, see `FORMATS`; CSV, TSV and JSON may be packed (.gz). "-" is the
        standard input.
    format : str, optional
        If the name does not tell, or not the truth.
    delimiter : str, optional
        Between the columns of CSV; found out by default.
    encoding : str, optional
        Of CSV; found out by default, if it is UTF-8, UTF-16 or Windows-1252.
    decimal : {".", ","}, optional
        The decimal mark of CSV; found out by default. If it is given, the other mark may stand between thousands.
    sheet : str, optional
        Of a workbook; by default, the first that has a table.
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
    return read_file(path, FileOptions(format, delimiter, encoding, decimal, sheet), limits).table


def read_file(
    path: str | os.PathLike[str], options: FileOptions | None = None, limits: Limits | None = None
) -> FileTable:
    """Read a table and how it is written, so that it can be written the same way; see `read_table`."""
    options = options or FileOptions()
    source = source_of(path, options.format)
    if options.sheet is not None and source.format != "xlsx":
        raise TableError(f"{source.name} is no Excel workbook and has no sheets; leave it out.", parameter="sheet")
    with closing(source.open(limits or Limits())) as stream:
        if source.format in ("csv", "tsv"):
            found = _read_text(source, stream, options)
        elif source.format in ("json", "jsonl"):
            table, lines, is_array = read_json(stream)
            found = FileTable(table, FileForm(source.format, array=is_array), lines=lines)
        elif source.format == "xlsx":
            found = read_workbook(source, stream, options.sheet)
        else:
            found = FileTable(read_typed(source, stream), FileForm(source.format))
    table = found.table
    if table.num_columns == 0:
        raise TableError(f"{source.name} has no columns; give a table with a column of labels and others.")
    twice = _repeated(table.column_names)
    if twice:
        raise _twice(source.name, twice)
    if table.num_rows == 0:
        raise _no_rows(source.name)
    return replace(found, form=replace(found.form, notes=(*found.form.notes, *_summary_notes(table))))


def _read_text(source: Source, stream: Watched, options: FileOptions) -> FileTable:
    """Read CSV or TSV."""
    beginning = stream.peek(stream.limits.row)
    for magic, what in BEGINNINGS.items():
        if beginning.startswith(magic):
            raise TableError(f"{stream.name} {what}.")
    form = detect_form(source.name, source.format, beginning, len(beginning) < stream.limits.row, options)
    table = _read_csv(source, _in_utf8(stream, form), form.delimiter, form)
    table, n_blank = _without_blank(table)
    if n_blank and not table.num_columns:
        raise _empty(source.name)
    twice = _repeated(table.column_names)
    if twice and sum(bool(key.strip()) for key in table.column_names) == 1:
        raise TableError(
            f"{source.name} has one name in its first line but {table.num_columns} columns; is it a title? Delete what "
            "is above the names of the columns."
        )
    if twice:
        raise _twice(source.name, twice)
    plain = plain_numbers(source.name, table, replace(form, n_blank=n_blank), options.decimal)
    if table.nbytes + sum(column.nbytes for column in plain.originals.values()) > stream.limits.size:
        raise too_large(source.name, stream.limits, unpacked=True)
    return FileTable(plain.table, plain.form, plain.originals)


def _in_utf8(stream: Watched, form: FileForm) -> Watched | Recoded:
    if form.encoding in ("utf-8", "utf-8-sig"):
        return stream
    return Recoded(stream, form.encoding, encoding_name(form.encoding))


def _without_blank(table: pa.Table) -> tuple[pa.Table, int]:
    """Leave out columns without a name and without a cell, as spreadsheets write them at the end."""
    blank = [
        i
        for i, name in enumerate(table.column_names)
        if not name.strip()
        and table.num_rows
        and pc.all(pc.equal(pc.utf8_trim_whitespace(table.column(i)), "")).as_py()
    ]
    kept = [i for i in range(table.num_columns) if i not in blank]
    return (table.select(kept) if blank else table), len(blank)


def _summary_notes(table: pa.Table) -> list[str]:
    """Say so if the last row seems to sum up the others."""
    for column in table.columns[:3]:
        cell = column[-1]
        if table.num_rows > 2 and pa.types.is_string(column.type) and cell.is_valid:
            text = cell.as_py().strip().rstrip(":")
            if SUMMARY.fullmatch(text) and pc.sum(pc.equal(column, cell)).as_py() == 1:
                return [
                    f'the last row begins with "{text}"; if it sums up the others, delete it, or it counts as a row.'
                ]
    return []


def _empty(name: str) -> TableError:
    return TableError(f"{name} is empty; give a file with the names of the columns and rows.")


def _no_rows(name: str) -> TableError:
    return TableError(f"{name} has no rows, only the names of columns; add the rows.")


def _repeated(names: list[str]) -> list[str]:
    return sorted(name for name, number in Counter(names).items() if number > 1)


def _twice(name: str, twice: list[str]) -> TableError:
    if not "".join(twice).strip():
        return TableError(f"{name} has several columns without a name; write names into the first line.")
    return TableError(f"{name} has several columns called {quoted(twice)}; give each column a name of its own.")


def _read_csv(source: Source, stream: Watched | Recoded, delimiter: str, form: FileForm | None = None) -> pa.Table:
    """Read CSV in UTF-8 from a `Watched` or `Recoded` stream."""
    form = form or FileForm("csv", delimiter)
    names = _header(stream, form)
    limits = stream.limits
    if COLUMN * len(names) > limits.size:
        raise too_large(source.name, limits, unpacked=True)
    read = pa.csv.ReadOptions(block_size=limits.row, skip_rows=int(form.separator_line))
    # A blank line is no row, except where a row is one cell: there it is a blank cell.
    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1)
    convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    # Arrow reads in a thread of its own, and hears no interrupt while that waits: what is awaited is taken in first.
    # And what fits into a block: after an error, the thread that asks our stream for another may outlive Python.
    short = len(stream.peek(limits.row)) < limits.row
    given = pa.BufferReader(stream.read()) if source.is_standard or short else stream
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
        raise _bad_csv(source, stream, str(error), form) from None
    if table.column_names != names:  # then they had other types than text
        raise TableError(
            f"{source.name} has names of columns that cannot be read; write them plainly in the first line."
        )
    _check_last_quote(stream, table)
    return table


def _header(stream: Watched | Recoded, form: FileForm) -> list[str]:
    """Read the names of the columns, without taking them off the stream."""
    beginning = stream.peek(stream.limits.row)
    if not beginning.strip(b"\xef\xbb\xbf \t\r\n"):
        raise _empty(stream.name)
    try:
        names = _names(beginning[:SHORT], form, len(beginning) <= SHORT) or _names(beginning, form, True)
    except UnicodeDecodeError as error:
        raise not_utf8(stream.name, beginning[: error.start].count(b"\n") + 1) from None
    except csv.Error:
        raise TableError(
            f"{stream.name} does not begin with the names of columns but with something of more than 100 kB; is a "
            "quote not closed, or is it no table?"
        ) from None
    if not names:
        raise _empty(stream.name)
    twice = _repeated([name for name in names if name.strip()])
    if twice:  # now, before a type is given to each name
        raise together(_twice(stream.name, twice), header_notes(names))
    return names


def _names(beginning: bytes, form: FileForm, whole: bool) -> list[str]:
    """Read the first row; nothing if it may go on after what is given."""
    # A character may be cut in two at the end of what is given; one at the end of the header is not lost on us.
    lines = StringIO(codecs.getincrementaldecoder("utf-8-sig")().decode(beginning), newline="")
    if form.separator_line:
        lines.readline()
    names = next((row for row in csv.reader(lines, delimiter=form.delimiter) if row), [])
    return names if whole or lines.read(1) else []


def _bad_csv(source: Source, stream: Watched | Recoded, message: str, form: FileForm) -> TableError:
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
    line = None if source.is_standard else _ragged_line(source, stream.limits, int(expected), form)
    where = (
        f"line {line}" if line else f"row {row}, the names counted," if row else f"the row that begins {content[:20]!r}"
    )
    if int(expected) == 1:
        return TableError(
            f"{source.name} has one name in its first line but {got} cells in {where}; is it a title? Delete what is "
            "above the names of the columns, or give the delimiter."
        )
    mark = {",": "a comma", "\t": "a tab"}.get(form.delimiter, f'"{form.delimiter}"')
    return TableError(
        f"{source.name} has {got} cells in {where} but {expected} columns; correct it there (is there {mark} in a "
        "cell without quotes?)."
    )


def _ragged_line(source: Source, limits: Limits, expected: int, form: FileForm) -> int | None:
    """Find the line of the first row with another number of cells; rows may have several lines."""
    before = skipped = int(form.separator_line)
    with closing(source.open(limits)) as stream:
        try:
            text = TextIOWrapper(BufferedReader(_in_utf8(stream, form)), "utf-8-sig", newline="")
            if skipped:
                text.readline()
            reader = csv.reader(text, delimiter=form.delimiter)
            for row in reader:
                if row and len(row) != expected:
                    return before + 1
                before = reader.line_num + skipped
        except (csv.Error, UnicodeDecodeError, TableError):
            pass
    return None


def _check_last_quote(stream: Watched | Recoded, table: pa.Table) -> None:
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
