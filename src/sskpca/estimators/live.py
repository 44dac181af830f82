"""Labels that come and go after the fit."""

import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sskpca.estimators.at_once import become
from sskpca.estimators.labels import Labels, missing_rows, read_labels
from sskpca.estimators.marks import Marks
from sskpca.linalg.threads import one_thread

__all__ = ["LiveLabels"]


class LiveLabels:
    """Change labels of a fitted classifier: the answer of a new fit, without a decomposition.

    Mixed into a classifier that sets `_labels` and has `_learn`, which finds its functions from labels on what the
    fit has decomposed. The answer depends on the set of labels, not on the order in which they came.
    """

    unlabeled: Any
    _labels: Labels

    def _learn(self, labels: Labels) -> None:
        raise NotImplementedError

    def update_labels(self, rows: Any, labels: Any, *, new_classes: bool = False) -> Self:
        """Give labels to rows of the data, or change them.

        If it cannot be done, an error says why, and the model is what it was.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers in the data of the fit, from 0.
        labels : label or array-like of labels
            One for each of them.
        new_classes : bool, default=False
            Accept classes that no row had before. Without, a misspelt name is refused.
        """
        check_is_fitted(self)
        name = type(self).__name__
        where = self._row_numbers(rows)
        if isinstance(labels, str) or np.ndim(labels) == 0:
            labels = [labels.item() if isinstance(labels, np.generic | np.ndarray) else labels]
        known = self._labels.classes
        values, missing = missing_rows(labels, self.unlabeled, known)
        if len(values) != len(where):
            raise ValueError(f"{name}: {len(where)} rows but {len(values)} labels; give one label for each row.")
        if missing.any():
            raise ValueError(
                f"{name}: the label of row {where[missing][0]} is empty; to take labels back use forget_labels."
            )
        strange = np.array([not (known.astype(object) == v).any() for v in values], dtype=bool)
        # A new name must be one that a fit would take for a class.
        doubtful = Marks.of(self.unlabeled).doubtful(values[strange])
        if doubtful:
            raise ValueError(
                f"{name}: {doubtful[0]!r} looks like a mark for unlabelled rows; to take labels back use "
                "forget_labels, or, if it is a class, fit with unlabeled=None."
            )
        for value in values[strange]:
            read_labels([value], unlabeled=None)
        for i in np.flatnonzero(~strange):  # 1.0 for the class 1 is the class 1
            values[i] = known[known.astype(object) == values[i]][0].item()
        contradicted = _contradicted(where, values)
        if contradicted is not None:
            raise ValueError(f"{name}: row {contradicted} is given two different labels; give it one.")
        if strange.any() and not new_classes and len(known) >= 2:
            names = ", ".join(repr(k) for k in known.tolist())
            raise ValueError(
                f"{name}: {values[strange][0]!r} is none of the classes {names}; correct it, or pass new_classes=True."
            )
        return self._relearn(self._labels.with_labels(where, values))

    def forget_labels(self, rows: Any) -> Self:
        """Take the labels of rows back.

        If it cannot be done, an error says why, and the model is what it was.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers in the data of the fit, from 0; each must have a label.
        """
        check_is_fitted(self)
        where = self._row_numbers(rows)
        bare = where[self._labels.codes[where] < 0]
        if len(bare):
            raise ValueError(f"{type(self).__name__}: row {bare[0]} has no label to forget.")
        return self._relearn(self._labels.without(where))

    def _relearn(self, labels: Labels) -> Self:
        # All or nothing: what a refused or interrupted change has assigned is thrown away with the copy.
        trial = copy.copy(self)
        with one_thread():
            trial._learn(labels)
        become(self, trial)
        return self

    def _row_numbers(self, rows: Any) -> NDArray[np.intp]:
        name, n = type(self).__name__, len(self._labels.codes)
        listed = [rows] if isinstance(rows, Integral) else list(np.asarray(rows).ravel())
        for row in listed:
            if not isinstance(row, Integral) or isinstance(row, bool | np.bool_):
                shown = row.item() if isinstance(row, np.generic) else row
                raise ValueError(f"{name}: rows must be row numbers, counted from 0, got {shown!r}.")
            if not 0 <= int(row) < n:
                raise ValueError(f"{name}: there is no row {int(row)}; the data have the rows 0 to {n - 1}.")
        if not listed:
            raise ValueError(f"{name}: no rows were given.")
        return np.array(listed, dtype=np.intp)


def _contradicted(rows: NDArray[np.intp], values: NDArray[Any]) -> int | None:
    seen: dict[int, Any] = {}
    for row, value in zip(rows.tolist(), values.tolist(), strict=True):
        if seen.setdefault(row, value) != value:
            return int(row)
    return None
