"""Numbers of CSV as people write them, made plain: decimal commas, separators of thousands, per cent and money."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._tables.cells import NO_NUMBER, NUMBER, Cells, all_numbers, is_missing, matches, texts
from sskpca._tables.error import TableError, setting
from sskpca._tables.file_form import FileForm

__all__ = ["PlainNumbers", "plain_numbers"]

# Cells by which a column is known not to be of numbers.
SAMPLE = 100
EXPONENT = r"([eE][+-]?\d+)?$"
WHOLE = r"^[+-]?\d+$"
COMMA = rf"^[+-]?(\d+|\d*,\d+){EXPONENT}"
POINT = rf"^[+-]?(\d+|\d*\.\d+){EXPONENT}"
# With three digits after it, a mark may stand between thousands; but not after a zero.
DOUBTFUL = {",": r"^[+-]?[1-9]\d{0,2},\d{3}$", ".": r"^[+-]?[1-9]\d{0,2}\.\d{3}$"}
SPACES = r"' \x{a0}\x{202f}"
OTHER = {",": ".", ".": ","}
DIGITS = rf"[+-]?[\d.,{SPACES}]*\d"
SIGNS = {"percent": rf"^{DIGITS}\s*%$", "currency": rf"^[+-]?[$€£¥]\s*{DIGITS}$|^{DIGITS}\s*[$€£¥]$"}


def _grouped(decimal: str) -> str:
    """Return the pattern of a number with separators of thousands."""
    return rf"^[+-]?(\d+|\d{{1,3}}([{OTHER[decimal]}{SPACES}]\d{{3}})+)?([{decimal}]\d*)?{EXPONENT}"


@dataclass(frozen=True)
class PlainNumbers:
    """A table whose numbers can be read, and how they were written.

    Attributes
    ----------
    table : pyarrow.Table
    originals : dict
        The columns that were changed, as they were.
    form : FileForm
    """

    table: pa.Table
    originals: dict[str, Cells]
    form: FileForm


def plain_numbers(name: str, table: pa.Table, form: FileForm, decimal: str | None) -> PlainNumbers:
    """Write the numbers of a CSV with a decimal point and nothing else, column by column.

    A column is changed if all its cells are numbers or say that there is none. Decimal commas are looked for where the
    columns have another mark between them; separators of thousands are taken for such if nothing else can be meant, or
    if the decimal mark is given.

    Parameters
    ----------
    name : str
        Of the file, for sentences.
    table : pyarrow.Table
        Of text.
    form : FileForm
    decimal : {".", ","}, optional
        As given by the owner.

    Raises
    ------
    TableError
        A number can be read in two ways, such as 1,234.
    """
    text = {key: _Column(column) for key, column in zip(table.column_names, table.columns, strict=True)}
    changed: dict[str, Cells] = {}
    notes: list[str] = []
    if decimal is not None:
        for key, column in text.items():
            if column.all_match(_grouped(decimal)) and not column.all_match(POINT if decimal == "." else WHOLE):
                changed[key] = _ungrouped(column.text, decimal)
        marks = dict.fromkeys(changed, decimal)
    else:
        marks = dict.fromkeys(_with_commas(name, text), ",") if form.delimiter != "," else {}
        changed = {key: text[key].with_points for key in marks}
        grouped = _with_thousands(name, {key: column for key, column in text.items() if key not in marks}, form)
        marks |= grouped
        changed |= {key: _ungrouped(text[key].text, mark) for key, mark in grouped.items()}
        notes = [_thousands_note(key, text[key], changed[key]) for key in grouped]
    commas = [key for key, mark in marks.items() if mark == "," and text[key].has(",")]
    signed = [key for key, column in text.items() if column.sign and (key in changed or column.all_match(POINT))]
    changed |= {key: text[key].text for key in signed if key not in changed}
    originals = {key: table.column(key) for key in changed}
    for key, column in changed.items():
        table = table.set_column(table.column_names.index(key), key, column)
    form = replace(
        form,
        decimal="," if commas or decimal == "," else ".",
        decimal_columns=tuple(commas),
        percent_columns=tuple(key for key in signed if text[key].sign == "percent"),
        currency_columns=tuple(key for key in signed if text[key].sign == "currency"),
        notes=(*form.notes, *notes),
    )
    return PlainNumbers(table, originals, form)


class _Column:
    """The cells of a column, without signs of per cent or money if all numbers have one."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        first = texts(cells.slice(0, SAMPLE))
        real = ~is_missing(first, NO_NUMBER)
        self.sign = next(
            (sign for sign, p in SIGNS.items() if real.any() and matches(first, p)[real].all() and self._only(p)), ""
        )
        self.first = _without_sign(first) if self.sign else first
        self.real_first = real

    @cached_property
    def text(self) -> Cells:
        return _without_sign(texts(self.cells)) if self.sign else texts(self.cells)

    @cached_property
    def with_points(self) -> Cells:
        return pc.replace_substring(self.text, ",", ".")

    def _only(self, pattern: str) -> bool:
        text = texts(self.cells)
        real = ~is_missing(text, NO_NUMBER)
        return bool(matches(text, pattern)[real].all())

    def has(self, mark: str) -> bool:
        return bool(pc.any(pc.match_substring(self.cells, mark)).as_py())

    def all_match(self, pattern: str) -> bool:
        """Tell whether all numbers match; the first few are looked at first."""
        if not matches(self.first, pattern)[self.real_first].all():
            return False
        real = ~is_missing(self.text, NO_NUMBER)
        return bool(real.any() and matches(self.text, pattern)[real].all())

    def has_decimal_commas(self) -> bool:
        """Tell whether all are numbers, and all decimal marks commas."""
        if not matches(self.first, COMMA)[self.real_first].all() or not self.has(","):
            return False
        if not self.has(".") and all_numbers(self.with_points) is not None:
            return True  # as of most columns, in a tenth of the time
        return self.all_match(COMMA)

    def only_with(self, mark: str, pattern: str) -> bool:
        """Tell whether all cells that have a mark match; the first few are looked at first."""
        first = np.asarray(pc.match_substring(self.first, mark).to_numpy(zero_copy_only=False), dtype=bool)
        if not matches(self.first, pattern)[first & self.real_first].all():
            return False
        marked = np.asarray(pc.match_substring(self.text, mark).to_numpy(zero_copy_only=False), dtype=bool)
        marked &= ~is_missing(self.text, NO_NUMBER)
        return bool(matches(self.text, pattern)[marked].all())

    def shown(self, mark: str) -> str:
        return str(self.text.filter(pc.match_substring(self.text, mark))[0].as_py())


def _with_commas(name: str, text: dict[str, _Column]) -> list[str]:
    """List the columns whose numbers have a decimal comma."""
    found = [key for key, column in text.items() if column.has_decimal_commas()]
    if not found:
        return []
    doubtful = [key for key in found if text[key].only_with(",", DOUBTFUL[","])]
    points = [key for key, column in text.items() if key not in found and column.has(".") and column.all_match(POINT)]
    odd = [key for key in points if text[key].only_with(".", DOUBTFUL["."])]
    if doubtful and (len(doubtful) == len(found) or len(points) > len(odd)):
        raise _doubt(name, doubtful[0], text[doubtful[0]].shown(","), ",")
    if odd:
        raise _doubt(name, odd[0], text[odd[0]].shown("."), ".")
    return found


def _doubt(name: str, key: str, cell: str, mark: str) -> TableError:
    other = OTHER[mark]
    return TableError(
        f'{name} has "{cell}" in "{key}", which may be {cell.replace(mark, ".")} or {cell.replace(mark, "")}; give '
        f"{setting('decimal', mark)} for the first, or {setting('decimal', other)} for the second."
    )


def _with_thousands(name: str, text: dict[str, _Column], form: FileForm) -> dict[str, str]:
    """Return the columns whose numbers have separators of thousands, each with its decimal mark."""
    found: dict[str, str] = {}
    for decimal in ",.":
        pattern = _grouped(decimal)
        for key, column in text.items():
            if (
                key not in found
                and matches(column.first, rf"[{OTHER[decimal]}{SPACES}]\d{{3}}")[column.real_first].any()
                and column.all_match(pattern)
                and not column.all_match(NUMBER)
                and not column.all_match(COMMA)
            ):
                found[key] = decimal
    if form.delimiter != ",":
        return found
    # Here commas alone, always before three digits, are in doubt until another number has a decimal point.
    doubtful = [
        key
        for key, column in text.items()
        if key not in found
        and matches(column.first, r",\d{3}$")[column.real_first].any()
        and column.only_with(",", DOUBTFUL[","])
        and column.all_match(COMMA)
    ]
    points = "." in found.values() or any(
        column.has(".") and column.all_match(POINT) and not column.only_with(".", DOUBTFUL["."])
        for key, column in text.items()
        if key not in found
    )
    if doubtful and not points:
        raise _doubt(name, doubtful[0], text[doubtful[0]].shown(","), ",")
    return found | dict.fromkeys(doubtful, ".")


def _thousands_note(key: str, column: _Column, plain: Cells) -> str:
    """Show how a number is read that has separators of thousands."""
    row = int(np.flatnonzero(matches(column.text, rf"\d[.,{SPACES}]\d{{3}}"))[0])
    return (
        f'the numbers in "{key}" have separators of thousands: {column.text[row].as_py()} is read as '
        f"{plain[row].as_py()}."
    )


def _ungrouped(text: Cells, decimal: str) -> Cells:
    plain = pc.replace_substring_regex(text, rf"(\d)[{OTHER[decimal]}{SPACES}](\d)", r"\1\2")
    plain = pc.replace_substring_regex(plain, rf"(\d)[{OTHER[decimal]}{SPACES}](\d)", r"\1\2")  # 1.2.3 overlap
    return pc.replace_substring(plain, decimal, ".")


def _without_sign(text: Cells) -> Cells:
    return pc.replace_substring_regex(text, r"[$€£¥]\s*|\s*[%$€£¥]$", "")
