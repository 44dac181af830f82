"""What all classifiers share: labels in, one frozen answer held, decisions out."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from sskpca._estimators.space import KernelSpaceEstimator, RowsEstimator
from sskpca._linalg.array import Array, Column, Indices, LabelsLike, RowNumbers, RowsLike
from sskpca._parameters import check_number
from sskpca._transduction import Geometry, Labels, Predictor, Transduction, read_labels, transduce
from sskpca._transduction.answer import NO_ROWS, Method, in_blocks
from sskpca._transduction.held_out import HeldOutDecisions, alone, decided_codes, flat
from sskpca._transduction.label_values import Marks, homogeneous
from sskpca._transduction.labels import (
    is_label_table,
    labels_after,
    labels_by_row,
    labels_of_rows,
    labels_without,
    missing_rows,
    named,
    row_numbers,
)
from sskpca.coordinates import Coordinates
from sskpca.kernels import Fitted
from sskpca.rows import Rows
from sskpca.rows._source import as_rows, collected
from sskpca.solvers import Components, Report

__all__ = ["SemiSupervisedClassifier", "SingleMethodClassifier"]


class SemiSupervisedClassifier(ClassifierMixin, RowsEstimator):
    """A classifier that holds a fitted answer, `answer_`, and publishes what is in it.

    Abstract: `fit` sets `answer_`. New labels make another answer, which is assigned when it is complete: a change that
    is refused or interrupted leaves the very same answer in place.
    """

    _without_labels = "KPCA, which needs no labels"
    unlabeled: object
    answer_: Transduction

    def _read_labels(self, X: RowsLike, y: LabelsLike) -> Labels:
        """Read the labels and check that there are enough of them."""
        name = type(self).__name__
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None; KPCA is the method for data without labels."
            )
        y = _collected(y)
        if isinstance(y, Mapping):
            labels = labels_of_rows(y, X.shape[0], self.unlabeled)
        else:
            labels = read_labels(y, self.unlabeled)
            check_consistent_length(X, labels.codes)
        self._check_classes(labels)
        return labels

    def _check_classes(self, labels: Labels) -> None:
        name = type(self).__name__
        if len(labels.classes) == 0:
            raise ValueError(f"{name}: no row is labelled; label some rows, or use {self._without_labels}.")
        if len(labels.classes) == 1:
            raise ValueError(
                f"{name}: all labelled rows are of one class, {labels.classes[0].item()!r}; label rows of at least "
                "one other class."
            )

    def _transduce(self, geometry: Geometry, labels: Labels, method: Method) -> Transduction:
        self._check_classes(labels)
        return transduce(geometry, labels, method)

    def _whole_answer(self) -> Transduction:
        """Return the answer with all rows of the fit, which a model file may have left out."""
        check_is_fitted(self)
        if isinstance(self.answer_, Predictor):
            raise ValueError(f"{type(self).__name__}: {NO_ROWS}")
        return self.answer_

    def _check_ready(self) -> None:
        """Check that there is something to decide by."""
        check_is_fitted(self)

    @property
    def classes_(self) -> Column:
        """The classes, sorted."""
        return self.answer_.classes

    @property
    def transduction_(self) -> Column:
        """The class of every row of the data; given labels stand."""
        return self.answer_.called

    @property
    def decision_(self) -> Array:
        """`decision_function` of the data."""
        return flat(self.answer_.decision)

    @property
    def label_distributions_(self) -> Array:
        """Probabilities of the classes for every row of the data."""
        return self.answer_.distributions

    @property
    def labeled_rows_(self) -> Indices:
        """Numbers of the labelled rows."""
        return self.answer_.labels.labeled

    @property
    def threshold_(self) -> Array:
        """What is subtracted from each function to decide."""
        return self.answer_.found.threshold  # type: ignore[no-any-return]

    @property
    def reports_(self) -> list[Report] | list[Components]:
        """Evidence of the quality of each function."""
        return list(self.answer_.found.reports)

    @property
    def slope_(self) -> float:
        """Log-odds for a decision of 1, by which decisions become probabilities."""
        return self.answer_.slope

    @property
    def loo_decision_(self) -> Array:
        """Held-out decisions on the labelled rows."""
        return self.answer_.held_out.decisions

    @property
    def loo_error_(self) -> float:
        """Share of the labels on which held-out decisions are wrong."""
        return self.answer_.held_out.error

    @property
    def loo_interval_(self) -> tuple[float, float]:
        """95 % confidence interval of the error, by these labels alone."""
        return self.answer_.held_out.interval

    @property
    def expected_error_(self) -> float:
        """Expected share of wrong classes among the unlabelled rows."""
        return self.answer_.expected[0]

    @property
    def expected_interval_(self) -> tuple[float, float]:
        """95 % interval of that error."""
        return self.answer_.expected[1]

    def decision_function(self, X: RowsLike) -> Array:
        """Return how far each row is on which side.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive is ``classes_[1]``; for more, the largest column wins.
        """
        self._check_ready()
        return flat(self.answer_.decide(self._validated(X, reset=False)))

    def predict(self, X: RowsLike) -> Column:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            The classes.
        """
        check_is_fitted(self)
        return named(self.classes_, decided_codes(self.decision_function(X)))

    def predict_proba(self, X: RowsLike) -> Array:
        """Return the probability of each class.

        Calibrated on held-out decisions. Rows farther from all data than 99 % of these are from their next one are
        unknown: their probabilities shrink towards uniform, which they reach at twice that distance, see `novelty`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        self._check_ready()
        return self.answer_.predictor.probabilities(self._validated(X, reset=False))

    def novelty(self, X: RowsLike) -> Array:
        """Return how far new rows are from the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            Distance to the next row of the data, in units of the largest such distance that is usual within the data
            (99 % of the rows are nearer): above 1 there is nothing like it.
        """
        check_is_fitted(self)
        answer: Any = self.answer_
        known = answer.novelty if isinstance(answer, Predictor) else answer.geometry.novelty
        return in_blocks(known.of_rows, self._validated(X, reset=False))

    def leave_one_out(self) -> HeldOutDecisions:
        """Return decisions on each labelled row by a model that has not seen its label.

        Transductive: the row itself stays in the data, unlabelled. The answer of as many fits on the coordinates at
        hand. A label that is the only one of its class cannot be left out, and is not listed.

        Returns
        -------
        HeldOutDecisions
            With the `error` and its `interval`.
        """
        answer = self._whole_answer()
        found = answer.held_out
        known = ~alone(answer.labels.codes[found.rows])
        if not known.any():
            raise ValueError(
                f"{type(self).__name__}: every class has one labelled row, and without it there is no model to "
                "compare; label a second row of some class."
            )
        return HeldOutDecisions(found.rows[known], found.decisions[known], found.wrong[known])

    def update_labels(self, rows: RowNumbers, labels: LabelsLike, *, new_classes: bool = False) -> Self:
        """Add or change labels of rows of the data: the answer of a new fit, without a decomposition.

        The answer depends on the set of labels, not on the order in which they came. If a change is refused, an error
        says why, and the model is what it was.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers in the data of the fit, from 0.
        labels : label or array-like of labels
            One label for each row.
        new_classes : bool, default=False
            Accept classes that no row had before. Without, a misspelt name is refused.

        Returns
        -------
        self : object
            The same estimator, with the new answer.
        """
        answer, name = self._whole_answer(), type(self).__name__
        after = labels_after(name, answer.labels, rows, labels, self.unlabeled, new_classes=new_classes)
        self.answer_ = self._transduce(answer.geometry, after, answer.method)
        return self

    def forget_labels(self, rows: RowNumbers) -> Self:
        """Remove the labels of rows.

        If a change is refused, an error says why, and the model is what it was.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers in the data of the fit, from 0; each must have a label.

        Returns
        -------
        self : object
            The same estimator, with the new answer.
        """
        answer = self._whole_answer()
        after = labels_without(type(self).__name__, answer.labels, rows)
        self.answer_ = self._transduce(answer.geometry, after, answer.method)
        return self

    def score(self, X: RowsLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of labelled rows that are predicted right; unlabelled rows do not count.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        y : array-like of shape (n_samples,), mapping or table
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number,
            and then only these rows are looked at.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts.

        Returns
        -------
        float
            From 0 to 1.
        """
        check_is_fitted(self)
        y = _collected(y)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        if weight is not None and weight.shape != (_n_rows(X),):
            raise ValueError(
                f"{type(self).__name__}.score: X has {_n_rows(X)} rows, but sample_weight has the shape "
                f"{weight.shape}; give one weight for each row."
            )
        listed = None
        if isinstance(y, Mapping):
            listed, y = row_numbers(y, _n_rows(X)), list(y.values())
            weight = weight if weight is None else weight[listed]
        values, missing = missing_rows(y, self.unlabeled, self.classes_)
        if missing.all():
            raise ValueError(f"{type(self).__name__}.score: no row of y is labelled.")
        given = homogeneous(values[~missing].tolist())
        Marks.of(self.unlabeled).check(sorted({*given.tolist()} - {*self.classes_.tolist()}), values)
        predicted = np.asarray(self.predict(X if listed is None else _taken(X, listed)))
        check_consistent_length(predicted, values)
        weight = weight if weight is None else weight[~missing]
        return float(accuracy_score(given, predicted[~missing], sample_weight=weight))


class SingleMethodClassifier(SemiSupervisedClassifier, KernelSpaceEstimator):
    """A classifier of one method in one kernel.

    Abstract: `fit` decomposes the kernel, and passes coordinates, labels and a method to `_answer`.
    """

    def _fit_answer(
        self, X: RowsLike, labels: Labels, decomposed: tuple[Fitted | None, Coordinates], method: Method
    ) -> None:
        kernel, coordinates = decomposed
        geometry = Geometry(X, () if kernel is None else (kernel,), (coordinates,))
        self.answer_ = self._transduce(geometry, labels, method)

    @property
    def kernel_(self) -> Fitted:
        """The fitted kernel, where the coordinates were found here."""
        kernels = self.answer_.geometry.kernels
        if not kernels:
            raise AttributeError("the coordinates were given: there is no fitted kernel.")
        return kernels[0]

    @property
    def coordinates_(self) -> Coordinates:
        """The principal coordinates of the data."""
        return self.answer_.geometry.coordinates[0]

    @property
    def coef_(self) -> Array:
        """The functions, on the coordinates."""
        return self.answer_.found.coef  # type: ignore[no-any-return]

    @property
    def offset_(self) -> Array:
        """What `transform` subtracts from each function."""
        return self.answer_.found.offset  # type: ignore[no-any-return]

    @property
    def decision_coef_(self) -> Array:
        """The functions that decide, on the coordinates."""
        return self.answer_.found.decision_coef  # type: ignore[no-any-return]

    @property
    def variance_(self) -> Array:
        """The variance of each function, if the method fixes it."""
        variance: Array = self.answer_.found.variance
        if len(variance) == 0:
            raise AttributeError(f"{type(self).__name__} fixes no variance.")
        return variance

    def transform(self, X: RowsLike) -> Column:
        """Evaluate the functions that were found.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_functions)
            The values of the functions.
        """
        self._whole_answer()
        return super().transform(X)

    def _resolved_variance(self, variance: float | str) -> float | None:
        """Return the parameter `variance`, None for "auto"."""
        if isinstance(variance, str) and variance == "auto":
            return None
        return check_number(self, "variance", variance, also='"auto" or ')

    def _resolved_threshold(self, threshold: float | str) -> float | None:
        """Return the parameter `threshold`, None for "auto"."""
        if isinstance(threshold, str) and threshold == "auto":
            return None
        if isinstance(threshold, Real) and not isinstance(threshold, bool) and np.isfinite(float(threshold)):
            return float(threshold)
        raise ValueError(f'{type(self).__name__}: threshold must be "auto" or a number, got {threshold!r}.')


def _collected(y: LabelsLike) -> LabelsLike:
    """Return labels as an array of this process, and a table with row numbers as a mapping."""
    y = collected(y)  # a label for each row is little beside the row
    return labels_by_row(y) if is_label_table(y) else y


def _n_rows(X: RowsLike) -> int:
    rows = as_rows(X)
    return int(_num_samples(X)) if rows is None else rows.n_rows


def _taken(X: RowsLike, listed: Indices) -> RowsLike:
    rows: Rows | None = as_rows(X)
    return _safe_indexing(X, listed) if rows is None else rows.take(listed)
