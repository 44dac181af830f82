"""Tables from pandas, polars, Arrow and NumPy, as Arrow tables."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import scipy.sparse
from narwhals.exceptions import DuplicateError
from sklearn.utils.validation import check_array

from sskpca._tables.error import TableError

__all__ = ["as_arrow", "is_frame"]


def is_frame(X: Any) -> bool:
    """Return whether X is a table whose columns have names: of pandas, polars, Arrow or others that narwhals knows."""
    try:
        return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)
    except DuplicateError:
        names = [str(name) for name in X.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise TableError(f'two columns are called "{twice}"; rename one.') from None


def as_arrow(X: Any) -> pa.Table:
    """Return a table of another library, or an array of rows, as an Arrow table.

    Columns of mixed types become text. The columns of an array are called x0, x1, ...; of one of numbers, NaN is
    missing and infinity is refused.

    Raises
    ------
    TableError
        Columns have the same name.
    ValueError
        An array is not two-dimensional, sparse, complex or empty, as scikit-learn says it.
    """
    if isinstance(X, pa.Table):
        table = X
    elif is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        table = pa.table({str(name): _column(frame[name]) for name in frame.columns})
    else:
        array = _array(X)
        table = pa.table({f"x{i}": _cells(column) for i, column in enumerate(array.T)})
    return table


def _column(series: Any) -> Any:
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return _cells(series.to_numpy())


def _cells(column: Any) -> Any:
    """Return a column of an array; of objects of several types, as text."""
    if column.dtype.kind != "O":
        return pa.array(np.ascontiguousarray(column), from_pandas=True)
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        missing = [cell is None or cell != cell for cell in column]
        return pa.array([None if gone else str(cell) for cell, gone in zip(column, missing, strict=True)], pa.string())


def _array(X: Any) -> Any:
    if scipy.sparse.issparse(X):
        raise TypeError("Sparse data was passed to TableEncoder, but dense data is required. Use '.toarray()'.")
    given = X if hasattr(X, "dtype") or hasattr(X, "__array__") else np.asarray(X, dtype=object)
    numeric = np.asarray(given).dtype.kind in "biufc"
    array = check_array(
        given, dtype="numeric" if numeric else None, ensure_all_finite="allow-nan" if numeric else False
    )
    return array
