"""LS-KPCA."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sskpca.coordinates import Coordinates
from sskpca.estimators.at_once import at_once
from sskpca.estimators.classifier import (
    SemiSupervisedClassifier,
    functions_per_class,
    target_variance,
)
from sskpca.estimators.held_out import (
    HeldOutDecisions,
    held_out_thresholds,
    judged,
    members,
    refits,
    removable,
    without_each,
)
from sskpca.estimators.labels import Labels
from sskpca.estimators.parameters import check_number
from sskpca.estimators.space import KernelLike
from sskpca.linalg.array import Array
from sskpca.linalg.threads import one_thread
from sskpca.solvers import leave_one_out_plane, solve_ls_kpca

__all__ = ["LSKPCA"]

# Held-out answers are taken from the solution with all labels if they are as accurate as this.
ACCURATE = 1e-8


class LSKPCA(SemiSupervisedClassifier):
    r"""Least-squares kernel PCA: a smooth function of given variance, close to the labels.

    .. math::

        \min_f\; \|f\|^2 + c \sum_{i \in L} (f(x_i) - t_i)^2
        \quad\text{subject to}\quad \frac1m \sum_i \left( f(x_i) - \bar f \right)^2 = v

    The constraint makes f spread over all points, the unlabelled ones included, and the problem non-convex; the
    solution is its global optimum nevertheless, and `reports_` carry the proof. With more than two classes, one
    function for each, +1 for the class and -1 for the rest, on shared coordinates.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="rbf"
        "rbf", "laplacian", "linear", "poly", "cosine", "precomputed"; an object from `sskpca.kernels`; or a
        function of two matrices of rows.
    label_weight : float, default=100.0
        c, how much the labels count against smoothness.
    variance : float or "auto", default="auto"
        v. "auto" is that of a -1/+1 labelling with the classes in the proportion of the labels:
        :math:`4p(1-p)`, :math:`p = (l_+ + 1)/(l + 2)`.
    centered : bool, default=True
        Is variance taken around the mean? If not, it is the mean of :math:`f^2`.
    rank : int or None, default=None
        Number of leading principal coordinates to work in; None is all above rounding. Lower is faster, and
        smoother.
    threshold : float or "auto", default="auto"
        Where to cut f. "auto" is the middle between the mean values of f on the labelled points of either class,
        which suits classes of unequal size. Moves the decisions, never the solution.
    unlabeled : "auto", None, a mark or a list of marks, default="auto"
        What marks an unlabelled row besides None, NaN and null. "auto": blank text, and -1 if two other classes remain.
        One mark or several, such as -1 or ["todo", "skip"]: these, and blank text. None: nothing else, so that even
        blank text is a class. Text that looks like a mark and is none is refused, except by None.
    coordinates : {"exact", "nystrom", "fourier", "auto"} or Coordinates, default="exact"
        How the principal coordinates are found. "nystrom" sees the rows from some landmarks, "fourier" through random
        waves (Gaussian and Laplacian kernels only): time grows with the rows, not with their cube, and they may come in
        blocks. "auto" is exact up to 10,000 rows if the memory allows, "nystrom" otherwise, and says so. Or those of an
        earlier fit to the same rows: then nothing is decomposed, `kernel` is not used, and a fit with other labels or
        parameters costs little.
    n_landmarks : int or "auto", default=500
        Landmarks, or random features. "auto" is what half of the memory has room for, 2,000 at most; it is said aloud.
    landmarks : {"uniform", "sorted", "kmeans", "leverage"} or array of shape (n_landmarks, n_features), \
default="uniform"
        How landmarks are chosen, see `sskpca.kernels.Nystrom`; or the rows themselves.
    random_state : int, default=0
        Of landmarks and waves; "exact" has nothing random.
    memory : str, int or None, default=None
        Budget, as text such as "2GB" or in bytes; None is 80 % of what is available. Blocks are made to fit, and
        coordinates of all rows are kept only if a quarter of it has room for them.
    invariance_weight : float, default=1.0
        How much the `invariances` given to `fit` count; zero or more.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    transduction_ : ndarray of shape (n_samples,)
        A class for each row of the data: the given one, or the predicted one.
    decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        `decision_function` of the data.
    reports_ : list of Report
        One for each function: objective, lower bound, gap, KKT residual, ...
    kernel_ : Kernel
        Fitted, where the coordinates were found here; a Gaussian's bandwidth is its `gamma_`.
    coordinates_ : Coordinates
    coef_ : ndarray of shape (rank, n_functions)
        The functions, on the coordinates.
    threshold_ : ndarray of shape (n_functions,)
    variance_ : ndarray of shape (n_functions,)
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where X has string column names.

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import Gaussian
    >>> X, y, target = make_two_moons(200)
    >>> model = LSKPCA(kernel=Gaussian(gamma=8.0), label_weight=10.0).fit(X, y)
    >>> float((model.transduction_ == target).mean())
    0.99
    >>> model.reports_[0].gap < 1e-9
    True
    """

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        label_weight: float = 100.0,
        variance: float | str = "auto",
        centered: bool = True,
        rank: int | None = None,
        threshold: float | str = "auto",
        unlabeled: Any = "auto",
        coordinates: str | Coordinates = "exact",
        n_landmarks: int | str = 500,
        landmarks: Any = "uniform",
        random_state: int = 0,
        memory: int | str | None = None,
        invariance_weight: float = 1.0,
    ) -> None:
        self.kernel = kernel
        self.label_weight = label_weight
        self.variance = variance
        self.centered = centered
        self.rank = rank
        self.threshold = threshold
        self.unlabeled = unlabeled
        self.coordinates = coordinates
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state
        self.memory = memory
        self.invariance_weight = invariance_weight

    @at_once
    def fit(self, X: Any, y: Any, invariances: Any = None) -> Self:
        """Find the function, or functions.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,), or mapping
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.
        invariances : tuple of two array-likes of shape (n_pairs, n_features), optional
            Points, and the same points changed in a way that should not matter (images shifted by a pixel, say; small
            changes are tangents). `invariance_weight` times the sum of squared differences of f between the two is
            added to the objective: more rows of the same low-rank form. They need not be rows of X.
        """
        self._parameters()
        X = self._validated(X, reset=True)
        labels = self._read_labels(X, y)
        self._fit_coordinates(X, self.rank)
        self._same = self._differences(invariances)
        self._learn(labels)
        return self

    def _parameters(self) -> tuple[float, float]:
        weight = check_number(self, "label_weight", self.label_weight)
        return weight, check_number(self, "invariance_weight", self.invariance_weight, zero=True)

    def _find_functions(self, labels: Labels) -> None:
        weight, stiffness = self._parameters()
        targets = [labels.targets(k) for k in functions_per_class(labels)]
        self.variance_ = np.array([target_variance(self, self.variance, t) for t in targets])
        Z, d, same = self.coordinates_.values, self.coordinates_.variances, self._same
        rows = np.vstack([Z[labels.labeled], same])
        weights = np.repeat([weight, stiffness], [len(labels.labeled), len(same)])
        solutions = [
            solve_ls_kpca(rows, d, np.append(t, np.zeros(len(same))), weights, v * len(Z))
            for t, v in zip(targets, self.variance_, strict=True)
        ]
        self._set_functions(labels, solutions, self.threshold)

    def leave_one_out(self) -> HeldOutDecisions:
        """Decide on each labelled row by a model that has not seen its label.

        Transductive: the row itself stays in the data, unlabelled. All models together cost about as much as one small
        eigenproblem, and are those of as many fits to rounding. (Where `label_weight` times the squared norm of a row's
        coordinates exceeds some ten millions, or less with a tiny `variance`, or where labels hardly decide, so that
        rounding does, they would not be: there the fits are made.)

        Returns
        -------
        HeldOutDecisions
            With the `error` and its `interval`.
        """
        check_is_fitted(self)
        labels = self._labels
        rows = removable(self, labels)
        if len(self._same):
            return super().leave_one_out()
        weight, _ = self._parameters()
        Z, d = self.coordinates_.values, self.coordinates_.variances
        decisions = np.empty((len(labels.labeled), len(functions_per_class(labels))))
        doubtful = np.zeros(len(decisions), dtype=bool)
        for j, k in enumerate(functions_per_class(labels)):
            t = labels.targets(k)
            own = without_each(lambda others: target_variance(self, self.variance, others), t)
            with one_thread():
                plane = leave_one_out_plane(
                    Z[labels.labeled], d, t, np.array([weight]), len(Z) * own[None], sums=members(t).astype(float)
                )
            if plane.residual > ACCURATE:  # large weights: a new fit loses no digits
                return super().leave_one_out()
            doubtful |= plane.doubt[0, 0] > ACCURATE
            predictions, cut = plane.predictions[0, 0], self.threshold_[j]
            if self._automatic_threshold():
                cut = held_out_thresholds(predictions, plane.values[0, 0], t)
            decisions[:, j] = predictions - cut
        held_out, again = self._flat(decisions), np.intersect1d(labels.labeled[doubtful], rows)
        if len(again):
            held_out[np.isin(labels.labeled, again)] = refits(self, labels, again).decisions
        return judged(self, labels, rows, held_out[np.isin(labels.labeled, rows)])

    def _automatic_threshold(self) -> bool:
        return isinstance(self.threshold, str)

    def _differences(self, invariances: Any) -> Array:
        """Return the coordinates of changed points less those of the points."""
        if invariances is None:
            return np.empty((0, self.coordinates_.rank))
        try:
            points, changed = invariances
        except (TypeError, ValueError):
            raise ValueError(
                "LSKPCA: invariances must be a pair of arrays, points and the same points changed."
            ) from None
        points, changed = (self._validated(part, reset=False) for part in (points, changed))
        if points.shape != changed.shape:
            raise ValueError(
                f"LSKPCA: invariances pair {points.shape[0]} points with {changed.shape[0]} changed ones; there must "
                "be one for each."
            )
        return self.coordinates_.project(changed) - self.coordinates_.project(points)
