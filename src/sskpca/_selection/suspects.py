r"""Labels that look wrong, and what would be if they were.

Suppose that each label was given wrongly with probability :math:`\epsilon`, as any other class. Held-out decisions that
give it the probability p then give it, as it stands,

.. math:: (1 - \epsilon)\, p + \epsilon\, \frac{1 - p}{k - 1} .

The rate :math:`\epsilon` and the slope that makes probabilities of decisions are those that make all labels most likely
together, with a prior against errors that counts for two labels and five in a hundred; a label is a suspect if it is
more probably wrong than right. So it is, too, if the other labels alone, by the slope that they suggest, would give it
less than one chance in a hundred and thirty: a single error among many clear labels is no rate.
Where classes are clear, a single label that contradicts the others is enough; where outcomes are just noisy, a flat
slope explains them without errors, and nothing is flagged. How often right labels are flagged and wrong ones found is
measured, see docs/results/tables.md.
"""

from dataclasses import dataclass

import numpy as np

from sskpca._linalg.array import Array, Indices
from sskpca._transduction.answer import Transduction, transduce
from sskpca._transduction.calibration import log_likelihood, probabilities
from sskpca._transduction.held_out import alone, decided_codes

__all__ = ["NOT_TRIED", "Suspect", "chances_by_the_others", "find_suspects", "wrong_label_probabilities"]

NOT_TRIED = -1
TINY = np.finfo(float).tiny
# How many labels the prior against errors counts for, and how many more for each label: found on the 22 tables, where
# fewer than one label in a hundred is flagged.
PRIOR_LABELS, PRIOR_SHARE = 2.0, 0.05
# A label that has less of a chance by the slope of the others is a suspect, whatever the rate.
LEAST_CHANCE = 0.0075
# What the rate of errors may be, and what the slope may be multiplied with where some labels are wrong.
RATES = np.linspace(0.0, 0.495, 100)
STEEPER = 2.0 ** np.arange(-2.0, 4.25, 0.25)
# For a typical decision.
SLOPES_TRIED = np.exp(np.linspace(-3.0, 4.0, 141))
# Variance of the logarithm of the latter, a priori.
STEEPNESS = 4.0


@dataclass(frozen=True, slots=True)
class Suspect:
    """A label that the other labels contradict, and the counterfactual.

    Attributes
    ----------
    row : int
    label : object
        As given.
    suggestion : object
        What the others say.
    probability : float
        Of the label as given, by a model that has not seen it.
    loo_error : float
        Leave-one-out error as it is.
    loo_error_if_changed : float
        And with the suggestion in place of the label.
    n_changed : int
        So many other rows would be called something else.
    """

    row: int
    label: object
    suggestion: object
    probability: float
    loo_error: float
    loo_error_if_changed: float
    n_changed: int


def wrong_label_probabilities(decisions: Array, codes: Indices, slope: float) -> Array:
    """Return the probability that each label is wrong.

    Parameters
    ----------
    decisions : ndarray of shape (n_labeled, n_functions)
        Held-out.
    codes : ndarray of shape (n_labeled,)
        Class numbers.
    slope : float
        Log-odds for a decision of 1, if all labels are right.

    Examples
    --------
    >>> decisions = np.append(np.linspace(-4, -1, 20), np.linspace(1, 4, 20))[:, None]
    >>> codes = np.array([1, 1] + [0] * 18 + [1] * 20)  # the first two speak against their decisions
    >>> wrong_label_probabilities(decisions, codes, 1.0).round(2)[:4]
    array([1., 1., 0., 0.])
    """
    others = max(2, decisions.shape[1]) - 1
    own = np.array([probabilities(decisions, slope * times)[np.arange(len(codes)), codes] for times in STEEPER])
    likelihood = np.log(own[:, None] * (1 - RATES[:, None]) + (1 - own[:, None]) / others * RATES[:, None] + TINY)
    prior = (PRIOR_LABELS + PRIOR_SHARE * len(codes)) * np.log1p(-2 * RATES) - np.log(STEEPER)[:, None] ** 2 / (
        2 * STEEPNESS
    )
    steep, often = np.unravel_index(np.argmax(likelihood.sum(axis=2) + prior), prior.shape)
    right, wrong = own[steep] * (1 - RATES[often]), (1 - own[steep]) / others * RATES[often]
    return np.asarray(wrong / (right + wrong + TINY))


def chances_by_the_others(decisions: Array, codes: Indices) -> Array:
    """Return the probability of each label at the slope that makes the other labels most likely.

    Parameters
    ----------
    decisions : ndarray of shape (n_labeled, n_functions)
        Held-out.
    codes : ndarray of shape (n_labeled,)

    Examples
    --------
    >>> decisions = np.repeat([[-3.0], [3.0]], 15, axis=0)
    >>> chances_by_the_others(decisions, np.array([0] * 14 + [1] * 16)).round(2)[[13, 14]]
    array([0.95, 0.02])
    """
    typical = float(np.sqrt(np.mean(decisions**2))) or 1.0
    slopes = SLOPES_TRIED / typical
    likelihood = np.array([log_likelihood(decisions.T, codes, slope) for slope in slopes])
    # One label more than was seen, of typical decision, half right and half wrong, as in `fit_slope`.
    doubt = (np.logaddexp(0.0, -SLOPES_TRIED) + np.logaddexp(0.0, SLOPES_TRIED)) / 2
    others = (likelihood.sum(axis=1) - doubt)[:, None] - likelihood
    return np.asarray(np.exp(likelihood[others.argmax(axis=0), np.arange(len(codes))]))


def find_suspects(answer: Transduction, number: int | None = None, *, tried: int | None = None) -> list[Suspect]:
    """Find the labels that held-out decisions contradict; see `SSKPCAClassifier.suspects`.

    Parameters
    ----------
    answer : Transduction
    number : int, optional
        So many at most, the least probable first; all by default.
    tried : int, optional
        So many are tried the other way, which takes a good part of a fit each; all by default. Of the others
        `loo_error_if_changed` is NaN and `n_changed` is `NOT_TRIED`.
    """
    labels, held_out = answer.labels, answer.held_out
    codes = labels.codes[labels.labeled]
    decisions = held_out.decisions.reshape(len(codes), -1)
    probability = probabilities(decisions, answer.slope)
    given = probability[np.arange(len(codes)), codes]
    decided = decided_codes(held_out.decisions)
    known = ~alone(codes)  # a class of one label nobody could have known
    doubtful = np.zeros(len(codes), dtype=bool)
    if known.any():
        doubtful[known] = wrong_label_probabilities(decisions[known], codes[known], answer.slope) > 0.5
        doubtful[known] |= chances_by_the_others(decisions[known], codes[known]) < LEAST_CHANCE
    wrong = np.flatnonzero((decided != codes) & doubtful)
    found = []
    for rank, i in enumerate(wrong[np.argsort(given[wrong], kind="stable")][:number]):
        row, suggestion = int(labels.labeled[i]), labels.classes[decided[i]].item()
        after = _if_changed(answer, row, suggestion) if tried is None or rank < tried else (float("nan"), NOT_TRIED)
        label, own = labels.classes[codes[i]].item(), float(given[i])
        found.append(Suspect(row, label, suggestion, own, held_out.error, *after))
    return found


def _if_changed(answer: Transduction, row: int, suggestion: object) -> tuple[float, int]:
    """Return the leave-one-out error and the number of other rows that would be called something else."""
    changed = answer.labels.with_labels(np.array([row]), np.array([suggestion], dtype=object))
    other = transduce(answer.geometry, changed, answer.method)
    others = np.arange(len(changed.codes)) != row
    return other.held_out.error, int(np.sum(answer.called[others] != other.called[others]))
