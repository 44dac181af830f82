"""LS-KPCA."""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from sskpca._estimators.classifier import SingleMethodClassifier
from sskpca._estimators.space import KernelLike, at_once
from sskpca._linalg.array import Array, LabelsLike, LandmarksLike, RowsLike
from sskpca._parameters import check_number
from sskpca._transduction.methods import LeastSquares
from sskpca.coordinates import Coordinates

__all__ = ["LSKPCA"]


class LSKPCA(SingleMethodClassifier):
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
        Whether variance is taken around the mean. If not, it is the mean of :math:`f^2`.
    rank : int or None, default=None
        Number of leading principal coordinates to work in; None: all above rounding. Lower is faster and smoother.
    threshold : float or "auto", default="auto"
        Where to cut f. "auto" is the middle between the mean values of f on the labelled points of either class,
        which suits classes of unequal size. It moves the decisions, never the solution.
    unlabeled : "auto", None, a mark or a list of marks, default="auto"
        What marks an unlabelled row besides None, NaN and null. "auto": blank text, and -1 if two other classes remain.
        One mark or several, such as -1 or ["todo", "skip"]: these, and blank text. None: nothing else, so that even
        blank text is a class. Text that looks like a mark and is none is refused, except by None.
    coordinates : {"exact", "nystrom", "auto"} or Coordinates, default="exact"
        How the principal coordinates are found. "nystrom" approximates the kernel by its values against some landmarks:
        time grows with the rows, not with their cube, and they may come in blocks. "auto" is exact up to 10,000 rows if
        the memory allows, and "nystrom" otherwise, with a warning. Or the coordinates of an earlier fit to the same
        rows: then nothing is decomposed, `kernel` is not used, and a fit with other labels or parameters costs little.
    n_landmarks : int or "auto", default=500
        Number of landmarks. "auto": as many as fit into half of the memory budget, at most 2,000; a warning reports the
        number.
    landmarks : {"uniform", "sorted"} or array of shape (n_landmarks, n_features), default="uniform"
        How landmarks are chosen: "uniform" draws row numbers; "sorted" draws from the sorted rows, which must be in
        memory, so that permuted rows have the same landmarks. Or the landmarks themselves.
    random_state : int, default=0
        Random seed for the choice of landmarks.
    memory : str, int or None, default=None
        Memory budget, as text such as "2GB" or in bytes; None: 80 % of what is available. Blocks are made to fit, and
        coordinates of all rows are kept only if they fit into a quarter of it.
    invariance_weight : float, default=1.0
        How much the `invariances` given to `fit` count; zero or more.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    transduction_ : ndarray of shape (n_samples,)
        A class for each row of the data: the given one, or the predicted one.
    decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        `decision_function` of the data.
    reports_ : list of Report
        One for each function: objective, lower bound, gap, KKT residual, ...
    kernel_ : Fitted
        The fitted kernel, where the coordinates were found here; a Gaussian's bandwidth is its `gamma_`.
    coordinates_ : Coordinates
        The principal coordinates of the data.
    coef_ : ndarray of shape (rank, n_functions)
        The functions, on the coordinates.
    threshold_ : ndarray of shape (n_functions,)
        Where each function is cut.
    variance_ : ndarray of shape (n_functions,)
        The variance of each function.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray
        Names of the columns, if X has them.

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
        unlabeled: object = "auto",
        coordinates: str | Coordinates = "exact",
        n_landmarks: int | str = 500,
        landmarks: LandmarksLike = "uniform",
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
    def fit(self, X: RowsLike, y: LabelsLike, invariances: Any = None) -> Self:
        """Find the function, or functions.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,), or mapping
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.
        invariances : tuple of two array-likes of shape (n_pairs, n_features) or None, default=None
            Points, and the same points changed in a way that should not matter (images shifted by a pixel, say; small
            changes are tangents). `invariance_weight` times the sum of squared differences of f between the two is
            added to the objective: more rows of the same low-rank form. They need not be rows of X.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        method = self._method()
        X = self._validated(X, reset=True)
        labels = self._read_labels(X, y)
        decomposed = self._fit_coordinates(X, self.rank)
        same = self._differences(decomposed[1], invariances)
        self._fit_answer(X, labels, decomposed, replace(method, invariances=same))
        return self

    def _method(self) -> LeastSquares:
        weight = check_number(self, "label_weight", self.label_weight)
        stiffness = check_number(self, "invariance_weight", self.invariance_weight, zero=True)
        variance, threshold = self._resolved_variance(self.variance), self._resolved_threshold(self.threshold)
        return LeastSquares(weight, variance, threshold, np.empty((0, 0)), stiffness)

    def _differences(self, coordinates: Coordinates, invariances: Any) -> Array:
        """Return the coordinates of changed points less those of the points."""
        if invariances is None:
            return np.empty((0, coordinates.rank))
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
        return coordinates.project(changed) - coordinates.project(points)
