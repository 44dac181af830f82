r"""Kernels of a graph: one scalar function of the Laplacian's eigenvalues each.

With the Laplacian :math:`L = \sum_j \lambda_j u_j u_j^\top` of a graph of nearest neighbours, or of the user's own,

.. math:: K = \varrho \sum_j g(\lambda_j)\, u_j u_j^\top ,

scaled by :math:`\varrho` to mean diagonal 1 on the data, so that kernels can be mixed and a label weight means the
same for all. A new row takes over the features of its nearest neighbours, see `FittedGraph.weighed`: exact on
the data, and a kernel everywhere.
"""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Integral

import numpy as np

from sskpca._graphs import (
    FittedGraph,
    NearestRows,
    NeighborGraph,
    checked_graph,
    laplacian_eigenpairs,
)
from sskpca._graphs.laplacian import DENSE_SIZE, equal_eigenvectors
from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._parameters import check_number
from sskpca.kernels._base import FeatureKernel
from sskpca.kernels._graph_features import FittedSpectrum
from sskpca.rows._arrays import canonical_order
from sskpca.rows._source import NoVarianceError

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


@dataclass(frozen=True, eq=False)
class GraphBasis:
    """The smoothest eigenvectors of a graph's Laplacian.

    Attributes
    ----------
    neighbors : FittedGraph
        Finds the neighbours of new rows.
    eigenvalues : ndarray of shape (k,)
        Ascending.
    vectors : ndarray of shape (n_samples, k)
        Orthonormal.
    groups : ndarray of shape (k,)
        Numbers of the groups of eigenvectors that nothing tells apart, see `equal_eigenvectors`.
    alike : bool
        Whether the graph tells no two rows apart.
    """

    neighbors: FittedGraph
    eigenvalues: Array
    vectors: Array
    groups: Indices
    alike: bool


@dataclass(eq=False, repr=False)
class SpectralKernel(FeatureKernel):
    """What the kernels of a graph share. Abstract: each defines `spectrum`.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours in the graph, and of those that a new row takes its features from.
    n_eigenvectors : int or None, default=None
        How many of the smoothest to use. None is all up to 2,000 rows and 300 beyond.
    metric : str, default="euclidean"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="gaussian"
        Weights of the edges, see `NeighborGraph`.
    laplacian : {"normalized", "unnormalized"}, default="normalized"
    graph : sparse matrix of shape (n_samples, n_samples), optional
        The user's own, symmetric and not negative, in place of one of nearest neighbours.
    search : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are found.
    """

    n_neighbors: int = 10
    _: KW_ONLY
    n_eigenvectors: int | None = None
    metric: str = "euclidean"
    weights: str = "gaussian"
    laplacian: str = "normalized"
    graph: Matrix | None = None
    search: str = "auto"

    needs_all_rows = True

    @abstractmethod
    def spectrum(self, eigenvalues: Array) -> Array:
        """Return g at the Laplacian's eigenvalues, ascending."""

    @property
    def graph_parameters(self) -> tuple[object, ...]:
        """What the graph and its Laplacian depend on: kernels in which it is equal share their eigenvectors."""
        own = None if self.graph is None else id(self.graph)
        return self.n_neighbors, self.metric, self.weights, self.laplacian, self.search, own

    def width(self, n_rows: int) -> int:
        """Return the number of eigenvectors, at most."""
        number = self.n_eigenvectors
        if isinstance(number, Integral) and int(number) > 0:
            return min(int(number), n_rows)
        return n_rows if n_rows <= DENSE_SIZE else MANY

    def fit(self, X: Matrix) -> FittedSpectrum:
        """Learn the graph and its eigenvectors."""
        return self.fit_basis(self.find_basis(X))

    def fit_features(self, X: Matrix) -> tuple[FittedSpectrum, Array]:
        """Learn the graph, and return the features of the data, too: their inner products are the kernel matrix."""
        fitted = self.fit(X)
        return fitted, fitted.data

    def find_basis(self, X: Matrix, known: NearestRows | None = None) -> GraphBasis:
        """Learn the graph and find its eigenvectors: all of the work, and the same for every spectrum.

        `known` are the nearest rows, if they were found before, see `NeighborGraph.fit`.
        """
        n = X.shape[0]
        number = self.n_eigenvectors
        if number is not None and (not isinstance(number, Integral) or isinstance(number, bool) or number < 1):
            raise ValueError(f"n_eigenvectors must be None or a whole number from 1 up, got {number!r}.")
        if self.laplacian == "random walk":
            raise ValueError('laplacian="random walk" is not symmetric and makes no kernel; use "normalized".')
        if self.graph is None:
            neighbors = NeighborGraph(self.n_neighbors, self.metric, self.weights, self.search).fit(X, known)
            W, alike = neighbors.weights_, neighbors.alike
        else:
            W, alike = checked_graph(self.graph, n), False
            # For new rows only: they have no edges in the user's graph.
            neighbors = NeighborGraph(min(int(self.n_neighbors), n - 1), self.metric, "binary", self.search).fit(X)
        wanted = self._number(n)
        values, vectors = laplacian_eigenpairs(W, self.laplacian, wanted, order=canonical_order(X))
        # One vector is left of a graph in which all rows are joined alike.
        alike |= len(values) == 1 < (n if wanted is None else wanted)
        return GraphBasis(neighbors, values, vectors, equal_eigenvectors(W, values), alike)

    def fit_basis(self, basis: GraphBasis) -> FittedSpectrum:
        """Return the features that this kernel's spectrum makes of a graph's eigenvectors."""
        if basis.alike:
            raise NoVarianceError
        n = len(basis.vectors)
        g = np.asarray(self.spectrum(basis.eigenvalues), dtype=np.float64)
        # Eigenvectors that nothing tells apart are any basis of their space: they have the same weight.
        g = (np.bincount(basis.groups, g) / np.bincount(basis.groups))[basis.groups]
        largest = float(g.max(initial=0.0))
        if not largest > 0:
            raise ValueError(f"{type(self).__name__}: no eigenvector has a positive weight; raise n_eigenvectors.")
        keep = g > n * np.finfo(float).eps * largest
        scale = n / float(g[keep].sum())
        features = basis.vectors[:, keep] * np.sqrt(scale * g[keep])
        return FittedSpectrum(self, basis.neighbors, basis.eigenvalues, scale, features)

    def _number(self, n: int) -> int | None:
        """Return how many eigenvectors to find; None is all."""
        if self.n_eigenvectors is not None:
            return min(int(self.n_eigenvectors), n)
        return None if n <= DENSE_SIZE else MANY


@dataclass(eq=False, repr=False)
class Diffusion(SpectralKernel):
    r"""Diffusion on the graph: how much heat is exchanged in a given time.

    .. math:: g(\lambda) = e^{-\tau\lambda}, \qquad K \propto \exp(-\tau L)

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours in the graph, and of those that a new row takes its features from.
    time : float, default=10.0
        :math:`\tau`, positive: how far labels are carried along the graph.
    n_eigenvectors : int or None, default=None
        How many of the smoothest eigenvectors to use. None: all up to 2,000 rows and 300 beyond.
    metric : str, default="euclidean"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="gaussian"
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

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Diffusion
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> Diffusion(n_neighbors=1, time=50.0).fit_gram(X)[1].round(3) + 0.0  # no -0.
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """

    time: float = 10.0

    def spectrum(self, eigenvalues: Array) -> Array:
        """Return exp(-time * eigenvalue)."""
        return np.asarray(np.exp(-check_number(self, "time", self.time, limited=False) * eigenvalues))


@dataclass(eq=False, repr=False)
class RegularizedLaplacian(SpectralKernel):
    r"""The inverse of the Laplacian, made regular.

    .. math:: g(\lambda) = \frac{1}{\lambda + \varepsilon}, \qquad K \propto (L + \varepsilon I)^{-1}

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours in the graph, and of those that a new row takes its features from.
    regularization : float, default=0.01
        :math:`\varepsilon`, positive.
    n_eigenvectors : int or None, default=None
        How many of the smoothest eigenvectors to use. None: all up to 2,000 rows and 300 beyond.
    metric : str, default="euclidean"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="gaussian"
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

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import RegularizedLaplacian
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> RegularizedLaplacian(n_neighbors=1).fit_gram(X)[1].round(2) + 0.0  # no -0.
    array([[1.  , 0.99, 0.  , 0.  ],
           [0.99, 1.  , 0.  , 0.  ],
           [0.  , 0.  , 1.  , 0.99],
           [0.  , 0.  , 0.99, 1.  ]])
    """

    regularization: float = 0.01

    def spectrum(self, eigenvalues: Array) -> Array:
        """Return 1 / (eigenvalue + regularization)."""
        return 1 / (eigenvalues + check_number(self, "regularization", self.regularization, limited=False))


@dataclass(eq=False, repr=False)
class LaplacianPseudoinverse(SpectralKernel):
    r"""The pseudo-inverse of the Laplacian.

    .. math:: g(\lambda) = \frac1\lambda \;\text{ for } \lambda > 0, \quad g(0) = 0, \qquad K \propto L^+

    Functions that are constant on the connected components, up to the square root of the degrees if the Laplacian is
    normalised, are not in its space: on a disconnected graph nothing is carried from one component to another.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours in the graph, and of those that a new row takes its features from.
    n_eigenvectors : int or None, default=None
        How many of the smoothest eigenvectors to use. None: all up to 2,000 rows and 300 beyond.
    metric : str, default="euclidean"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="gaussian"
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

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import LaplacianPseudoinverse
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> LaplacianPseudoinverse(n_neighbors=1).fit_gram(X)[1].round(2) + 0.0  # no -0.
    array([[ 1., -1.,  0.,  0.],
           [-1.,  1.,  0.,  0.],
           [ 0.,  0.,  1., -1.],
           [ 0.,  0., -1.,  1.]])
    """

    def spectrum(self, eigenvalues: Array) -> Array:
        """Return 1 / eigenvalue, and 0 at 0."""
        return np.divide(1.0, eigenvalues, out=np.zeros_like(eigenvalues), where=eigenvalues > 0)


@dataclass(eq=False, repr=False)
class TransducerSpectrum(SpectralKernel):
    r"""The kernel of the spectral graph transducer [Joachims2003]_: eigenvectors by rank, eigenvalues forgotten.

    .. math:: K \propto \sum_{i=1}^{d} \frac{1}{i^2}\, u_{i+1} u_{i+1}^\top

    The first eigenvector is left out. On a disconnected graph the next ones tell the components apart. Eigenvectors of
    equal eigenvalues share their weights equally.

    Parameters
    ----------
    n_neighbors : int, default=100
        Number of neighbours in the graph, and of those that a new row takes its features from.
    n_eigenvectors : int or None, default=80
        d, the number of eigenvectors. None: all up to 2,000 rows and 300 beyond.
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

    References
    ----------
    .. [Joachims2003] T. Joachims, Transductive Learning via Spectral Graph Partitioning, ICML 2003, 290-297.

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import TransducerSpectrum
    >>> X, y, target = make_two_moons(200)
    >>> kernel = TransducerSpectrum(10, metric="euclidean", weights="gaussian")
    >>> float((LSKPCA(kernel).fit(X, y).transduction_ == target).mean())
    1.0
    """

    n_neighbors: int = 100
    n_eigenvectors: int | None = 80
    _: KW_ONLY
    metric: str = "cosine"
    weights: str = "transducer"

    def spectrum(self, eigenvalues: Array) -> Array:
        """Return 1 / i squared for the i-th eigenvector after the first; the first and those beyond d get 0."""
        i = np.arange(len(eigenvalues), dtype=np.float64)
        last = np.inf if self.n_eigenvectors is None else self.n_eigenvectors
        return np.divide(1.0, i**2, out=np.zeros_like(i), where=(i > 0) & (i <= last))

    def _number(self, n: int) -> int | None:
        number = super()._number(n)
        return None if number is None else min(number + 1, n)
