"""Rows that were not saved with a model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from sskpca.linalg.array import Indices
from sskpca.rows import Rows

__all__ = ["AbsentRows"]


@dataclass(frozen=True)
class AbsentRows(Rows):
    """As many rows as a model was fitted to, none of which is there.

    New rows can be predicted without them; whatever needs them says that they are missing.

    Attributes
    ----------
    n_rows, n_columns : int

    Examples
    --------
    >>> AbsentRows(1_000_000, 10).shape
    (1000000, 10)
    """

    n_rows: int
    n_columns: int

    def take(self, rows: Indices) -> NoReturn:
        """Refuse."""
        raise self._missing()

    def blocks(self, size: int) -> Iterator[Any]:
        """Refuse."""
        raise self._missing()

    def _missing(self) -> ValueError:
        return ValueError(
            f"the model was saved without the {self.n_rows:,} rows it was fitted to: it predicts new rows, and nothing "
            "else; fit it again to change labels or to ask about its rows."
        )
