"""Tables with what was found, beside all that was there."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sskpca.linalg.array import Array, Indices
from sskpca.tables.cells import NUMBER, is_missing, is_plain, texts
from sskpca.tables.columns import OWN_COLUMNS
from sskpca.tables.error import listed, quoted
from sskpca.tables.features import FeatureMap
from sskpca.tables.labelling import Labelling
from sskpca.tables.options import LEAST_CONFIDENCE

__all__ = ["Predicted", "predict_table", "with_results", "without_formulas"]

LABEL, SOURCE, CONFIDENCE, SUSPECT, QUALITY, UNSEEN = OWN_COLUMNS
# Of a label: not there, found, or in the table already.
SOURCES = ("", "model", "given")
# Digits of a probability; it is not known to more.
DIGITS = 6
# What a spreadsheet that opens a CSV takes for a formula.
FORMULA = r"^[=+\-@\t\r]"
# Of the distance that is usual between rows that are next to each other: from here on, all classes are as probable.
FAR = 2.0


@dataclass(frozen=True)
class Predicted:
    """Classes of the rows of a new table.

    Attributes
    ----------
    table : pyarrow.Table
        All its columns, then ``sskpca_label``, ``sskpca_confidence`` and ``sskpca_unseen``.
    called : ndarray of shape (n_rows,)
        Position of the class in those of the model.
    probabilities : ndarray of shape (n_rows, n_classes)
    sure : ndarray of bool, shape (n_rows,)
    unseen : ndarray of bool, shape (n_rows,)
        Rows like nothing that was learned from: nothing is known of their class.
    notes : tuple of str
    """

    table: pa.Table
    called: Indices
    probabilities: Array
    sure: NDArray[np.bool_]
    unseen: NDArray[np.bool_]
    notes: tuple[str, ...]


def with_results(table: pa.Table, labelling: Labelling, force: bool = False) -> pa.Table:
    """Add the labels that were found to a table.

    Parameters
    ----------
    table : pyarrow.Table
        The one that was labelled. Columns of an earlier result are replaced, so that a labelled file can be labelled
        again.
    labelling : Labelling
    force : bool, default=False
        Give a label to rows that are not sure too.

    Returns
    -------
    pyarrow.Table
        All other columns, in their order and type, then ``sskpca_label`` (null where not sure), ``sskpca_source``
        ("given", "model", or "" where there is no label), ``sskpca_confidence``, ``sskpca_suspect``
        and ``sskpca_label_quality``, the probability of a given label by a model that has not seen it.
    """
    given = labelling.given >= 0
    filled = given | labelling.sure | force
    source = pa.array(SOURCES, pa.string()).take(pa.array(np.where(given, 2, filled)))
    suspect = np.isin(np.arange(len(given)), [s.row for s in labelling.suspects])
    # A label as it stands in the table has the type it has there.
    kind = table.column(labelling.label_column).type
    labels = _named(labelling.classes, labelling.called, filled, kind)
    result = table.drop_columns([name for name in OWN_COLUMNS if name in table.column_names])
    result = result.append_column(LABEL, labels)
    result = result.append_column(SOURCE, source)
    result = result.append_column(CONFIDENCE, pa.array(np.round(labelling.confidence, DIGITS)))
    result = result.append_column(SUSPECT, pa.array(suspect))
    quality = np.round(labelling.label_quality, DIGITS)
    return result.append_column(QUALITY, pa.array(quality, mask=np.isnan(quality)))


def predict_table(
    model: Any,
    features: FeatureMap,
    table: pa.Table,
    *,
    least_confidence: float = LEAST_CONFIDENCE,
    force: bool = False,
    label_column: str | None = None,
) -> Predicted:
    """Find labels for the rows of another table.

    Parameters
    ----------
    model : SSKPCAClassifier or CalibratedClassifier
    features : FeatureMap
        Both from `label_table`.
    table : pyarrow.Table
        With the columns that were learned from; labels are not looked at.
    least_confidence : float, default=0.75
        Below, a row has no label. A row unlike all that was seen has equal probabilities, so it has none.
    force : bool, default=False
        Give a label to every row.
    label_column : str, optional
        Of the table that was learned from. What stands there is told not to count.

    Raises
    ------
    TableError
        Columns are not there, or cells cannot be read.
    """
    found = features.transform(table)
    # Both at once: the next of the rows that were learned from is searched for once.
    probability, novelty = model._judged(found.matrix)
    called = probability.argmax(axis=1).astype(np.intp)
    confidence = probability.max(axis=1)
    sure = confidence >= least_confidence
    again = [name for name in OWN_COLUMNS if name in table.column_names]
    notes = [f"{quoted(again)} are of an earlier run: left out, and found anew."] if again else []
    notes += _not_used(table, features, label_column)
    labels = _named(tuple(str(name) for name in model.classes_), called, sure | force, pa.string())
    result = table.drop_columns(again).append_column(LABEL, labels)
    result = result.append_column(CONFIDENCE, pa.array(np.round(confidence, DIGITS)))
    unseen = novelty >= FAR
    result = result.append_column(UNSEEN, pa.array(unseen))
    return Predicted(result, called, probability, sure, unseen, (*found.notes, *notes))


def without_formulas(predicted: Predicted) -> Predicted:
    """Write an apostrophe before labels that a spreadsheet would take for formulas.

    The names of the classes come from the model, which may be of somebody else. Numbers such as -1 stay.
    """
    labels = predicted.table.column(LABEL)
    formula = pc.and_not(pc.match_substring_regex(labels, FORMULA), pc.match_substring_regex(labels, NUMBER))
    if not pc.any(formula).as_py():
        return predicted
    found = pc.unique(labels.filter(formula)).to_pylist()
    safe = pc.if_else(formula, pc.binary_join_element_wise("'", labels, ""), labels)
    where = predicted.table.column_names.index(LABEL)
    note = f"{quoted(found)}: classes of the model that look like formulas; in the table they begin with an apostrophe."
    table = predicted.table.set_column(where, LABEL, safe)
    return replace(predicted, table=table, notes=(*predicted.notes, note))


def _not_used(table: pa.Table, features: FeatureMap, label_column: str | None) -> list[str]:
    """Name the columns that play no part in what is found."""
    used = {*features.columns, *OWN_COLUMNS}
    unused = [name for name in table.column_names if name not in used]
    if not unused:
        return []
    notes = [f"not used: {listed(unused)}."]
    if label_column in unused and is_plain(table.column(label_column).type):
        given = int(np.sum(~is_missing(texts(table.column(label_column)))))
        if given:
            labels = "1 label" if given == 1 else f"{given:,} labels"
            notes.append(f'{labels} in "{label_column}" not looked at: sskpca_label is what the model says.')
    return notes


def _named(classes: tuple[str, ...], codes: Indices, filled: NDArray[np.bool_], kind: Any) -> Any:
    """Write the names of classes, null where not filled; as numbers or truth values where they are such."""
    names = pa.array(classes, pa.string())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        names = pc.cast(names, kind)
    return names.take(pa.array(np.where(filled, codes, 0), mask=~filled))
