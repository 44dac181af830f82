"""The average of the candidates of all kernels, and of a random forest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.held_out import alone
from sskpca.linalg.array import Array, Indices
from sskpca.selection.averaging import SLOPES, bootstrap_weights, family_prior, log_likelihood
from sskpca.selection.candidates import Candidates
from sskpca.selection.forest import FOREST, Forest

__all__ = ["Ensemble", "average"]

# LS-KPCA with its variance fixed, which is what sees the unlabelled rows best, counts twice before any label is seen.
SHARE_OF_LS = 2.0
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
        One entry a candidate: kernel number, method, label_weight, variance, weight, loo_loss, loo_error. The forest
        comes last; its kernel number is that of the kernels, its label weight and variance are NaN.
    forest : Forest or None
    forest_weight, forest_factor : float
        What `weights` and `factors` are of the other candidates.
    """

    found: list[Candidates]
    weights: list[Array]
    factors: list[Array]
    coef: list[Array]
    threshold: Array
    held_out: Array
    table: dict[str, Any]
    forest: Forest | None = None
    forest_weight: float = 0.0
    forest_factor: float = 0.0

    def in_sample(self, coordinates: list[Coordinates], X: Any = None) -> Array:
        """Return the decisions on the rows of the data, shape (n_samples, n_functions); a forest needs the data X."""
        used = zip(coordinates, self.coef, self.weights, strict=True)
        return sum(part.values @ coef for part, coef, w in used if w.any()) + self._by_forest(X) - self.threshold  # type: ignore[no-any-return]

    def evaluate(self, coordinates: list[Coordinates], X: Any) -> Array:
        """Return the decisions on new rows; kernels without weight are not evaluated."""
        used = zip(coordinates, self.coef, self.weights, strict=True)
        decisions = sum(part.evaluate(X, coef) for part, coef, w in used if w.any())
        return np.asarray(decisions + self._by_forest(X) - self.threshold)

    def _by_forest(self, X: Any) -> Any:
        return 0.0 if self.forest is None else self.forest_factor * self.forest.decide(X)

    @property
    def best(self) -> int:
        """The number of the candidate of a kernel that counts most."""
        return int(np.argmax(np.concatenate(self.weights)))


def average(
    found: list[Candidates],
    codes: Indices,
    families: Sequence[str] | None = None,
    *,
    single: bool = False,
    forest: Forest | None = None,
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
    forest : Forest, optional
        One more candidate, and a family of its own.
    """
    others = [] if forest is None else [forest.held_out[None]]
    held_out = np.concatenate([*(part.held_out for part in found), *others])
    sizes = [len(part.label_weights) for part in found]
    kinds = [str(number) for number in range(len(found))] if families is None else families
    members = [f"{kind} {method}" for kind, part in zip(kinds, found, strict=True) for method in part.methods]
    fixed = np.concatenate([*(part.methods == "ls" for part in found), np.zeros(len(others), dtype=bool)])
    prior = family_prior(members + [FOREST] * len(others), np.where(fixed, SHARE_OF_LS, 1.0))
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
    ends = np.cumsum(sizes)
    (*of_kernel, of_forest), (*times, times_forest) = np.split(weights, ends), np.split(factors, ends)
    unset = np.full(len(others), np.nan)
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
            "kernel": np.repeat(np.arange(len(found) + len(others)), sizes + [1] * len(others)),
            "method": np.concatenate([*(part.methods for part in found), [FOREST] * len(others)]),
            "label_weight": np.concatenate([*(part.label_weights for part in found), unset]),
            "variance": np.concatenate([*(part.variances for part in found), unset]),
            "weight": weights,
            "loo_loss": -np.max(likelihood, axis=0) / max(int(np.sum(~lone)), 1),
            "loo_error": np.mean((decided != codes) | lone, axis=1),
        },
        forest,
        float(of_forest.sum()),
        float(times_forest.sum()),
    )
