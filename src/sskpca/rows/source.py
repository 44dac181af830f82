"""What the library needs to know of a data set that may be larger than the memory."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse

from sskpca.linalg.array import Array, Indices
from sskpca.rows.parallel import fold_in_threads, map_in_threads

__all__ = ["Accumulator", "Rows", "as_rows", "finite_answer"]


class Accumulator(Protocol):
    """What is gathered in a pass over the rows."""

    def add(self, block: Any, first: int) -> None:
        """Take in a block, whose first row has the number `first`."""
        ...

    def merge(self, other: Any) -> None:
        """Take in what another one has gathered from other blocks."""
        ...


Gathered = TypeVar("Gathered", bound=Accumulator)


class Rows(ABC):
    """Rows of numbers, all with the same columns.

    Abstract: `take` and `blocks` are what a source must have. One that has workers of its own replaces `fold` and
    `each`, too; all that the library does with the rows goes through these four.

    Attributes
    ----------
    n_rows, n_columns : int
    names : list of str or None
        Of the columns, if they are to be the same in new rows.
    local : bool
        What `each` returns is an array of this process.
    """

    n_rows: int
    n_columns: int
    names: list[str] | None = None
    local = True

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.n_rows, self.n_columns

    @abstractmethod
    def take(self, rows: Indices) -> Any:
        """Return rows by their numbers, in that order: an array or a sparse matrix."""

    @abstractmethod
    def blocks(self, size: int) -> Iterator[Any]:
        """Yield all rows in order, `size` at a time or fewer. May be called again."""

    def fold(self, new: Callable[[], Gathered], size: int) -> Gathered:
        """Gather something from all rows in one pass.

        Blocks are dealt to the threads in turn and what these gather is merged in order, so that the answer does not
        depend on who was faster.
        """
        return fold_in_threads(self._numbered(size), new)

    def each(self, function: Callable[[Any, int], Array], size: int) -> Any:
        """Apply a function of a block and the number of its first row to all blocks; its answers one below the other.

        One row of the answer for each row. Here an array; a source with workers may return something lazy.
        """
        out: Any = None

        def checked(block: Any, first: int) -> Array:
            return np.asarray(finite_answer(function(block, first), block, first))

        for first, part in map_in_threads(self._numbered(size), checked):
            if out is None:
                out = np.empty((self.n_rows, *part.shape[1:]), dtype=part.dtype)
            out[first : first + len(part)] = part
        return out

    def _numbered(self, size: int) -> Iterator[tuple[Any, int]]:
        first = 0
        for block in self.blocks(size):
            yield block, first
            first += block.shape[0]
        if first != self.n_rows:
            raise ValueError(f"{type(self).__name__}: {first} rows came in a pass, {self.n_rows} were announced.")


def finite_answer(answer: Any, block: Any, first: int) -> Any:
    """Return what was found for a block, or refuse it: numbers are missing in it, or too large."""
    if answer.dtype.kind == "f" and not np.isfinite(answer).all():
        values, last = block.data if scipy.sparse.issparse(block) else block, first + block.shape[0] - 1
        if not np.isfinite(values).all():
            raise ValueError(f"the rows {first} to {last} hold NaN or infinity; fill them in or leave them out.")
        raise ValueError(
            f"the rows {first} to {last} hold numbers that are too large for floating point arithmetic; rescale them "
            "or leave them out."
        )
    return answer


def as_rows(X: Any) -> Rows | None:
    """Recognise what is not an ordinary array: a `Rows`, or a collection of Dask; None for anything else."""
    if isinstance(X, Rows):
        return X
    if type(X).__module__.split(".")[0] in ("dask", "dask_expr"):
        # By name: who has no Dask must be able to use everything else.
        return importlib.import_module("sskpca.distributed").dask_rows(X)  # type: ignore[no-any-return]
    return None
