"""Held-out decisions: each label as it would be decided without it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sskpca._linalg.array import Array

__all__ = [
    "HeldOutDecisions",
    "alone",
    "decided_codes",
    "flat",
    "held_out_thresholds",
    "members",
    "wilson_interval",
    "without_each",
]


@dataclass(frozen=True)
class HeldOutDecisions:
    """Decisions on labelled rows by models that have not seen their label.

    Attributes
    ----------
    rows : ndarray of shape (n_held_out,)
        Row numbers.
    decisions : ndarray of shape (n_held_out,) or (n_held_out, n_classes)
        As `decision_function` gives them.
    wrong : ndarray of bool, shape (n_held_out,)
        The held-out model says something else than the label.
    """

    rows: NDArray[np.intp]
    decisions: Array
    wrong: NDArray[np.bool_]

    @property
    def error(self) -> float:
        """The share of labels that are not predicted by the others."""
        return float(self.wrong.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % confidence interval of the error."""
        return wilson_interval(int(self.wrong.sum()), len(self.wrong))


def wilson_interval(n_wrong: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share: sensible for few trials, and for none wrong.

    Examples
    --------
    >>> low, high = wilson_interval(0, 10)
    >>> low, round(high, 3)
    (0.0, 0.278)
    """
    z = float(ndtri(0.5 + confidence / 2))
    share, spread = n_wrong / n, z / n * np.sqrt(n_wrong * (n - n_wrong) / n + z**2 / 4)
    middle, shrink = share + z**2 / (2 * n), 1 + z**2 / n
    low = 0.0 if n_wrong == 0 else (middle - spread) / shrink
    high = 1.0 if n_wrong == n else (middle + spread) / shrink
    return float(low), float(high)


def without_each(found: Callable[[Array], float], targets: Array) -> Array:
    """Evaluate a function of the targets without each of them in turn.

    Parameters
    ----------
    found : callable
        Of targets; their order must not matter to it. It is called twice: which label is left out does not matter
        either, only its side.
    targets : ndarray of shape (n_labeled,)
        -1 and +1.

    Examples
    --------
    >>> without_each(np.sum, np.array([1.0, -1.0, -1.0]))
    array([-2.,  0.,  0.])
    """
    out = np.empty(len(targets))
    for side in members(targets):
        if side.any():
            out[side] = found(np.delete(targets, np.argmax(side)))
    return out


def members(targets: Array) -> NDArray[np.bool_]:
    """Say which labels are positive, and which are not: shape (2, n_labeled)."""
    return np.stack([targets > 0, targets <= 0])


def held_out_thresholds(predictions: Array, sums: Array, targets: Array) -> Array:
    """Cut held-out functions in the middle of the class means over the labels that they have seen.

    Parameters
    ----------
    predictions : ndarray of shape (..., n_labeled)
        Value at each labelled point of the function that has not seen its label.
    sums : ndarray of shape (..., n_labeled, 2)
        At [..., i, 0] the sum of the values at all positive labels, at [..., i, 1] that at all others, of the function
        that has not seen label i; see `members`.
    targets : ndarray of shape (n_labeled,)
        -1 and +1.

    Returns
    -------
    ndarray of shape (..., n_labeled)
        Zero where label i is the only one of its class.
    """
    means, alone = [], np.zeros(len(targets), dtype=bool)
    for side, total in zip(members(targets), np.moveaxis(sums, -1, 0), strict=True):
        number = side.sum() - side
        alone |= number == 0
        means.append((total - np.where(side, predictions, 0.0)) / np.maximum(number, 1))
    return np.where(alone, 0.0, (means[0] + means[1]) / 2)


def alone(codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say which labels are the only ones of their class."""
    return np.asarray(np.bincount(codes)[codes] == 1)


def flat(decisions: Array) -> Array:
    """Return decisions as scikit-learn has them: one number a row for two classes, one for each of several."""
    return decisions[:, 0] if decisions.shape[1] == 1 else decisions


def decided_codes(decisions: Array) -> NDArray[np.intp]:
    """Return the class numbers that flat decisions stand for."""
    return (decisions > 0).astype(np.intp) if decisions.ndim == 1 else decisions.argmax(axis=1)
