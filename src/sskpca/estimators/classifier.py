"""What the three classifiers share: labels in, decisions out."""

import warnings
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from sskpca.estimators.caller import callers_level
from sskpca.estimators.held_out import HeldOutDecisions, refits
from sskpca.estimators.label_values import homogeneous
from sskpca.estimators.labels import (
    Labels,
    is_label_table,
    labels_by_row,
    labels_of_rows,
    missing_rows,
    named,
    read_labels,
    row_numbers,
)
from sskpca.estimators.live import LiveLabels
from sskpca.estimators.margin import middle_of_means
from sskpca.estimators.marks import Marks
from sskpca.estimators.parameters import check_number
from sskpca.estimators.space import KernelSpaceEstimator
from sskpca.linalg.array import Array
from sskpca.linalg.threads import one_thread
from sskpca.rows import as_rows
from sskpca.solvers import Components, Report, Solution

__all__ = ["SemiSupervisedClassifier", "functions_per_class", "label_variance", "target_variance"]


def functions_per_class(labels: Labels) -> list[int]:
    """List the classes to be parted from the rest: the second of two, or each of several."""
    return [1] if len(labels.classes) == 2 else list(range(len(labels.classes)))


def label_variance(targets: Array) -> float:
    r"""Estimate the variance of a -1/+1 labelling.

    :math:`4p(1-p)` with the share :math:`p = (l_+ + 1)/(l + 2)` of positives.
    """
    p = (float(np.sum(targets > 0)) + 1) / (len(targets) + 2)
    return 4 * p * (1 - p)


def target_variance(owner: object, variance: Any, targets: Array) -> float:
    """Resolve the parameter `variance`; "auto" is `label_variance`."""
    if isinstance(variance, str) and variance == "auto":
        return label_variance(targets)
    return check_number(owner, "variance", variance, also='"auto" or ')


class SemiSupervisedClassifier(LiveLabels, ClassifierMixin, KernelSpaceEstimator):
    """Decide by functions in a kernel space.

    Abstract: the methods set `decision_coef_` and `threshold_`, one column and one number for each decision, in
    `_find_functions`, from labels on the coordinates at hand.
    """

    _without_labels = "KPCA, which needs no labels"
    unlabeled: Any
    classes_: NDArray[Any]
    decision_coef_: Array
    threshold_: Array
    transduction_: NDArray[Any]
    decision_: Array
    reports_: list[Report] | list[Components]

    def _read_labels(self, X: Any, y: Any) -> Labels:
        """Read the labels and see that there are enough of them."""
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

    def _thresholds(self, threshold: Any, labels: Labels, seen: Array) -> Array:
        """Resolve the parameter `threshold` for each column of scores of the labelled rows."""
        if isinstance(threshold, np.ndarray):
            return threshold
        if isinstance(threshold, str) and threshold == "auto":
            parted = functions_per_class(labels)
            return np.array([middle_of_means(seen[:, j], labels.targets(k)) for j, k in enumerate(parted)])
        if isinstance(threshold, Real) and not isinstance(threshold, bool) and np.isfinite(float(threshold)):
            return np.full(seen.shape[1], float(threshold))
        raise ValueError(f'{type(self).__name__}: threshold must be "auto" or a number, got {threshold!r}.')

    def _set_functions(self, labels: Labels, solutions: list[Solution], threshold: Any) -> None:
        """Take one function a decision, cut at the threshold; warn if one is not what was asked for."""
        self.reports_ = [solution.report for solution in solutions]
        worst = max(self.reports_, key=lambda report: (not report.converged, report.kkt_residual))
        if not worst.converged:
            warnings.warn(
                f"{type(self).__name__}: {worst.status} after {worst.n_iter} steps with a KKT residual of "
                f"{worst.kkt_residual:.1e}; raise max_iter, loosen tol, or lower label_weight.",
                ConvergenceWarning,
                stacklevel=callers_level(),
            )
        self.coef_ = self.decision_coef_ = np.column_stack([solution.coef for solution in solutions])
        self.offset_ = np.zeros(len(solutions))
        self.threshold_ = self._thresholds(threshold, labels, self._on(labels.labeled))

    def _find_functions(self, labels: Labels) -> None:
        raise NotImplementedError

    def _learn(self, labels: Labels) -> None:
        """Find the functions, and decide on all rows."""
        self._check_classes(labels)
        with one_thread():
            self._find_functions(labels)
            decision = self.coordinates_.values @ self.decision_coef_ - self.threshold_
        self._labels = labels
        self.classes_ = labels.classes
        self.decision_ = self._flat(decision)
        self.transduction_ = labels.completed(self._codes(self.decision_))

    def decision_function(self, X: Any) -> Array:
        """Say how far each point is on which side.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive is ``classes_[1]``; for more, the largest column wins.
        """
        self._check_ready()
        return self._flat(self._decisions(self._validated(X, reset=False)))

    def _check_ready(self) -> None:
        """See that there is something to decide by."""
        check_is_fitted(self)

    def _decisions(self, X: Any) -> Array:
        """Decide on validated rows; one column a function."""
        return self.coordinates_.evaluate(X, self.decision_coef_) - self.threshold_  # type: ignore[no-any-return]

    def predict(self, X: Any) -> NDArray[Any]:
        """Name the class of each point.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return named(self.classes_, self._codes(self.decision_function(X)))  # type: ignore[no-any-return]

    def leave_one_out(self) -> HeldOutDecisions:
        """Decide on each labelled row by a model that has not seen its label.

        Transductive: the row itself stays in the data, unlabelled. Each model is found anew on the coordinates of the
        fit: the answer of as many fits, without their decompositions.

        Returns
        -------
        HeldOutDecisions
            With the `error` and its `interval`.
        """
        check_is_fitted(self)
        return refits(self, self._labels)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labelled rows that are predicted right; unlabelled rows do not count.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), mapping or table
            As for `fit`; by row number, only these rows are looked at.
        sample_weight : array-like of shape (n_samples,), optional
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

    def _codes(self, decision: Array) -> NDArray[np.intp]:
        return (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)

    @staticmethod
    def _flat(decision: Array) -> Array:
        return decision[:, 0] if decision.shape[1] == 1 else decision


def _collected(y: Any) -> Any:
    """Bring labels of Dask here, and a table with row numbers into a mapping."""
    if hasattr(y, "dask") and hasattr(y, "compute"):  # a label for each row is little beside the row
        y = y.compute()
    return labels_by_row(y) if is_label_table(y) else y


def _n_rows(X: Any) -> int:
    rows = as_rows(X)
    return int(_num_samples(X)) if rows is None else rows.n_rows


def _taken(X: Any, listed: NDArray[np.intp]) -> Any:
    rows = as_rows(X)
    return _safe_indexing(X, listed) if rows is None else rows.take(listed)
