r"""How much each candidate counts: by the likelihood of the labels that it has not seen.

A decision f is taken for a log-odds at several slopes s, :math:`P(t \mid f) = 1 / (1 + e^{-stf})`, or for one of
several classes in proportion to :math:`e^{sf_k}`; a candidate at a slope is a component. The product over the labels of
the probabilities that its held-out decisions give to them, Geisser's pseudo-likelihood, times a prior that all families
of candidates share equally, would be its weight: far too sure of itself among hundreds of candidates. Its mean over
Bayesian bootstrap draws of the labels (pseudo-BMA+, Yao, Vehtari, Simpson and Gelman, 2018) knows that the labels might
have been others.

The labels are taken for a random sample of the rows. So a candidate that puts a share :math:`p_k` of all rows into
class k is the less likely the more its shares differ from those of the labels: its weight is multiplied by

.. math:: \prod_i p_{t_i}^{\,w}, \qquad w = \tfrac12 \min(1, 10^2/l^2) ,

the likelihood of the class counts, of which ten labels tell five labels' worth and more of them ever less: held-out
decisions tell it better then, and where classes overlap the best decisions call rare classes rarer than they are.
Without it, with ten labels, functions that cut the data in the middle count as much as those that know that one class
is rare (measured, also for labels that are the same number of each class: docs/results/tables.md).

All held-out decisions together never count as more than 22 labels. With many labels the likelihood would give all the
weight to the one best candidate; but candidates of different kinds make different mistakes, and their average is better
than the best of them (measured: docs/results/tables.md). The average is that of log-odds: a linear function in every
kernel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from sskpca._linalg.array import Array, Indices
from sskpca._transduction.calibration import log_likelihood

__all__ = [
    "MOST_EVIDENCE",
    "SLOPES",
    "Weights",
    "bootstrap_draws",
    "bootstrap_weights",
    "counts_likelihood",
    "family_prior",
    "predicted_shares",
]

# Log-odds for a decision of 1.
SLOPES = (0.5, 1.0, 2.0, 4.0)
# As many labels as all together count for at most.
MOST_EVIDENCE = 22.0
# Log-odds beyond which a component has no weight that shows in double precision.
BEYOND_DOUBT = 37.0
# How much of the likelihood of the class counts counts, of so many labels or fewer. Steepness that makes a class of a
# decision, yet smoothly: a row that rounding puts on one side or the other of a cut is half on either.
OF_COUNTS, COUNTED_LABELS, STEEP = 0.5, 10, 32.0
# Bootstrap draws: fewer of many labels, whose weights vary less and take longer.
MOST_DRAWS, LEAST_DRAWS, DRAWN_LABELS = 100, 10, 20_000


def family_prior(families: Sequence[str]) -> Array:
    """Return prior weights that families share equally, and the members of a family likewise.

    Parameters
    ----------
    families : sequence of str
        The family of each candidate.

    Examples
    --------
    >>> family_prior(["a", "a", "b"])
    array([0.25, 0.25, 0.5 ])
    """
    _, number, count = np.unique(np.asarray(families, dtype=str), return_inverse=True, return_counts=True)
    return np.asarray(1 / (len(count) * count[number]))


def predicted_shares(decisions: Array) -> Array:
    """Return the share of the rows that decisions put into each class, never quite zero, shape (..., n_classes).

    Rows near a cut are partly on either side, so that rounding decides nothing; functions so flat that all rows are
    near put equal shares into all classes.

    Parameters
    ----------
    decisions : ndarray of shape (..., n_functions, n_rows)

    Examples
    --------
    One row more is thought to be in each class:

    >>> predicted_shares(np.array([[1.0, -2.0, -0.5, -1.0]])).round(3)
    array([0.667, 0.333])
    """
    z, n = STEEP * decisions, decisions.shape[-1]
    if decisions.shape[-2] == 1:
        positive = expit(z).sum(axis=(-2, -1))
        counts = np.stack([n - positive, positive], axis=-1)
    else:
        counts = softmax(z, axis=-2).sum(axis=-1)
    return np.asarray((counts + 1) / (n + counts.shape[-1]))


def counts_likelihood(shares: Array, codes: Indices) -> Array:
    """Return the logarithm of what each label adds to the likelihood of the class counts.

    Parameters
    ----------
    shares : ndarray of shape (n_candidates, n_classes)
        Predicted shares.
    codes : ndarray of shape (n_labeled,)
        Class numbers of the labels.

    Returns
    -------
    ndarray of shape (n_candidates, n_labeled)

    Examples
    --------
    Nine labels of ten are of class 0, and so are half or nine tenths of the rows:

    >>> counts_likelihood(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([0] * 9 + [1])).sum(axis=1).round(2)
    array([-3.47, -1.63])
    """
    weight = OF_COUNTS * min(1.0, COUNTED_LABELS / len(codes)) ** 2
    return np.asarray(weight * np.log(shares)[:, codes])


@dataclass(frozen=True, slots=True)
class Weights:
    """How much candidates count.

    Attributes
    ----------
    weights : ndarray of shape (n_candidates,)
        They sum to 1.
    factors : ndarray of shape (n_candidates,)
        What decisions are multiplied by in the average: weights times slopes, summed over the slopes.
    held_out : ndarray of shape (n_functions, n_labeled)
        The average of held-out decisions, for each label with weights by the decisions on the other labels. (Those have
        seen the label in question: its influence is small, but not nothing.)
    """

    weights: Array
    factors: Array
    held_out: Array


def bootstrap_draws(likelihood: Array) -> Array:
    """Draw how often each label counts: Dirichlet weights that sum to the number of labels.

    Parameters
    ----------
    likelihood : ndarray of shape (n_components, n_labeled)
        Labels get their draws in the order of these, not in that of the rows, so that the order of the rows does not
        matter.

    Returns
    -------
    ndarray of shape (n_draws, n_labeled)
    """
    n = likelihood.shape[1]
    order = np.lexsort((likelihood.max(axis=0), likelihood.sum(axis=0)))
    number = int(np.clip(DRAWN_LABELS // n, LEAST_DRAWS, MOST_DRAWS))
    draws = np.empty((number, n))
    draws[:, order] = n * np.random.default_rng(0).dirichlet(np.ones(n), number)
    return draws


def bootstrap_weights(
    held_out: Array, codes: Indices, prior: Array, known: NDArray[np.bool_], counts: Array | None = None
) -> Weights:
    """Weigh candidates by pseudo-BMA+.

    Parameters
    ----------
    held_out : ndarray of shape (n_candidates, n_functions, n_labeled)
    codes : ndarray of shape (n_labeled,)
        Class numbers of the labels.
    prior : ndarray of shape (n_candidates,)
    known : ndarray of bool, shape (n_labeled,)
        Labels whose held-out decisions count; that on the only one of its class says nothing about a candidate, since
        without it nobody can know.
    counts : ndarray of shape (n_candidates, n_labeled), optional
        `counts_likelihood`.
    """
    n, slopes = len(codes), np.array(SLOPES)
    likelihood = np.concatenate([np.where(known, log_likelihood(held_out, codes, s), 0.0) for s in SLOPES])
    draws = bootstrap_draws(likelihood)
    likelihood *= min(1.0, MOST_EVIDENCE / max(int(known.sum()), 1))
    counts = np.zeros((len(held_out), n)) if counts is None else counts
    start, own = np.tile(np.log(prior) + counts.sum(axis=1), len(slopes)), np.tile(counts, (len(slopes), 1))
    number = len(draws)
    weights, jackknife = np.zeros(len(start)), np.zeros_like(likelihood)
    for draw, total in zip(draws, start + draws @ likelihood.T, strict=True):
        weights += softmax(total)
        lost = likelihood * draw + own
        # Most components are so unlikely that they would not count without any one of the labels either.
        counts = total - lost.min(axis=1) > total.max() - BEYOND_DOUBT
        jackknife[counts] += softmax(total[counts, None] - lost[counts], axis=0)
    shape = len(slopes), len(held_out)
    weights = weights.reshape(shape) / number
    left_out = np.einsum("s,ski->ki", slopes, jackknife.reshape(*shape, n)) / number
    return Weights(weights.sum(axis=0), slopes @ weights, np.einsum("kfi,ki->fi", held_out, left_out))
