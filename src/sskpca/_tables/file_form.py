"""How a file is written, found out or given; and a table with what is needed to write it the same way."""

from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from sskpca._tables.error import setting

__all__ = ["FileForm", "FileTable"]

NAMES = {"parquet": "Parquet", "arrow": "Arrow", "jsonl": "JSON lines", "json": "JSON lines", "xlsx": "Excel"}
MARKS = {",": "comma", "\t": "tab"}
ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with a BOM", "cp1252": "Windows-1252"}


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
    decimal_columns, percent_columns : tuple of str
        Columns of CSV whose numbers have a decimal comma (or separators of thousands), or a percent sign.
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
            parts.append(ENCODINGS.get(self.encoding, self.encoding.upper()))
        elif self.format == "xlsx":
            parts.append(f'the sheet "{self.sheet}" of an Excel workbook')
            if self.other_sheets:
                names = ", ".join(f'"{name}"' for name in self.other_sheets)
                choice = setting("sheet", "NAME")
                parts.append(f"the first with cells; others have some, too: {names} ({choice} to change)")
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
    originals: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    lines: bytes | None = None
    label_column: str = ""
