"""Choose by the labelled points only."""

from sskpca.selection.automatic import SSKPCAClassifier
from sskpca.selection.split import LabelledOnlySplit

__all__ = ["LabelledOnlySplit", "SSKPCAClassifier"]
