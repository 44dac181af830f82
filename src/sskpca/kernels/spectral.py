r"""Kernels of a graph: one scalar function of the Laplacian's eigenvalues each.

With the Laplacian :math:`L = \sum_j \lambda_j u_j u_j^\top` of a graph of nearest neighbours, or of the user's own,

.. math:: K = \varrho \sum_j g(\lambda_j)\, u_j u_j^\top ,

scaled by :math:`\varrho` to mean diagonal 1 on the data, so that kernels can be mixed and a label weight means the
same for all. A new point takes over the features of its nearest neighbours, see `NeighborGraph.interpolation`: exact on
the data, and a kernel everywhere.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from sskpca.graphs import NeighborGraph, checked_graph, laplacian_eigenpairs
from sskpca.graphs.laplacian import DENSE_SIZE, equal_eigenvectors
from sskpca.kernels.algebra import KernelAlgebra
from sskpca.kernels.base import positive
from sskpca.linalg.array import Array, Indices
from sskpca.rows.alike import NoVarianceError
from sskpca.rows.canonical import canonical_order

__all__ = [
    "Diffusion",
    "GraphBasis",
    "LaplacianPseudoinverse",
    "RegularizedLaplacian",
    "SpectralKernel",
    "TransducerSpectrum",
]

# So many eigenvectors, where all would be too many.
MANY = 300


@dataclass(frozen=True)
class GraphBasis:
    """The smoothest eigenvectors of a graph's Laplacian.

    Attributes
    ----------
    neighbors : NeighborGraph
        Finds the neighbours of new points.
    eigenvalues : ndarray of shape (k,)
        Ascending.
    vectors : ndarray of shape (n_samples, k)
        Orthonormal.
    groups : ndarray of shape (k,)
        Numbers of the groups of eigenvectors that nothing tells apart, see `equal_eigenvectors`.
    alike : bool
        Does the graph tell no two points apart?
    """

    neighbors: NeighborGraph
    eigenvalues: Array
    vectors: Array
    groups: Indices
    alike: bool


class SpectralKernel(KernelAlgebra, BaseEstimator):
    """What the kernels of a graph share. Abstract: each defines `spectrum`."""

    n_neighbors: int
    n_eigenvectors: int | None
    metric: str
    weights: str
    laplacian: str
    graph: Any
    search: str

    def spectrum(self, eigenvalues: Array) -> Array:
        """Evaluate g at the Laplacian's eigenvalues, ascending."""
        raise NotImplementedError

    def fit_features(self, X: Any) -> Array:
        """Learn the graph and return the features of the data: their inner products are the kernel matrix."""
        return self.fit_basis(self.find_basis(X))

    def find_basis(self, X: Any) -> GraphBasis:
        """Learn the graph and find its eigenvectors: all of the work, and the same for every spectrum."""
        n = X.shape[0]
        number = self.n_eigenvectors
        if number is not None and (not isinstance(number, Integral) or isinstance(number, bool) or number < 1):
            raise ValueError(f"n_eigenvectors must be None or a whole number from 1 up, got {number!r}.")
        if self.laplacian == "random walk":
            raise ValueError('laplacian="random walk" is not symmetric and makes no kernel; use "normalized".')
        neighbors = NeighborGraph(self.n_neighbors, self.metric, self.weights, self.search)
        alike = False
        if self.graph is None:
            W = neighbors.fit(X).weights_
            alike = neighbors.alike
        else:
            W = checked_graph(self.graph, n)
            # For new points only: they have no edges in the user's graph.
            neighbors = NeighborGraph(min(int(self.n_neighbors), n - 1), self.metric, "binary", self.search).fit(X)
        wanted = self._number(n)
        values, vectors = laplacian_eigenpairs(W, self.laplacian, wanted, order=canonical_order(X))
        # One vector is left of a graph in which all points are joined alike.
        alike |= len(values) == 1 < (n if wanted is None else wanted)
        return GraphBasis(neighbors, values, vectors, equal_eigenvectors(W, values), alike)

    def fit_basis(self, basis: GraphBasis) -> Array:
        """Return the features that this kernel's spectrum makes of a graph's eigenvectors."""
        if basis.alike:
            raise NoVarianceError
        self.graph_, self.eigenvalues_, U = basis.neighbors, basis.eigenvalues, basis.vectors
        n = len(U)
        g = np.asarray(self.spectrum(self.eigenvalues_), dtype=np.float64)
        # Eigenvectors that nothing tells apart are any basis of their space: they have the same weight.
        g = (np.bincount(basis.groups, g) / np.bincount(basis.groups))[basis.groups]
        largest = float(g.max(initial=0.0))
        if not largest > 0:
            raise ValueError(f"{type(self).__name__}: no eigenvector has a positive weight; raise n_eigenvectors.")
        keep = g > n * np.finfo(float).eps * largest
        self.scale_ = n / float(g[keep].sum())
        self._features = U[:, keep] * np.sqrt(self.scale_ * g[keep])
        return np.array(self._features)

    def features(self, X: Any) -> Array:
        """Return the features of new points."""
        return np.asarray(self.graph_.interpolation(X) @ self._features)

    def fit_gram(self, X: Any) -> Array:
        """Learn the graph and return the kernel matrix."""
        A = self.fit_features(X)
        return np.asarray(A @ A.T)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(self.features(X) @ self._features.T)

    def _number(self, n: int) -> int | None:
        """Say how many eigenvectors are to be found."""
        if self.n_eigenvectors is not None:
            return min(int(self.n_eigenvectors), n)
        return None if n <= DENSE_SIZE else MANY


class Diffusion(SpectralKernel):
    r"""Diffusion on the graph: how much heat is exchanged in a given time.

    .. math:: g(\lambda) = e^{-\tau\lambda}, \qquad K \propto \exp(-\tau L)

    Parameters
    ----------
    n_neighbors : int, default=10
        Of the graph, and those that a new point takes its features from.
    time : float, default=10.0
        :math:`\tau`, positive.
    n_eigenvectors : int or None, default=None
        How many of the smoothest to use. None is all up to 2,000 points and 300 beyond.
    metric : str, default="euclidean"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="gaussian"
        Of the edges, see `NeighborGraph`.
    laplacian : {"normalized", "unnormalized"}, default="normalized"
    graph : sparse matrix of shape (n_samples, n_samples), optional
        The user's own, symmetric and not negative, in place of one of nearest neighbours.
    search : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are found.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Of the Laplacian, ascending.
    graph_ : NeighborGraph
    scale_ : float

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> Diffusion(n_neighbors=1, time=50.0).fit_gram(X).round(3) + 0.0  # no -0.
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        time: float = 10.0,
        *,
        n_eigenvectors: int | None = None,
        metric: str = "euclidean",
        weights: str = "gaussian",
        laplacian: str = "normalized",
        graph: Any = None,
        search: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.time = time
        self.n_eigenvectors = n_eigenvectors
        self.metric = metric
        self.weights = weights
        self.laplacian = laplacian
        self.graph = graph
        self.search = search

    def spectrum(self, eigenvalues: Array) -> Array:
        """Evaluate exp(-time * eigenvalue)."""
        return np.asarray(np.exp(-positive(self.time, "Diffusion: time") * eigenvalues))


class RegularizedLaplacian(SpectralKernel):
    r"""The inverse of the Laplacian, made regular.

    .. math:: g(\lambda) = \frac{1}{\lambda + \varepsilon}, \qquad K \propto (L + \varepsilon I)^{-1}

    Parameters
    ----------
    n_neighbors, n_eigenvectors, metric, weights, laplacian, graph, search
        As for `Diffusion`.
    regularization : float, default=0.01
        :math:`\varepsilon`, positive.
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        regularization: float = 0.01,
        *,
        n_eigenvectors: int | None = None,
        metric: str = "euclidean",
        weights: str = "gaussian",
        laplacian: str = "normalized",
        graph: Any = None,
        search: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.regularization = regularization
        self.n_eigenvectors = n_eigenvectors
        self.metric = metric
        self.weights = weights
        self.laplacian = laplacian
        self.graph = graph
        self.search = search

    def spectrum(self, eigenvalues: Array) -> Array:
        """Evaluate 1 / (eigenvalue + regularization)."""
        return 1 / (eigenvalues + positive(self.regularization, "RegularizedLaplacian: regularization"))


class LaplacianPseudoinverse(SpectralKernel):
    r"""The pseudo-inverse of the Laplacian.

    .. math:: g(\lambda) = \frac1\lambda \;\text{ for } \lambda > 0, \quad g(0) = 0, \qquad K \propto L^+

    Functions that are constant on the connected components, up to the square root of the degrees if the Laplacian is
    normalised, are not in its space: on a disconnected graph nothing is carried from one component to another.

    Parameters
    ----------
    n_neighbors, n_eigenvectors, metric, weights, laplacian, graph, search
        As for `Diffusion`.
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        n_eigenvectors: int | None = None,
        metric: str = "euclidean",
        weights: str = "gaussian",
        laplacian: str = "normalized",
        graph: Any = None,
        search: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_eigenvectors = n_eigenvectors
        self.metric = metric
        self.weights = weights
        self.laplacian = laplacian
        self.graph = graph
        self.search = search

    def spectrum(self, eigenvalues: Array) -> Array:
        """Evaluate 1 / eigenvalue, and 0 at 0."""
        return np.divide(1.0, eigenvalues, out=np.zeros_like(eigenvalues), where=eigenvalues > 0)


class TransducerSpectrum(SpectralKernel):
    r"""The kernel of the spectral graph transducer [Joachims2003]_: eigenvectors by rank, eigenvalues forgotten.

    .. math:: K \propto \sum_{i=1}^{d} \frac{1}{i^2}\, u_{i+1} u_{i+1}^\top

    The first eigenvector is left out. On a disconnected graph the next ones tell the components apart. Eigenvectors of
    equal eigenvalues share their weights equally.

    Parameters
    ----------
    n_neighbors : int, default=100
    n_eigenvectors : int, default=80
        d.
    metric : str, default="cosine"
    weights : str, default="transducer"
    laplacian, graph, search
        As for `Diffusion`.
    """

    def __init__(
        self,
        n_neighbors: int = 100,
        n_eigenvectors: int = 80,
        *,
        metric: str = "cosine",
        weights: str = "transducer",
        laplacian: str = "normalized",
        graph: Any = None,
        search: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_eigenvectors = n_eigenvectors
        self.metric = metric
        self.weights = weights
        self.laplacian = laplacian
        self.graph = graph
        self.search = search

    def spectrum(self, eigenvalues: Array) -> Array:
        """Evaluate 1 / i squared for the i-th eigenvector after the first; the first and those beyond d get 0."""
        i = np.arange(len(eigenvalues), dtype=np.float64)
        last = np.inf if self.n_eigenvectors is None else self.n_eigenvectors
        return np.divide(1.0, i**2, out=np.zeros_like(i), where=(i > 0) & (i <= last))

    def _number(self, n: int) -> int | None:
        number = super()._number(n)
        return None if number is None else min(number + 1, n)
