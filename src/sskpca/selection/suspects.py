"""Labels that look wrong, and what would be if they were."""

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca.estimators.held_out import alone
from sskpca.selection.calibration import probabilities

__all__ = ["Suspect", "find_suspects"]


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


def find_suspects(model: Any, number: int) -> list[Suspect]:
    """Find the labels that held-out decisions contradict most; see `SSKPCAClassifier.suspects`."""
    labels = model._labels
    codes = labels.codes[labels.labeled]
    decisions = model.loo_decision_.reshape(len(codes), -1)
    probability = probabilities(decisions, model.slope_)
    given = probability[np.arange(len(codes)), codes]
    decided = model._codes(model.loo_decision_)
    wrong = np.flatnonzero((decided != codes) & ~alone(codes))  # a class of one label nobody could have known
    found = []
    for i in wrong[np.argsort(given[wrong], kind="stable")][:number]:
        row, suggestion = labels.labeled[i], labels.classes[decided[i]]
        trial = copy.copy(model)
        trial.verbose = False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            trial._learn(labels.with_labels(np.array([row]), np.array([suggestion.item()], dtype=object)))
        others = np.arange(len(labels.codes)) != row
        found.append(
            Suspect(
                int(row),
                labels.classes[codes[i]].item(),
                suggestion.item(),
                float(given[i]),
                float(model.loo_error_),
                float(trial.loo_error_),
                int(np.sum(model.transduction_[others] != trial.transduction_[others])),
            )
        )
    return found
