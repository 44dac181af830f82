"""What is similar to what: one concept a file, the formula first."""

from sskpca.kernels._algebra import Mixture, Scaled, Sum
from sskpca.kernels._base import Kernel
from sskpca.kernels._defaults import default_kernels
from sskpca.kernels._dot_product import Cosine, Linear, Polynomial
from sskpca.kernels._fitted import Fitted, FittedFeatures, FittedKernel
from sskpca.kernels._given import FunctionKernel, Precomputed
from sskpca.kernels._manifold import ManifoldRegularized
from sskpca.kernels._nystrom import Nystrom
from sskpca.kernels._on_columns import OnColumns
from sskpca.kernels._sampled import Sampled
from sskpca.kernels._spectral import (
    Diffusion,
    LaplacianPseudoinverse,
    RegularizedLaplacian,
    TransducerSpectrum,
)
from sskpca.kernels._stationary import Gaussian, GaussianRanks, Laplacian
from sskpca.kernels._trees import RandomTrees

__all__ = [
    "Cosine",
    "Diffusion",
    "Fitted",
    "FittedFeatures",
    "FittedKernel",
    "FunctionKernel",
    "Gaussian",
    "GaussianRanks",
    "Kernel",
    "Laplacian",
    "LaplacianPseudoinverse",
    "Linear",
    "ManifoldRegularized",
    "Mixture",
    "Nystrom",
    "OnColumns",
    "Polynomial",
    "Precomputed",
    "RandomTrees",
    "RegularizedLaplacian",
    "Sampled",
    "Scaled",
    "Sum",
    "TransducerSpectrum",
    "default_kernels",
]
