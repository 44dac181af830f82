"""From functions to decisions: where to cut, by the labelled points."""

from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from sskpca._linalg.array import Array

__all__ = ["linear_margin", "middle_of_means", "threshold_between"]


def middle_of_means(scores: Array, targets: Array) -> float:
    """Find the middle between the mean scores of the two classes.

    The linear discriminant for classes that count the same, however unequal in number. Where the labels are fitted
    exactly it is 0, the maximum-margin threshold; where they are not, all of them decide, instead of the two that
    happen to be next to the cut.

    Parameters
    ----------
    scores : ndarray of shape (n_labeled,)
    targets : ndarray of shape (n_labeled,)
        -1 and +1, both present.

    Examples
    --------
    >>> middle_of_means(np.array([-1.0, 0.0, 3.0]), np.array([-1.0, -1.0, 1.0]))
    1.25
    """
    return float(scores[targets > 0].mean() + scores[targets <= 0].mean()) / 2


def threshold_between(scores: Array, targets: Array) -> float:
    r"""Find the threshold that parts the classes with the widest margin.

    The one-dimensional maximum-margin rule: among the thresholds with the least balanced error on the labelled
    points (each class counts one half, so that a rare class is not given up), the middle of the widest
    interval between two scores.

    Parameters
    ----------
    scores : ndarray of shape (n_labeled,)
    targets : ndarray of shape (n_labeled,)
        -1 and +1, both present; +1 is expected above.

    Examples
    --------
    >>> threshold_between(np.array([-1.0, 0.0, 3.0]), np.array([-1.0, -1.0, 1.0]))
    1.5
    """
    order = np.argsort(scores, kind="stable")
    s, t = scores[order], targets[order]
    # Cut k lies between s[k] and s[k + 1]: positives up to k and negatives beyond are wrong.
    positive, negative = t > 0, t <= 0
    wrong = np.cumsum(positive)[:-1] / positive.sum() + (negative.sum() - np.cumsum(negative)[:-1]) / negative.sum()
    width = np.diff(s)
    wrong = np.where(width > 0, wrong, np.inf)
    if not np.isfinite(wrong).any():
        return 0.0  # all scores alike: no threshold parts them
    least = wrong <= wrong.min() + 1e-12
    best = np.flatnonzero(least & (width >= width[least].max() * (1 - 1e-12)))
    middles = (s[best] + s[best + 1]) / 2
    return float(middles[np.argmin(np.abs(middles))])


def linear_margin(features: Array, targets: Array, C: float) -> tuple[Array, float]:
    """Fit a linear maximum-margin rule; return its weights and its threshold.

    With one feature the rule is `threshold_between`, with the sign that errs less; with more a support vector
    machine. All features are divided by one number, their common scale: that the leading ones are larger is what
    the machine should prefer them for.

    Parameters
    ----------
    features : ndarray of shape (n_labeled, n_features)
    targets : ndarray of shape (n_labeled,)
        -1 and +1, both present.
    C : float
        Price of the square of a point's way into the margin; large is the hard margin.
    """
    if features.shape[1] == 1:
        scores = features[:, 0]
        rules = [(sign, threshold_between(sign * scores, targets)) for sign in (1.0, -1.0)]
        sign, threshold = min(rules, key=lambda rule: _balanced_error(rule[0] * scores - rule[1], targets))
        return np.array([sign]), threshold
    middle = features.mean(axis=0)
    features = features - middle  # or an offset would set the scale
    scale = float(np.sqrt(np.mean(features**2))) or 1.0
    # The primal with squared hinges: smooth, so that Newton's method reaches the last digits, and the hard margin
    # for large C all the same. The intercept is penalised, but on a scale where that does not show.
    machine: Any = LinearSVC(C=C, dual=False, tol=1e-6, max_iter=10_000, intercept_scaling=100.0)
    machine.fit(features / scale, targets)
    weights = machine.coef_[0] / scale
    return weights, float(middle @ weights) - float(machine.intercept_[0])


def _balanced_error(decision: Array, targets: Array) -> float:
    wrong = (decision > 0) != (targets > 0)
    return float(wrong[targets > 0].mean() + wrong[targets <= 0].mean())
