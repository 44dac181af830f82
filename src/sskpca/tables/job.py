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

from sskpca.estimators.held_out import HeldOutDecisions, alone
from sskpca.estimators.labels import Labels
from sskpca.linalg.array import Array, Indices
from sskpca.selection import SSKPCAClassifier, portfolio
from sskpca.selection.calibration import probabilities
from sskpca.selection.odd_labels import contradictions, twins
from sskpca.selection.suspects import Suspect, find_suspects
from sskpca.tables.by_products import screen_columns
from sskpca.tables.columns import OWN_COLUMNS, decide_columns, header_notes
from sskpca.tables.error import TableError, failures, quoted, row_name, together
from sskpca.tables.evidence import collect_evidence
from sskpca.tables.features import FeatureMap, fit_features
from sskpca.tables.forecast import Plan, plan
from sskpca.tables.labelling import Column, Labelling, Reliability
from sskpca.tables.labels import LabelColumn, find_label_column, read_label_column
from sskpca.tables.options import Options
from sskpca.tables.sampling import Difference, compare_rows
from sskpca.tables.single import CalibratedClassifier, default_kernel, fit_single

__all__ = ["Check", "check_table", "label_table", "reliability"]

# Labels to a bin of the reliability diagram, and bins: a share of fewer says nothing.
BIN, MOST_BINS = 10, 5
# Warnings of the estimators that are notes in other words here.
TOLD = re.compile(r"one labelled row only of|the rows \d+ and \d+ are the same")
N_NEXT = 5
# The most doubtful label is tried the other way, which takes a good part of a fit.
TRIED = 1


@dataclass(frozen=True)
class Check:
    """What is known of a table before anything is learned from it.

    Attributes
    ----------
    source : str
        Name of the file.
    n_rows, n_columns : int
    label_column : str
    how : str
        How the column of labels was found.
    counts : dict
        So many labels of each class.
    n_unlabeled : int
    columns : tuple of Column
    notes : tuple of str
    plan : Plan
    warnings : tuple of str
        What may make the answer wrong; see `Labelling`.
    """

    source: str
    n_rows: int
    n_columns: int
    label_column: str
    how: str
    counts: dict[str, int]
    n_unlabeled: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    plan: Plan
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Prepared:
    """A table that is ready to be learned from."""

    target: LabelColumn
    columns: tuple[Column, ...]
    features: FeatureMap
    matrix: Any
    notes: tuple[str, ...]
    plan: Plan
    warnings: tuple[str, ...]


def check_table(table: pa.Table, options: Options | None = None) -> Check:
    """Find out what would be done with a table.

    Parameters
    ----------
    table : pyarrow.Table
    options : Options, optional

    Raises
    ------
    TableError
        It cannot be labelled; it says why and what to do.
    """
    options = options or Options()
    ready = _prepare(table, options)
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
    )


def label_table(
    table: pa.Table, options: Options | None = None
) -> tuple[Labelling, SSKPCAClassifier | CalibratedClassifier, FeatureMap]:
    """Find labels for the rows of a table that have none.

    Parameters
    ----------
    table : pyarrow.Table
    options : Options, optional

    Returns
    -------
    labelling : Labelling
    model : SSKPCAClassifier or CalibratedClassifier
        Fitted; for `predict_table`.
    features : FeatureMap

    Raises
    ------
    TableError
        It cannot be labelled; it says why and what to do.
    """
    start = time.perf_counter()
    options = options or Options()
    ready = _prepare(table, options)
    labels = ready.target.labels
    names = labels._names()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            if options.method == "auto":
                model: Any = SSKPCAClassifier(
                    _kernels(options, ready.plan),
                    rank=options.rank,
                    coordinates=ready.plan.coordinates,
                    n_landmarks=ready.plan.n_landmarks,
                    random_state=options.seed,
                    memory=ready.plan.budget,
                    n_jobs=options.n_jobs,
                    verbose=options.verbose,
                    unlabeled=None,
                ).fit(ready.matrix, names)
                # Not what was free at the moment, nor whether somebody looked on: equal runs make equal models.
                model.set_params(memory=options.memory, verbose=False)
                answer = _automatic(model)
            else:
                kernel = default_kernel(ready.plan, options.seed)
                model = fit_single(options.method, ready.matrix, names, options.rank, kernel, ready.plan.budget)
                if "memory" in model.model.get_params(deep=False):
                    model.model.set_params(memory=options.memory)
                answer = _single(model, options.method, labels)
    except ValueError as error:
        raise TableError(re.sub(r"^\w+: ", "", str(error))) from None
    probability = np.asarray(model.label_distributions_)
    called = np.where(labels.codes >= 0, labels.codes, probability.argmax(axis=1)).astype(np.intp)
    labeled = labels.labeled
    sure = (labels.codes >= 0) | (probability[np.arange(len(called)), called] >= options.least_confidence)
    held_out = answer.held_out
    evidence = collect_evidence(ready.features, ready.matrix, labels, held_out)
    own = np.array([str(warning.message) for warning in told if not TOLD.match(str(warning.message))], dtype=object)
    labelling = Labelling(
        source=options.source,
        label_column=ready.target.name,
        columns=ready.columns,
        classes=tuple(str(name) for name in labels.classes),
        given=labels.codes,
        called=called,
        probabilities=probability,
        sure=sure,
        least_confidence=options.least_confidence,
        places=answer.places,
        loo_error=held_out.error,
        loo_interval=held_out.interval,
        # Single methods have the leave-one-out error only.
        expected_error=float(getattr(model, "expected_error_", held_out.error)),
        expected_interval=tuple(getattr(model, "expected_interval_", held_out.interval)),
        reliability=reliability(answer.held_out_probabilities, labels.codes[labeled]),
        label_quality=_label_quality(answer, labels),
        candidates=answer.candidates,
        suspects=answer.suspects,
        next_rows=answer.next_rows,
        gap=answer.gap,
        plan=ready.plan.sentence,
        notes=(*ready.notes, *evidence.notes, *answer.notes, *dict.fromkeys(own.tolist())),
        seconds=time.perf_counter() - start,
        warnings=(*ready.warnings, *evidence.warnings),
        baselines=evidence.baselines,
        relevance=evidence.relevance,
    )
    return labelling, model, ready.features


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


def _prepare(table: pa.Table, options: Options) -> _Prepared:
    target = _target(table, options)
    name = target.name
    # The rows alone may be too many: that is soon said, and the rest takes its time.
    forecast_of = partial(
        plan,
        n_classes=len(target.labels.classes),
        n_labeled=len(target.labels.labeled),
        available=options.available,
        landmarks=options.landmarks,
        memory=options.memory,
    )
    forecast_of(table.num_rows, table.num_columns)
    columns = decide_columns(table, name, text=options.text, use=options.use, ignore=options.ignore)
    screened = screen_columns(table, columns, target.labels.codes, options.use)
    features, columns, filled = fit_features(table, screened.columns, screened.hidden)
    n_unlabeled = int(np.sum(target.labels.codes < 0))
    columns = tuple(replace(c, n_missing=n_unlabeled) if c.role == "label" else c for c in columns)
    found = features.transform(table)
    n = table.num_rows
    width = found.matrix.nnz / n if sparse.issparse(found.matrix) else found.matrix.shape[1]
    forecast = forecast_of(n, int(np.ceil(width)))
    again = [column for column in OWN_COLUMNS if column in table.column_names and column != name]
    old = (f"{quoted(again)} are of an earlier run: left out, and found anew.",) if again else ()
    odd = _odd_labels(target.labels, twins(found.matrix))
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
    warned = (*screened.warnings, *_unlike(features, compare_rows(found.matrix, target.labels.codes >= 0)))
    return _Prepared(target, columns, features, found.matrix, notes, forecast, warned)


def _unlike(features: FeatureMap, difference: Difference) -> list[str]:
    """Warn if the labelled rows are not like the others."""
    if not difference.significant:
        return []
    by = "by several columns together"
    if difference.feature is not None:
        ends = np.cumsum([encoder.n_features for encoder in features.encoders])
        by = f'mostly by "{features.columns[int(np.searchsorted(ends, difference.feature, side="right"))]}"'
    return [
        f"the labelled rows differ from the others (a classifier tells them apart with an AUC of {difference.auc:.2f}, "
        f"{by}): the expected error holds for rows like the labelled ones, and may be too low for the others. To "
        "find out, label some rows drawn at random."
    ]


def _target(table: pa.Table, options: Options) -> LabelColumn:
    """Read the labels; if they are not to be had, say what else is wrong with the table, too."""
    name = ""
    try:
        name, how = find_label_column(table, options.label)
        return read_label_column(table, name, how, options.unlabeled)
    except TableError as error:
        chosen = {"text": options.text, "use": options.use, "ignore": options.ignore}
        others = failures(lambda: fit_features(table, decide_columns(table, name, **chosen)))
        raise together(error, (*others, *header_notes(table.column_names))) from None


def _kernels(options: Options, plan: Plan) -> Any:
    """List the kernels that were chosen, or those that suit the number of rows and the memory."""
    if not isinstance(options.kernels, str):
        return list(options.kernels)
    sampled = options.kernels == "auto" and plan.sampled
    return portfolio.default_kernels(portfolio.VERY_MANY + 1) if sampled else options.kernels


def _odd_labels(labels: Labels, same: NDArray[np.intp]) -> list[str]:
    """Say what should be looked at, with rows counted as in the table."""
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
            f"{row_name(first)} and {row_name(second)} are the same in all columns that are used but have different "
            f"labels ({len(clash)} such in all); correct one of each."
        )
    return notes


@dataclass(frozen=True)
class _Answer:
    """What differs between the automatic classifier and single methods."""

    held_out: HeldOutDecisions
    held_out_probabilities: Array
    places: Array
    candidates: dict[str, NDArray[Any]]
    suspects: tuple[Suspect, ...]
    next_rows: tuple[int, ...]
    gap: float
    notes: tuple[str, ...]


def _automatic(model: SSKPCAClassifier) -> _Answer:
    heaviest = int(np.argmax(list(model.kernel_weights_.values())[: len(model.kernels_)]))
    decisions = model.loo_decision_.reshape(len(model.labeled_rows_), -1)
    return _Answer(
        model.leave_one_out(),
        probabilities(decisions, model.slope_),
        _places(model.coordinates_[heaviest]),
        model.candidates_,
        tuple(find_suspects(model, tried=TRIED)),
        tuple(int(row) for row in model.next_rows(N_NEXT)),
        max(abs(float(report.gap)) for report in model.reports_),  # type: ignore[union-attr]
        (),
    )


def _single(model: CalibratedClassifier, method: str, labels: Labels) -> _Answer:
    decisions = model.held_out.decisions
    notes = ["suspects and rows to label next are found by the method auto only."]
    if method == "mv":
        notes.append("MV-KPCA is an eigenproblem: in place of a duality gap, its residual is given.")
    return _Answer(
        model.held_out,
        probabilities(decisions, model.slope),
        _places(model.coordinates_),
        model.candidates(method, labels.codes[labels.labeled]),
        (),
        (),
        model.gap,
        tuple(notes),
    )


def _label_quality(answer: _Answer, labels: Labels) -> Array:
    """Return the held-out probability of every given label, NaN elsewhere."""
    quality, rows = np.full(len(labels.codes), np.nan), answer.held_out.rows
    codes = labels.codes[rows]
    known = ~alone(labels.codes[labels.labeled])[np.searchsorted(labels.labeled, rows)]
    quality[rows[known]] = answer.held_out_probabilities[np.arange(len(rows)), codes][known]
    return quality


def _places(coordinates: Any) -> Array:
    leading = np.eye(coordinates.rank, min(2, coordinates.rank))
    values = coordinates.values @ leading - coordinates.mean @ leading
    return np.pad(values, ((0, 0), (0, 2 - values.shape[1])))
