"""The average of the candidates of all kernels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.held_out import alone
from sskpca.linalg.array import Array, Indices
from sskpca.selection.averaging import jackknife_decisions, log_likelihood, pseudo_weights
from sskpca.selection.candidates import Candidates

__all__ = ["Ensemble", "average"]

# A candidate that counts less than this share of the first is forgotten: it would cost time for every new point.
NEGLIGIBLE = 1e-5


@dataclass(frozen=True)
class Ensemble:
    """Candidates with weights, and their sum.

    Attributes
    ----------
    found : list of Candidates
        Of each kernel.
    weights : list of ndarray
        Of each kernel's candidates; all together they sum to 1.
    coef : list of ndarray of shape (rank, n_functions)
        The average in each kernel: a function in it.
    threshold : ndarray of shape (n_functions,)
    held_out : ndarray of shape (n_functions, n_labeled)
        Decisions on the labels by candidates that have not seen them, with weights by the decisions on the others.
    table : dict of ndarray
        One entry a candidate: kernel number, method, label_weight, variance, weight, loo_loss, loo_error.
    """

    found: list[Candidates]
    weights: list[Array]
    coef: list[Array]
    threshold: Array
    held_out: Array
    table: dict[str, Any]

    def in_sample(self, coordinates: list[Coordinates]) -> Array:
        """Decide on the rows of the data, shape (n_samples, n_functions); kernels that do not count are left out."""
        used = zip(coordinates, self.coef, self.weights, strict=True)
        return sum(part.values @ coef for part, coef, w in used if w.any()) - self.threshold  # type: ignore[no-any-return]

    def evaluate(self, coordinates: list[Coordinates], X: Any) -> Array:
        """Decide on new rows; kernels that do not count are not evaluated."""
        used = zip(coordinates, self.coef, self.weights, strict=True)
        return np.asarray(sum(part.evaluate(X, coef) for part, coef, w in used if w.any()) - self.threshold)

    @property
    def best(self) -> int:
        """The number of the candidate that counts most."""
        return int(np.argmax(self.table["weight"]))


def average(found: list[Candidates], codes: Indices, *, single: bool = False) -> Ensemble:
    """Weigh candidates by the likelihood of the labels that they have not seen, and add them up.

    Parameters
    ----------
    found : list of Candidates
    codes : ndarray of shape (n_labeled,)
        Class numbers of the labels.
    single : bool, default=False
        Give all weight to the best.
    """
    held_out = np.concatenate([part.held_out for part in found])
    lone = alone(codes)
    # Without the only label of a class nobody can know it: that says nothing about a candidate.
    likelihood = np.where(lone, 0.0, log_likelihood(held_out, codes))
    weights, decisions = pseudo_weights(likelihood), jackknife_decisions(held_out, likelihood)
    if single:
        best = int(np.argmax(weights))
        weights, decisions = np.eye(len(weights))[best], held_out[best]
    weights = np.where(weights >= NEGLIGIBLE * weights.max(), weights, 0.0)
    weights /= weights.sum()
    sizes = [len(part.label_weights) for part in found]
    of_kernel = np.split(weights, np.cumsum(sizes)[:-1])
    decided = (held_out[:, 0] > 0).astype(int) if held_out.shape[1] == 1 else held_out.argmax(axis=1)
    return Ensemble(
        found,
        of_kernel,
        [np.tensordot(w, part.coef, 1).T for w, part in zip(of_kernel, found, strict=True)],
        np.sum([w @ part.thresholds for w, part in zip(of_kernel, found, strict=True)], axis=0),
        decisions,
        {
            "kernel": np.repeat(np.arange(len(found)), sizes),
            "method": np.concatenate([part.methods for part in found]),
            "label_weight": np.concatenate([part.label_weights for part in found]),
            "variance": np.concatenate([part.variances for part in found]),
            "weight": weights,
            "loo_loss": -likelihood.sum(axis=1) / max(int(np.sum(~lone)), 1),
            "loo_error": np.mean((decided != codes) | lone, axis=1),
        },
    )
