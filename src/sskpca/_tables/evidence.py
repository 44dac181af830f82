"""What stands beside the answer for a table: simple methods on the same held-out labels, and which columns matter."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sskpca._selection import relevance as relevance_module
from sskpca._selection.baselines import LEVEL, Baseline, baselines, better_baseline
from sskpca._selection.relevance import Relevance, column_relevance
from sskpca._tables.error import setting
from sskpca._tables.features import FeatureMap
from sskpca._transduction.held_out import HeldOutDecisions
from sskpca._transduction.labels import Labels

__all__ = ["Evidence", "collect_evidence"]


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


def collect_evidence(features: FeatureMap, matrix: Any, labels: Labels, held_out: HeldOutDecisions) -> Evidence:
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
