"""From decisions to probabilities, by decisions on labels that were not seen."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logsumexp, softmax

from sskpca._linalg.array import Array, Indices
from sskpca.rows._source import each_row

__all__ = ["expected_calibration_error", "fit_slope", "log_likelihood", "probabilities"]


def log_likelihood(decisions: Array, codes: Indices, slope: float = 1.0) -> Array:
    """Return the logarithm of the probability that decisions give to the labels.

    Parameters
    ----------
    decisions : ndarray of shape (..., n_functions, n_labeled)
        One function for two classes, or one for each of several.
    codes : ndarray of shape (n_labeled,)
        Class numbers.
    slope : float, default=1.0
        Log-odds for a decision of 1.

    Returns
    -------
    ndarray of shape (..., n_labeled)

    Examples
    --------
    >>> log_likelihood(np.array([[0.0, 5.0, -5.0]]), np.array([0, 1, 1]), 2.0).round(2)
    array([ -0.69,  -0.  , -10.  ])
    """
    z = slope * decisions
    if decisions.shape[-2] == 1:
        return np.asarray(-np.logaddexp(0.0, np.where(codes == 1, -1.0, 1.0) * z[..., 0, :]))
    return np.asarray(z[..., codes, np.arange(len(codes))] - logsumexp(z, axis=-2))


def fit_slope(decisions: Array, codes: Indices) -> float:
    """Find the log-odds for a decision of 1 that make held-out labels most likely.

    One parameter, so that the most probable class stays the one that is decided for. As in Platt's method there is one
    label more than was seen, of typical decision, half right and half wrong: labels that are all right do not make
    certain.

    Parameters
    ----------
    decisions : ndarray of shape (n_functions, n_labeled)
    codes : ndarray of shape (n_labeled,)

    Returns
    -------
    float
        Positive.
    """
    n = len(codes)
    typical = float(np.sqrt(np.mean(decisions**2))) or 1.0

    def loss(log_slope: float) -> float:
        slope = float(np.exp(log_slope)) / typical
        right = float(log_likelihood(decisions, codes, slope).sum())
        # One label of typical decision, half right, half wrong.
        doubt = float(np.logaddexp(0.0, -slope * typical) + np.logaddexp(0.0, slope * typical)) / 2
        return (doubt - right) / (n + 1)

    found = minimize_scalar(loss, bounds=(-6.0, 6.0), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x)) / typical


def probabilities(decisions: Array, slope: float) -> Array:
    """Turn decisions of shape (n, n_functions) into probabilities of shape (n, n_classes)."""
    example = np.empty((0, max(2, decisions.shape[1])))
    return each_row(decisions, lambda block, _: _probabilities(block, slope), example)  # type: ignore[no-any-return]


def _probabilities(decisions: Array, slope: float) -> Array:
    if decisions.shape[1] == 1:
        positive = expit(slope * decisions[:, 0])
        return np.column_stack([expit(-slope * decisions[:, 0]), positive])
    return np.asarray(softmax(slope * decisions, axis=1))


def expected_calibration_error(probability: Array, right: Array, n_bins: int = 10) -> float:
    """Compare confidence with accuracy, in bins of equal width, weighed by how many rows they hold.

    Parameters
    ----------
    probability : ndarray of shape (n_samples,)
        Of the class that was decided for.
    right : ndarray of bool, shape (n_samples,)
    n_bins : int, default=10

    Examples
    --------
    >>> expected_calibration_error(np.array([0.75, 0.75, 0.75, 0.75]), np.array([True, True, True, False]))
    0.0
    """
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, probability, n_bins) - np.bincount(bins, np.asarray(right, dtype=float), n_bins)
    return float(np.abs(gaps).sum() / len(probability))
