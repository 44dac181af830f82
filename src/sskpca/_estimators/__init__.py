"""The methods with scikit-learn's interface: validate once, call one solver."""

from sskpca._estimators.kpca import KPCA
from sskpca._estimators.lr_kpca import LRKPCA
from sskpca._estimators.ls_kpca import LSKPCA
from sskpca._estimators.mv_kpca import MVKPCA
from sskpca._estimators.sgt import SpectralGraphTransducer

__all__ = ["KPCA", "LRKPCA", "LSKPCA", "MVKPCA", "SpectralGraphTransducer"]
