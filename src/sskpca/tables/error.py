"""What is wrong with a table, and what to do about it."""

from collections.abc import Callable, Iterable

__all__ = ["DelimiterError", "TableError", "failures", "listed", "quoted", "row_name", "together"]


class TableError(ValueError):
    """A table cannot be read, written or learned from; the message is a sentence for its owner."""


class DelimiterError(TableError):
    """The columns of a CSV have another mark between them than was said.

    Attributes
    ----------
    mark : str
        What seems to be between them.
    """

    def __init__(self, name: str, mark: str) -> None:
        shown = "tab" if mark == "\t" else mark
        super().__init__(
            f'{name} seems to have "{shown}" between its columns; give --delimiter "{shown}", or save it with commas.'
        )
        self.mark = mark


def failures(work: Callable[[], object]) -> tuple[str, ...]:
    """Say what is wrong, if something is: to tell it beside what is known to be."""
    try:
        work()
    except TableError as error:
        return (str(error),)
    return ()


def together(first: TableError, others: Iterable[str]) -> TableError:
    """Tell all that is wrong at once.

    Examples
    --------
    >>> str(together(TableError("no row has a label; write some in."), ["a row is empty; delete it."]))
    'no row has a label; write some in. Also: a row is empty; delete it.'
    """
    return TableError(" Also: ".join([str(first), *others]))


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


def row_name(row: int) -> str:
    """Name a row, given from 0, as its owner counts.

    Examples
    --------
    >>> row_name(16)
    'row 17'
    """
    return f"row {row + 1:d}"
