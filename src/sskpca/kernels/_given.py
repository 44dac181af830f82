"""Kernels as users give them: a name, a matrix, or a function of two matrices of rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from sskpca._linalg.array import Array, Matrix
from sskpca.kernels._base import Kernel, MatrixKernel, checked_gram, dense
from sskpca.kernels._dot_product import Cosine, Linear, Polynomial
from sskpca.kernels._fitted import FittedKernel
from sskpca.kernels._manifold import ManifoldRegularized
from sskpca.kernels._spectral import Diffusion, LaplacianPseudoinverse, RegularizedLaplacian, TransducerSpectrum
from sskpca.kernels._stationary import Gaussian, GaussianRanks, Laplacian
from sskpca.kernels._trees import RandomTrees
from sskpca.rows._source import blocks_of

__all__ = ["KERNELS", "FunctionKernel", "Precomputed", "is_precomputed", "make_kernel"]

KernelLike = Kernel | str | Callable[[Matrix, Matrix], Matrix]
# Rows whose diagonal is found at a time, by the matrix of all pairs of them.
DIAGONAL_ROWS = 64


def _symmetric(K: Matrix, kernel: Kernel, n: int) -> Array:
    """Return a copy of a user's kernel matrix, without what rounding has left of asymmetry."""
    K = checked_gram(K, kernel, n)
    return np.asarray((K + K.T) / 2)


@dataclass(frozen=True, eq=False, repr=False)
class FittedPrecomputed(FittedKernel):
    """Similarities as they are."""

    def cross(self, X: Matrix) -> Array:
        """Return the similarities as they are."""
        return dense(X)


@dataclass(eq=False, repr=False)
class Precomputed(MatrixKernel):
    """A kernel matrix in place of the data: fit to (n, n) similarities, predict from (n_new, n).

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> K = [[1.0, 0.9, 0.1, 0.0], [0.9, 1.0, 0.0, 0.1], [0.1, 0.0, 1.0, 0.9], [0.0, 0.1, 0.9, 1.0]]
    >>> LSKPCA("precomputed").fit(K, ["a", "", "b", ""]).transduction_.tolist()  # the same as LSKPCA(Precomputed())
    ['a', 'a', 'b', 'b']
    """

    needs_all_rows = True
    pairwise = True

    def fit_gram(self, X: Matrix) -> tuple[FittedPrecomputed, Array]:
        """Check the matrix and return a copy."""
        X = dense(X)
        return FittedPrecomputed(self), _symmetric(X, self, len(X))


@dataclass(frozen=True, eq=False, repr=False)
class FittedFunction(FittedKernel):
    """A user's function against rows.

    Attributes
    ----------
    rows : ndarray or csr_matrix
    function : callable
    """

    rows: Matrix
    function: Callable[[Matrix, Matrix], Matrix]

    def cross(self, X: Matrix) -> Array:
        """Evaluate the function for rows against the data."""
        return np.asarray(self.function(X, self.rows), dtype=np.float64)

    def diagonal(self, X: Matrix) -> Array:
        """Evaluate the function for each row with itself, a few rows at a time."""
        parts = [self.function(block, block) for block, _ in blocks_of(X, DIAGONAL_ROWS)]
        return np.concatenate([np.diagonal(np.asarray(part, dtype=np.float64)) for part in parts])


@dataclass(eq=False, repr=False)
class FunctionKernel(MatrixKernel):
    """A user's function ``function(X, Y)`` that returns the matrix of similarities of rows.

    Parameters
    ----------
    function : callable
        Symmetric and positive semi-definite, such as those in `sklearn.metrics.pairwise`.

    Examples
    --------
    >>> from sskpca import KPCA
    >>> from sskpca.kernels import FunctionKernel
    >>> square = FunctionKernel(lambda X, Y: (X @ Y.T) ** 2)
    >>> KPCA(1, kernel=square).fit_transform([[0.0], [1.0], [2.0]]).ravel().round(3)
    array([-1.667, -0.667,  2.333])
    """

    function: Callable[[Matrix, Matrix], Matrix]

    def fit_gram(self, X: Matrix) -> tuple[FittedFunction, Array]:
        """Evaluate the function and check what it returns."""
        return FittedFunction(self, X.copy(), self.function), _symmetric(self.function(X, X), self, X.shape[0])


KERNELS: dict[str, type[Kernel]] = {
    "rbf": Gaussian,
    "rank_rbf": GaussianRanks,
    "laplacian": Laplacian,
    "random_trees": RandomTrees,
    "linear": Linear,
    "poly": Polynomial,
    "cosine": Cosine,
    "precomputed": Precomputed,
    "diffusion": Diffusion,
    "regularized_laplacian": RegularizedLaplacian,
    "laplacian_pseudoinverse": LaplacianPseudoinverse,
    "transducer": TransducerSpectrum,
    "manifold": ManifoldRegularized,
}


def make_kernel(kernel: KernelLike) -> Kernel:
    """Return the kernel for a name, a kernel object or a function of two matrices; a copy, for an object.

    Examples
    --------
    >>> make_kernel("rbf")
    Gaussian()
    """
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            raise ValueError(f"kernel={kernel!r} is not known; choose from {', '.join(sorted(KERNELS))}.")
        return KERNELS[kernel]()
    if isinstance(kernel, type):
        raise ValueError(f"kernel={kernel.__name__} is a class; pass an object: {kernel.__name__}().")
    if isinstance(kernel, Kernel):
        return clone(kernel)  # type: ignore[no-any-return]
    if callable(kernel):
        return FunctionKernel(kernel)
    raise ValueError(
        f"kernel must be a name, a kernel object or a function of two matrices, got {kernel!r}; a class of your own "
        "must derive from sskpca.kernels.Kernel."
    )


def is_precomputed(kernel: KernelLike | None) -> bool:
    """Return whether a kernel, or a part of it, takes a matrix of similarities in place of rows of features."""
    return kernel.pairwise if isinstance(kernel, Kernel) else isinstance(kernel, str) and kernel == "precomputed"
