r"""Why: the exact share of every labelled row in a decision.

Given its multiplier, an LS-KPCA function is linear in the targets, :math:`f(x) = \sum_i t_i\, c\,
z_x^\top (C - \zeta D)^{-1} b_i`; so are sums of such functions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca.estimators.classifier import functions_per_class
from sskpca.linalg.array import Array, Indices
from sskpca.solvers.pencil import PencilFamily

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """The decision on a row, label by label.

    Attributes
    ----------
    row : int
    label : object
        The class in question: the decision speaks for it where it is positive.
    decision : float
    rows : ndarray of shape (n_labeled,)
        The labelled rows, those that pull hardest first.
    labels : ndarray of shape (n_labeled,)
    contributions : ndarray of shape (n_labeled,)
        They and `offset` add up to the decision.
    offset : float
        What no label speaks for: the threshold.
    """

    row: int
    label: Any
    decision: float
    rows: Indices
    labels: NDArray[Any]
    contributions: Array
    offset: float


def explain(model: Any, row: int) -> Explanation:
    """Split the decision on a row; see `SSKPCAClassifier.explain`."""
    labels = model._labels
    parted = functions_per_class(labels)
    k = int(model._codes(model.decision_[row : row + 1])[0]) if len(parted) > 1 else 1
    j = parted.index(k)
    t = labels.targets(k)
    contributions = np.zeros(len(t))
    ensemble = model._ensemble
    for part, weights, found in zip(model.coordinates_, ensemble.weights, ensemble.found, strict=True):
        family = None
        for c in np.unique(found.label_weights[weights > 0]).tolist():
            family = family or PencilFamily(part.values[labels.labeled], part.variances)
            pencil = family.at(c)
            assert pencil.reach is not None
            z = part.values[row] @ pencil.vectors
            for i in np.flatnonzero((weights > 0) & (found.label_weights == c)):
                # 1 - zeta theta, from the gap as it was solved for: no cancellation near the pole
                rho = pencil.theta / pencil.theta[0]
                q = (1 - rho) + found.gaps[i, j] * rho
                inverse = np.divide(1.0, q, out=np.zeros_like(q), where=q > 0)
                share = np.sqrt(c) * (pencil.reach.T @ (inverse * z)) * t
                contributions += weights[i] / found.sizes[i, j] * share
    decision = float(model.decision_[row] if model.decision_.ndim == 1 else model.decision_[row, j])
    order = np.argsort(-np.abs(contributions), kind="stable")
    return Explanation(
        int(row),
        labels.classes[k],
        decision,
        labels.labeled[order],
        labels.classes[labels.codes[labels.labeled]][order],
        contributions[order],
        decision - float(contributions.sum()),
    )
