"""Given labels that look wrong."""

from typing import Any

import numpy as np

from sskpca.estimators.held_out import alone
from sskpca.selection.calibration import probabilities
from sskpca.selection.suspects import Suspect

__all__ = ["MOST_SUSPECTS", "NOT_TRIED", "suspect_labels"]

MOST_SUSPECTS = 5
# To try a label the other way takes a good part of a fit: the most doubtful one is tried, the others are told.
TRIED = 1
NOT_TRIED = -1


def suspect_labels(model: Any, least_confidence: float) -> tuple[Suspect, ...]:
    """List labels for which held-out decisions are sure of another class, the least probable first.

    Labels that come out wrong when held out are often just hard; those of which the others are sure that they are
    something else are worth a look.

    Parameters
    ----------
    model : SSKPCAClassifier
        Fitted.
    least_confidence : float
        From which probability the other class is sure.

    Returns
    -------
    tuple of Suspect
        At most `MOST_SUSPECTS`. Only the least probable label of all comes with what would be if it were changed; for
        the others `loo_error_if_changed` is NaN and `n_changed` is `NOT_TRIED`.
    """
    labels = model._labels
    codes = labels.codes[labels.labeled]
    decisions = model.loo_decision_.reshape(len(codes), -1)
    probability = probabilities(decisions, model.slope_)
    own = probability[np.arange(len(codes)), codes]
    decided = model._codes(model.loo_decision_)
    # A class of one label nobody could have known.
    wrong = np.flatnonzero((decided != codes) & ~alone(codes) & (probability.max(axis=1) >= least_confidence))
    order = wrong[np.argsort(own[wrong], kind="stable")][:MOST_SUSPECTS]
    tried = {suspect.row: suspect for suspect in (model.suspects(TRIED) if len(order) else ())}
    found = [
        Suspect(
            int(labels.labeled[i]),
            labels.classes[codes[i]].item(),
            labels.classes[decided[i]].item(),
            float(own[i]),
            float(model.loo_error_),
            float("nan"),
            NOT_TRIED,
        )
        for i in order
    ]
    return tuple(tried.get(suspect.row, suspect) for suspect in found)
