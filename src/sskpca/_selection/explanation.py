r"""Why: the exact share of every labelled row in a decision.

Given its multiplier, an LS-KPCA function is linear in the targets, :math:`f(x) = \sum_i t_i\, c\,
z_x^\top (C - \zeta D)^{-1} b_i`; so are ridge regression, the votes of trees as they have grown, and sums of such
functions.
"""

from dataclasses import dataclass

import numpy as np

from sskpca._linalg.array import Array, Column, Indices
from sskpca._selection.candidates import METHODS, Candidates, uncentered_basis
from sskpca._transduction.answer import Transduction
from sskpca._transduction.held_out import decided_codes, flat
from sskpca.solvers._pencil import PencilFamily
from sskpca.solvers._ridge import ridge_family
from sskpca.solvers._secular import UNDECIDED

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
        What no label speaks for: the thresholds of LS-KPCA.
    """

    row: int
    label: object
    decision: float
    rows: Indices
    labels: Column
    contributions: Array
    offset: float


def _constrained(rows: Array, variances: Array, z: Array, t: Array, found: Candidates, counts: Array, j: int) -> Array:
    """Split the sum of LS-KPCA functions at a row with coordinates z; `counts` are their factors, 0 for others."""
    shares = np.zeros(len(t))
    family = PencilFamily(rows, variances)
    for c in np.unique(found.label_weights[counts != 0]).tolist():
        pencil = family.at(c)
        assert pencil.vectors is not None
        assert pencil.reach is not None
        at = z @ pencil.vectors
        rho = pencil.theta / pencil.theta[0]
        for i in np.flatnonzero((counts != 0) & (found.label_weights == c)):
            # 1 - zeta theta, from the gap as it was solved for: no cancellation near the pole
            q = (1 - rho) + found.gaps[i, j] * rho
            inverse = np.divide(1.0, q, out=np.zeros_like(q), where=q >= UNDECIDED)
            shares += counts[i] / found.sizes[i, j] * np.sqrt(c) * (pencil.reach.T @ (inverse * at)) * t
    return shares


def _unconstrained(rows: Array, z: Array, t: Array, found: Candidates, counts: Array) -> Array:
    """Split the sum of ridge regressions at a row; the constant, a mean of labels and values, is split likewise."""
    shares = np.zeros(len(t))
    family = ridge_family(rows)
    for i in np.flatnonzero(counts):
        own = family.solve(float(found.label_weights[i]), t[:, None]).influence @ (z - family.center)
        shares += counts[i] * (own - own.mean() + 1 / len(t)) * t
    return shares


def explain(answer: Transduction, row: int) -> Explanation:
    """Split the decision on a row of an averaged answer; see `SSKPCAClassifier.explain`."""
    labels, ensemble = answer.labels, answer.found
    parted = labels.parted
    k = int(decided_codes(flat(answer.decision[row : row + 1]))[0])
    j = parted.index(k) if len(parted) > 1 else 0
    sign = -1.0 if len(parted) == 1 and k == 0 else 1.0  # one function for two classes speaks for the second
    t = labels.targets(parted[j])
    contributions = np.zeros(len(t))
    for part, factors, found in zip(answer.geometry.coordinates, ensemble.factors, ensemble.found, strict=True):
        if not factors.any():
            continue
        rows, z = part.values[labels.labeled], part.values[np.array([row])][0]
        of = {method: np.where(found.methods == method, factors, 0.0) for method in METHODS}
        if of["ls"].any():
            contributions += _constrained(rows, part.variances, z, t, found, of["ls"], j)
        if of["uncentered"].any():
            V, squares = uncentered_basis(part)
            contributions += _constrained(rows @ V, squares, z @ V, t, found, of["uncentered"], j)
        if of["ridge"].any():
            contributions += _unconstrained(rows, z, t, found, of["ridge"])
    if ensemble.forest is not None and ensemble.forest_factor:
        contributions += ensemble.forest_factor * ensemble.forest.shares(answer.geometry.rows(np.array([row]))) * t
    contributions *= sign
    decision = sign * float(answer.decision[row, j])
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
