"""The spectral graph transducer."""

from typing import Any, Self

import numpy as np

from sskpca.coordinates import NoVarianceError, coordinates_from_features
from sskpca.estimators.at_once import at_once
from sskpca.estimators.classifier import SemiSupervisedClassifier, functions_per_class
from sskpca.estimators.labels import Labels
from sskpca.estimators.parameters import check_number
from sskpca.kernels import TransducerSpectrum
from sskpca.rows import Rows
from sskpca.solvers import solve_ls_kpca

__all__ = ["SpectralGraphTransducer"]


class SpectralGraphTransducer(SemiSupervisedClassifier):
    r"""Joachims' spectral graph transducer, which is LS-KPCA with a kernel of a graph [Joachims2003]_.

    .. math::

        \min_z\; \sum_{i=1}^{d} i^2 (u_{i+1}^\top z)^2 + \sum_{j \in L} c_j (z_j - t_j)^2
        \quad\text{subject to}\quad z^\top z = m, \quad z \in \mathrm{span}(u_2, \dots, u_{d+1})

    with u the eigenvectors of the Laplacian of a graph of neighbours. Among :math:`l_+` positive and
    :math:`l_-` negative labels, the targets are :math:`t_+ = \sqrt{l_-/l_+}` and :math:`t_- = -\sqrt{l_+/l_-}`, the
    costs :math:`c_\pm = c\, l / (2 l_\pm)`, and z is cut at :math:`(t_+ + t_-)/2`. The solver is that of
    `LSKPCA`, uncentred, and its report proves the optimum.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        "auto" is the published 100, or half as many as there are points if that is less.
    n_eigenvectors : int, default=80
        d.
    label_weight : float, default=3200.0
        c.
    metric, weights, laplacian, graph, search
        As for the kernel `TransducerSpectrum`.
    unlabeled
        As for `LSKPCA`.

    Attributes
    ----------
    classes_, transduction_, decision_, reports_, coordinates_, coef_, threshold_, n_features_in_
        As for `LSKPCA`.
    kernel_ : TransducerSpectrum
        Fitted.

    Examples
    --------
    >>> from sskpca import SpectralGraphTransducer
    >>> from sskpca.datasets import make_two_moons
    >>> X, y, target = make_two_moons(200)
    >>> model = SpectralGraphTransducer(10, metric="euclidean", weights="gaussian").fit(X, y)
    >>> float((model.transduction_ == target).mean())
    1.0
    """

    kernel = None  # the method brings its own
    kernel_: TransducerSpectrum

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        n_eigenvectors: int = 80,
        *,
        label_weight: float = 3200.0,
        metric: str = "cosine",
        weights: str = "transducer",
        laplacian: str = "normalized",
        graph: Any = None,
        search: str = "auto",
        unlabeled: Any = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_eigenvectors = n_eigenvectors
        self.label_weight = label_weight
        self.metric = metric
        self.weights = weights
        self.laplacian = laplacian
        self.graph = graph
        self.search = search
        self.unlabeled = unlabeled

    @at_once
    def fit(self, X: Any, y: Any) -> Self:
        """Find the graph, its eigenvectors and the function, or functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labelled and not.
        y : array-like of shape (n_samples,)
            Classes, and -1, None, NaN, NA, null or "" where there is none.
        """
        check_number(self, "label_weight", self.label_weight)
        X = self._validated(X, reset=True)
        if isinstance(X, Rows):
            raise ValueError(
                "SpectralGraphTransducer: the graph needs all rows in memory, and these come in blocks; pass an array, "
                'or use LSKPCA("transducer", coordinates="nystrom"), which makes it of a sample.'
            )
        labels = self._read_labels(X, y)
        n = X.shape[0]
        automatic = isinstance(self.n_neighbors, str) and self.n_neighbors == "auto"
        self.kernel_ = TransducerSpectrum(
            min(100, max(n // 2, 1)) if automatic else self.n_neighbors,  # type: ignore[arg-type]
            self.n_eigenvectors,
            metric=self.metric,
            weights=self.weights,
            laplacian=self.laplacian,
            graph=self.graph,
            search=self.search,
        )
        try:
            A = self.kernel_.fit_features(X)
        except NoVarianceError:
            if X.shape[1] == 1 and self.metric == "cosine":
                raise ValueError(
                    "SpectralGraphTransducer: with one column (n_features = 1) all rows of the same sign have the same "
                    'direction; use metric="euclidean" and weights="gaussian".'
                ) from None
            raise self._all_alike(n, self.kernel_) from None
        self.coordinates_ = coordinates_from_features(
            A, self.kernel_.features, np.eye(A.shape[1]), centered=False, total_variance=float(np.sum(A**2))
        )
        self._learn(labels)
        return self

    def _find_functions(self, labels: Labels) -> None:
        c = check_number(self, "label_weight", self.label_weight)
        # The kernel is scaled to mean diagonal 1; Joachims' is not. Scaling a kernel scales the price of its norm.
        price = c / self.kernel_.scale_
        Z, d = self.coordinates_.values, self.coordinates_.variances
        solutions, thresholds = [], []
        for k in functions_per_class(labels):
            positive = labels.targets(k) > 0
            share = positive.sum() / len(positive)
            targets = np.where(positive, np.sqrt((1 - share) / share), -np.sqrt(share / (1 - share)))
            costs = np.where(positive, price / (2 * share), price / (2 * (1 - share)))
            solutions.append(solve_ls_kpca(Z[labels.labeled], d, targets, costs, float(len(Z))))
            thresholds.append((targets.max() + targets.min()) / 2)
        self._set_functions(labels, solutions, np.array(thresholds))
