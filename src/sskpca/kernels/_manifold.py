r"""A kernel deformed by a graph: smooth in its own space and along the edges."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
import scipy.linalg

from sskpca._graphs import NeighborGraph, checked_graph, laplacian
from sskpca._linalg.array import Array, Matrix
from sskpca._linalg.eigen import numerical_rank, symmetric_eigen
from sskpca._parameters import check_number
from sskpca.kernels._algebra import FittedSum
from sskpca.kernels._base import Kernel, KernelValueError, MatrixKernel
from sskpca.kernels._fitted import FittedKernel
from sskpca.rows._source import NoVarianceError

__all__ = ["ManifoldRegularized"]


@dataclass(frozen=True, eq=False, repr=False)
class FittedManifold(FittedKernel):
    """A deformed kernel against rows.

    Attributes
    ----------
    base_ : FittedKernel
    deformation : ndarray of shape (n_samples, n_samples)
        N, up to scale.
    """

    base_: FittedKernel
    deformation: Array

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return self.base_.cross(X) @ self.deformation


@dataclass(eq=False, repr=False)
class ManifoldRegularized(MatrixKernel):
    r"""The kernel of the norm :math:`\|f\|^2 + \tfrac{\mu}{2} \sum_{ij} w_{ij} (f(x_i) - f(x_j))^2`.

    .. math::

        K_\mu = (K^{-1} + \mu L)^{-1} = K N, \qquad k_\mu(x, \cdot) = k(x, \cdot)\, N, \qquad N = (I + \mu L K)^{-1}

    with :math:`L = Q - W` the Laplacian of a graph of the data [Belkin2006]_, divided by the mean degree so that
    :math:`\mu` means the same on every graph. New rows need no neighbours: the formula for them is exact. The result
    is scaled to the mean diagonal of the base kernel, so that a label weight means the same for every strength.

    Parameters
    ----------
    base : Kernel, str or None, default=None
        The kernel to deform; `Gaussian()` by default.
    strength : float, default=1.0
        :math:`\mu`, zero or more. Zero is the base kernel.
    n_neighbors : int, default=10
        Number of neighbours in the graph.
    metric : str, default="euclidean"
        "euclidean", "cosine", or another that scikit-learn's `NearestNeighbors` knows.
    weights : {"gaussian", "transducer", "binary"}, default="gaussian"
        Weights of the edges: a Gaussian of their length; cosines divided by their sum over the neighbours of a row,
        which need ``metric="cosine"``; or 1.
    graph : sparse matrix of shape (n_samples, n_samples) or None, default=None
        Weights of a graph of your own, symmetric and not negative, in place of one of nearest neighbours.
    search : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are searched. "approximate" uses pynndescent; "auto" does so, with a notice, for more than 50,000
        rows.

    References
    ----------
    .. [Belkin2006] M. Belkin, P. Niyogi, V. Sindhwani, Manifold Regularization, Journal of Machine Learning Research 7,
       2399-2434, 2006.

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import Gaussian, ManifoldRegularized
    >>> X, y, target = make_two_moons(200)
    >>> model = LSKPCA(ManifoldRegularized(Gaussian(), strength=100.0)).fit(X, y)
    >>> float((model.transduction_ == target).mean())
    1.0
    """

    base: Kernel | str | None = None
    strength: float = 1.0
    _: KW_ONLY
    n_neighbors: int = 10
    metric: str = "euclidean"
    weights: str = "gaussian"
    graph: Matrix | None = None
    search: str = "auto"

    needs_all_rows = True

    @property
    def pairwise(self) -> bool:
        """Whether the base kernel takes a matrix of similarities."""
        from sskpca.kernels._given import is_precomputed

        return is_precomputed(self.base)

    def fit_gram(self, X: Matrix) -> tuple[FittedKernel, Array]:
        """Learn base kernel and graph, and return the kernel matrix, too."""
        from sskpca.kernels._given import make_kernel

        strength = check_number(self, "strength", self.strength, zero=True, limited=False)
        base, K = make_kernel("rbf" if self.base is None else self.base).fit_gram(X)
        if strength == 0:
            return FittedSum(self, (base,), (1.0,)), K
        if self.graph is None:
            W = NeighborGraph(self.n_neighbors, self.metric, self.weights, self.search).fit(X).weights_
        else:
            W = checked_graph(self.graph, len(K))
        L = laplacian(W, "unnormalized") * (len(K) / W.sum())
        # With K = RR' all is symmetric: K_mu = R S^-1 R', S = I + mu R'LR. Eigenvalues that are rounding must go:
        # the deformation shrinks the others, and would leave nothing but them.
        w, U = symmetric_eigen(K)
        kept = numerical_rank(w, len(K))
        if kept == 0:
            raise NoVarianceError
        R = U[:, :kept] * np.sqrt(w[:kept])
        S = np.eye(kept) + strength * (R.T @ (L @ R))
        try:
            factor = np.linalg.cholesky((S + S.T) / 2)
        except np.linalg.LinAlgError:
            raise KernelValueError(
                "ManifoldRegularized: the rows differ too little beside their size for the graph to be told from "
                "rounding; subtract their mean and rescale them (sklearn.preprocessing.StandardScaler)."
            ) from None
        root = scipy.linalg.solve_triangular(factor, R.T, lower=True)
        scale = float(np.trace(K) / np.sum(root**2))
        # New rows by their coordinates R^+ k(x), which S^-1 R' takes to kernel values.
        back = scipy.linalg.solve_triangular(factor, root, lower=True, trans=1)
        deformation = (U[:, :kept] / np.sqrt(w[:kept])) @ back * scale
        return FittedManifold(self, base, deformation), np.asarray(root.T @ root * scale)
