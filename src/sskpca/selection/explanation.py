r"""Why: the exact share of every labelled row in a decision.

Given its multiplier, an LS-KPCA function is linear in the targets, :math:`f(x) = \sum_i t_i\, c\,
z_x^\top (C - \zeta D)^{-1} b_i`; so are sums of such functions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca.coordinates import Coordinates
from sskpca.estimators.classifier import functions_per_class
from sskpca.linalg.array import Array, Indices
from sskpca.selection.candidates import BEND
from sskpca.solvers import Logistic
from sskpca.solvers.pencil import PencilFamily

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """The decision on a row, label by label.

    Attributes
    ----------
    row : int
    label : object
        The class that the row is called, and that positive contributions speak for.
    decision : float
    rows : ndarray of shape (n_labeled,)
        The labelled rows, those that pull hardest first.
    labels : ndarray of shape (n_labeled,)
    contributions : ndarray of shape (n_labeled,)
        They and `offset` add up to the decision.
    offset : float
        What no label speaks for: the threshold and, in a hard case, the part along the free eigenvector.
    """

    row: int
    label: Any
    decision: float
    rows: Indices
    labels: NDArray[Any]
    contributions: Array
    offset: float


def _logistic(part: Coordinates, rows: Array, t: Array, c: float, coef: Array, row: int) -> Array:
    r"""Split a logistic function: it solves a least-squares problem whose targets are working responses.

    :math:`(I + B^\top W B - \zeta D)\gamma = B^\top (W g - c\,t\,\ell'/2)` with :math:`W = c\,\ell''/2`.
    """
    loss, g = Logistic(), rows @ coef
    bend, force = c * loss.second(t * g) / 2, c * t * loss.slope(t * g) / 2
    weighted = part.variances * coef
    zeta = (coef + rows.T @ force) @ weighted / (weighted @ weighted)
    A = (rows.T * bend) @ rows + np.diag(1 - zeta * part.variances)
    return np.asarray((rows @ np.linalg.solve(A, part.values[row])) * (bend * g - force))


def explain(model: Any, row: int) -> Explanation:
    """Split the decision on a row; see `SSKPCAClassifier.explain`."""
    labels = model._labels
    parted = functions_per_class(labels)
    k = int(model._codes(model.decision_[row : row + 1])[0])
    j = parted.index(k) if len(parted) > 1 else 0
    sign = -1.0 if len(parted) == 1 and k == 0 else 1.0  # one function for two classes speaks for the second
    t = labels.targets(parted[j])
    contributions = np.zeros(len(t))
    ensemble = model._ensemble
    for part, weights, found in zip(model.coordinates_, ensemble.weights, ensemble.found, strict=True):
        counts = weights > 0
        rows = part.values[labels.labeled]
        squared = counts & (found.methods == "ls")
        family = PencilFamily(rows, part.variances) if squared.any() else None
        for c in np.unique(found.label_weights[squared]).tolist():
            assert family is not None
            pencil = family.at(c)
            assert pencil.reach is not None
            z = part.values[row] @ pencil.vectors
            rho = pencil.theta / pencil.theta[0]
            for i in np.flatnonzero(squared & (found.label_weights == c)):
                # 1 - zeta theta, from the gap as it was solved for: no cancellation near the pole
                q = (1 - rho) + found.gaps[i, j] * rho
                inverse = np.divide(1.0, q, out=np.zeros_like(q), where=q > 0)
                share = np.sqrt(c) * (pencil.reach.T @ (inverse * z)) * t
                contributions += weights[i] / found.sizes[i, j] * share
        for i in np.flatnonzero(counts & (found.methods == "lr")):
            size, c = found.sizes[i, j], BEND * float(found.label_weights[i])
            contributions += weights[i] / size * _logistic(part, rows, t, c, size * found.coef[i, j], row)
    contributions *= sign
    decision = sign * float(model.decision_[row] if model.decision_.ndim == 1 else model.decision_[row, j])
    order = np.argsort(-np.abs(contributions), kind="stable")
    return Explanation(
        int(row),
        labels.classes[k].item(),
        decision,
        labels.labeled[order],
        labels.classes[labels.codes[labels.labeled]][order],
        contributions[order],
        decision - float(contributions.sum()),
    )
