"""Labels for the rows of another table."""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sskpca._frames.given import Given, given_table
from sskpca._tables.error import TableError, naming_rows
from sskpca._tables.features import FeatureMap
from sskpca._tables.options import LEAST_CONFIDENCE, Options, file_options
from sskpca._tables.results import Predicted, predict_table
from sskpca.saving._model_file import ModelFileError, load_model

__all__ = ["FramePredicted", "TableModel", "predict"]


@dataclass(frozen=True, eq=False)
class FramePredicted:
    """Classes of the rows of a new table.

    Attributes
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
        As it was given, with the columns of the result.
    predicted : Predicted
        The classes, row by row.
    given : Given
    classes : tuple of str
    least_confidence : float
    """

    table: Any
    predicted: Predicted
    given: Given
    classes: tuple[str, ...]
    least_confidence: float


@dataclass(frozen=True, eq=False)
class TableModel:
    """A fitted classifier together with how the columns of a table become features.

    Attributes
    ----------
    model : SSKPCAClassifier, or the classifier of a single method
    features : FeatureMap
    label_column : str or None
    least_confidence : float
    name : str
        Of its file, for messages.
    """

    model: Any
    features: FeatureMap
    label_column: str | None
    least_confidence: float = LEAST_CONFIDENCE
    name: str = "the model"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TableModel":
        """Read a model from a file that `Labelled.save` or ``sskpca label --save-model`` wrote."""
        fitted, kept, _ = load_model(path)
        try:
            features = FeatureMap.from_dict(kept)
            least = float(kept.get("least_confidence", LEAST_CONFIDENCE))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise ModelFileError(
                f"{path} does not say how a table is read; save the model by sskpca label --save-model, or by "
                "sskpca.label(...).save(path)."
            ) from None
        return cls(fitted, features, kept.get("label_column"), least, str(path))

    def to_dict(self) -> dict[str, Any]:
        """Return what is saved beside the model."""
        return {
            **self.features.to_dict(),
            "label_column": self.label_column,
            "least_confidence": float(self.least_confidence),
        }

    def predict(
        self,
        table: Any,
        *,
        least_confidence: float | None = None,
        fill: bool = False,
        probabilities: bool = False,
        **reading: str | None,
    ) -> FramePredicted:
        """Label the rows of a table; see `predict`."""
        least = self.least_confidence if least_confidence is None else least_confidence
        Options(least_confidence=least)  # refuses what is no share
        given = given_table(table, file_options(**reading))
        try:
            with warnings.catch_warnings(), naming_rows(given.rows):
                warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that are too large: such rows are not sure
                found = predict_table(
                    self.model,
                    self.features,
                    given.table,
                    least_confidence=least,
                    force=fill,
                    label_column=self.label_column,
                    probabilities=probabilities,
                )
        except (TableError, MemoryError):
            raise
        except Exception as error:  # a file can hold any parts that make a model
            what = str(error).rstrip(".")
            raise ModelFileError(f"{self.name} cannot predict the rows of {given.source}: {what}.") from error
        classes = tuple(str(name) for name in self.model.classes_)
        return FramePredicted(given.extended(found.added), found, given, classes, least)


def predict(
    model: Any,
    table: Any,
    *,
    least_confidence: float | None = None,
    fill: bool = False,
    probabilities: bool = False,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> Any:
    """Label the rows of another table with a model.

    Parameters
    ----------
    model : Labelled, TableModel or path-like
        From `label`, or the file that its `save` or ``sskpca label --save-model`` wrote.
    table : DataFrame of pandas or polars, pyarrow.Table, or path-like
        With the columns that were learned from; labels are ignored.
    least_confidence : float or None, default=None
        Rows whose class is less probable are left blank; None: the limit that the model was made with.
    fill : bool, default=False
        Label those, too.
    probabilities : bool, default=False
        Add a column with the probability of each class.
    format : str or None, default=None
        File format: "csv", "tsv", "xlsx", "json", "jsonl", "parquet" or "arrow"; by default that of the file's name.
    delimiter : str or None, default=None
        Column separator of a CSV file; detected by default.
    encoding : str or None, default=None
        Character encoding of a CSV file, such as "utf-8" or "cp1252"; detected by default.
    decimal : str or None, default=None
        Decimal mark of a CSV file, "." or ","; detected by default.
    sheet : str or None, default=None
        Sheet of an Excel workbook; the first by default.

    Returns
    -------
    table
        Of the kind that was given (`pyarrow.Table` for a file), with all columns as they were, and: ``sskpca_label``
        (null where not sure), ``sskpca_confidence``, ``sskpca_guess``, ``sskpca_second``, and ``sskpca_unseen``, which
        is true for a row unlike all that the model was fitted to: nothing is known of its class.

    Raises
    ------
    TableError
        Columns are missing, or cells cannot be read.
    ModelFileError
        The file is no model.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sskpca import label, predict
    >>> animals = pa.table({"size": [1.0, 1.1, 5.1, 5.2, 1.2], "species": ["cat", "cat", "dog", "dog", None]})
    >>> found = label(animals, method="ls")
    >>> predict(found, pa.table({"size": [0.9, 5.3]}), fill=True)["sskpca_label"].to_pylist()
    ['cat', 'dog']
    """
    reading = {"format": format, "delimiter": delimiter, "encoding": encoding, "decimal": decimal, "sheet": sheet}
    found = table_model(model).predict(
        table, least_confidence=least_confidence, fill=fill, probabilities=probabilities, **reading
    )
    return found.table


def table_model(model: Any) -> TableModel:
    """Return the model of a table, from whatever holds it."""
    if isinstance(model, str | os.PathLike):
        return TableModel.load(Path(model))
    found = getattr(model, "table_model", model)
    if not isinstance(found, TableModel):
        raise TableError(
            f"a {type(model).__name__} does not know the columns of a table; give what sskpca.label returned, or the "
            "path of a saved model.",
            parameter="model",
        )
    return found
