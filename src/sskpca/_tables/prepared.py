"""What a table is before anything is learned from it: labels, columns, features, and what a fit will take."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
from scipy import sparse

from sskpca._linalg.array import Indices, Matrix
from sskpca._selection.progress import step
from sskpca._tables.columns import Column, decide_columns, header_notes, is_own
from sskpca._tables.error import RowNames, TableError, failures, id_column, naming_rows, quoted, together
from sskpca._tables.features import FeatureMap, fit_features
from sskpca._tables.forecast import Plan, plan, slowness
from sskpca._tables.labelling import Check
from sskpca._tables.labels import LabelColumn, find_label_column, read_label_column
from sskpca._tables.options import Options
from sskpca._tables.sampling import Difference, Screened, compare_rows, screen_columns
from sskpca._transduction.held_out import alone
from sskpca._transduction.labels import Labels
from sskpca._transduction.odd_labels import contradictions, row_ids

__all__ = ["Prepared", "check_table", "prepare_table"]


@dataclass(frozen=True)
class Prepared:
    """A table that is ready to be learned from.

    Attributes
    ----------
    target : LabelColumn
    columns : tuple of Column
    features : FeatureMap
        Fitted to the table.
    matrix : ndarray or csr_matrix of shape (n_rows, n_features)
        The table, transformed by it.
    notes : tuple of str
    plan : Plan
    warnings : tuple of str
    rows : RowNames
    """

    target: LabelColumn
    columns: tuple[Column, ...]
    features: FeatureMap
    matrix: Matrix
    notes: tuple[str, ...]
    plan: Plan
    warnings: tuple[str, ...]
    rows: RowNames


def check_table(table: pa.Table, options: Options | None = None, rows: RowNames | None = None) -> Check:
    """Find out what would be done with a table.

    Parameters
    ----------
    table : pyarrow.Table
    options : Options, optional
    rows : RowNames, optional
        What the rows are called; by default as a spreadsheet numbers them.

    Raises
    ------
    TableError
        It cannot be labelled; it says why and what to do.
    """
    options = options or Options()
    ready = prepare_table(table, options, rows)
    return Check(
        options.source,
        table.num_rows,
        table.num_columns,
        ready.target.name,
        ready.target.how,
        ready.target.counts,
        int(np.sum(ready.target.labels.codes < 0)),
        ready.columns,
        ready.notes,
        ready.plan,
        ready.warnings,
        ready.rows.title if rows is None or rows.ids is None else None,
    )


def prepare_table(
    table: pa.Table, options: Options, rows: RowNames | None = None, *, to_come: bool = False
) -> Prepared:
    """Find the labels of a table, and make features of its columns.

    Parameters
    ----------
    table : pyarrow.Table
    options : Options
    rows : RowNames, optional
        What the rows are called; by default as a spreadsheet numbers them.
    to_come : bool, default=False
        Labels are still to be given: there may be none yet, and every row may have one.

    Raises
    ------
    TableError
        It cannot be learned from; it says why and what to do.
    """
    step("columns")
    rows = rows or RowNames()
    with naming_rows(rows):
        return _prepared(table, options, rows, to_come)


def _prepared(table: pa.Table, options: Options, rows: RowNames, to_come: bool) -> Prepared:
    target = _target(table, options, to_come)
    name = target.name
    # Without labels, or with nothing but labels, there is nothing to compare.
    n_labeled = len(target.labels.labeled)
    partly = 0 < n_labeled < table.num_rows
    # The rows alone may be too many: that is soon said, and the rest takes its time.
    forecast_of = partial(
        plan,
        n_classes=max(len(target.labels.classes), 2),
        n_labeled=max(n_labeled, 2),
        available=options.available,
        landmarks=options.landmarks,
        memory=options.memory,
        slow=slowness(),
    )
    forecast_of(table.num_rows, table.num_columns)
    columns = _decided(table, name, options)
    screened = Screened(columns, frozenset(), (), ())
    if partly:
        screened = screen_columns(table, columns, target.labels.codes, options.use)
    features, columns, filled = fit_features(table, screened.columns, screened.hidden)
    n_unlabeled = int(np.sum(target.labels.codes < 0))
    columns = tuple(replace(c, n_missing=n_unlabeled) if c.role == "label" else c for c in columns)
    found = features.transform(table)
    n = table.num_rows
    width = found.matrix.nnz / n if sparse.issparse(found.matrix) else found.matrix.shape[1]
    forecast = forecast_of(n, int(np.ceil(width)))
    again = [column for column in table.column_names if is_own(column) and column != name]
    old = (f"{quoted(again)} are of an earlier run: replaced.",) if again else ()
    rows = rows.with_column(table, id_column(table, [c.name for c in columns if c.role == "ignored"]))
    odd = _odd_labels(target.labels, row_ids(found.matrix), rows)
    # A single method has no graphs of a sample.
    planned = forecast.notes if options.method == "auto" else forecast.notes[:1]
    notes = (
        *header_notes(table.column_names),
        *target.notes,
        *old,
        *filled,
        *screened.notes,
        *found.notes,
        *odd,
        *planned,
    )
    warned = screened.warnings
    if partly:
        warned += _unlike(features, compare_rows(found.matrix, target.labels.codes >= 0))
    return Prepared(target, columns, features, found.matrix, notes, forecast, warned, rows)


def _unlike(features: FeatureMap, difference: Difference) -> tuple[str, ...]:
    """Warn if the labelled rows are not like the others."""
    if not difference.significant:
        return ()
    by = "by several columns together"
    if difference.feature is not None:
        ends = np.cumsum([encoder.n_features for encoder in features.encoders])
        by = f'mostly by "{features.columns[int(np.searchsorted(ends, difference.feature, side="right"))]}"'
    return (
        f"the labelled rows differ from the others (a classifier tells them apart with an AUC of {difference.auc:.2f}, "
        f"{by}): the expected error holds for rows like the labelled ones, and may be too low for the others. To "
        "find out, label some rows drawn at random.",
    )


def _target(table: pa.Table, options: Options, to_come: bool) -> LabelColumn:
    """Read the labels; if they are not to be had, say what else is wrong with the table, too."""
    name = ""
    try:
        name, how = find_label_column(table, options.label)
        return read_label_column(table, name, how, options.unlabeled, to_come=to_come)
    except TableError as error:
        others = failures(lambda: fit_features(table, _decided(table, name, options)))
        raise together(error, (*others, *header_notes(table.column_names))) from None


def _decided(table: pa.Table, label: str, options: Options) -> tuple[Column, ...]:
    return decide_columns(
        table, label, text=options.text, use=options.use, ignore=options.ignore, sentences=options.sentences
    )


def _odd_labels(labels: Labels, same: Indices, rows: RowNames) -> list[str]:
    """Describe labels that should be checked."""
    codes = labels.codes[labels.labeled]
    notes = []
    lone = alone(codes)
    if lone.any():
        names = quoted(labels.classes[codes[lone]].tolist())
        notes.append(
            f"there is one label only of {names}: the expected error leaves it out, held-out errors count it as wrong; "
            "label another row of it."
        )
    clash = contradictions(labels, same)
    if clash:
        first, second = clash[0]
        notes.append(
            f"{rows(first)} and {rows(second)} are the same in all columns that are used but have different "
            f"labels ({len(clash)} such in all); correct one of each."
        )
    return notes
