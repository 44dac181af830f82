"""What "unlabelled" looks like in the tables people have, and targets for the solvers."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from numbers import Integral, Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

__all__ = ["Labels", "is_label_table", "labels_by_row", "labels_of_rows", "missing_rows", "named", "read_labels"]

# Text that says "missing" or "unlabelled" in numbers: as a class name it is an accident more often than not.
SUSPICIOUS = (
    *("nan", "none", "null", "<na>", "na", "n/a", "-1", "?", "-"),
    *("unknown", "missing", "unlabeled", "unlabelled", "not labeled", "not labelled"),
    *("todo", "to do", "to-do", "tbd", "tba", "pending"),
)
# From this many labels on, a class for each of them looks like a column of names or measurements.
MANY = 20


@dataclass(frozen=True)
class Labels:
    """Labels of the rows of a data set.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted.
    codes : ndarray of shape (n_samples,)
        Position in `classes`, or -1 for an unlabelled row.
    """

    classes: NDArray[Any]
    codes: NDArray[np.intp]

    @property
    def labeled(self) -> NDArray[np.intp]:
        """Row numbers of the labelled points."""
        return np.flatnonzero(self.codes >= 0)

    def targets(self, k: int) -> NDArray[np.float64]:
        """Return +1 for the labelled points of class `k`, -1 for the others."""
        return np.where(self.codes[self.labeled] == k, 1.0, -1.0)

    def with_labels(self, rows: NDArray[np.intp], values: NDArray[Any]) -> "Labels":
        """Return the labels with those of some rows set."""
        names = self._names()
        names[rows] = values
        return self._of(names, np.union1d(self.labeled, rows))

    def without(self, rows: NDArray[np.intp]) -> "Labels":
        """Return the labels without those of some rows; classes that no row has any more are gone."""
        return self._of(self._names(), np.setdiff1d(self.labeled, rows))

    def completed(self, called: Any) -> Any:
        """Name a class for every row: its label, or the class that it is called by number."""
        if hasattr(called, "map_blocks"):  # of Dask, and lazy
            overlay = _Overlay(self.classes, self.labeled, self.codes[self.labeled])
            # By name: who has no Dask must be able to use everything else.
            return import_module("sskpca.distributed").each_block(called, overlay, self.classes)
        return self.classes[np.where(self.codes >= 0, self.codes, called)]

    def _names(self) -> NDArray[Any]:
        names = np.full(len(self.codes), None, dtype=object)
        names[self.labeled] = self.classes[self.codes[self.labeled]].tolist()
        return names

    def _of(self, names: NDArray[Any], labeled: NDArray[np.intp]) -> "Labels":
        codes = np.full(len(names), -1, dtype=np.intp)
        classes, codes[labeled] = np.unique(_homogeneous(names[labeled].tolist()), return_inverse=True)
        return Labels(classes if len(labeled) else self.classes[:0], codes)


@dataclass(frozen=True)
class _Overlay:
    """Labels laid over a block of class numbers, whose first row has the number `first`; sent to every worker."""

    classes: NDArray[Any]
    rows: NDArray[np.intp]
    codes: NDArray[np.intp]

    def __call__(self, called: NDArray[np.intp], first: int) -> NDArray[Any]:
        here = slice(*np.searchsorted(self.rows, (first, first + len(called))))
        called = called.copy()
        called[self.rows[here] - first] = self.codes[here]
        return np.asarray(self.classes[called])


def named(classes: NDArray[Any], codes: Any) -> Any:
    """Name classes by their numbers, now or, of Dask, when the numbers are known."""
    if hasattr(codes, "map_blocks"):
        return codes.map_blocks(lambda block: classes[block], dtype=classes.dtype)
    return classes[codes]


def labels_of_rows(labels: Mapping[Any, Any], n_rows: int, unlabeled: Any = "auto") -> Labels:
    """Read labels that come as a mapping from row numbers to classes.

    Examples
    --------
    >>> labels_of_rows({2: "cat", 0: "dog"}, 4).codes
    array([ 1, -1,  0, -1])
    """
    strange = [
        row for row in labels if not isinstance(row, Integral) or isinstance(row, bool) or not 0 <= int(row) < n_rows
    ]
    if strange:
        raise ValueError(
            f"y has a label for the row {strange[0]!r}; the rows have the numbers 0 to {n_rows - 1}, counted from 0."
        )
    few = read_labels(list(labels.values()), unlabeled)
    codes = np.full(n_rows, -1, dtype=np.intp)
    codes[np.fromiter(labels, dtype=np.intp, count=len(labels))] = few.codes
    return Labels(few.classes, codes)


def labels_by_row(table: Any, row: str = "row", label: str = "label") -> dict[Any, Any]:
    """Read a small table with a row number and a label in each line.

    Parameters
    ----------
    table : pandas, polars or Arrow table
    row, label : str, default="row", "label"
        Names of the columns.

    Returns
    -------
    dict
        The label of each row that is listed, as `fit` takes it for y.

    Examples
    --------
    >>> import pandas as pd
    >>> labels_by_row(pd.DataFrame({"row": [7, 2], "label": ["cat", "dog"]}))
    {7: 'cat', 2: 'dog'}
    """
    frame: Any = nw.from_native(table, eager_only=True)
    absent = [name for name in (row, label) if name not in frame.columns]
    if absent:
        raise ValueError(f"the table of labels has no column {absent[0]!r}; it has {', '.join(frame.columns)}.")
    found: dict[Any, Any] = {}
    names, missing = _values(frame[label].to_list())
    for number, name, none in zip(frame[row].to_list(), names.tolist(), missing.tolist(), strict=True):
        if none:
            continue
        if found.setdefault(number, name) != name:
            raise ValueError(
                f"the table of labels gives row {number} two labels, {found[number]!r} and {name!r}; keep one."
            )
    return found


def is_label_table(y: Any) -> bool:
    """Say whether y is a table with the columns row and label, and no other."""
    table = nw.from_native(y, eager_only=True, pass_through=True)
    return isinstance(table, nw.DataFrame) and set(table.columns) == {"row", "label"}


def read_labels(y: Any, unlabeled: Any = "auto") -> Labels:
    """Find out which rows are labelled and how.

    None, NaN, pandas' NA and null values are unlabelled, always.

    Parameters
    ----------
    y : array-like, or a pandas, polars or Arrow column
    unlabeled : "auto", None or a value, default="auto"
        "auto": blank text, and -1 if two other classes remain (or none), are unlabelled too. Where one would remain, -1
        is a class, with a warning. None: nothing else is. Anything else: this value is.

    Returns
    -------
    Labels

    Examples
    --------
    >>> labels = read_labels(["cat", None, "dog", ""])
    >>> labels.classes, labels.codes
    (array(['cat', 'dog'], dtype='<U3'), array([ 0, -1,  1, -1]))
    """
    values, missing = _values(y)
    if isinstance(unlabeled, str) and unlabeled == "auto":
        missing |= np.array([isinstance(v, str) and not v.strip() for v in values], dtype=bool)
        minus = _equal(values, -1) & ~missing
        if minus.any():
            others = len(set(values[~missing & ~minus].tolist()))
            if others >= 2 or others == 0:
                missing |= minus
            else:
                warnings.warn(
                    "y has -1 and only one other class, so -1 is taken for a class; pass "
                    "unlabeled=-1 if it marks unlabelled rows, or unlabeled=None to keep it without this warning.",
                    UserWarning,
                    stacklevel=3,
                )
    elif unlabeled is not None:
        missing |= _equal(values, unlabeled)
    codes = np.full(len(values), -1, dtype=np.intp)
    given = _homogeneous(values[~missing].tolist())
    if unlabeled == "auto" and given.dtype.kind == "U":
        bad = sorted({str(name) for name in np.unique(given) if str(name).strip().lower() in SUSPICIOUS})
        if bad:
            raise ValueError(
                f"y has a class called {bad[0]!r}, which looks like a mark for unlabelled rows; pass "
                f"unlabeled={bad[0]!r} if it is, or unlabeled=None if it is a class."
            )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes is greater")
        if len(given):
            check_classification_targets(given)
    classes, codes[~missing] = np.unique(given, return_inverse=True)
    if len(classes) == len(given) > MANY:
        raise ValueError(
            f"y has {len(classes)} classes on {len(given)} labelled rows, a class for each row: this looks like a "
            "column of names or measurements; more labels than classes are needed."
        )
    return Labels(classes, codes)


def missing_rows(y: Any, unlabeled: Any, classes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return labels to be compared with known `classes`, and which of them say "unlabelled"."""
    values, missing = _values(y)
    auto = isinstance(unlabeled, str) and unlabeled == "auto"
    marks = ("", -1) if auto else () if unlabeled is None else (unlabeled,)
    for mark in marks:
        if not _equal(classes.astype(object), mark).any():
            missing |= _equal(values, mark)
    return values, missing


def _values(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels as objects, and where they are null or not a number."""
    if isinstance(y, np.ma.MaskedArray):
        hidden, y = np.ma.getmaskarray(y), y.data.astype(object)
        y[hidden] = None
    if type(y).__name__.endswith("Index"):  # of pandas
        y = y.to_series()
    if hasattr(y, "to_pylist"):  # an Arrow column; a null is None there
        y = y.to_pylist()
    if hasattr(y, "to_frame") or type(y).__module__.startswith("polars"):
        column: Any = nw.from_native(y, allow_series=True)
        if isinstance(column, nw.DataFrame):
            raise ValueError(f"y must be one column, got a table of {len(column.columns)}; pass table[name].")
        values = np.empty(len(column), dtype=object)
        values[:] = column.to_list()
    else:
        if isinstance(y, str):
            raise ValueError(f"y must hold a label for each row, got the text {y!r}; pass table[{y!r}].")
        y = np.asarray(y) if not isinstance(y, list | tuple) else y
        if isinstance(y, np.ndarray):
            values = column_or_1d(y, warn=True).astype(object)
        else:
            values = np.empty(len(y), dtype=object)
            values[:] = y
    missing = np.array([_is_missing(value) for value in values], dtype=bool)
    if any(isinstance(v, float | np.floating) and np.isinf(v) for v in values[~missing]):
        raise ValueError("y contains infinity; labels must be class names or numbers.")
    return values, missing


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value) if isinstance(value, float | np.floating) else False


def _equal(values: NDArray[Any], mark: Any) -> NDArray[np.bool_]:
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


def _homogeneous(given: list[Any]) -> NDArray[Any]:
    """Turn labels into an array whose dtype says what they are; refuse to turn numbers into text."""
    if any(isinstance(v, str) for v in given):
        if not all(isinstance(v, str) for v in given):
            other = next(v for v in given if not isinstance(v, str))
            raise ValueError(
                f"y mixes text with {type(other).__name__} values such as {other!r}; make all labels text, or all "
                "numbers."
            )
        return np.array(given, dtype=str)
    return np.array(given)
