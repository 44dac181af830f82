"""A person's table: in, to features and labels, and out again with what was found."""

from sskpca._tables.columns import RESULT_COLUMNS, Column, decide_columns
from sskpca._tables.error import TableError
from sskpca._tables.features import FeatureMap, Features, fit_features
from sskpca._tables.forecast import Plan, plan
from sskpca._tables.job import label_table
from sskpca._tables.labelling import Check, Labelling, Reliability
from sskpca._tables.labels import LabelColumn, find_label_column, read_label_column
from sskpca._tables.options import Options
from sskpca._tables.prepared import check_table
from sskpca._tables.reading import read_table
from sskpca._tables.results import Predicted, predict_table, with_results
from sskpca._tables.stream import Limits
from sskpca._tables.table_encoder import TableEncoder
from sskpca._tables.writing import write_table
from sskpca.rows._memory import available_memory
from sskpca.saving import ModelFileError, load_model, save_model

__all__ = [
    "RESULT_COLUMNS",
    "Check",
    "Column",
    "FeatureMap",
    "Features",
    "LabelColumn",
    "Labelling",
    "Limits",
    "ModelFileError",
    "Options",
    "Plan",
    "Predicted",
    "Reliability",
    "TableEncoder",
    "TableError",
    "available_memory",
    "check_table",
    "decide_columns",
    "find_label_column",
    "fit_features",
    "label_table",
    "load_model",
    "plan",
    "predict_table",
    "read_label_column",
    "read_table",
    "save_model",
    "with_results",
    "write_table",
]
