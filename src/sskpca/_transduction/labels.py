"""Which rows are labelled and how, and targets for the solvers; labels that come and go after the fit."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from sskpca._linalg.array import Column, Indices, LabelsLike, RowNumbers
from sskpca._parameters import callers_level
from sskpca._transduction.label_values import Marks, homogeneous, label_values
from sskpca.rows._source import each_row

__all__ = [
    "Labels",
    "check_row_numbers",
    "is_label_table",
    "labels_after",
    "labels_by_row",
    "labels_of_rows",
    "labels_without",
    "missing_rows",
    "named",
    "no_labels",
    "read_labels",
    "row_numbers",
]

# From this many labels on, a class for each of them looks like a column of names or measurements.
MANY = 20
# The columns of a table of labels.
ROW_AND_LABEL = ("row", "label")


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

    classes: Column
    codes: NDArray[np.intp]

    def __post_init__(self) -> None:
        """Check the codes: a file may hold anything, and `np.bincount` writes out of bounds for the largest number."""
        if self.codes.min(initial=-1) < -1 or self.codes.max(initial=-1) >= len(self.classes):
            raise ValueError(f"a label is none of the {len(self.classes)} classes.")

    @property
    def labeled(self) -> NDArray[np.intp]:
        """Row numbers of the labelled points."""
        return np.flatnonzero(self.codes >= 0)

    def targets(self, k: int) -> NDArray[np.float64]:
        """Return +1 for the labelled points of class `k`, -1 for the others."""
        return np.where(self.codes[self.labeled] == k, 1.0, -1.0)

    @property
    def parted(self) -> list[int]:
        """The classes to be parted from the rest, one function each: the second of two, or each of several."""
        return [1] if len(self.classes) == 2 else list(range(len(self.classes)))

    def all_targets(self) -> list[NDArray[np.float64]]:
        """Return the targets of each function."""
        return [self.targets(k) for k in self.parted]

    def with_labels(self, rows: NDArray[np.intp], values: Column) -> "Labels":
        """Return the labels with those of some rows set."""
        names = self.names()
        names[rows] = values
        return self._of(names, np.union1d(self.labeled, rows))

    def without(self, rows: NDArray[np.intp]) -> "Labels":
        """Return the labels without those of some rows; classes that no row has any more are gone."""
        return self._of(self.names(), np.setdiff1d(self.labeled, rows))

    def completed(self, called: Indices) -> Column:
        """Return a class for every row: its label, or the class that it is called by number."""
        overlay = _Overlay(self.classes, self.labeled, self.codes[self.labeled])
        return each_row(called, overlay, self.classes[:0])  # type: ignore[no-any-return]

    def names(self) -> Column:
        """Return the label of every row, None where there is none."""
        names = np.full(len(self.codes), None, dtype=object)
        names[self.labeled] = self.classes[self.codes[self.labeled]].tolist()
        return names

    def _of(self, names: Column, labeled: NDArray[np.intp]) -> "Labels":
        codes = np.full(len(names), -1, dtype=np.intp)
        classes, codes[labeled] = np.unique(homogeneous(names[labeled].tolist()), return_inverse=True)
        return Labels(classes if len(labeled) else self.classes[:0], codes)


@dataclass(frozen=True)
class _Overlay:
    """Labels laid over a block of class numbers, whose first row has the number `first`; sent to every worker."""

    classes: Column
    rows: NDArray[np.intp]
    codes: NDArray[np.intp]

    def __call__(self, called: NDArray[np.intp], first: int) -> Column:
        here = slice(*np.searchsorted(self.rows, (first, first + len(called))))
        called = called.copy()
        called[self.rows[here] - first] = self.codes[here]
        return np.asarray(self.classes[called])


def named(classes: Column, codes: Indices) -> Column:
    """Return the names of classes by their numbers."""
    return each_row(codes, lambda block, _: classes[block], classes[:0])  # type: ignore[no-any-return]


def no_labels(n_rows: int) -> Labels:
    """Return the labels of rows of which none is labelled yet."""
    return Labels(np.empty(0, dtype=object), np.full(n_rows, -1, dtype=np.intp))


def labels_of_rows(labels: Mapping[object, object], n_rows: int, unlabeled: object = "auto") -> Labels:
    """Read labels that come as a mapping from row numbers to classes.

    Examples
    --------
    >>> labels_of_rows({2: "cat", 0: "dog"}, 4).codes
    array([ 1, -1,  0, -1])
    """
    rows = row_numbers(labels, n_rows)
    few = read_labels(list(labels.values()), unlabeled)
    codes = np.full(n_rows, -1, dtype=np.intp)
    codes[rows] = few.codes
    return Labels(few.classes, codes)


def row_numbers(rows: Iterable[object], n_rows: int) -> NDArray[np.intp]:
    """Return the row numbers for which y has labels; whole numbers may come as floats, as pandas likes to have them."""
    numbers = []
    for row in rows:
        number = _whole(row)
        if number is None or not 0 <= number < n_rows:
            raise ValueError(
                f"y has a label for the row {row!r}; the rows have the numbers 0 to {n_rows - 1}, counted from 0."
            )
        numbers.append(number)
    return np.array(numbers, dtype=np.intp)


def _whole(number: object) -> int | None:
    if isinstance(number, bool | np.bool_) or not isinstance(number, Integral | float | np.floating):
        return None
    return int(number) if isinstance(number, Integral) or float(number).is_integer() else None


def labels_by_row(table: LabelsLike) -> dict[object, object]:
    """Read a small table with a row number and a label in each line, in the columns row and label.

    Parameters
    ----------
    table : pandas, polars or Arrow table

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
    absent = [name for name in ROW_AND_LABEL if name not in frame.columns]
    if absent:
        raise ValueError(f"the table of labels has no column {absent[0]!r}; it has {', '.join(frame.columns)}.")
    found: dict[object, object] = {}
    for number, name in zip(frame["row"].to_list(), label_values(frame["label"].to_list()), strict=True):
        if name is None:
            continue
        if found.setdefault(number, name) != name:
            raise ValueError(
                f"the table of labels gives row {number} two labels, {found[number]!r} and {name!r}; keep one."
            )
    return found


def is_label_table(y: LabelsLike) -> bool:
    """Say whether y is a table with the columns row and label, and no other."""
    try:
        table = nw.from_native(y, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ValueError("y is a table in which a column name comes more than once; pass one column.") from None
    return isinstance(table, nw.DataFrame) and set(table.columns) == {*ROW_AND_LABEL}


def read_labels(y: LabelsLike, unlabeled: object = "auto") -> Labels:
    """Find out which rows are labelled and how.

    None, NaN, pandas' NA and null values are unlabelled, always.

    Parameters
    ----------
    y : array-like, or a pandas, polars or Arrow column
    unlabeled : "auto", None, a value or a list of values, default="auto"
        "auto": blank text, and -1 if two other classes remain (or none), are unlabelled too. Where one would remain, -1
        is a class, with a warning. None: nothing else is, not even blank text. Anything else: blank text and these
        values are.

    Returns
    -------
    Labels

    Examples
    --------
    >>> labels = read_labels(["cat", None, "dog", ""])
    >>> labels.classes, labels.codes
    (array(['cat', 'dog'], dtype='<U3'), array([ 0, -1,  1, -1]))
    """
    values, marks = label_values(y), Marks.of(unlabeled)
    if marks.automatic:
        marks = _settled(marks, values)
    missing = marks.missing(values)
    given = homogeneous(values[~missing].tolist())
    classes, numbers = np.unique(given, return_inverse=True)
    marks.check(classes.tolist(), values)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes is greater")
        if len(given):
            check_classification_targets(given)
    if len(classes) == len(given) > MANY:
        raise ValueError(
            f"y has {len(classes)} classes on {len(given)} labelled rows, a class for each row: this looks like a "
            "column of names or measurements; more labels than classes are needed."
        )
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[~missing] = numbers
    return Labels(classes, codes)


def _settled(marks: Marks, values: Column) -> Marks:
    """Decide whether -1 is a mark, and say so where it may be a surprise."""
    without = replace(marks, values=())
    missing, sure = marks.missing(values), without.missing(values)
    if np.array_equal(missing, sure):  # -1 does not occur
        return marks
    others = set(values[~missing].tolist())
    if len(others) == 1:
        warnings.warn(
            "y has -1 and only one other class, so -1 is taken for a class; pass "
            "unlabeled=-1 if it marks unlabelled rows, or unlabeled=None to keep it without this warning.",
            UserWarning,
            stacklevel=callers_level(),
        )
        return without
    if sure.any() and others and not any(isinstance(name, str) for name in others):
        blank = any(isinstance(value, str) for value in values[sure])
        warnings.warn(
            "y has both -1 and missing values, and both are taken for unlabelled; pass "
            f"unlabeled={'' if blank else None!r} if -1 is a class, or unlabeled=-1 to keep it without this warning.",
            UserWarning,
            stacklevel=callers_level(),
        )
    return marks


def missing_rows(y: LabelsLike, unlabeled: object, classes: Column) -> tuple[Column, NDArray[np.bool_]]:
    """Return labels to be compared with known `classes`, and which of them say "unlabelled"."""
    values = label_values(y)
    return values, Marks.of(unlabeled).missing(values, classes.tolist())


def labels_after(
    owner: str, labels: Labels, rows: RowNumbers, given: LabelsLike, unlabeled: object, *, new_classes: bool = False
) -> Labels:
    """Return labels with those of some rows set, or raise one sentence.

    Parameters
    ----------
    owner : str
        Name of the estimator, for errors.
    labels : Labels
        Before.
    rows : int or array-like of int
    given : label or array-like of labels
    unlabeled
        What marks unlabelled rows, see `read_labels`.
    new_classes : bool, default=False
        Accept classes that no row had before.
    """
    where = check_row_numbers(owner, rows, len(labels.codes))
    if isinstance(given, str) or np.ndim(given) == 0:
        given = [given.item() if isinstance(given, np.generic | np.ndarray) else given]
    known = labels.classes
    values, missing = missing_rows(given, unlabeled, known)
    if len(values) != len(where):
        raise ValueError(f"{owner}: {len(where)} rows but {len(values)} labels; give one label for each row.")
    if missing.any():
        raise ValueError(
            f"{owner}: the label of row {where[missing][0]} is empty; to take labels back use forget_labels."
        )
    strange = np.array([not (known.astype(object) == v).any() for v in values], dtype=bool)
    # A new name must be one that a fit would take for a class.
    doubtful = Marks.of(unlabeled).doubtful(values[strange])
    if doubtful:
        raise ValueError(
            f"{owner}: {doubtful[0]!r} looks like a mark for unlabelled rows; to take labels back use "
            "forget_labels, or, if it is a class, fit with unlabeled=None."
        )
    for value in values[strange]:
        read_labels([value], unlabeled=None)
    for i in np.flatnonzero(~strange):  # 1.0 for the class 1 is the class 1
        values[i] = known[known.astype(object) == values[i]][0].item()
    contradicted = _contradicted(where, values)
    if contradicted is not None:
        raise ValueError(f"{owner}: row {contradicted} is given two different labels; give it one.")
    if strange.any() and not new_classes and len(known) >= 2:
        names = ", ".join(repr(k) for k in known.tolist())
        raise ValueError(
            f"{owner}: {values[strange][0]!r} is none of the classes {names}; correct it, or pass new_classes=True."
        )
    return labels.with_labels(where, values)


def labels_without(owner: str, labels: Labels, rows: RowNumbers) -> Labels:
    """Return labels without those of some rows, each of which must have one."""
    where = check_row_numbers(owner, rows, len(labels.codes))
    bare = where[labels.codes[where] < 0]
    if len(bare):
        raise ValueError(f"{owner}: row {bare[0]} has no label to forget.")
    return labels.without(where)


def check_row_numbers(owner: str, rows: RowNumbers, n: int) -> Indices:
    """Return row numbers as an array, or raise one sentence."""
    listed = [rows] if isinstance(rows, Integral) else list(np.asarray(rows).ravel())
    for row in listed:
        if not isinstance(row, Integral) or isinstance(row, bool | np.bool_):
            shown = row.item() if isinstance(row, np.generic) else row
            raise ValueError(f"{owner}: rows must be row numbers, counted from 0, got {shown!r}.")
        if not 0 <= int(row) < n:
            raise ValueError(f"{owner}: there is no row {int(row)}; the data have the rows 0 to {n - 1}.")
    if not listed:
        raise ValueError(f"{owner}: no rows were given.")
    return np.array(listed, dtype=np.intp)


def _contradicted(rows: Indices, values: Column) -> int | None:
    seen: dict[int, object] = {}
    for row, value in zip(rows.tolist(), values.tolist(), strict=True):
        if seen.setdefault(row, value) != value:
            return int(row)
    return None
