"""What is wrong with a table, and what to do about it."""

__all__ = ["TableError", "listed", "quoted", "row_name"]


class TableError(ValueError):
    """A table cannot be read, written or learned from; the message is a sentence for its owner."""


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
