"""Data frames and files in one call: label a table, look at it first, predict new rows."""

from sskpca._frames.checked import Checked, check
from sskpca._frames.labelled import Labelled, label
from sskpca._frames.predicted import TableModel, predict

__all__ = ["Checked", "Labelled", "TableModel", "check", "label", "predict"]
