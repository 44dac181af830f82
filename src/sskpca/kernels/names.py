"""Kernels by name."""

from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from sskpca.kernels.base import Kernel
from sskpca.kernels.dot_product import Cosine, Linear, Polynomial
from sskpca.kernels.given import FunctionKernel, Precomputed
from sskpca.kernels.manifold import ManifoldRegularized
from sskpca.kernels.ranks import GaussianRanks
from sskpca.kernels.spectral import Diffusion, LaplacianPseudoinverse, RegularizedLaplacian, TransducerSpectrum
from sskpca.kernels.stationary import Gaussian, Laplacian
from sskpca.kernels.trees import RandomTrees

__all__ = ["KERNELS", "make_kernel"]

KERNELS: dict[str, type] = {
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


def make_kernel(kernel: Kernel | str | Callable[..., Any]) -> Kernel:
    """Return a fresh, unfitted kernel for a name, a kernel object or a function of two matrices.

    Examples
    --------
    >>> make_kernel("rbf")
    Gaussian()
    """
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            raise ValueError(f"kernel={kernel!r} is not known; choose from {', '.join(sorted(KERNELS))}.")
        return KERNELS[kernel]()  # type: ignore[no-any-return]
    if isinstance(kernel, type):
        raise ValueError(f"kernel={kernel.__name__} is a class; pass an object: {kernel.__name__}().")
    if isinstance(kernel, Kernel):
        return clone(kernel)  # type: ignore[no-any-return]
    if callable(kernel):
        return FunctionKernel(kernel)
    raise ValueError(f"kernel must be a name, a kernel object or a function of two matrices, got {kernel!r}.")
