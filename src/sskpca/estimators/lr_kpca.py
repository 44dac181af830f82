"""LR-KPCA."""

from typing import Any, Self

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.at_once import at_once
from sskpca.estimators.classifier import (
    SemiSupervisedClassifier,
    functions_per_class,
    target_variance,
)
from sskpca.estimators.held_out import HeldOutDecisions
from sskpca.estimators.labels import Labels
from sskpca.estimators.parameters import check_count, check_number
from sskpca.estimators.space import KernelLike
from sskpca.solvers import LOSSES, Loss, solve_lr_kpca

__all__ = ["LRKPCA"]


class LRKPCA(SemiSupervisedClassifier):
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
        unlabeled: Any = "auto",
        coordinates: str | Coordinates = "exact",
        n_landmarks: int | str = 500,
        landmarks: Any = "uniform",
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
    def fit(self, X: Any, y: Any) -> Self:
        """Find the function, or functions.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,), or mapping
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.
        """
        self._parameters()
        X = self._validated(X, reset=True)
        labels = self._read_labels(X, y)
        self._fit_coordinates(X, self.rank)
        self._learn(labels)
        return self

    def _parameters(self) -> dict[str, Any]:
        return {
            "weights": check_number(self, "label_weight", self.label_weight),
            "tol": check_number(self, "tol", self.tol, limited=False),
            "max_iter": check_count(self, "max_iter", self.max_iter),
            "loss": self._loss(),
        }

    def _find_functions(self, labels: Labels) -> None:
        targets = [labels.targets(k) for k in functions_per_class(labels)]
        self.variance_ = np.array([target_variance(self, self.variance, t) for t in targets])
        Z, d = self.coordinates_.values, self.coordinates_.variances
        solutions = [
            solve_lr_kpca(Z[labels.labeled], d, t, variance=v * len(Z), **self._parameters())
            for t, v in zip(targets, self.variance_, strict=True)
        ]
        self.n_iter_ = max(1, *(solution.report.n_iter for solution in solutions))
        self._set_functions(labels, solutions, self.threshold)

    def leave_one_out(self) -> HeldOutDecisions:
        """Decide on each labelled row by a model that has not seen its label.

        As for the other methods; each model is solved from scratch. To start from the one with all labels would be
        quicker, and would let the model remember the label where its problem is nearly flat.
        """
        return super().leave_one_out()

    def _loss(self) -> Loss:
        if isinstance(self.loss, str):
            if self.loss not in LOSSES:
                raise ValueError(f"LRKPCA: loss={self.loss!r} is not known; choose from {', '.join(LOSSES)}.")
            return LOSSES[self.loss]
        return self.loss
