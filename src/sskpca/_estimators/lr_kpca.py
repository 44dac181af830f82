"""LR-KPCA."""

from typing import Self

from sskpca._estimators.classifier import SingleMethodClassifier
from sskpca._estimators.space import KernelLike, at_once
from sskpca._linalg.array import LabelsLike, LandmarksLike, RowsLike
from sskpca._parameters import check_count, check_number
from sskpca._transduction.methods import Reweighted
from sskpca.coordinates import Coordinates
from sskpca.solvers import Loss
from sskpca.solvers._losses import LOSSES

__all__ = ["LRKPCA"]

# What a `Loss` has.
LOSS_MEMBERS = ("convex", "value", "slope", "second", "majorant")


class LRKPCA(SingleMethodClassifier):
    r"""Logistic kernel PCA: a smooth function of given variance with a small loss on the labels.

    .. math::

        \min_f\; \|f\|^2 + c \sum_{i \in L} \ell(t_i f(x_i))
        \quad\text{subject to}\quad \frac1m \sum_i \left( f(x_i) - \bar f \right)^2 = v

    Unlike the squared loss of `LSKPCA`, these losses do not mind points that are far on the right side. The
    solution is a stationary point, found by a sequence of LS-KPCA problems on the same coordinates, each solved
    to its global optimum; where a report's gap is zero it is the global optimum of the whole.

    The losses go on asking for larger values where labels are fitted already, at the expense of other points:
    with a large `label_weight`, give a larger `variance` than the automatic one too.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="rbf"
        "rbf", "laplacian", "linear", "poly", "cosine", "precomputed"; an object from `sskpca.kernels`; or a
        function of two matrices of rows.
    label_weight : float, default=10.0
        c, how much the labels count against smoothness; less than for `LSKPCA`, since these losses do not vanish on
        labels that are fitted.
    variance : float or "auto", default="auto"
        v. "auto" is that of a -1/+1 labelling with the classes in the proportion of the labels:
        :math:`4p(1-p)`, :math:`p = (l_+ + 1)/(l + 2)`.
    loss : {"logistic", "sigmoid", "hinge"} or Loss, default="logistic"
        :math:`\log(1 + e^{-a})`; the bounded :math:`1/(1 + e^a)`; the hinge with its corner rounded (Huber).
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
    max_iter : int, default=200
        Largest number of reweighting steps.
    tol : float, default=1e-08
        Accepted relative KKT residual.

    Attributes
    ----------
    n_iter_ : int
        Reweighting steps, the most for any function; at least 1.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    transduction_ : ndarray of shape (n_samples,)
        A class for each row of the data: the given one, or the predicted one.
    decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        `decision_function` of the data.
    reports_ : list of Report
        One for each function: objective, lower bound, gap, KKT residual, ...; `history` is the objective after each
        step.
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
    >>> from sskpca import LRKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import Gaussian
    >>> X, y, target = make_two_moons(200)
    >>> model = LRKPCA(kernel=Gaussian(gamma=4.0), label_weight=10.0).fit(X, y)
    >>> float((model.transduction_ == target).mean())
    0.995
    """

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        label_weight: float = 10.0,
        variance: float | str = "auto",
        loss: str | Loss = "logistic",
        centered: bool = True,
        rank: int | None = None,
        threshold: float | str = "auto",
        unlabeled: object = "auto",
        coordinates: str | Coordinates = "exact",
        n_landmarks: int | str = 500,
        landmarks: LandmarksLike = "uniform",
        random_state: int = 0,
        memory: int | str | None = None,
        max_iter: int = 200,
        tol: float = 1e-8,
    ) -> None:
        self.kernel = kernel
        self.label_weight = label_weight
        self.variance = variance
        self.loss = loss
        self.centered = centered
        self.rank = rank
        self.threshold = threshold
        self.unlabeled = unlabeled
        self.coordinates = coordinates
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state
        self.memory = memory
        self.max_iter = max_iter
        self.tol = tol

    @at_once
    def fit(self, X: RowsLike, y: LabelsLike) -> Self:
        """Find the function, or functions.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,), or mapping
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        method = self._method()
        X = self._validated(X, reset=True)
        labels = self._read_labels(X, y)
        self._fit_answer(X, labels, self._fit_coordinates(X, self.rank), method)
        return self

    @property
    def n_iter_(self) -> int:
        """Reweighting steps, the most for any function; at least 1."""
        return max(1, *(int(report.n_iter) for report in self.answer_.found.reports))

    def _method(self) -> Reweighted:
        return Reweighted(
            check_number(self, "label_weight", self.label_weight),
            self._resolved_variance(self.variance),
            self._resolved_threshold(self.threshold),
            self._loss(),
            check_count(self, "max_iter", self.max_iter),
            check_number(self, "tol", self.tol, limited=False),
        )

    def _loss(self) -> Loss:
        if isinstance(self.loss, str):
            if self.loss not in LOSSES:
                raise ValueError(f"LRKPCA: loss={self.loss!r} is not known; choose from {', '.join(LOSSES)}.")
            return LOSSES[self.loss]
        if isinstance(self.loss, type):
            name = self.loss.__name__
            raise ValueError(f"LRKPCA: loss={name} is a class; pass an object: {name}().")
        absent = [name for name in LOSS_MEMBERS if not hasattr(self.loss, name)]
        if absent:
            listed = ", ".join(f'"{name}"' for name in LOSSES)
            raise ValueError(
                f"LRKPCA: loss must be {listed} or an object with {', '.join(LOSS_MEMBERS)} (see sskpca.solvers.Loss), "
                f"got {self.loss!r}, which has no {', '.join(absent)}."
            )
        return self.loss
