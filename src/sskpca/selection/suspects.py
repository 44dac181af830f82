"""Labels that look wrong, and what would be if they were."""

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca.estimators.held_out import alone
from sskpca.selection.calibration import probabilities

__all__ = ["NOT_TRIED", "Suspect", "find_suspects"]

NOT_TRIED = -1


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


def find_suspects(model: Any, number: int, *, least_confidence: float = 0.0, tried: int | None = None) -> list[Suspect]:
    """Find the labels that held-out decisions contradict most; see `SSKPCAClassifier.suspects`.

    Parameters
    ----------
    model : SSKPCAClassifier
        Fitted.
    number : int
        So many at most, the least probable first.
    least_confidence : float, default=0.0
        From which probability of another class a label is a suspect.
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
    # A class of one label nobody could have known.
    wrong = np.flatnonzero((decided != codes) & ~alone(codes) & (probability.max(axis=1) >= least_confidence))
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
