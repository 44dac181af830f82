r"""How much each candidate counts: by the likelihood of the labels that it has not seen.

A decision f of unit mean square is taken for half a log-odds, :math:`P(t \mid f) = 1 / (1 + e^{-2tf})`, or for one of
several classes in proportion to :math:`e^{2f_k}`. A candidate's weight is the product over the labels of the
probability that its held-out decision gives to the label: Geisser's pseudo-likelihood. To choose the candidate with the
fewest held-out errors is the same rule with a coarse loss and all the weight in one place; with ten labels that is
a coin toss.
"""

import numpy as np
from scipy.special import logsumexp, softmax

from sskpca.linalg.array import Array, Indices

__all__ = ["jackknife_decisions", "log_likelihood", "pseudo_weights"]


def log_likelihood(decisions: Array, codes: Indices, slope: float = 2.0) -> Array:
    """Return the logarithm of the probability that decisions give to the labels.

    Parameters
    ----------
    decisions : ndarray of shape (..., n_functions, n_labeled)
        One function for two classes, or one for each of several.
    codes : ndarray of shape (n_labeled,)
        Class numbers.
    slope : float, default=2.0
        Log-odds for a decision of 1.

    Returns
    -------
    ndarray of shape (..., n_labeled)

    Examples
    --------
    >>> log_likelihood(np.array([[0.0, 5.0, -5.0]]), np.array([0, 1, 1])).round(2)
    array([ -0.69,  -0.  , -10.  ])
    """
    z = slope * decisions
    if decisions.shape[-2] == 1:
        return np.asarray(-np.logaddexp(0.0, np.where(codes == 1, -1.0, 1.0) * z[..., 0, :]))
    return np.asarray(z[..., codes, np.arange(len(codes))] - logsumexp(z, axis=-2))


def pseudo_weights(likelihood: Array) -> Array:
    """Weigh candidates by the product of the likelihoods of the labels.

    Parameters
    ----------
    likelihood : ndarray of shape (n_candidates, n_labeled)
        Logarithms.

    Returns
    -------
    ndarray of shape (n_candidates,)
        They sum to 1.
    """
    return np.asarray(softmax(likelihood.sum(axis=1)))


def jackknife_decisions(held_out: Array, likelihood: Array) -> Array:
    """Average held-out decisions with weights by the decisions on the other labels.

    Those have seen the label in question: its influence is small, but not nothing.

    Parameters
    ----------
    held_out : ndarray of shape (n_candidates, n_functions, n_labeled)
    likelihood : ndarray of shape (n_candidates, n_labeled)

    Returns
    -------
    ndarray of shape (n_functions, n_labeled)
    """
    weights = softmax(likelihood.sum(axis=1, keepdims=True) - likelihood, axis=0)
    return np.asarray(np.einsum("kfi,ki->fi", held_out, weights))
