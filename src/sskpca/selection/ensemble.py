"""The average of the candidates of all kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.held_out import alone
from sskpca.linalg.array import Array, Indices
from sskpca.selection.averaging import SLOPES, bootstrap_weights, family_prior, log_likelihood
from sskpca.selection.candidates import Candidates

__all__ = ["Ensemble", "average"]

# A candidate that counts less than this share of the first is forgotten: it would cost time for every new point.
NEGLIGIBLE = 1e-4


@dataclass(frozen=True)
class Ensemble:
    """Candidates with weights, and their sum.

    Attributes
    ----------
    found : list of Candidates
        Of each kernel.
    weights : list of ndarray
        Of each kernel's candidates; all together they sum to 1.
    factors : list of ndarray
        What the decisions of each kernel's candidates are multiplied by: weights times slopes.
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
    factors: list[Array]
    coef: list[Array]
    threshold: Array
    held_out: Array
    table: dict[str, Any]

    def in_sample(self, coordinates: list[Coordinates]) -> Array:
        """Return the decisions on the rows of the data, shape (n_samples, n_functions)."""
        used = zip(coordinates, self.coef, self.weights, strict=True)
        return sum(part.values @ coef for part, coef, w in used if w.any()) - self.threshold  # type: ignore[no-any-return]

    def evaluate(self, coordinates: list[Coordinates], X: Any) -> Array:
        """Return the decisions on new rows; kernels without weight are not evaluated."""
        used = zip(coordinates, self.coef, self.weights, strict=True)
        return np.asarray(sum(part.evaluate(X, coef) for part, coef, w in used if w.any()) - self.threshold)

    @property
    def best(self) -> int:
        """The number of the candidate that counts most."""
        return int(np.argmax(self.table["weight"]))


def average(
    found: list[Candidates], codes: Indices, families: Sequence[str] | None = None, *, single: bool = False
) -> Ensemble:
    """Weigh candidates by the likelihood of the labels that they have not seen, and add them up.

    Parameters
    ----------
    found : list of Candidates
        Of each kernel.
    codes : ndarray of shape (n_labeled,)
        Class numbers of the labels.
    families : sequence of str, optional
        The kind of each kernel. All kinds have the same prior weight, for each method; without, all kernels have.
    single : bool, default=False
        Give all weight to the best.
    """
    held_out = np.concatenate([part.held_out for part in found])
    sizes = [len(part.label_weights) for part in found]
    kinds = [str(number) for number in range(len(found))] if families is None else families
    prior = family_prior(
        [f"{kind} {method}" for kind, part in zip(kinds, found, strict=True) for method in part.methods]
    )
    lone = alone(codes)
    counted = bootstrap_weights(held_out, codes, prior, ~lone)
    weights, factors, decisions = counted.weights, counted.factors, counted.held_out
    if single:
        best = int(np.argmax(weights))
        weights, factors = np.eye(len(weights))[best], np.eye(len(weights))[best] * factors[best] / weights[best]
        decisions = factors[best] * held_out[best]
    counts = weights >= NEGLIGIBLE * weights.max()
    share = float(weights[counts].sum())
    weights, factors = np.where(counts, weights, 0.0) / share, np.where(counts, factors, 0.0) / share
    ends = np.cumsum(sizes)[:-1]
    of_kernel, times = np.split(weights, ends), np.split(factors, ends)
    decided = (held_out[:, 0] > 0).astype(int) if held_out.shape[1] == 1 else held_out.argmax(axis=1)
    likelihood = [np.where(lone, 0.0, log_likelihood(held_out, codes, slope)).sum(axis=1) for slope in SLOPES]
    return Ensemble(
        found,
        of_kernel,
        times,
        [np.tensordot(f, part.coef, 1).T for f, part in zip(times, found, strict=True)],
        np.sum([f @ part.thresholds for f, part in zip(times, found, strict=True)], axis=0),
        decisions,
        {
            "kernel": np.repeat(np.arange(len(found)), sizes),
            "method": np.concatenate([part.methods for part in found]),
            "label_weight": np.concatenate([part.label_weights for part in found]),
            "variance": np.concatenate([part.variances for part in found]),
            "weight": weights,
            "loo_loss": -np.max(likelihood, axis=0) / max(int(np.sum(~lone)), 1),
            "loo_error": np.mean((decided != codes) | lone, axis=1),
        },
    )
