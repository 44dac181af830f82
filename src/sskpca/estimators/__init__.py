"""The methods with scikit-learn's interface: validate once, call one solver."""

from sskpca.estimators.kpca import KPCA
from sskpca.estimators.lr_kpca import LRKPCA
from sskpca.estimators.ls_kpca import LSKPCA
from sskpca.estimators.mv_kpca import MVKPCA
from sskpca.estimators.sgt import SpectralGraphTransducer

__all__ = ["KPCA", "LRKPCA", "LSKPCA", "MVKPCA", "SpectralGraphTransducer"]
