r"""Labels that look wrong, and what would be if they were.

A label is a suspect if the probability that held-out decisions give to it is below a threshold. If all labels are right
and the probabilities calibrated, row i has a label of class c with probability :math:`p_{ic}`, so that a threshold
:math:`\tau` flags a share :math:`\frac1l \sum_i \sum_c p_{ic} [p_{ic} \le \tau]` of the labels. The largest threshold
is taken that flags one in a hundred at most. Where classes are clear it is large, and finds most errors; where outcomes
are just noisy it is small, and nothing is flagged.
"""

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca.estimators.held_out import alone
from sskpca.linalg.array import Array
from sskpca.selection.calibration import probabilities

__all__ = ["NOT_TRIED", "Suspect", "find_suspects", "suspicion_threshold"]

NOT_TRIED = -1
# Share of labels that are right and flagged all the same.
FALSE_ALARMS = 0.01


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
    label: Any
    suggestion: Any
    probability: float
    loo_error: float
    loo_error_if_changed: float
    n_changed: int


def suspicion_threshold(probability: Array, share: float = FALSE_ALARMS) -> float:
    """Return the largest probability of a label at which an expected `share` of right labels is flagged at most.

    Parameters
    ----------
    probability : ndarray of shape (n_labeled, n_classes)
        Held-out, assumed to be calibrated.
    share : float, default=0.01

    Examples
    --------
    >>> suspicion_threshold(np.array([[0.98, 0.02], [0.7, 0.3]]), 0.05)
    0.02
    """
    unlikely = np.sort(probability[probability < probability.max(axis=1, keepdims=True)])
    allowed = unlikely[np.cumsum(unlikely) <= share * len(probability)]
    return float(allowed[-1]) if len(allowed) else 0.0


def find_suspects(model: Any, number: int | None = None, *, tried: int | None = None) -> list[Suspect]:
    """Find the labels that held-out decisions contradict; see `SSKPCAClassifier.suspects`.

    Parameters
    ----------
    model : SSKPCAClassifier
        Fitted.
    number : int, optional
        So many at most, the least probable first; all by default.
    tried : int, optional
        So many are tried the other way, which takes a good part of a fit each; all by default. Of the others
        `loo_error_if_changed` is NaN and `n_changed` is `NOT_TRIED`.
    """
    labels = model._labels
    codes = labels.codes[labels.labeled]
    decisions = model.loo_decision_.reshape(len(codes), -1)
    probability = probabilities(decisions, model.slope_)
    given = probability[np.arange(len(codes)), codes]
    decided = model._codes(model.loo_decision_)
    known = ~alone(codes)  # a class of one label nobody could have known
    unlikely = given <= suspicion_threshold(probability[known])
    wrong = np.flatnonzero((decided != codes) & known & unlikely)
    found = []
    for rank, i in enumerate(wrong[np.argsort(given[wrong], kind="stable")][:number]):
        row, suggestion = int(labels.labeled[i]), labels.classes[decided[i]].item()
        after = _if_changed(model, row, suggestion) if tried is None or rank < tried else (float("nan"), NOT_TRIED)
        label, own = labels.classes[codes[i]].item(), float(given[i])
        found.append(Suspect(row, label, suggestion, own, float(model.loo_error_), *after))
    return found


def _if_changed(model: Any, row: int, suggestion: Any) -> tuple[float, int]:
    """Return the leave-one-out error and the number of other rows that would be called something else."""
    trial = copy.copy(model)
    trial.verbose = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        trial._learn(model._labels.with_labels(np.array([row]), np.array([suggestion], dtype=object)))
    others = np.arange(len(model.transduction_)) != row
    return float(trial.loo_error_), int(np.sum(model.transduction_[others] != trial.transduction_[others]))
