"""Choose by the labelled points only."""

from sskpca._selection.automatic import SSKPCAClassifier
from sskpca._selection.split import LabelledOnlySplit

__all__ = ["LabelledOnlySplit", "SSKPCAClassifier"]
