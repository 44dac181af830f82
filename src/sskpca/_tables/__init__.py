"""A person's table: in, to features and labels, and out again with what was found."""

from sskpca._tables.columns import RESULT_COLUMNS, decide_columns
from sskpca._tables.error import TableError
from sskpca._tables.features import FeatureMap, fit_features
from sskpca._tables.forecast import plan
from sskpca._tables.job import label_table
from sskpca._tables.labelling import Check, Labelling
from sskpca._tables.labels import find_label_column, read_label_column
from sskpca._tables.options import Options
from sskpca._tables.prepared import check_table
from sskpca._tables.reading import read_table
from sskpca._tables.results import predict_table
from sskpca._tables.stream import Limits
from sskpca._tables.table_encoder import TableEncoder
from sskpca._tables.writing import write_table

__all__ = [
    "RESULT_COLUMNS",
    "Check",
    "FeatureMap",
    "Labelling",
    "Limits",
    "Options",
    "TableEncoder",
    "TableError",
    "check_table",
    "decide_columns",
    "find_label_column",
    "fit_features",
    "label_table",
    "plan",
    "predict_table",
    "read_label_column",
    "read_table",
    "write_table",
]
