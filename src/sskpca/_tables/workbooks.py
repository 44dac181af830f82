"""Tables from and to Excel workbooks: values and their types, no formulas."""

import re
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from sskpca._tables.error import TableError, quoted
from sskpca._tables.file_form import FileForm, FileTable
from sskpca._tables.stream import Limits, Source, Watched, too_large
from sskpca._tables.workbook_xml import check_parts, uncalculated

__all__ = ["put_workbook", "read_workbook"]

# What a cell holds: text, a number, truth, a date, a time or nothing; and what it is in. openpyxl has no types.
Cell: TypeAlias = Any
Sheet: TypeAlias = Any
Book: TypeAlias = Any

# What workbooks with a password begin with, and the old .xls.
OLD_CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# What a sheet has at most, by its format.
MOST_ROWS, MOST_COLUMNS, LONGEST_TEXT = 2**20, 2**14, 2**15 - 1
# Rows by which a sheet is known to have a table.
TOP = 50
# Bytes that a cell takes as an object.
BYTES_PER_CELL = 64
# Whole numbers up to here are exact; so long are they as text that is a number.
EXACT, DIGITS = 2**53, 15
PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
# Characters that XML has not, and what looks like them, in Excel's way.
ESCAPED = re.compile(r"_x(00[01][0-9A-Fa-f]|005[Ff]|[Ff]{3}[EeFf])_")
TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def read_workbook(source: Source, stream: Watched, sheet: str | None) -> FileTable:
    """Read the first sheet that has cells, or the one that is named.

    The first row that has cells has the names. A column of numbers is whole numbers if they are; one of dates has
    times only if some are not midnight; one of several kinds is text, and the cells as they are are kept.

    Raises
    ------
    TableError
        It is no workbook, is damaged or too large, or has no such sheet.
    """
    openpyxl = _openpyxl(source.name)
    if stream.peek(2**12).startswith(OLD_CONTAINER):
        raise TableError(
            f"{source.name} has a password, or is an old .xls; save it as .xlsx without a password, or as CSV."
        )
    with closing(BytesIO(stream.read()) if source.is_standard else Path(source.path).open("rb")) as file:
        try:
            check_parts(source.name, file, stream.limits)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                with closing(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book:
                    found = _chosen(source.name, book, sheet)
                    rows = _rows(source.name, found, stream.limits.size)
                    others = () if sheet else _others(book, found)
                    place = uncalculated(file, found._worksheet_path)  # noqa: SLF001, openpyxl has no other name
        except MemoryError:
            raise too_large(source.name, stream.limits, unpacked=True) from None
        except TableError:
            raise
        except Exception:  # the library has no errors of its own for what it meets in a damaged file
            raise TableError(
                f"{source.name} is no Excel workbook (.xlsx), or is cut off or damaged; fetch or make it again."
            ) from None
    if place:
        raise TableError(
            f"{source.name} has a formula without a value in {place}; open it in Excel or LibreOffice, and save it "
            "there."
        )
    dates = any("marked as a date" in str(warning.message) for warning in told)
    notes = ("numbers that are marked as dates but are none were read as #VALUE!.",) if dates else ()
    form = FileForm("xlsx", sheet=found.title, other_sheets=others, notes=notes)
    return _as_table(source.name, rows, form, stream.limits)


def _openpyxl(name: str) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise TableError(
            f'{name} is an Excel workbook, for which openpyxl is needed; install it: pip install "sskpca[excel]".'
        ) from None
    return openpyxl


def _chosen(name: str, book: Book, sheet: str | None) -> Sheet:
    # Charts have no cells.
    sheets = [found for found in book.worksheets if hasattr(found, "reset_dimensions")]
    for found in sheets:
        found.reset_dimensions()  # programs write them wrong
    if sheet is None:
        filled = [found for found in sheets if _has_cells(found)]
        # A line or two about the table is no table; if there is nothing else, the sentence is about the first sheet.
        chosen = next(filter(_has_rows, filled), filled[0] if filled else None)
        if chosen is None:
            raise TableError(f"{name} is empty; give a workbook with the names of the columns and rows.")
        return chosen
    named = next((found for found in sheets if found.title == sheet), None)
    if named is None:
        raise TableError(f'{name} has no sheet "{sheet}"; it has {quoted([found.title for found in sheets])}.')
    return named


def _others(book: Book, chosen: Sheet) -> tuple[str, ...]:
    return tuple(
        found.title for found in book.worksheets if found is not chosen and hasattr(found, "rows") and _has_cells(found)
    )


def _has_cells(sheet: Sheet) -> bool:
    return any(_is_filled(value) for row in sheet.iter_rows(values_only=True) for value in row)


def _has_rows(sheet: Sheet) -> bool:
    """Tell whether there are names and a row below them, of two cells each, near the top."""
    top = sheet.iter_rows(max_row=TOP, values_only=True)
    return sum(sum(map(_is_filled, row)) > 1 for row in top) > 1


def _is_filled(value: object) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))


def _rows(name: str, sheet: Sheet, limit: int) -> list[tuple[Cell, ...]]:
    """Read the rows, without empty ones at the end."""
    rows: list[tuple[Cell, ...]] = []
    n_filled = needed = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= MOST_ROWS:
            raise ValueError("more rows than a sheet can have")
        values = tuple(map(_clean, row))
        last = next((i for i in range(len(values), 0, -1) if values[i - 1] is not None), 0)
        # A text may be shared by all rows, but not in the table.
        needed += BYTES_PER_CELL * (last + 1) + sum(len(value) for value in values if isinstance(value, str))
        if needed > limit:
            raise MemoryError
        rows.append(values[:last])
        if last:
            n_filled = len(rows)
    if not n_filled:
        raise TableError(f'{name} has no cells in the sheet "{sheet.title}"; choose another sheet.')
    return rows[:n_filled]


def _clean(value: Cell) -> Cell:
    """Return text as it was typed; no text is no cell."""
    if isinstance(value, str):
        plain = ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), value) if "_x" in value else value
        return plain or None
    return value


def _as_table(name: str, rows: list[tuple[Cell, ...]], form: FileForm, limits: Limits) -> FileTable:
    first = next(i for i, row in enumerate(rows) if row)
    header, body = rows[first], rows[first + 1 :]
    width = max(map(len, rows[first:]))
    if len(header) - header.count(None) == 1 and body and width > 2:
        raise TableError(
            f"{name} has one cell only in row {first + 1} of the sheet, but {width} columns below; is it a title? "
            "Delete what is above the names of the columns."
        )
    columns: dict[str, pa.Array] = {}
    originals: dict[str, Any] = {}
    other_names: dict[str, Cell] = {}
    # A row between others without any cell is no row; and one cell far to the right makes no wide table.
    body = [row for row in body if row]
    used = sorted({i for row in rows[first:] for i, value in enumerate(row) if value is not None})
    n_blank = width - len(used)
    size = 0
    for i in used:
        cells = [row[i] if i < len(row) else None for row in body]
        title = header[i] if i < len(header) else None
        if title is None and not any(map(_is_filled, cells)):
            n_blank += 1
            continue
        key = "" if title is None else _as_text(title)
        if key in columns:
            several = f"several columns called {quoted([key])}" if key else "several columns without a name"
            raise TableError(f"{name} has {several}; give each column a name of its own.")
        columns[key], mixed = _column(cells)
        if mixed:
            originals[key] = cells
        if title is not None and not isinstance(title, str):
            other_names[key] = title
        size += columns[key].nbytes
        if size > limits.size:
            raise too_large(name, limits, unpacked=True)
    return FileTable(pa.table(columns), replace(form, n_blank=n_blank), originals, other_names)


def _column(cells: list[Cell]) -> tuple[pa.Array, bool]:
    """Return the values of a column, and whether they are of several kinds and so are text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds or kinds == {str}:
        return pa.array(cells, pa.string()), False
    if kinds == {bool}:
        return pa.array(cells, pa.bool_()), False
    if kinds <= {int, float}:
        values = [None if cell is None else float(cell) for cell in cells]
        whole = all(value is None or (value.is_integer() and abs(value) < EXACT) for value in values)
        return pa.array([None if v is None else int(v) for v in values] if whole else values), False
    if kinds <= {date, datetime}:
        return _dates(cells), False
    if kinds == {time}:
        parts = any(cell is not None and cell.microsecond for cell in cells)
        return pa.array(cells, pa.time64("us") if parts else pa.time32("s")), False
    if kinds == {timedelta}:
        return pa.array(cells, pa.duration("us")), False
    return pa.array([None if cell is None else _as_text(cell) for cell in cells], pa.string()), True


def _dates(cells: list[Cell]) -> pa.Array:
    times = [datetime(c.year, c.month, c.day) if type(c) is date else c for c in cells]
    if all(c is None or c.time() == time() for c in times):
        return pa.array([None if c is None else c.date() for c in times], pa.date32())
    return pa.array(times, pa.timestamp("us" if any(c is not None and c.microsecond for c in times) else "s"))


def _as_text(value: Cell) -> str:
    """Write a value as it is written in a CSV."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if float(value).is_integer() and abs(value) < EXACT else repr(value)
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    return str(value)


def put_workbook(table: pa.Table, file: BinaryIO, origin: FileTable | None = None) -> None:
    """Write a table as a workbook with one sheet.

    Parameters
    ----------
    table : pyarrow.Table
    file : binary file
    origin : FileTable, optional
        Where the table comes from. Cells of a workbook stay what they are; of CSV, columns of numbers become numbers.

    Raises
    ------
    TableError
        A sheet has no room for it.
    """
    openpyxl = _openpyxl("the output")
    from openpyxl.cell import WriteOnlyCell

    if table.num_rows >= MOST_ROWS or table.num_columns > MOST_COLUMNS:
        raise TableError(
            f"the table has {table.num_rows} rows and {table.num_columns} columns, and a sheet of Excel 1048576 and "
            "16384 at most, names included; write another format."
        )
    own = origin is not None and origin.form.format == "xlsx"
    # First all that can fail: the library writes to a temporary file and has to be let finish.
    columns = [_values(table, name, origin) for name in table.column_names]
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(origin.form.sheet if own and origin else "table")

    def written(value: Cell) -> Cell:
        if isinstance(value, str):
            return _text_cell(sheet, value, WriteOnlyCell)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _number_cell(sheet, value, WriteOnlyCell)
        return value

    header = origin.header if own and origin else {}
    sheet.append([written(header.get(name, _escaped(name)) or None) for name in table.column_names])
    for row in zip(*columns, strict=True):
        sheet.append([written(value) for value in row])
    # The library closes the file that it writes to.
    packed = BytesIO()
    book.save(packed)
    file.write(packed.getbuffer())


def _values(table: pa.Table, name: str, origin: FileTable | None) -> list[Cell]:
    """Return the cells of a column, with text as Excel writes it."""
    column = table.column(name)
    if origin is not None and origin.form.format == "xlsx" and name in origin.originals:
        return [_escaped(value) if isinstance(value, str) else value for value in origin.originals[name]]
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        raise TypeError("a column holds lists, structures or bytes")
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.string()) if column.type.tz is not None else column.cast(pa.timestamp("us"))
    values = column.to_pylist()
    if origin is not None and origin.form.is_text and pa.types.is_string(column.type):
        filled = [value for value in values if value]
        if filled and all(map(_is_plain, filled)):
            return [float(value) if value else None for value in values]
    return [_escaped(value) if isinstance(value, str) else value for value in values]


def _is_plain(text: str) -> bool:
    """Tell whether a text is a number that Excel keeps: without zeros in front, and not too long."""
    return PLAIN.fullmatch(text) is not None and sum(map(str.isdigit, text)) <= DIGITS


def _escaped(text: str) -> str:
    text = TO_ESCAPE.sub(lambda found: f"_x{ord(found.group()):04X}_", text)
    if len(text) > LONGEST_TEXT:
        raise TableError(
            f"a text has {len(text)} characters, and a cell of Excel 32767 at most; write another format, such as CSV."
        )
    return text


def _text_cell(sheet: Sheet, text: str, cell_of: Callable[[Sheet, Cell], Cell]) -> Cell:
    if not text.startswith("="):
        return text
    cell = cell_of(sheet, text)
    cell.data_type = "s"  # not a formula
    return cell


def _number_cell(sheet: Sheet, value: float, cell_of: Callable[[Sheet, Cell], Cell]) -> Cell:
    if isinstance(value, int) and abs(value) >= EXACT:
        return str(value)
    if value != value or value in (float("inf"), float("-inf")):
        return None if value != value else str(value)
    if isinstance(value, int) or float(f"{value:.16g}") == value:
        return value
    cell = cell_of(sheet, value)
    # The library writes sixteen digits, and some numbers have seventeen.
    cell._value = repr(value)  # noqa: SLF001, `value` would make it a text
    return cell
