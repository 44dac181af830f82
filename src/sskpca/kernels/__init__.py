"""What is similar to what: one concept a file, the formula first."""

from sskpca.kernels.algebra import Mixture, Scaled, Sum, explicit
from sskpca.kernels.base import Kernel, KernelValueError
from sskpca.kernels.dot_product import Cosine, Linear, Polynomial
from sskpca.kernels.given import FunctionKernel, Precomputed
from sskpca.kernels.manifold import ManifoldRegularized
from sskpca.kernels.names import KERNELS, make_kernel
from sskpca.kernels.nystrom import Nystrom, by_landmarks
from sskpca.kernels.spectral import Diffusion, LaplacianPseudoinverse, RegularizedLaplacian, TransducerSpectrum
from sskpca.kernels.stationary import Gaussian, Laplacian

__all__ = [
    "KERNELS",
    "Cosine",
    "Diffusion",
    "FunctionKernel",
    "Gaussian",
    "Kernel",
    "KernelValueError",
    "Laplacian",
    "LaplacianPseudoinverse",
    "Linear",
    "ManifoldRegularized",
    "Mixture",
    "Nystrom",
    "Polynomial",
    "Precomputed",
    "RegularizedLaplacian",
    "Scaled",
    "Sum",
    "TransducerSpectrum",
    "by_landmarks",
    "explicit",
    "make_kernel",
]
