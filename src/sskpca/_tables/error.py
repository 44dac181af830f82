"""What is wrong with a table, and what to do about it."""

from collections.abc import Callable, Iterable
from typing import Any

from sskpca._tables.row_names import row_name

__all__ = ["TableError", "failures", "listed", "quoted", "row_name", "setting", "together"]


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


def setting(parameter: str, value: Any) -> str:
    """Write a choice as a call has it; the command line turns it into an option.

    Examples
    --------
    >>> setting("use", ["code"]), setting("unlabeled", None), setting("memory", "2GB")
    ('use=["code"]', 'unlabeled=None', 'memory="2GB"')
    """
    return f"{parameter}={_literal(value)}"


def _literal(value: Any) -> str:
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
