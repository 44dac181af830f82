"""Semi-supervised kernel PCA: label a data set from a handful of labels."""

from importlib.metadata import version

from sskpca.estimators import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer

__version__ = version("sskpca")

__all__ = ["KPCA", "LRKPCA", "LSKPCA", "MVKPCA", "SpectralGraphTransducer", "__version__"]
