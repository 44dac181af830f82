"""What is similar to what: one concept a file, the formula first."""

from sskpca.kernels.algebra import Mixture, Scaled, Sum, explicit
from sskpca.kernels.approximate import Approximation, streamable
from sskpca.kernels.base import Kernel, KernelValueError
from sskpca.kernels.dot_product import Cosine, Linear, Polynomial
from sskpca.kernels.fourier import RandomFourier
from sskpca.kernels.given import FunctionKernel, Precomputed
from sskpca.kernels.manifold import ManifoldRegularized
from sskpca.kernels.names import KERNELS, make_kernel
from sskpca.kernels.nystrom import Nystrom
from sskpca.kernels.ranks import GaussianRanks
from sskpca.kernels.sampled import Sampled
from sskpca.kernels.spectral import Diffusion, LaplacianPseudoinverse, RegularizedLaplacian, TransducerSpectrum
from sskpca.kernels.stationary import Gaussian, Laplacian
from sskpca.kernels.trees import RandomTrees

__all__ = [
    "KERNELS",
    "Approximation",
    "Cosine",
    "Diffusion",
    "FunctionKernel",
    "Gaussian",
    "GaussianRanks",
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
    "RandomFourier",
    "RandomTrees",
    "RegularizedLaplacian",
    "Sampled",
    "Scaled",
    "Sum",
    "TransducerSpectrum",
    "explicit",
    "make_kernel",
    "streamable",
]
