"""Folds of the labelled rows, for scikit-learn's searches and scores."""

import warnings
from collections.abc import Iterator
from contextlib import suppress
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, LeaveOneOut, StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples

from sskpca._linalg.array import LabelsLike, RowsLike
from sskpca._parameters import callers_level
from sskpca._transduction.labels import Labels, read_labels

__all__ = ["LabelledOnlySplit"]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class LabelledOnlySplit(BaseCrossValidator):
    """Hold out labelled rows only; unlabelled rows are in every training set.

    For `GridSearchCV`, `cross_val_score` and the like, with any semi-supervised classifier. scikit-learn's own
    splitters take the mark of unlabelled rows for a class, or fail on it, and score rows whose class nobody knows.

    Held-out rows are absent from training. With row numbers there is no other way: a row in both sets would bring its
    label along. So the score is that of new points; for the score of unlabelled points among the data, use the
    estimators' own leave-one-out, which is exact.

    Parameters
    ----------
    cv : int, "loo", splitter, iterable of splits or None, default=5
        How the labelled rows are split. A number: so many stratified folds, or, with a warning, as many as the largest
        class has labels if that is less; None: five. "loo": one row at a time. Any splitter sees the labelled rows,
        with their groups. Given splits are positions among the labelled rows, in their order, not row numbers of the
        data.
    random_state : int, RandomState instance or None, default=None
        None: stratified folds go by the order of the rows. Anything else shuffles the rows before. Used where `cv` is
        a number or None.
    unlabeled : "auto", None, a mark or a list of marks, default="auto"
        What marks an unlabelled row besides None, NaN and null, see `LSKPCA`. Give the estimator the same.

    Examples
    --------
    >>> from sskpca import LabelledOnlySplit
    >>> y = ["cat", "dog", None, "cat", None, "dog"]
    >>> for train, test in LabelledOnlySplit(cv=2).split(range(6), y):
    ...     print(train, test)
    [2 3 4 5] [0 1]
    [0 1 2 4] [3 5]

    >>> from sklearn.model_selection import cross_val_score
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import Gaussian
    >>> X, y, _ = make_two_moons(200, n_labeled=20)
    >>> float(cross_val_score(LSKPCA(Gaussian(gamma=8.0)), X, y, cv=LabelledOnlySplit()).mean())
    1.0
    """

    # Should metadata routing be on, groups come here without being asked for.
    __metadata_request__split: ClassVar[dict[str, bool]] = {"groups": True}

    def __init__(self, cv: Any = 5, *, random_state: Any = None, unlabeled: object = "auto") -> None:
        # A generator would be empty the second time, and a search asks twice.
        self.cv = list(cv) if isinstance(cv, Iterator) else cv
        self.random_state = random_state
        self.unlabeled = unlabeled

    def split(self, X: RowsLike, y: LabelsLike = None, groups: LabelsLike = None) -> Iterator[Split]:
        """Split the labelled rows.

        Parameters
        ----------
        X : array-like, table or sparse matrix with n_samples rows
            The data; only the number of rows is used.
        y : array-like of shape (n_samples,), default=None
            Classes, and -1, None, NaN, NA, null or "" where there is none.
        groups : array-like of shape (n_samples,) or None, default=None
            For splitters of groups. Those of unlabelled rows are not used.

        Returns
        -------
        iterator of (train, test)
            Row numbers: labelled rows for training and all unlabelled ones, in order; labelled rows for testing.
        """
        labels, part = self._labelled(X, y, groups)
        rows, rest, splitter = labels.labeled, np.flatnonzero(labels.codes < 0), self._splitter(labels)
        with warnings.catch_warnings():
            if isinstance(splitter, StratifiedKFold):
                _check_counts(labels, splitter.n_splits, int(self._splitter().n_splits))
                warnings.filterwarnings("ignore", message="The least populated class")  # said already, by its name
            positions = list(splitter.split(*part))
        try:
            splits = [(rows[train], rows[test]) for train, test in positions]
        except IndexError:
            raise ValueError(
                f"LabelledOnlySplit: cv has a split with a position beyond the {len(rows)} labelled rows; give "
                "positions among the labelled rows, not row numbers."
            ) from None
        for k, (train, _) in enumerate(splits):
            # Were there but one, an estimator that sees -1 beside it would take -1 for the other class.
            if len(np.unique(labels.codes[train])) < 2:
                raise ValueError(
                    f"LabelledOnlySplit: split {k} has labels of fewer than two classes left to train with; label more "
                    "rows of the rarer classes, or split otherwise."
                )
        return ((np.sort(np.concatenate([train, rest])), test) for train, test in splits)

    def get_n_splits(self, X: RowsLike = None, y: LabelsLike = None, groups: LabelsLike = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X : array-like, table or sparse matrix with n_samples rows, default=None
            The data.
        y : array-like of shape (n_samples,), default=None
            Classes; needed where the number of splits depends on that of the labelled rows.
        groups : array-like of shape (n_samples,), default=None
            Needed by splitters of groups.

        Returns
        -------
        int
            How many splits `split` yields.
        """
        if y is None:
            with suppress(TypeError, ValueError):
                return int(self._splitter().get_n_splits())
        labels, part = self._labelled(X, y, groups)
        return int(self._splitter(labels).get_n_splits(*part))

    def _splitter(self, labels: Labels | None = None) -> Any:
        if isinstance(self.cv, str) and self.cv == "loo":
            return LeaveOneOut()
        if self.cv is None or isinstance(self.cv, Integral):
            shuffle, n_folds = self.random_state is not None, 5 if self.cv is None else int(self.cv)
            if labels is not None and n_folds > 2:
                n_folds = max(min(n_folds, int(np.bincount(labels.codes[labels.labeled]).max())), 2)
            return StratifiedKFold(n_folds, shuffle=shuffle, random_state=self.random_state)
        return check_cv(self.cv)

    def _labelled(self, X: RowsLike, y: LabelsLike, groups: LabelsLike) -> tuple[Labels, tuple[Any, Any, Any]]:
        """Read the labels, and cut X, y and groups down to the labelled rows."""
        if y is None:
            raise ValueError("LabelledOnlySplit: y is missing; it says which rows are labelled.")
        labels = read_labels(y, self.unlabeled)
        for name, given in (("X", X), ("groups", groups)):
            if given is not None and _num_samples(given) != len(labels.codes):
                raise ValueError(
                    f"LabelledOnlySplit: y has {len(labels.codes)} rows and {name} {_num_samples(given)}; there must "
                    "be as many."
                )
        rows = labels.labeled
        if len(rows) == 0:
            raise ValueError("LabelledOnlySplit: no row is labelled; there is nothing to score with.")
        X, groups = indexable(X, groups)
        # Only the number of rows counts for most splitters, so X may be left out.
        X = rows if X is None else _safe_indexing(X, rows)
        groups = None if groups is None else _safe_indexing(groups, rows)
        return labels, (X, labels.classes[labels.codes[rows]], groups)


def _check_counts(labels: Labels, n_folds: int, wanted: int) -> None:
    """Warn of classes that are too small for stratified folds; refuse where none has two labels."""
    counts = np.bincount(labels.codes[labels.labeled])
    if counts.max() < n_folds:
        raise ValueError(
            f"LabelledOnlySplit: no class has more than {counts.max()} labelled row, and {n_folds} folds need two of "
            "one; label more rows."
        )
    least = int(counts.argmin())
    few = f"class {labels.classes[least].item()!r} has {counts[least]} labelled row{'s' if counts[least] > 1 else ''}"
    if n_folds < wanted:
        message = f"no class has more than {counts.max()} labelled rows: {n_folds} folds in place of {wanted}"
        message += f"; {few}, so that some folds do without it." if counts[least] < n_folds else "."
    elif counts[least] < n_folds:
        message = f'{few}, fewer than {n_folds} folds, so that some folds do without it; use fewer folds or cv="loo".'
    else:
        return
    warnings.warn(f"LabelledOnlySplit: {message}", UserWarning, stacklevel=callers_level())
