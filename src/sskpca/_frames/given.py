"""Tables as they are given, to Arrow and back: what was there stays as it is."""

import os
from abc import ABC, abstractmethod
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sskpca._linalg.array import Indices
from sskpca._tables.columns import is_own
from sskpca._tables.error import RowNames, TableError, quoted
from sskpca._tables.file_form import FileForm, FileTable
from sskpca._tables.options import FileOptions
from sskpca._tables.reading import read_file
from sskpca._tables.results import GUESS, LABEL, SECOND, append_results
from sskpca._tables.stream import source_of

__all__ = ["Given", "given_table"]

# Columns that hold classes: they get the type of the column of labels.
OF_CLASSES = (LABEL, GUESS, SECOND)
# Formats whose first line, or row of a spreadsheet, is the header.
WITH_HEADER = ("csv", "tsv", "xlsx")


@dataclass(frozen=True, eq=False)
class Given(ABC):
    """A table as it was given.

    Attributes
    ----------
    table : pyarrow.Table
    source : str
        What it is called in messages.
    rows : RowNames
    """

    table: pa.Table
    source: str
    rows: RowNames

    @property
    def form(self) -> FileForm | None:
        """How a file was read; None if there was none."""
        return None

    def origin(self, label: str = "") -> FileTable | None:
        """Return what is needed to write a file as it was; None if there was none."""
        return None

    def index_columns(self) -> dict[str, pa.Array]:
        """Return the index of a data frame as columns, by name; none if it has no index, or only counts the rows."""
        return {}

    @abstractmethod
    def extended(self, added: pa.Table, label: str | None = None) -> Any:
        """Return the same kind of table with further columns, in place of those of an earlier result.

        Parameters
        ----------
        added : pyarrow.Table
        label : str, optional
            Column of labels, whose type the columns of classes get.
        """

    @abstractmethod
    def taken(self, table: Any, rows: Indices, name: str) -> Any:
        """Take rows of a table of the same kind; a first column, unless there is an index, has their numbers."""


@dataclass(frozen=True, eq=False)
class ArrowTable(Given):
    """A table of pyarrow, or from a file.

    Attributes
    ----------
    file : FileTable or None
        What is needed to write it as it was.
    """

    file: FileTable | None = None

    @property
    def form(self) -> FileForm | None:
        """How the file was read."""
        return None if self.file is None else self.file.form

    def origin(self, label: str = "") -> FileTable | None:
        """Return the file with the column whose cells labels are written like."""
        return None if self.file is None else replace(self.file, label_column=label)

    def extended(self, added: pa.Table, label: str | None = None) -> pa.Table:
        """Append the columns."""
        return append_results(self.table, added)

    def taken(self, table: pa.Table, rows: Indices, name: str) -> pa.Table:
        """Take rows."""
        return table.take(pa.array(rows)).add_column(0, name, pa.array(np.asarray(rows, dtype=np.int64)))


@dataclass(frozen=True, eq=False)
class PandasFrame(Given):
    """A data frame of pandas; the index and all its columns stay as they are."""

    frame: Any = None

    def index_columns(self) -> dict[str, pa.Array]:
        """Return the levels of the index, unless it only counts the rows."""
        import pandas as pd

        index = self.frame.index
        if index.equals(pd.RangeIndex(len(index))) and index.name is None:
            return {}
        levels = [index.get_level_values(i) for i in range(index.nlevels)]
        names = ["index" if index.nlevels == 1 else f"level_{i}" for i in range(index.nlevels)]
        taken = set(self.table.column_names)
        columns = {}
        for level, name in zip(levels, names, strict=True):
            called = name if level.name is None else str(level.name)
            while called in taken:
                called += "_"
            taken.add(called)
            columns[called] = _index_values(level)
        return columns

    def extended(self, added: pa.Table, label: str | None = None) -> Any:
        """Append the columns."""
        import pandas as pd

        kept = self.frame.loc[:, [not is_own(str(name)) for name in self.frame.columns]]
        dtype = None if label is None else self.frame.iloc[:, self.table.column_names.index(label)].dtype
        new = {
            name: _pandas_values(column, dtype if name in OF_CLASSES else None)
            for name, column in zip(added.column_names, added.columns, strict=True)
        }
        result = pd.concat([kept, pd.DataFrame(new).set_axis(self.frame.index)], axis=1)
        result.attrs = dict(self.frame.attrs)
        return result

    def taken(self, table: Any, rows: Indices, name: str) -> Any:
        """Take rows, which the index names."""
        return table.iloc[np.asarray(rows, dtype=np.intp)]


def _index_values(level: Any) -> pa.Array:
    """Turn a level of an index into a column; what Arrow does not know, into text."""
    with suppress(pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        found = pa.array(level)
        # Intervals, say, are a type of pandas alone, or have two parts.
        if not isinstance(found.type, pa.BaseExtensionType) and not pa.types.is_nested(found.type):
            return found
    return pa.array([str(value) for value in level])


@dataclass(frozen=True, eq=False)
class PolarsFrame(Given):
    """A data frame of polars."""

    frame: Any = None

    def extended(self, added: pa.Table, label: str | None = None) -> Any:
        """Append the columns."""
        import polars as pl

        new: Any = pl.from_arrow(added)
        if label is not None:
            kind = self.frame.schema[label]
            if kind in (pl.Categorical, pl.Enum):
                with suppress(pl.exceptions.PolarsError):  # a class that is written with blanks around it
                    new = new.with_columns(new[name].cast(kind) for name in OF_CLASSES)
        return self.frame.drop([name for name in self.frame.columns if is_own(name)]).hstack(new)

    def taken(self, table: Any, rows: Indices, name: str) -> Any:
        """Take rows."""
        import polars as pl

        return table[np.asarray(rows, dtype=np.int64)].insert_column(0, pl.Series(name, rows, dtype=pl.Int64))


def given_table(table: Any, reading: FileOptions | None = None) -> Given:
    """Take a table of any kind that is understood.

    Parameters
    ----------
    table : DataFrame of pandas or polars, pyarrow.Table, or path-like
        Or whatever else hands out its columns as Arrow does (``__arrow_c_stream__``), as DuckDB does.
    reading : FileOptions, optional
        How a file is written; what is not given is detected.

    Raises
    ------
    TableError
        It is something else, or cannot be read.
    """
    if isinstance(table, str | os.PathLike):
        found = read_file(table, reading)
        name = source_of(table, None if reading is None else reading.format).name
        return ArrowTable(found.table, name, RowNames(2 if found.form.format in WITH_HEADER else 1), found)
    for parameter, value in ({} if reading is None else vars(reading)).items():
        if value is not None:
            raise TableError("only a file has one; leave it out.", parameter=parameter)
    library, kind = type(table).__module__.split(".")[0], type(table).__name__
    if _is_a(table, "pandas", "DataFrame"):
        return PandasFrame(_checked(_from_pandas(table)), "the data frame", _pandas_rows(table.index), table)
    if _is_a(table, "polars", "DataFrame"):
        return PolarsFrame(_checked(_from_polars(table)), "the data frame", RowNames(0), table)
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table) and hasattr(table, "__arrow_c_stream__") and kind != "LazyFrame":
        if kind in ("Series", "ChunkedArray", "Array"):
            raise TableError(f"one column ({kind}) is no table; give a data frame with a column of labels and others.")
        table = pa.table(table)
    if isinstance(table, pa.Table):
        return ArrowTable(_checked(table), "the table", RowNames(0))
    if kind == "LazyFrame" or library == "dask":
        raise TableError(
            f"a {kind} of {library} has no rows yet; call .{'collect' if kind == 'LazyFrame' else 'compute'}() first."
        )
    if isinstance(table, np.ndarray):
        raise TableError(
            "an array has no columns with names; give a data frame, or use sskpca.SSKPCAClassifier().fit(X, y)."
        )
    raise TableError(
        f"a table must be a data frame of pandas or polars, a pyarrow.Table or the path of a file, not a {kind}."
    )


def _is_a(table: object, library: str, name: str) -> bool:
    """Return whether an object is of a class of a library, or of a class derived from it, without importing it."""
    return any(c.__module__.split(".")[0] == library and c.__name__ == name for c in type(table).__mro__)


def _checked(table: pa.Table) -> pa.Table:
    """Refuse a table without columns, without rows, or with a name twice."""
    if table.num_columns == 0:
        raise TableError("the table has no columns; give one with a column of labels and others.")
    twice = sorted(name for name, number in Counter(table.column_names).items() if number > 1)
    if twice:
        raise TableError(f"the table has several columns called {quoted(twice)}; give each column a name of its own.")
    if table.num_rows == 0:
        raise TableError("the table has no rows; add some.")
    return table


def _from_polars(frame: Any) -> pa.Table:
    columns = []
    for name in frame.columns:
        try:
            columns.append(frame[name].to_arrow())
        except Exception:  # what Arrow has no type for, such as whole numbers of 128 bits
            kind = frame.schema[name]
            raise TableError(
                f'the column "{name}" is of the type {kind}, which Arrow does not know; cast or drop it.'
            ) from None
    return pa.table(columns, names=frame.columns)


def _from_pandas(frame: Any) -> pa.Table:
    if frame.columns.nlevels > 1:
        raise TableError(
            "the columns of the data frame have several levels; give each one name, such as "
            'df.columns = ["_".join(map(str, name)) for name in df.columns].'
        )
    columns = [_pandas_column(frame.iloc[:, k]) for k in range(frame.shape[1])]
    return pa.table(columns, names=[str(name) for name in frame.columns])


def _pandas_column(series: Any) -> Any:
    """Convert a column; values that Arrow has no type for, or of several types, become text."""
    import pandas as pd

    if isinstance(series.dtype, pd.SparseDtype):
        series = series.sparse.to_dense()
    try:
        found = pa.array(series, from_pandas=True)
        kind = found.type.value_type if pa.types.is_dictionary(found.type) else found.type
        nested = pa.types.is_dictionary(found.type) and pa.types.is_nested(kind)
        if not isinstance(kind, pa.BaseExtensionType) and not nested:
            return found
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    return pa.array([None if _is_null(value) else str(value) for value in series], pa.string())


def _is_null(value: object) -> bool:
    import pandas as pd

    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def _pandas_rows(index: Any) -> RowNames:
    """Take the index for names, unless it just counts the rows."""
    import pandas as pd

    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return RowNames(0)
    return RowNames(0, index, ", ".join(str(name) for name in index.names if name is not None) or "index")


def _pandas_values(column: Any, dtype: Any) -> Any:
    """Convert a column of results; whole numbers and truth values stay such where some are missing."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        # By name: categories may be numbers, and the names of classes have no blanks around them.
        by_name = {str(value): value for value in dtype.categories}
        values = [None if value is None else by_name.get(str(value)) for value in column.to_pylist()]
        if sum(value is None for value in values) == column.null_count:
            return pd.Categorical(values, dtype=dtype)
    elif dtype is not None and pd.api.types.is_extension_array_dtype(dtype):
        with suppress(TypeError, ValueError):
            return pd.array(column.to_pylist(), dtype=dtype)
    if column.null_count and pa.types.is_integer(column.type):
        return pd.array(column.to_pylist(), dtype="Int64")
    if column.null_count and pa.types.is_boolean(column.type):
        return pd.array(column.to_pylist(), dtype="boolean")
    return column.to_pandas()
