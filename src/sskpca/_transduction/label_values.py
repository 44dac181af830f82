"""Labels as they are given: values of one type, and marks that mean "unlabelled"."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import column_or_1d

from sskpca._linalg.array import Column, LabelsLike
from sskpca._parameters import callers_level

__all__ = ["SUSPICIOUS", "Marks", "homogeneous", "label_values"]

# Text that says "missing" or "unlabelled" in numbers: as a class name it is an accident more often than not.
SUSPICIOUS = (
    *("nan", "none", "null", "<na>", "na", "n/a", "-1", "?", "-"),
    *("unknown", "missing", "unlabeled", "unlabelled", "not labeled", "not labelled"),
    *("todo", "to do", "to-do", "tbd", "tba", "pending"),
)

# What a label can be: whatever else is equal or not, these can be sorted, stored and shown.
KINDS = (str, bool, np.bool_, int, np.integer, float, np.floating)


@dataclass(frozen=True)
class Marks:
    """What says "unlabelled" in a column of labels, besides missing values.

    Attributes
    ----------
    values : tuple
        Text and numbers.
    automatic : bool
        They are not the user's.
    only_null : bool
        There are none: even blank text is a class, and so is text that looks like a mark.
    """

    values: tuple[object, ...] = ()
    automatic: bool = False
    only_null: bool = False

    @classmethod
    def of(cls, unlabeled: Any) -> "Marks":
        """Read the parameter `unlabeled` of the estimators."""
        if unlabeled is None:
            return cls(only_null=True)
        if isinstance(unlabeled, str) and unlabeled == "auto":
            return cls((-1,), automatic=True)
        listed = list(unlabeled) if isinstance(unlabeled, set | frozenset) else unlabeled
        try:
            if isinstance(listed, str) or np.ndim(listed) == 0:
                listed = [listed.item() if isinstance(listed, np.ndarray) else listed]
            marks = [value.item() if isinstance(value, np.generic) else value for value in label_values(listed)]
            if "auto" in [mark for mark in marks if isinstance(mark, str)]:
                raise ValueError
        except ValueError:
            raise ValueError(
                f'unlabeled must be "auto", None, or a mark or list of marks, text or numbers, got {unlabeled!r}.'
            ) from None
        return cls(tuple(mark for mark in marks if mark is not None))

    def missing(self, values: Column, classes: Iterable[object] = ()) -> NDArray[np.bool_]:
        """Say which labels are none: null or blank, or one of the marks that is not one of the `classes`."""
        found = np.array([v is None or (isinstance(v, str) and self._is_blank(v)) for v in values], dtype=bool)
        known = np.fromiter(classes, dtype=object)
        for mark in self.values:
            if not _equal(known, mark).any():
                found |= _equal(values, mark)
        return found

    def doubtful(self, names: Iterable[object]) -> list[object]:
        """List names of classes that are most likely marks: by what they say, or but for type, capitals and blanks."""
        if self.only_null:
            return []
        near = {_spelt(mark) for mark in self.values}
        return [
            name
            for name in names
            if (isinstance(name, str) and name.strip().lower() in SUSPICIOUS)
            or (_spelt(name) in near and name not in self.values)
        ]

    def check(self, names: Iterable[object], values: Column) -> None:
        """Refuse names of classes that are most likely marks; `values` are those that they come from."""
        doubtful = self.doubtful(names)
        if not doubtful:
            return
        used = [mark for mark in self.values if _equal(values, mark).any()]
        # Without marks these, and blank text, would be classes.
        lost = used or any(isinstance(v, str) and self._is_blank(v) for v in values)
        but = "" if self.automatic or not self.values else f" but is not unlabeled={_shown(self.values)}"
        raise ValueError(
            f"y has a class called {doubtful[0]!r}, which looks like a mark for unlabelled rows{but}; pass "
            f"unlabeled={_shown([*used, *doubtful])} if it is, or "
            f"{'write None for unlabelled rows and pass ' if lost else ''}unlabeled=None if it is a class."
        )

    def _is_blank(self, text: str) -> bool:
        return not self.only_null and not text.strip()


def _shown(marks: Iterable[object]) -> str:
    listed = list(marks)
    return repr(listed[0] if len(listed) == 1 else listed)


def _spelt(value: object) -> float | str:
    """Write -1, "-1" and " -1.0" in one way, and "Unknown " and "unknown"."""
    text = str(value).strip().lower()
    try:
        return float(text)
    except ValueError:
        return text


def _equal(values: Column, mark: object) -> NDArray[np.bool_]:
    """Compare without letting numbers equal text, or True equal 1."""
    numeric = isinstance(mark, Number) and not isinstance(mark, bool | np.bool_)
    return np.array(
        [
            (isinstance(v, Number) and not isinstance(v, bool | np.bool_) and v == mark)
            if numeric
            else (type(v) is type(mark) or (isinstance(v, str) and isinstance(mark, str))) and v == mark
            for v in values
        ],
        dtype=bool,
    )


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
