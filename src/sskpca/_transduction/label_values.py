"""Labels out of the columns and lists people have."""

import warnings
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import column_or_1d

from sskpca._linalg.array import Column, LabelsLike
from sskpca._transduction.caller import callers_level

__all__ = ["homogeneous", "label_values"]

# What a label can be: whatever else is equal or not, these can be sorted, stored and shown.
KINDS = (str, bool, np.bool_, int, np.integer, float, np.floating)


def label_values(y: LabelsLike) -> Column:
    """Return labels as objects, None where one is null or not a number.

    Examples
    --------
    >>> label_values([1.0, float("nan"), 2.0])
    array([1.0, None, 2.0], dtype=object)
    """
    listed = _listed(y)
    values = np.fromiter((None if _is_null(value) else value for value in listed), dtype=object, count=len(listed))
    kinds = {type(value) for value in values} - {type(None)}
    for kind in kinds:
        if not issubclass(kind, KINDS):
            raise _odd(next(value for value in values if type(value) is kind))
    if any(issubclass(kind, float | np.floating) for kind in kinds) and any(_is_infinite(value) for value in values):
        raise ValueError("y contains infinity; labels must be class names or numbers.")
    return values


def homogeneous(given: list[Any]) -> Column:
    """Turn labels into an array whose dtype says what they are; refuse to turn numbers into text."""
    if any(isinstance(v, str) for v in given):
        if not all(isinstance(v, str) for v in given):
            other = next(v for v in given if not isinstance(v, str))
            raise ValueError(
                f"y mixes text with {type(other).__name__} values such as {other!r}; make all labels text, or all "
                "numbers."
            )
        if any("\0" in v for v in given):
            raise ValueError(f"the label {next(v for v in given if chr(0) in v)!r} has a NUL character; take it out.")
        # What the text is, not what it says of itself: members of an Enum that are text have names, too.
        return np.array([str.__str__(v) for v in given], dtype=str)
    truths = [isinstance(v, bool | np.bool_) for v in given]
    if any(truths) and not all(truths):
        raise ValueError("y mixes True and False with numbers; make all labels the one, or the other.")
    array = np.array(given)
    if array.dtype.kind == "O":
        raise ValueError(f"y has numbers as large as {max(given, key=abs)}; turn them into text, y.astype(str).")
    return array


def _listed(y: LabelsLike) -> Any:
    """Return a list of the labels of all rows."""
    if isinstance(y, str):
        raise ValueError(f"y must hold a label for each row, got the text {y!r}; pass table[{y!r}].")
    if isinstance(y, np.ma.MaskedArray):
        hidden, y = np.ma.getmaskarray(y), y.data.astype(object)
        y[hidden] = None
    if type(y).__name__.endswith("Index"):  # of pandas
        y = y.to_series()
    column: Any = nw.from_native(y, allow_series=True, pass_through=True)
    if isinstance(column, nw.LazyFrame):
        raise ValueError("y is a lazy table; collect() it first.")
    if isinstance(column, nw.DataFrame):
        if len(column.columns) != 1:
            raise ValueError(f"y must be one column, got a table of {len(column.columns)}; pass table[name].")
        _warn_of_two_dimensions()
        column = column[:, 0]
    if isinstance(column, nw.Series):
        return column.to_list()
    if hasattr(y, "to_pylist"):  # an array of Arrow; a null is None there
        return y.to_pylist()
    if isinstance(y, list | tuple):
        return y
    if type(y).__module__.startswith("pandas."):  # the values of a series: integers with gaps stay integers
        return y.tolist()
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_of_two_dimensions()
    array = column_or_1d(array)
    return list(array) if array.dtype.kind in "mM" else array.tolist()  # which makes numbers of dates


def _warn_of_two_dimensions() -> None:
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected; pass table[name], or y.ravel().",
        DataConversionWarning,
        stacklevel=callers_level(),
    )


def _is_null(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value) if isinstance(value, float | np.floating) else False


def _is_infinite(value: object) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isinf(value))


def _odd(value: object) -> ValueError:
    if isinstance(value, list | tuple | dict | set | np.ndarray):
        return ValueError(
            f"y must hold one label for each row, text or a number, got the {type(value).__name__} {value!r}."
        )
    return ValueError(
        f"labels must be text or numbers, got {type(value).__name__} values such as {value!r}; turn them into text, "
        "y.astype(str), or into numbers."
    )
