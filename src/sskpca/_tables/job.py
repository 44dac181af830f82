"""Fit a classifier to a table that is ready, and describe what it has found."""

import re
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sskpca._estimators import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca._estimators.classifier import SemiSupervisedClassifier
from sskpca._linalg.array import Array, Indices
from sskpca._linalg.array import Column as Values
from sskpca._selection import SSKPCAClassifier
from sskpca._selection.progress import expect, step
from sskpca._selection.suspects import Suspect, find_suspects
from sskpca._tables.error import RowNames, TableError
from sskpca._tables.features import FeatureMap
from sskpca._tables.forecast import Plan
from sskpca._tables.labelling import Labelling, Reliability, collect_evidence
from sskpca._tables.options import Options
from sskpca._tables.prepared import Prepared, prepare_table
from sskpca._transduction.calibration import log_likelihood, probabilities
from sskpca._transduction.held_out import HeldOutDecisions, alone
from sskpca._transduction.labels import Labels
from sskpca.kernels import Gaussian, Nystrom
from sskpca.kernels._defaults import VERY_MANY, default_kernels
from sskpca.kernels._given import KernelLike
from sskpca.solvers import Components

__all__ = ["label_table", "labelling_of", "reliability", "unfitted_model"]

# Labels to a bin of the reliability diagram, and bins: a share of fewer says nothing.
BIN, MOST_BINS = 10, 5
# Warnings of the estimators that are notes in other words here.
TOLD = re.compile(r"one labelled row only of|the rows \d+ and \d+ are the same")
# The most doubtful label is tried the other way, which takes a good part of a fit.
TRIED = 1


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


def labelling_of(ready: Prepared, options: Options, model: SemiSupervisedClassifier, start: float) -> Labelling:
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


def _kernels(options: Options, plan: Plan) -> str | Sequence[KernelLike]:
    """List the kernels that were chosen, or those that suit the number of rows and the memory."""
    if not isinstance(options.kernels, str):
        return list(options.kernels)
    sampled = options.kernels == "auto" and plan.sampled
    return default_kernels(VERY_MANY + 1) if sampled else options.kernels


@dataclass(frozen=True)
class _Answer:
    """What differs between the automatic classifier and single methods."""

    held_out: HeldOutDecisions
    held_out_probabilities: Array
    candidates: dict[str, Values]
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


def _single_method(options: Options, ready: Prepared) -> SemiSupervisedClassifier:
    """Return the classifier of one method, with its default weights."""
    if options.method == "sgt":
        n_eigenvectors = max(1, min(80, ready.matrix.shape[0] - 2))
        return SpectralGraphTransducer(n_eigenvectors=n_eigenvectors, unlabeled=None)
    plan = ready.plan
    exact = plan.coordinates == "exact"
    kernel = Gaussian() if exact else Nystrom(Gaussian(), plan.n_landmarks, random_state=options.seed)
    chosen = {"kernel": kernel, "rank": options.rank, "memory": plan.budget, "unlabeled": None}
    model: SemiSupervisedClassifier = {"ls": LSKPCA, "lr": LRKPCA, "mv": MVKPCA}[options.method](**chosen)
    return model


def _single(model: SemiSupervisedClassifier, method: str) -> _Answer:
    held_out, mv = model.answer_.held_out, method == "mv"
    notes = ["suspects and rows to label next are found by the method auto only."]
    gap = max(
        float(np.max(np.abs(report.kkt_residual if isinstance(report, Components) else report.gap)))
        for report in model.reports_
    )
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
