"""What is similar to what: one concept a file, the formula first."""

from sskpca.kernels.base import Kernel, KernelValueError
from sskpca.kernels.dot_product import Cosine, Linear, Polynomial
from sskpca.kernels.given import FunctionKernel, Precomputed
from sskpca.kernels.names import KERNELS, make_kernel
from sskpca.kernels.stationary import Gaussian, Laplacian

__all__ = [
    "KERNELS",
    "Cosine",
    "FunctionKernel",
    "Gaussian",
    "Kernel",
    "KernelValueError",
    "Laplacian",
    "Linear",
    "Polynomial",
    "Precomputed",
    "make_kernel",
]
