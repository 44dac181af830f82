"""The spectral graph transducer."""

from typing import Self

import numpy as np

from sskpca._estimators.classifier import SingleMethodClassifier
from sskpca._estimators.space import at_once
from sskpca._linalg.array import LabelsLike, Matrix, RowsLike
from sskpca._parameters import check_number
from sskpca._transduction.methods import Transducer
from sskpca.coordinates import NoVarianceError
from sskpca.coordinates._principal import coordinates_from_features
from sskpca.kernels import TransducerSpectrum
from sskpca.rows import Rows

__all__ = ["SpectralGraphTransducer"]


class SpectralGraphTransducer(SingleMethodClassifier):
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
    kernel_ : FittedSpectrum
        The fitted `TransducerSpectrum`.

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

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        n_eigenvectors: int = 80,
        *,
        label_weight: float = 3200.0,
        metric: str = "cosine",
        weights: str = "transducer",
        laplacian: str = "normalized",
        graph: Matrix | None = None,
        search: str = "auto",
        unlabeled: object = "auto",
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
    def fit(self, X: RowsLike, y: LabelsLike) -> Self:
        """Find the graph, its eigenvectors and the function, or functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labelled and not.
        y : array-like of shape (n_samples,)
            Classes, and -1, None, NaN, NA, null or "" where there is none.
        """
        weight = check_number(self, "label_weight", self.label_weight)
        X = self._validated(X, reset=True)
        if isinstance(X, Rows):
            raise ValueError(
                "SpectralGraphTransducer: the graph needs all rows in memory, and these come in blocks; pass an array, "
                'or use LSKPCA("transducer", coordinates="nystrom"), which makes it of a sample.'
            )
        labels = self._read_labels(X, y)
        n = X.shape[0]
        automatic = isinstance(self.n_neighbors, str) and self.n_neighbors == "auto"
        kernel = TransducerSpectrum(
            min(100, max(n // 2, 1)) if automatic else self.n_neighbors,
            self.n_eigenvectors,
            metric=self.metric,
            weights=self.weights,
            laplacian=self.laplacian,
            graph=self.graph,
            search=self.search,
        )
        try:
            fitted, A = kernel.fit_features(X)
        except NoVarianceError:
            if X.shape[1] == 1 and self.metric == "cosine":
                raise ValueError(
                    "SpectralGraphTransducer: with one column (n_features = 1) all rows of the same sign have the same "
                    'direction; use metric="euclidean" and weights="gaussian".'
                ) from None
            raise self._all_alike(n, kernel) from None
        coordinates = coordinates_from_features(
            A, fitted.features, np.eye(A.shape[1]), centered=False, total_variance=float(np.sum(A**2))
        )
        self._fit_answer(X, labels, (fitted, coordinates), Transducer(weight / fitted.scale_))
        return self
