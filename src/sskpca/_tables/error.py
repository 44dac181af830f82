"""What is wrong with a table and what to do about it; and what its rows are called, as their owner sees them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

__all__ = [
    "RowNames",
    "TableError",
    "failures",
    "id_column",
    "listed",
    "naming_rows",
    "quoted",
    "row_name",
    "setting",
    "together",
]

# Longer ones are descriptions, and no names.
LONGEST_ID = 40


@dataclass(frozen=True)
class RowNames:
    """How the rows of a table are called.

    Attributes
    ----------
    first : int
        Number of the first row: 2 as a spreadsheet shows it below the header, 1 in a file without one, and 0 in a
        data frame.
    ids : sequence, optional
        A name for each row: the column of ids, or the index of a data frame.
    title : str
        What the names are: the name of the column or of the index.

    Examples
    --------
    >>> RowNames()(16)
    'row 18'
    >>> RowNames(0, ["x9", "x7"], "sample")(1)
    'row 1 (sample x7)'
    """

    first: int = 2
    ids: Sequence[object] | None = None
    title: str = ""

    def __call__(self, row: int) -> str:
        """Name a row, given from 0."""
        own = self.id(row)
        return f"row {self.first + row}" + ("" if own is None else f" ({self.title} {own})")

    def short(self, row: int) -> str:
        """Name a row in a list of rows.

        Examples
        --------
        >>> RowNames().short(16), RowNames(0, ["x9", "x7"], "sample").short(1)
        ('18', '1 (x7)')
        """
        own = self.id(row)
        return f"{self.first + row}" + ("" if own is None else f" ({own})")

    def id(self, row: int) -> str | None:
        """Return the row's own name; None if it has none."""
        if self.ids is None:
            return None
        value = self.ids[int(row)]
        text = str(value.as_py() if isinstance(value, pa.Scalar) else value)
        return text if len(text) <= LONGEST_ID else text[: LONGEST_ID - 1] + "…"

    def with_column(self, table: pa.Table, name: str | None) -> "RowNames":
        """Take a column for the names of the rows, unless they have names already."""
        return self if name is None or self.ids is not None else replace(self, ids=table.column(name), title=name)


_NAMES: ContextVar[RowNames] = ContextVar("row names", default=RowNames())  # noqa: B039, it is frozen


@contextmanager
def naming_rows(names: RowNames) -> Iterator[None]:
    """Call rows so in the messages of the block."""
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


def row_name(row: int) -> str:
    """Name a row, given from 0, as its owner sees it.

    Examples
    --------
    >>> row_name(16)
    'row 18'
    """
    return _NAMES.get()(int(row))


def id_column(table: pa.Table, unused: Sequence[str]) -> str | None:
    """Find the column that names the rows, among those that are not used: short, and different in every row.

    Examples
    --------
    >>> id_column(pa.table({"color": ["red", "red"], "animal": ["A1", "A2"]}), ["color", "animal"])
    'animal'
    """
    return next((name for name in unused if _names_rows(table.column(name))), None)


def _names_rows(column: pa.ChunkedArray) -> bool:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not (text or pa.types.is_integer(kind)) or column.null_count:
        return False
    if text:
        column = pc.cast(column, pa.string())
        lengths = pc.min_max(pc.utf8_length(column)).as_py()
        if lengths["min"] is None or not 0 < lengths["min"] <= lengths["max"] <= LONGEST_ID:
            return False
    return bool(pc.count_distinct(column).as_py() == len(column))


class TableError(ValueError):
    """A table cannot be read, written or learned from; the message is a sentence for its owner.

    Parameters
    ----------
    message : str
        Choices are written as in Python, by `setting`; the command line writes them as its options.
    parameter : str or None, default=None
        The parameter whose value is refused.

    Examples
    --------
    >>> from sskpca import TableError
    >>> print(TableError('the table has no column "colour".', parameter="ignore"))
    ignore: the table has no column "colour".
    """

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.message, self.parameter = message, parameter

    def __str__(self) -> str:
        return f"{self.parameter}: {self.message}" if self.parameter else self.message


def setting(parameter: str, value: object) -> str:
    """Write a choice as a call has it; the command line turns it into an option.

    Examples
    --------
    >>> setting("use", ["code"]), setting("unlabeled", None), setting("memory", "2GB")
    ('use=["code"]', 'unlabeled=None', 'memory="2GB"')
    """
    return f"{parameter}={_literal(value)}"


def _literal(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)


def failures(work: Callable[[], object]) -> tuple[str, ...]:
    """Return what is wrong, if something is, to report it together with another error."""
    try:
        work()
    except TableError as error:
        return (str(error),)
    return ()


def together(first: TableError, others: Iterable[str]) -> TableError:
    """Report all that is wrong at once.

    Examples
    --------
    >>> str(together(TableError("no row has a label; write some in."), ["a row is empty; delete it."]))
    'no row has a label; write some in. Also: a row is empty; delete it.'
    """
    return TableError(" Also: ".join([first.message, *others]), parameter=first.parameter)


def quoted(names: object, most: int = 8) -> str:
    """List names in quotes, the first few of many.

    Examples
    --------
    >>> quoted(["a", "b"])
    '"a", "b"'
    """
    every = [f'"{name}"' for name in names]  # type: ignore[attr-defined]
    return listed(every, most)


def listed(every: list[str], most: int = 8) -> str:
    """Join a list with commas; of many, the first few and how many more."""
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")
