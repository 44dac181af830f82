"""Selection by the labels alone: folds, thresholds of functions that have not seen one, the least held-out loss."""

import heapq
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from sskpca._transduction.methods import threshold_between

__all__ = ["SEED", "folds_of", "least", "threshold", "thresholds"]

SEED = 0


def folds_of(classes: np.ndarray, n_folds: int = 10, seed: int = SEED) -> np.ndarray:
    """Deal the labels to folds: stratified, if each class has a label for each fold."""
    smallest = np.unique(classes, return_counts=True)[1].min()
    kind = StratifiedKFold if smallest >= n_folds else KFold
    folds = np.empty(len(classes), dtype=np.intp)
    for k, (_, held_out) in enumerate(kind(n_folds, shuffle=True, random_state=seed).split(classes, classes)):
        folds[held_out] = k
    return folds


def threshold(values: np.ndarray, t: np.ndarray) -> float:
    """Cut a function where its labels are parted with the widest margin; labels of one class: that one is called."""
    return float(-np.inf * t[0]) if abs(t.sum()) == len(t) else threshold_between(values, t)


def thresholds(values: np.ndarray, t: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Cut functions by the labels that they have seen.

    Parameters
    ----------
    values : ndarray of shape (..., n_folds, n_labeled)
        Of the functions without each fold, at all labelled points.

    Returns
    -------
    ndarray of shape (..., n_folds)
    """
    out = np.empty(values.shape[:-1])
    for fold in range(values.shape[-2]):
        seen = folds != fold
        flat = values[..., fold, :][..., seen].reshape(-1, int(seen.sum()))
        out[..., fold] = np.reshape([threshold(v, t[seen]) for v in flat], values.shape[:-2])
    return out


def least(losses: Callable[[int, int], np.ndarray], n_settings: int, folds: np.ndarray) -> int:
    """Find the setting of the least mean loss on held-out labels, in no more evaluations than that takes.

    Losses are not negative: a setting whose sum over some folds is beyond another's over all of them cannot win. So the
    fold that is evaluated next is always one of the setting with the least sum so far.

    Parameters
    ----------
    losses : callable of a setting and a fold
        On the fold's labels.
    n_settings : int
    folds : ndarray of shape (n_labeled,)

    Returns
    -------
    int
        As `argmin` of all the means would give it.
    """
    n_folds, finished, found = int(folds.max()) + 1, {}, defaultdict(lambda: np.empty(len(folds)))
    waiting = [(0.0, setting, 0) for setting in range(n_settings)]
    bound = np.inf
    while waiting and waiting[0][0] <= bound:
        so_far, setting, fold = heapq.heappop(waiting)
        now = losses(setting, fold)
        found[setting][folds == fold] = now
        so_far += float(now.sum())
        if fold + 1 < n_folds:
            heapq.heappush(waiting, (so_far, setting, fold + 1))
        else:
            finished[setting] = np.mean(found[setting])
            bound = min(bound, so_far * (1 + 1e-9))  # ties to rounding are decided by the means
    return min(finished, key=lambda setting: (finished[setting], setting))
