"""What is known of a table before anything is learned from it."""

from dataclasses import dataclass

from sskpca._tables.forecast import Plan
from sskpca._tables.labelling import Column

__all__ = ["Check"]


@dataclass(frozen=True)
class Check:
    """What is known of a table before anything is learned from it.

    Attributes
    ----------
    source : str
        Name of the file.
    n_rows, n_columns : int
    label_column : str
    how : str
        How the column of labels was found.
    counts : dict
        So many labels of each class.
    n_unlabeled : int
    columns : tuple of Column
    notes : tuple of str
    plan : Plan
    warnings : tuple of str
        What may make the answer wrong; see `Labelling`.
    id_column : str or None
        The column that names the rows in messages.
    """

    source: str
    n_rows: int
    n_columns: int
    label_column: str
    how: str
    counts: dict[str, int]
    n_unlabeled: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    plan: Plan
    warnings: tuple[str, ...] = ()
    id_column: str | None = None
