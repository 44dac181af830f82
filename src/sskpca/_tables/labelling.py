"""What is known of a table before it is labelled and after: what a command prints, a file keeps and a report shows."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._selection import relevance as relevance_module
from sskpca._selection.baselines import LEVEL, Baseline, baselines, better_baseline
from sskpca._selection.forest import FOREST
from sskpca._selection.relevance import Relevance, column_relevance
from sskpca._selection.suspects import Suspect
from sskpca._tables.columns import Column
from sskpca._tables.error import RowNames, setting
from sskpca._tables.features import FeatureMap
from sskpca._tables.forecast import Plan
from sskpca._transduction.held_out import HeldOutDecisions
from sskpca._transduction.labels import Labels

__all__ = ["Check", "Evidence", "Labelling", "Reliability", "collect_evidence"]

# From this expected error on, a label that the others contradict need not be wrong.
NOISY = 0.2


@dataclass(frozen=True, slots=True)
class Reliability:
    """Held-out confidence beside the share that was right, bin by bin.

    Attributes
    ----------
    confidence : ndarray of shape (n_bins,)
        Mean probability of the class called.
    right : ndarray of shape (n_bins,)
        Share of the labels in the bin that it agrees with.
    count : ndarray of shape (n_bins,)
        Labels in the bin.
    """

    confidence: Array
    right: Array
    count: Indices


@dataclass(frozen=True, slots=True)
class Labelling:
    """The labels found for a table, and how far to trust them.

    Attributes
    ----------
    source : str
        Name of the file.
    label_column : str
    columns : tuple of Column
    classes : tuple of str
    given : ndarray of shape (n_rows,)
        Position in `classes` of the label that the table has, -1 where there is none.
    called : ndarray of shape (n_rows,)
        Position in `classes` of the class found; that of the label where one is given.
    probabilities : ndarray of shape (n_rows, n_classes)
    sure : ndarray of bool, shape (n_rows,)
        Whether the row is given, or its class probable enough to be written.
    least_confidence : float
        From which probability a row counts as sure.
    matrix : ndarray or csr_matrix of shape (n_rows, n_features)
        The rows as the model sees them; `sskpca.plots.neighbor_map` makes a map of them.
    loo_error : float
        Share of the given labels that come out wrong when held out.
    loo_interval : tuple of float
        95 % confidence interval of `loo_error`.
    expected_error : float
        Expected share of wrong labels among the unlabelled rows: `loo_error` combined with the mean doubt of the
        probabilities, if the model combines them, and `loo_error` if not.
    expected_interval : tuple of float
        95 % confidence interval of `expected_error`.
    reliability : Reliability
    label_quality : ndarray of shape (n_rows,)
        Probability of each given label by a model that has not seen it; NaN where there is none, or where it is the
        only one of its class.
    candidates : dict of ndarray
        The candidates' table of `SSKPCAClassifier`: kernel, method, label_weight, variance (NaN where a method has
        none), weight, loo_loss, loo_error.
    suspects : tuple of Suspect
        Labels that look wrong, with what would be if they were changed; their labels as in the table.
    next_rows : tuple of int
        Rows to label next, counted from 0.
    gap : float
        The largest relative duality gap among the functions of the candidate of a kernel that counts most.
    plan : str
        How it was computed, in a line: "exact, 1500 rows".
    notes : tuple of str
        What the user should know: missing values filled, -1 taken for unlabelled, ...
    seconds : float
    warnings : tuple of str
        What may make the answer wrong: columns that were filled in together with the labels, labelled rows that are
        not like the others, a baseline that is better.
    baselines : tuple of Baseline
        Simple methods on the same held-out labels.
    relevance : tuple of Relevance
        How much each column matters for the labels, the largest gain first.
    ranked : ndarray of shape (n_rows, 2), optional
        Positions in `classes` of the most probable class of each row and of the second; of labelled rows, by a model
        that has not seen the label.
    rows : RowNames
        What the rows are called.
    """

    source: str
    label_column: str
    columns: tuple[Column, ...]
    classes: tuple[str, ...]
    given: Indices
    called: Indices
    probabilities: Array
    sure: NDArray[np.bool_]
    least_confidence: float
    matrix: Matrix
    loo_error: float
    loo_interval: tuple[float, float]
    expected_error: float
    expected_interval: tuple[float, float]
    reliability: Reliability
    label_quality: Array
    candidates: dict[str, NDArray]
    suspects: tuple[Suspect, ...]
    next_rows: tuple[int, ...]
    gap: float
    plan: str
    notes: tuple[str, ...]
    seconds: float
    warnings: tuple[str, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    relevance: tuple[Relevance, ...] = ()
    ranked: Indices | None = None
    rows: RowNames = RowNames()  # noqa: RUF009, it is frozen

    @property
    def noisy(self) -> bool:
        """Whether so many labels are expected to be wrong that one that contradicts the others is just surprising."""
        return self.expected_error >= NOISY

    @property
    def combines_doubt(self) -> bool:
        """Whether the expected error is another number than the leave-one-out error."""
        return (self.expected_error, *self.expected_interval) != (self.loo_error, *self.loo_interval)

    @property
    def alone(self) -> tuple[str, ...]:
        """The classes of one label: no other label says anything of them, so the expected error leaves them out."""
        number = np.bincount(self.given[self.given >= 0], minlength=len(self.classes))
        return tuple(name for name, n in zip(self.classes, number, strict=True) if n == 1)

    @property
    def forest_weight(self) -> float | None:
        """How much the random forest counts among the candidates; None if there is none."""
        forest = self.candidates["method"] == FOREST
        return float(self.candidates["weight"][forest].sum()) if forest.any() else None

    @property
    def confidence(self) -> Array:
        """Probability of the class of every row; 1 for given labels."""
        own = self.probabilities[np.arange(len(self.called)), self.called]
        return np.where(self.given >= 0, 1.0, own)


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
    id_column : str or None
        The column that names the rows in messages.
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
    id_column: str | None = None


@dataclass(frozen=True)
class Evidence:
    """Baselines and column relevance, with what there is to say of them.

    Attributes
    ----------
    baselines : tuple of Baseline
    relevance : tuple of Relevance
    notes, warnings : tuple of str
    """

    baselines: tuple[Baseline, ...]
    relevance: tuple[Relevance, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def collect_evidence(features: FeatureMap, matrix: Matrix, labels: Labels, held_out: HeldOutDecisions) -> Evidence:
    """Compute baselines and column relevance from the labelled rows.

    Parameters
    ----------
    features : FeatureMap
    matrix : ndarray or csr_matrix of shape (n_rows, n_features)
        The table, transformed by `features`.
    labels : Labels
    held_out : HeldOutDecisions
        Of the model, on which labels the baselines are compared with it.
    """
    codes = labels.codes[labels.labeled]
    X = matrix[labels.labeled]
    common = np.searchsorted(labels.labeled, held_out.rows)
    found = tuple(
        baseline.restrict(common)
        for baseline in baselines(X, codes, [str(name) for name in labels.classes])
        if np.isin(baseline.labels, common).any()
    )
    ends = np.cumsum([0, *(encoder.n_features for encoder in features.encoders)]).tolist()
    groups = [slice(first, last) for first, last in pairwise(ends)]
    gains = column_relevance(X, codes, groups, features.columns)
    notes = []
    if found and found[0].n_labels < len(common):
        notes.append(f"baselines use a random sample of {found[0].n_labels:,} of the {len(common):,} labels.")
    if gains and len(groups) > len(gains):
        notes.append(
            f"column relevance was computed for {len(gains)} of {len(groups):,} columns: those whose values differ "
            "most between the classes."
        )
    if gains and len(codes) > relevance_module.MOST_LABELS:
        notes.append(f"column relevance uses a random sample of {relevance_module.MOST_LABELS} labels.")
    return Evidence(found, gains, tuple(notes), tuple(_better(found, held_out, common)))


def _better(found: tuple[Baseline, ...], held_out: HeldOutDecisions, common: Any) -> list[str]:
    """Warn of the best baseline if it is better than the model by more than chance."""
    better = []
    for baseline in found:
        own = held_out.wrong[np.isin(common, baseline.labels)]
        if better_baseline(own, baseline.wrong, LEVEL / len(found)):
            better.append((baseline, float(own.mean())))
    if not better:
        return []
    best, own_error = min(better, key=lambda pair: pair[0].error)
    errors = f"{100 * best.error:.1f} % of the held-out labels wrong, against {100 * own_error:.1f} % for this model"
    if best.always:
        return [
            f'always answering "{best.always}" is better than this model: {errors} (more than chance, by a paired '
            "test). The columns say little about the label: add columns that do, or label more rows, before you use "
            "these labels."
        ]
    method = f"a {best.name}" if best.name == "random forest" else f"the class of the {best.name}"
    return [
        f"{method} is better than this model on your labels: {errors} (more than chance, by a paired test). Leave out "
        f"columns that have nothing to do with the label ({setting('ignore', ['NAME'])}), or label more rows and look "
        "again."
    ]
