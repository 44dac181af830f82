"""Check a table, label it, and label others like it."""

import re
import time
import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from sskpca._estimators import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca._estimators.classifier import SemiSupervisedClassifier
from sskpca._linalg.array import Array, Indices
from sskpca._selection import SSKPCAClassifier
from sskpca._selection.progress import expect, step
from sskpca._selection.suspects import Suspect, find_suspects
from sskpca._tables.by_products import Screened, screen_columns
from sskpca._tables.check import Check
from sskpca._tables.columns import decide_columns, header_notes
from sskpca._tables.error import TableError, failures, quoted, together
from sskpca._tables.evidence import collect_evidence
from sskpca._tables.features import FeatureMap, fit_features
from sskpca._tables.forecast import Plan, plan, slowness
from sskpca._tables.labelling import Column, Labelling, Reliability
from sskpca._tables.labels import LabelColumn, find_label_column, read_label_column
from sskpca._tables.options import Options
from sskpca._tables.own_columns import is_own
from sskpca._tables.row_names import RowNames, id_column, naming_rows
from sskpca._tables.sampling import Difference, compare_rows
from sskpca._transduction.calibration import log_likelihood, probabilities
from sskpca._transduction.held_out import HeldOutDecisions, alone
from sskpca._transduction.labels import Labels
from sskpca._transduction.odd_labels import contradictions, row_ids
from sskpca.kernels import Gaussian, Nystrom
from sskpca.kernels._defaults import VERY_MANY, default_kernels

__all__ = ["Prepared", "check_table", "label_table", "labelling_of", "prepare_table", "reliability", "unfitted_model"]

# Labels to a bin of the reliability diagram, and bins: a share of fewer says nothing.
BIN, MOST_BINS = 10, 5
# Warnings of the estimators that are notes in other words here.
TOLD = re.compile(r"one labelled row only of|the rows \d+ and \d+ are the same")
# The most doubtful label is tried the other way, which takes a good part of a fit.
TRIED = 1


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
    matrix: Any
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


def label_table(
    table: pa.Table, options: Options | None = None, rows: RowNames | None = None
) -> tuple[Labelling, SemiSupervisedClassifier, FeatureMap]:
    """Find labels for the rows of a table that have none.

    Parameters
    ----------
    table : pyarrow.Table
    options : Options, optional
    rows : RowNames, optional
        What the rows are called; by default as a spreadsheet numbers them.

    Returns
    -------
    labelling : Labelling
    model : SSKPCAClassifier, or the classifier of a single method
        Fitted; for `predict_table`.
    features : FeatureMap

    Raises
    ------
    TableError
        It cannot be labelled; it says why and what to do.
    """
    start = time.perf_counter()
    options = options or Options()
    ready = prepare_table(table, options, rows)
    expect(ready.plan.seconds, ready.plan.share_of_kernels)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            automatic = options.method == "auto"
            model = unfitted_model(options, ready) if automatic else _single_method(options, ready)
            model.fit(ready.matrix, ready.target.labels.names())
            if "memory" in model.get_params(deep=False):
                # Not what was free at the moment: equal runs make equal models.
                model.set_params(memory=options.memory)
            found = labelling_of(ready, options, model, start)
    except ValueError as error:
        raise TableError(re.sub(r"^\w+: ", "", str(error))) from None
    own = [str(warning.message) for warning in told if not TOLD.match(str(warning.message))]
    return replace(found, notes=(*found.notes, *dict.fromkeys(own))), model, ready.features


def unfitted_model(options: Options, ready: Prepared) -> SSKPCAClassifier:
    """Return the automatic classifier as it suits the table and the memory."""
    return SSKPCAClassifier(
        _kernels(options, ready.plan),
        rank=options.rank,
        coordinates=ready.plan.coordinates,
        n_landmarks=ready.plan.n_landmarks,
        random_state=options.seed,
        memory=ready.plan.budget,
        n_jobs=options.n_jobs,
        unlabeled=None,
    )


def labelling_of(ready: Prepared, options: Options, model: Any, start: float) -> Labelling:
    """Describe what a fitted classifier has found for a table.

    Parameters
    ----------
    ready : Prepared
        With the labels that the model was fitted to.
    options : Options
    model : SSKPCAClassifier, or the classifier of a single method
        Fitted to the matrix.
    start : float
        When the work began, by `time.perf_counter`.
    """
    labels = ready.target.labels
    answer = _automatic(model, options.n_next) if options.method == "auto" else _single(model, options.method)
    probability = np.asarray(model.label_distributions_)
    called = np.where(labels.codes >= 0, labels.codes, probability.argmax(axis=1)).astype(np.intp)
    labeled = labels.labeled
    sure = (labels.codes >= 0) | (probability[np.arange(len(called)), called] >= options.least_confidence)
    held_out = answer.held_out
    step("comparing")
    evidence = collect_evidence(ready.features, ready.matrix, labels, held_out)
    return Labelling(
        source=options.source,
        label_column=ready.target.name,
        columns=ready.columns,
        classes=tuple(str(name) for name in labels.classes),
        given=labels.codes,
        called=called,
        probabilities=probability,
        sure=sure,
        least_confidence=options.least_confidence,
        matrix=ready.matrix,
        loo_error=held_out.error,
        loo_interval=held_out.interval,
        expected_error=model.expected_error_,
        expected_interval=model.expected_interval_,
        reliability=reliability(answer.held_out_probabilities, labels.codes[labeled]),
        label_quality=_label_quality(answer, labels),
        candidates=answer.candidates,
        suspects=answer.suspects,
        next_rows=answer.next_rows,
        gap=answer.gap,
        plan=ready.plan.sentence,
        notes=(*ready.notes, *evidence.notes, *answer.notes),
        seconds=time.perf_counter() - start,
        warnings=(*ready.warnings, *evidence.warnings),
        baselines=evidence.baselines,
        relevance=evidence.relevance,
        ranked=_ranked(answer, labels, probability),
        rows=ready.rows,
    )


def reliability(probability: Array, codes: Indices) -> Reliability:
    """Compare held-out probabilities with the labels, in bins of equal numbers of labels.

    Parameters
    ----------
    probability : ndarray of shape (n_labeled, n_classes)
    codes : ndarray of shape (n_labeled,)
        The labels. The only one of a class could not be known, and is left out.
    """
    known = ~alone(codes)
    confidence = probability.max(axis=1)[known]
    right = (probability.argmax(axis=1) == codes)[known].astype(float)
    if len(right) == 0:
        return Reliability(np.empty(0), np.empty(0), np.empty(0, dtype=np.intp))
    number = int(np.clip(len(right) // BIN, 1, MOST_BINS))
    bins = np.array_split(np.argsort(confidence, kind="stable"), number)
    return Reliability(
        np.array([confidence[part].mean() for part in bins]),
        np.array([right[part].mean() for part in bins]),
        np.array([len(part) for part in bins], dtype=np.intp),
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
    columns = decide_columns(
        table, name, text=options.text, use=options.use, ignore=options.ignore, sentences=options.sentences
    )
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
        chosen = partial(
            decide_columns, text=options.text, use=options.use, ignore=options.ignore, sentences=options.sentences
        )
        others = failures(lambda: fit_features(table, chosen(table, name)))
        raise together(error, (*others, *header_notes(table.column_names))) from None


def _kernels(options: Options, plan: Plan) -> Any:
    """List the kernels that were chosen, or those that suit the number of rows and the memory."""
    if not isinstance(options.kernels, str):
        return list(options.kernels)
    sampled = options.kernels == "auto" and plan.sampled
    return default_kernels(VERY_MANY + 1) if sampled else options.kernels


def _odd_labels(labels: Labels, same: NDArray[np.intp], rows: RowNames) -> list[str]:
    """Describe labels that should be checked."""
    codes = labels.codes[labels.labeled]
    notes = []
    lone = alone(codes)
    if lone.any():
        names = quoted(labels.classes[codes[lone]].tolist())
        notes.append(f"there is one label only of {names}: left out, it counts as wrong; label another row of it.")
    clash = contradictions(labels, same)
    if clash:
        first, second = clash[0]
        notes.append(
            f"{rows(first)} and {rows(second)} are the same in all columns that are used but have different "
            f"labels ({len(clash)} such in all); correct one of each."
        )
    return notes


@dataclass(frozen=True)
class _Answer:
    """What differs between the automatic classifier and single methods."""

    held_out: HeldOutDecisions
    held_out_probabilities: Array
    candidates: dict[str, NDArray[Any]]
    suspects: tuple[Suspect, ...]
    next_rows: tuple[int, ...]
    gap: float
    notes: tuple[str, ...]


def _automatic(model: SSKPCAClassifier, n_next: int) -> _Answer:
    step("checking labels")
    suspects = tuple(find_suspects(model.answer_, tried=TRIED))
    step("choosing rows")
    return _Answer(
        model.leave_one_out(),
        _held_out_probabilities(model),
        model.candidates_,
        suspects,
        tuple(int(row) for row in model.next_rows(n_next)) if n_next else (),
        max(abs(float(report.gap)) for report in model.reports_),  # type: ignore[union-attr]
        (),
    )


def _single_method(options: Options, ready: Prepared) -> Any:
    """Return the classifier of one method, with its default weights."""
    if options.method == "sgt":
        n_eigenvectors = max(1, min(80, ready.matrix.shape[0] - 2))
        return SpectralGraphTransducer(n_eigenvectors=n_eigenvectors, unlabeled=None)
    plan = ready.plan
    exact = plan.coordinates == "exact"
    kernel = Gaussian() if exact else Nystrom(Gaussian(), plan.n_landmarks, random_state=options.seed)
    kind: Any = {"ls": LSKPCA, "lr": LRKPCA, "mv": MVKPCA}[options.method]
    return kind(kernel=kernel, rank=options.rank, memory=plan.budget, unlabeled=None)


def _single(model: Any, method: str) -> _Answer:
    held_out, mv = model.answer_.held_out, method == "mv"
    notes = ["suspects and rows to label next are found by the method auto only."]
    gap = max(float(np.max(np.abs(report.kkt_residual if mv else report.gap))) for report in model.reports_)
    if mv:
        notes.append("MV-KPCA is an eigenproblem: in place of a duality gap, its residual is given.")
    codes = model.answer_.labels.codes[held_out.rows]
    known = ~alone(codes)
    decisions = held_out.decisions.reshape(len(codes), -1)
    likelihood = log_likelihood(decisions.T[:, known], codes[known])
    candidate = {
        "kernel": np.array([" ".join(repr(model.kernel_).split())], dtype=object),
        "method": np.array([method], dtype=object),
        "label_weight": np.array([model.label_weight]),
        "variance": np.array([np.nan if mv else 1.0]),  # MV-KPCA has none to choose
        "weight": np.array([1.0]),
        "loo_loss": np.array([-float(likelihood.sum()) / max(int(known.sum()), 1)]),
        "loo_error": np.array([held_out.error]),
    }
    return _Answer(held_out, _held_out_probabilities(model), candidate, (), (), gap, tuple(notes))


def _held_out_probabilities(model: SemiSupervisedClassifier) -> Array:
    decisions = model.loo_decision_.reshape(len(model.labeled_rows_), -1)
    return probabilities(decisions, model.slope_)


def _ranked(answer: _Answer, labels: Labels, probability: Array) -> Indices:
    """Return the most probable class of each row and the second, of labelled rows by the other labels."""
    own, rows = probability.copy(), answer.held_out.rows
    own[rows] = answer.held_out_probabilities
    single = labels.labeled[alone(labels.codes[labels.labeled])]
    own[single, labels.codes[single]] = np.inf  # the others know nothing of a class of one label
    ranked = np.argsort(-own, axis=1, kind="stable")[:, :2].astype(np.intp)
    for suspect in answer.suspects:
        suggested = int(np.flatnonzero(labels.classes == suspect.suggestion)[0])
        if ranked[suspect.row, 0] != suggested:  # the decision has a threshold of its own
            ranked[suspect.row] = suggested, labels.codes[suspect.row]
    return np.asarray(ranked)


def _label_quality(answer: _Answer, labels: Labels) -> Array:
    """Return the held-out probability of every given label, NaN elsewhere."""
    quality, rows = np.full(len(labels.codes), np.nan), answer.held_out.rows
    codes = labels.codes[rows]
    known = ~alone(labels.codes[labels.labeled])[np.searchsorted(labels.labeled, rows)]
    quality[rows[known]] = answer.held_out_probabilities[np.arange(len(rows)), codes][known]
    return quality
