"""Labels that come and go after the fit: checked, and as another set of labels."""

from numbers import Integral

import numpy as np

from sskpca._linalg.array import Column, Indices, LabelsLike, RowNumbers
from sskpca._transduction.labels import Labels, missing_rows, read_labels
from sskpca._transduction.marks import Marks

__all__ = ["check_row_numbers", "labels_after", "labels_without"]


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
