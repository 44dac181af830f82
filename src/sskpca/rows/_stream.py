"""Rows that come in blocks from wherever the user has them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Indices, Matrix
from sskpca.rows._arrays import floats
from sskpca.rows._source import Rows, blocks_of

__all__ = ["BlockRows", "as_matrix", "joined"]


class BlockRows(Rows):
    """Blocks of rows from a function that starts a new pass each time it is called.

    Parameters
    ----------
    start : callable, list or tuple
        Returns an iterable of blocks: arrays, sparse matrices or tables of pandas, polars or Arrow, with the same
        columns and in the same order every time. Or the blocks themselves, if they are all there.
    n_rows : int or None, default=None
        Number of rows; None: one pass counts them.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.rows import BlockRows
    >>> rows = BlockRows(lambda: (np.full((2, 3), float(k)) for k in range(4)))
    >>> rows.shape, [block.shape for block in rows.blocks(3)]
    ((8, 3), [(3, 3), (3, 3), (2, 3)])
    """

    def __init__(self, start: Callable[[], Iterable[Any]] | Sequence[Any], n_rows: int | None = None) -> None:
        if isinstance(start, list | tuple):
            start = partial(iter, start)
        if not callable(start):
            raise ValueError(
                f"BlockRows: blocks are gone through more than once, and a {type(start).__name__} cannot be; pass a "
                "function that starts it anew: BlockRows(lambda: ...), or a list of blocks."
            )
        self.start = start
        if n_rows is not None and n_rows < 1:
            raise ValueError(f"BlockRows: n_rows must be a whole number from 1 up, got {n_rows!r}.")
        first = next(iter(start()), None)
        if first is None:
            raise ValueError("BlockRows: there is no block of rows.")
        self._listed = _names(first)
        if self._listed is not None and all(isinstance(name, str) for name in self._listed):
            self.names = self._listed
        self.n_columns = self._checked(first).shape[1]
        self.n_rows = sum(self._checked(block).shape[0] for block in start()) if n_rows is None else n_rows

    def take(self, rows: Indices) -> Matrix:
        """Find rows by their numbers, in one pass."""
        rows = np.asarray(rows, dtype=np.intp)
        order = np.argsort(rows, kind="stable")
        parts, first, done = [], 0, 0
        if len(rows) == 0:
            return np.empty((0, self.n_columns))
        for block in self._whole():
            end = first + block.shape[0]
            stop = int(np.searchsorted(rows[order], end))
            parts.append(block[rows[order[done:stop]] - first])
            first, done = end, stop
            if done == len(rows):
                break
        if done < len(rows):
            raise ValueError(
                f"{type(self).__name__}: row {rows[order[done]]} was asked for, but {first} rows came in the pass; "
                "start must return all blocks every time it is called."
            )
        return joined(parts)[np.argsort(order, kind="stable")]

    def blocks(self, size: int) -> Iterator[Matrix]:
        """Yield the rows in order, small blocks joined and large ones cut."""
        held: list[Matrix] = []
        number = 0
        for block in self._whole():
            held.append(block)
            number += block.shape[0]
            if number >= size:
                whole = joined(held)
                for part, _ in blocks_of(whole[: number - number % size], size):
                    yield part
                held, number = [whole[number - number % size :]], number % size
        if number:
            yield joined(held)

    def _whole(self) -> Iterator[Matrix]:
        for block in self.start():
            # A copy: who fills the same array for every block would change those that wait.
            matrix = self._checked(block).copy()
            if matrix.shape[1] != self.n_columns:
                raise ValueError(
                    f"{type(self).__name__}: a block has {matrix.shape[1]} columns, the first one {self.n_columns}."
                )
            yield matrix

    def _checked(self, block: Any) -> Matrix:
        """Turn a block into a matrix, if it has rows and columns, and these the names of the first block's."""
        matrix, names = as_matrix(block), _names(block)
        if matrix.ndim != 2:
            raise ValueError(
                f"{type(self).__name__}: a block must have rows and columns, got {matrix.ndim} dimension"
                f"{'s' * (matrix.ndim != 1)}; a single row is block[None], a single column block[:, None]."
            )
        first = self._listed
        if names is not None and first is not None and names != first and len(names) == len(first):
            raise ValueError(
                f"{type(self).__name__}: a block has the columns {', '.join(map(str, names))}, the first one "
                f"{', '.join(map(str, first))}; give all of them the same names in the same order."
            )
        return matrix


def _names(block: Any) -> list[Any] | None:
    """List the names of a table's columns; None of what is no table."""
    names = getattr(block, "column_names", getattr(block, "columns", None))  # of Arrow, or of the others
    return None if names is None else list(names)


def as_matrix(block: Any) -> Matrix:
    """Return a block, an array or a table, as a matrix of floating point numbers."""
    if hasattr(block, "column_names"):  # of Arrow
        columns = [np.asarray(block.column(k).to_numpy(zero_copy_only=False)) for k in range(block.num_columns)]
        block = np.column_stack(columns)
    return floats(block.tocsr() if scipy.sparse.issparse(block) else block)


def joined(parts: list[Matrix]) -> Matrix:
    """Return matrices one below the other."""
    if len(parts) == 1:
        return parts[0]
    return scipy.sparse.vstack(parts, format="csr") if scipy.sparse.issparse(parts[0]) else np.vstack(parts)
