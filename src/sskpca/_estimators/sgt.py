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
        Number of nearest neighbours. "auto" is the published 100, or half as many as there are points if that is less.
    n_eigenvectors : int, default=80
        d, the number of eigenvectors of the Laplacian.
    label_weight : float, default=3200.0
        c, how much the labels count against smoothness on the graph.
    metric : str, default="cosine"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="transducer"
        Weights of the edges: a Gaussian of their length; cosines divided by their sum over the neighbours of a row,
        which need ``metric="cosine"``; or 1.
    laplacian : {"normalized", "unnormalized"}, default="normalized"
        Which Laplacian of the graph is used.
    graph : sparse matrix of shape (n_samples, n_samples) or None, default=None
        Weights of a graph of your own, symmetric and not negative, in place of one of nearest neighbours. New rows take
        their features from their nearest neighbours in X.
    search : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are searched. "approximate" uses pynndescent; "auto" does so, with a notice, for more than 50,000
        rows.
    unlabeled : "auto", None, a mark or a list of marks, default="auto"
        What marks an unlabelled row besides None, NaN and null. "auto": blank text, and -1 if two other classes remain.
        One mark or several, such as -1 or ["todo", "skip"]: these, and blank text. None: nothing else, so that even
        blank text is a class. Text that looks like a mark and is none is refused, except by None.

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
    coordinates_ : Coordinates
        The principal coordinates of the data.
    coef_ : ndarray of shape (rank, n_functions)
        The functions, on the coordinates.
    threshold_ : ndarray of shape (n_functions,)
        Where each function is cut.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray
        Names of the columns, if X has them.
    kernel_ : FittedSpectrum
        The fitted `TransducerSpectrum`.

    References
    ----------
    .. [Joachims2003] T. Joachims, Transductive Learning via Spectral Graph Partitioning, ICML 2003, 290-297.

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

        Returns
        -------
        self : object
            The fitted estimator.
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
