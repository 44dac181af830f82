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
    kernel, variance, centered, rank, threshold, unlabeled, coordinates, n_landmarks, landmarks, random_state, memory
        As for `LSKPCA`.
    label_weight : float, default=10.0
        c, how much the labels count against smoothness; less than for `LSKPCA`, since these losses do not vanish on
        labels that are fitted.
    loss : {"logistic", "sigmoid", "hinge"} or Loss, default="logistic"
        :math:`\log(1 + e^{-a})`; the bounded :math:`1/(1 + e^a)`; the hinge with its corner rounded (Huber).
    max_iter : int, default=200
        Largest number of reweighting steps.
    tol : float, default=1e-8
        Accepted relative KKT residual.

    Attributes
    ----------
    n_iter_ : int
        Reweighting steps, the most for any function; at least 1.
    classes_, transduction_, decision_, reports_, coordinates_, coef_, threshold_, variance_, n_features_in_
        As for `LSKPCA`; a report's `history` is the objective after each step.

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
        absent = [name for name in LOSS_MEMBERS if not hasattr(self.loss, name)]
        if isinstance(self.loss, type) or absent:
            listed = ", ".join(f'"{name}"' for name in LOSSES)
            raise ValueError(
                f"LRKPCA: loss must be {listed} or an object with {', '.join(LOSS_MEMBERS)} (see sskpca.solvers.Loss), "
                f"got {self.loss!r}."
            )
        return self.loss
