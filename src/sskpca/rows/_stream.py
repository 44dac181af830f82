"""Rows that come in blocks: from wherever the user has them, or from Parquet files, read as they are needed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Indices, Matrix
from sskpca.rows._arrays import floats
from sskpca.rows._source import Rows, blocks_of

__all__ = ["BlockRows", "ParquetRows", "as_matrix", "joined"]

# Rows that are read at a time.
BATCH = 65_536


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


class ParquetRows(BlockRows):
    """Columns of numbers of a Parquet data set, never all in memory.

    Parameters
    ----------
    path : str or Path
        A file, or a folder of files with the same columns.
    columns : sequence of str or None, default=None
        Columns to read; all that hold numbers by default.

    Notes
    -----
    Needs pyarrow: ``pip install "sskpca[cli]"``. Missing values are an error where they are met.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> from sskpca.rows import ParquetRows
    >>> path = Path(tempfile.mkdtemp()) / "heights.parquet"
    >>> pq.write_table(pa.table({"height": [1.0, 2.0, 3.0], "name": ["a", "b", "c"]}), path)
    >>> ParquetRows(path).shape  # the name is no number
    (3, 1)
    """

    def __init__(self, path: str | Path, columns: Sequence[str] | None = None) -> None:
        try:
            import pyarrow as pa
            from pyarrow import dataset
        except ModuleNotFoundError:
            raise ModuleNotFoundError('ParquetRows needs pyarrow: pip install "sskpca[cli]".') from None
        if not Path(path).exists():
            raise FileNotFoundError(f"ParquetRows: there is no {path}.")
        self.path = path
        with _readable(path):
            self._data: Any = dataset.dataset(str(path), format="parquet")
        kinds = {field.name: field.type for field in self._data.schema}
        usable = [
            name
            for name, kind in kinds.items()
            if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        ]
        self.columns = usable if columns is None else list(columns)
        wrong = [name for name in self.columns if name not in usable]
        if wrong or not self.columns:
            what = f"the column {wrong[0]!r} is missing or holds no numbers" if wrong else "no column holds numbers"
            raise ValueError(f"ParquetRows: {what}; the columns with numbers are {', '.join(usable) or 'none'}.")
        self.names = self.columns
        self._listed: list[Any] | None = self.columns
        self.n_columns, self.n_rows = len(self.columns), 0
        for part in self._data.get_fragments():
            with _readable(part.path):
                self.n_rows += int(part.count_rows())

    def start(self) -> Iterator[Any]:
        """Read the file from the beginning."""
        from pyarrow import dataset

        # Nothing is read ahead: the budget of the memory is for blocks.
        lean = dataset.ParquetFragmentScanOptions(pre_buffer=False)
        options = {"batch_readahead": 0, "fragment_readahead": 0, "fragment_scan_options": lean}
        for part in self._data.get_fragments():
            with _readable(part.path):
                yield from part.to_batches(self._data.schema, columns=self.columns, batch_size=BATCH, **options)

    def take(self, rows: Indices) -> Matrix:
        """Read rows by their numbers."""
        with _readable(self.path):
            return as_matrix(self._data.take(list(map(int, rows)), columns=self.columns))


@contextmanager
def _readable(path: str | Path) -> Iterator[None]:
    """Refuse a file that Arrow cannot read, by its name."""
    import pyarrow as pa

    try:
        yield
    except (PermissionError, MemoryError):
        raise
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"ParquetRows: {path} is no Parquet file, or a damaged one ({str(error).splitlines()[0]}); write it anew."
        ) from None
