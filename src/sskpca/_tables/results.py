"""Tables with what was found, beside all that was there."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sskpca._estimators.classifier import SemiSupervisedClassifier
from sskpca._linalg.array import Array, Indices
from sskpca._tables.cells import NUMBER, is_missing, is_plain, texts
from sskpca._tables.columns import PROBABILITY, RESULT_COLUMNS, is_own
from sskpca._tables.error import listed, quoted
from sskpca._tables.features import FeatureMap
from sskpca._tables.labelling import Labelling
from sskpca._tables.options import LEAST_CONFIDENCE

__all__ = ["Predicted", "append_results", "predict_table", "result_columns", "without_formulas"]

LABEL, SOURCE, CONFIDENCE, GUESS, SECOND, NEXT, SUSPECT, QUALITY = RESULT_COLUMNS
UNSEEN = "sskpca_unseen"
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
        All its columns, then those of `added`.
    added : pyarrow.Table
        ``sskpca_label``, ``sskpca_confidence``, ``sskpca_guess``, ``sskpca_second`` and ``sskpca_unseen``.
    called : ndarray of shape (n_rows,)
        Position of the class in those of the model.
    probabilities : ndarray of shape (n_rows, n_classes)
    sure : ndarray of bool, shape (n_rows,)
    unseen : ndarray of bool, shape (n_rows,)
        Rows like nothing that was learned from: nothing is known of their class.
    notes : tuple of str
    """

    table: pa.Table
    added: pa.Table
    called: Indices
    probabilities: Array
    sure: NDArray[np.bool_]
    unseen: NDArray[np.bool_]
    notes: tuple[str, ...]


def result_columns(
    labelling: Labelling, kind: pa.DataType, force: bool = False, probabilities: bool = False
) -> pa.Table:
    """Make the columns that are added to a labelled table.

    Parameters
    ----------
    labelling : Labelling
    kind : pyarrow.DataType
        Of the column of labels: numbers and truth values stay what they are.
    force : bool, default=False
        Give a label to rows that are not sure too.
    probabilities : bool, default=False
        Add the probability of every class.

    Returns
    -------
    pyarrow.Table
        ``sskpca_label`` (null where not sure), ``sskpca_source`` ("given", "model", or "" where there is no label),
        ``sskpca_confidence``, ``sskpca_guess`` and ``sskpca_second`` (the most probable class and the next one; of a
        labelled row, by a model that has not seen the label), ``sskpca_next`` (1, 2, ... for the rows to label next),
        ``sskpca_suspect`` and ``sskpca_label_quality``, the probability of a given label by a model that has not seen
        it; then, if wanted, ``sskpca_p_`` and the name of each class.
    """
    given = labelling.given >= 0
    filled, every = given | labelling.sure | force, np.ones(len(given), dtype=bool)
    classes, rows = labelling.classes, np.arange(len(given))
    order = np.zeros(len(given), dtype=np.int32)
    order[list(labelling.next_rows)] = np.arange(1, len(labelling.next_rows) + 1)
    quality = np.round(labelling.label_quality, DIGITS)
    guess, second = _best_two(labelling)
    columns = {
        LABEL: _named(classes, labelling.called, filled, kind),
        SOURCE: pa.array(SOURCES, pa.string()).take(pa.array(np.where(given, 2, filled))),
        CONFIDENCE: pa.array(np.round(labelling.confidence, DIGITS)),
        GUESS: _named(classes, guess, every, kind),
        SECOND: _named(classes, second, every, kind),
        NEXT: pa.array(order, mask=order == 0),
        SUSPECT: pa.array(np.isin(rows, [suspect.row for suspect in labelling.suspects])),
        QUALITY: pa.array(quality, mask=np.isnan(quality)),
    }
    return pa.table({**columns, **(_of_classes(classes, labelling.probabilities) if probabilities else {})})


def append_results(table: pa.Table, added: pa.Table) -> pa.Table:
    """Append columns to a table, in place of those of an earlier result."""
    result = table.drop_columns([name for name in table.column_names if is_own(name)])
    for name in added.column_names:
        result = result.append_column(name, added.column(name))
    return result


def _best_two(labelling: Labelling) -> tuple[Indices, Indices]:
    ranked = (
        np.argsort(-labelling.probabilities, axis=1, kind="stable") if labelling.ranked is None else labelling.ranked
    )
    return ranked[:, 0], ranked[:, 1]


def _of_classes(classes: tuple[str, ...], probability: Array) -> dict[str, pa.Array]:
    return {f"{PROBABILITY}{name}": pa.array(np.round(probability[:, k], DIGITS)) for k, name in enumerate(classes)}


def predict_table(
    model: SemiSupervisedClassifier,
    features: FeatureMap,
    table: pa.Table,
    *,
    least_confidence: float = LEAST_CONFIDENCE,
    force: bool = False,
    label_column: str | None = None,
    probabilities: bool = False,
) -> Predicted:
    """Find labels for the rows of another table.

    Parameters
    ----------
    model : SSKPCAClassifier, LSKPCA, LRKPCA, MVKPCA or SpectralGraphTransducer
    features : FeatureMap
        Both from `label_table`.
    table : pyarrow.Table
        With the columns that were learned from; labels are ignored.
    least_confidence : float, default=0.75
        Below, a row has no label. A row unlike all that was seen has equal probabilities, so it has none.
    force : bool, default=False
        Give a label to every row.
    label_column : str, optional
        Of the table that was learned from. A note says that the labels there are not used.
    probabilities : bool, default=False
        Add the probability of every class.

    Raises
    ------
    TableError
        Columns are not there, or cells cannot be read.
    """
    found = features.transform(table)
    # Both at once: the next of the rows that were learned from is searched for once.
    probability, novelty = model.answer_.predictor.judge(found.matrix)
    called = probability.argmax(axis=1).astype(np.intp)
    confidence = probability.max(axis=1)
    sure = confidence >= least_confidence
    again = [name for name in table.column_names if is_own(name)]
    notes = [f"{quoted(again)} are of an earlier run: replaced."] if again else []
    notes += _not_used(table, features, label_column)
    classes, unseen = tuple(str(name) for name in model.classes_), novelty >= FAR
    every, ranked = np.ones(len(called), dtype=bool), np.argsort(-probability, axis=1, kind="stable")
    columns = {
        LABEL: _named(classes, called, sure | force, pa.string()),
        CONFIDENCE: pa.array(np.round(confidence, DIGITS)),
        GUESS: _named(classes, ranked[:, 0], every, pa.string()),
        SECOND: _named(classes, ranked[:, 1], every, pa.string()),
        UNSEEN: pa.array(unseen),
    }
    added = pa.table({**columns, **(_of_classes(classes, probability) if probabilities else {})})
    result = append_results(table, added)
    return Predicted(result, added, called, probability, sure, unseen, (*found.notes, *notes))


def without_formulas(predicted: Predicted) -> Predicted:
    """Write an apostrophe before labels that a spreadsheet would take for formulas.

    The names of the classes come from the model, which may be of somebody else. Numbers such as -1 stay.
    """
    table, names = predicted.table, set()
    for column in (LABEL, GUESS, SECOND):
        labels = table.column(column)
        formula = pc.and_not(pc.match_substring_regex(labels, FORMULA), pc.match_substring_regex(labels, NUMBER))
        if pc.any(formula).as_py():
            names.update(pc.unique(labels.filter(formula)).to_pylist())
            safe = pc.if_else(formula, pc.binary_join_element_wise("'", labels, ""), labels)
            table = table.set_column(table.column_names.index(column), column, safe)
    if not names:
        return predicted
    found = quoted(sorted(names))
    note = f"{found}: classes of the model that look like formulas; in the table they begin with an apostrophe."
    return replace(predicted, table=table, notes=(*predicted.notes, note))


def _not_used(table: pa.Table, features: FeatureMap, label_column: str | None) -> list[str]:
    """Name the columns that play no part in what is found."""
    unused = [name for name in table.column_names if name not in features.columns and not is_own(name)]
    if not unused:
        return []
    notes = [f"not used: {listed(unused)}."]
    if label_column in unused and is_plain(table.column(label_column).type):
        given = int(np.sum(~is_missing(texts(table.column(label_column)))))
        if given:
            labels = "1 label" if given == 1 else f"{given:,} labels"
            are = "is" if given == 1 else "are"
            notes.append(f'{labels} in "{label_column}" {are} ignored: sskpca_label is what the model says.')
    return notes


def _named(classes: tuple[str, ...], codes: Indices, filled: NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    """Write the names of classes, null where not filled; as numbers or truth values where they are such."""
    names = pa.array(classes, pa.string())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        names = pc.cast(names, kind)
    return names.take(pa.array(np.where(filled, codes, 0), mask=~filled))
