"""How a file is written, given or detected by its first bytes; a table with what is needed to write it that way."""

import codecs
import csv
import re
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import islice

import pyarrow as pa

from sskpca._tables.cells import Cells
from sskpca._tables.error import TableError, setting
from sskpca._tables.options import FileOptions

__all__ = ["FileForm", "FileTable", "detect_form"]

NAMES = {"parquet": "Parquet", "arrow": "Arrow", "jsonl": "JSON lines", "json": "JSON lines", "xlsx": "Excel"}
MARKS = {",": "comma", "\t": "tab"}
ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with a BOM", "cp1252": "Windows-1252"}

DELIMITERS = ",;\t|"
# Bytes and rows that are looked at: what is between the columns is the same in all of them.
SAMPLE, ROWS = 2**18, 200
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# In text of UTF-16 so many of the bytes on one side are zero: separators, digits, letters of most of Europe.
ZEROS = 0.3
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
HIGH = re.compile(rb"[\x80-\xff]+")
UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# What Windows-1252 has at these places does not stand between letters; letters of other encodings do.
NOT_WESTERN = re.compile(rb"[\x83\x86-\x88\x98]|[A-Za-z][\xa1-\xa9\xab\xac\xae-\xb3\xb6\xb8\xb9\xbb-\xbf][A-Za-z]")
# Of the bytes beyond ASCII so many are in rows of three or more: elsewhere words are made of them.
RUNS = 0.1


@dataclass(frozen=True)
class FileForm:
    r"""How a file is written.

    Attributes
    ----------
    format : str
        A key of `sskpca._tables.stream.FORMATS`.
    delimiter, encoding, line_end : str
        Of CSV.
    separator_line : bool
        Is the first line of a CSV ``sep=`` and the delimiter, as Excel has it?
    decimal : {".", ","}
    decimal_columns, percent_columns, currency_columns : tuple of str
        Columns of CSV whose numbers have a decimal comma, a percent sign, or a sign of money.
    n_blank : int
        Columns without a name and without a cell; left out.
    array : bool
        Is JSON one list?
    sheet : str
    other_sheets : tuple of str
        Other sheets of the workbook that have cells.
    notes : tuple of str
        What the owner of the file should know.

    Examples
    --------
    >>> print(FileForm("csv", ";", "cp1252", decimal=",").sentence)
    ; separated, decimal commas, Windows-1252
    """

    format: str
    delimiter: str = ","
    encoding: str = "utf-8"
    line_end: str = "\n"
    separator_line: bool = False
    decimal: str = "."
    decimal_columns: tuple[str, ...] = ()
    percent_columns: tuple[str, ...] = ()
    currency_columns: tuple[str, ...] = ()
    n_blank: int = 0
    array: bool = False
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether it is CSV or TSV."""
        return self.format in ("csv", "tsv")

    @property
    def is_usual(self) -> bool:
        """Whether there is nothing to tell that its name does not."""
        mark = "\t" if self.format == "tsv" else ","
        usual = FileForm(self.format, mark, line_end=self.line_end, array=self.format == "json", sheet=self.sheet)
        return replace(self, notes=()) == usual

    @property
    def sentence(self) -> str:
        """What was found out, in words."""
        parts = []
        if self.is_text:
            parts.append(f"{MARKS.get(self.delimiter, self.delimiter)} separated")
            if self.separator_line:
                parts.append("a first line sep=")
            if self.decimal == ",":
                parts.append("decimal commas")
            if self.percent_columns:
                parts.append("percent signs")
            if self.currency_columns:
                parts.append("currency signs")
            parts.append(encoding_name(self.encoding))
        elif self.format == "xlsx":
            parts.append(f'the sheet "{self.sheet}" of an Excel workbook')
            if self.other_sheets:
                names = ", ".join(f'"{name}"' for name in self.other_sheets)
                choice = setting("sheet", "NAME")
                parts.append(f"the first with a table; others have cells, too: {names} ({choice} to change)")
        else:
            parts.append("a JSON array" if self.array else NAMES[self.format])
        if self.n_blank:
            columns = "1 column" if self.n_blank == 1 else f"{self.n_blank} columns"
            parts.append(f"{columns} without a name and without cells left out")
        return ", ".join(parts)


@dataclass(frozen=True)
class FileTable:
    """A table that was read from a file.

    Attributes
    ----------
    table : pyarrow.Table
        To be learned from: numbers have a decimal point.
    form : FileForm
    originals : dict
        By name, the cells of columns that are not in `table` as they are in the file: text of CSV, or values of a
        workbook.
    header : dict
        Names of columns that are no text in the workbook: numbers, dates.
    lines : bytes, optional
        Of JSON: the rows as they are, one a line.
    label_column : str
        Labels that are found are written as they stand in this column, if it is known.
    """

    table: pa.Table
    form: FileForm
    originals: dict[str, Cells] = field(default_factory=dict)
    header: dict[str, object] = field(default_factory=dict)
    lines: bytes | None = None
    label_column: str = ""


def detect_encoding(name: str, sample: bytes, whole: bool) -> str:
    """Find the encoding of a text: by its byte order mark, as UTF-8, UTF-16, or as Windows-1252.

    Parameters
    ----------
    name : str
        Of the file, for the sentence.
    sample : bytes
        How it begins.
    whole : bool
        Is that all?

    Returns
    -------
    str
        As Python calls it.

    Raises
    ------
    TableError
        It may be one of several.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if sample.startswith(mark):
            return encoding
    wide = _without_mark(sample[:SAMPLE])
    if wide:
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, whole)
    except UnicodeDecodeError as error:
        line = sample[: error.start].count(b"\n") + 1
        if _is_western(sample):
            return "cp1252"
        raise TableError(
            f"{name} is not in UTF-8 (line {line}), and it is not clear in which encoding it is; give "
            f"{setting('encoding', 'cp1252')} or another, or save it in UTF-8."
        ) from None
    return "utf-8"


def _without_mark(sample: bytes) -> str | None:
    """Recognize UTF-16 by the zeros in it."""
    pairs = len(sample) // 2
    low, high = sample[: 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    if pairs and max(low, high) >= ZEROS * pairs and min(low, high) == 0:
        encoding = "utf-16-le" if high > low else "utf-16-be"
        try:
            codecs.getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            return None
        return encoding
    return None


def _is_western(sample: bytes) -> bool:
    """Tell whether it is text in Windows-1252, of which Latin-1 is a part, and not a damaged or another one."""
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    runs = HIGH.findall(sample)
    n_high = sum(map(len, runs))
    in_runs = sum(len(run) for run in runs if len(run) >= 3)
    as_utf8 = sum(map(len, UTF8.findall(sample)))
    if in_runs > RUNS * n_high or 2 * as_utf8 > n_high:
        return False
    return not CONTROL.search(sample) and not NOT_WESTERN.search(sample)


def detect_form(name: str, format: str, sample: bytes, whole: bool, options: FileOptions) -> FileForm:
    """Find out how CSV or TSV is written; what is given is not looked for.

    Raises
    ------
    TableError
        It can be read in several ways.
    """
    encoding = codecs.lookup(options.encoding).name if options.encoding else detect_encoding(name, sample, whole)
    if encoding == "utf-8" and sample.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    text = codecs.getincrementaldecoder(encoding)("replace").decode(sample[:SAMPLE]).removeprefix("\ufeff")
    first, end, rest = _first_line(text)
    said = re.fullmatch(r"sep=(.)", first.strip('"'), re.IGNORECASE)
    if said:
        text = rest
        end = _first_line(rest)[1]
    usual = "\t" if format == "tsv" else ","
    cut = not whole or len(sample) > SAMPLE
    delimiter = options.delimiter or (said.group(1) if said else _detect_delimiter(name, text, cut, usual))
    return FileForm(format, delimiter, encoding, "\r\n" if end == "\r\n" else "\n", separator_line=said is not None)


def _first_line(text: str) -> tuple[str, str, str]:
    found = re.search(r"\r\n|\n|\r", text)
    return (text[: found.start()], found.group(), text[found.end() :]) if found else (text, "", "")


def _detect_delimiter(name: str, text: str, cut: bool, usual: str) -> str:
    """Find the mark that is in the names, and as often in every row."""
    widths = {mark: _widths(text, mark, cut) for mark in DELIMITERS}
    possible = {mark: found[0] for mark, found in widths.items() if found and found[0] > 1}
    if not possible:
        _refuse_spaces(name, text, cut)
    if not possible or (usual == "\t" and usual in possible):  # as the name of the file says
        return usual
    if len(possible) == 1:
        return next(iter(possible))
    even = [mark for mark in possible if len({*widths[mark]}) == 1]
    widest = max(possible, key=lambda mark: possible[mark])
    if not even:  # a row has too many cells: which one is said when it is read
        return usual if usual in possible else widest
    others = [width for mark, width in possible.items() if mark in even and mark != widest]
    if widest in even and (not others or possible[widest] >= 2 * max(others)):
        return widest
    shown = " or ".join('"tab"' if mark == "\t" else f'"{mark}"' for mark in possible)
    raise TableError(
        f"{name} may have {shown} between its columns; say which by {setting('delimiter', next(iter(possible)))}, or "
        "the other."
    )


def _refuse_spaces(name: str, text: str, cut: bool) -> None:
    """Refuse columns with spaces between them: how many of them, and whether cells have some, is not known."""
    words = [len(line.split()) for line in text.splitlines()[: -1 if cut else None][:ROWS] if line.strip()]
    if len(words) > 2 and words[0] > 2 and len({*words}) == 1:
        raise TableError(
            f"{name} seems to have spaces between its columns; give {setting('delimiter', ' ')} if it is one each, "
            "or save it with commas or tabs."
        )


def _widths(text: str, delimiter: str, cut: bool) -> list[int]:
    """Count the cells of the names and the first rows; the last one may be cut off."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        found = [len(row) for row in islice(reader, ROWS) if row]
    except csv.Error:
        return []
    return found[:-1] if cut and len(found) > 1 and len(found) < ROWS else found


def encoding_name(encoding: str) -> str:
    """Return how people call an encoding."""
    return ENCODINGS.get(encoding, encoding.upper())
