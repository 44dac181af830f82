"""Rows of a Parquet file, or of a folder of them, read as they are needed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sskpca._linalg.array import Indices, Matrix
from sskpca.rows._stream import BlockRows, as_matrix

__all__ = ["ParquetRows"]

# Rows that are read at a time.
BATCH = 65_536


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
