"""A person's table: in, to features and labels, and out again with what was found."""

from sskpca.rows.memory import available_memory
from sskpca.tables.columns import RESULT_COLUMNS, decide_columns
from sskpca.tables.error import TableError
from sskpca.tables.features import FeatureMap, Features, fit_features
from sskpca.tables.forecast import Plan, plan
from sskpca.tables.job import Check, check_table, label_table
from sskpca.tables.labelling import Column, Labelling, Reliability
from sskpca.tables.labels import LabelColumn, find_label_column, read_label_column
from sskpca.tables.model_file import ModelFileError, load_model, save_model
from sskpca.tables.options import Options
from sskpca.tables.reading import read_table
from sskpca.tables.results import Predicted, predict_table, with_results
from sskpca.tables.single import CalibratedClassifier
from sskpca.tables.stream import Limits
from sskpca.tables.writing import write_table

__all__ = [
    "RESULT_COLUMNS",
    "CalibratedClassifier",
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
