"""Semi-supervised kernel PCA: label a data set from a handful of labels."""

from importlib.metadata import version

from sskpca.estimators import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca.selection import LabelledOnlySplit, SSKPCAClassifier
from sskpca.theory import risk_bound

__version__ = version("sskpca")

__all__ = [
    "KPCA",
    "LRKPCA",
    "LSKPCA",
    "MVKPCA",
    "LabelledOnlySplit",
    "SSKPCAClassifier",
    "SpectralGraphTransducer",
    "__version__",
    "risk_bound",
]
