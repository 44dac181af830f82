r"""The share of unlabelled rows that are probably called wrong, with an interval.

Two estimates with different faults: held-out labels, which are few and have had a say in the weights, and the doubt of
the probabilities about the unlabelled rows, which are many but trusted to be calibrated. Their mean is nearer to the
truth than the first, and does not depend on calibration alone. The interval is Wilson's, of half as many labels as
there are: a label that helps to weigh hundreds of candidates is no independent test of their average. How often the
interval holds is measured on ordinary tables and on simulated ones, see docs/results/tables.md.
"""

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca._transduction.held_out import wilson_interval
from sskpca._transduction.labels import Labels

__all__ = ["expected_error"]

MOST_ROWS = 20_000
# Labels that count as one in the interval.
LABELS_PER_TRIAL = 2.0


def expected_error(wrong: NDArray[np.bool_], probability: Array, labels: Labels) -> tuple[float, tuple[float, float]]:
    """Return the expected share of wrong classes among the unlabelled rows, and its 95 % interval.

    Parameters
    ----------
    wrong : ndarray of bool, shape (n_held_out,)
        Whether held-out decisions contradict their label; without labels that are the only one of their class, about
        which no decision could be made.
    probability : ndarray of shape (n_samples, n_classes)
    labels : Labels

    Returns
    -------
    error : float
    interval : tuple of float
    """
    free = np.flatnonzero(labels.codes < 0)
    if len(free) > MOST_ROWS:  # of so many the mean is known well enough, and the others may have to be computed first
        free = np.sort(np.random.default_rng(0).choice(free, MOST_ROWS, replace=False))
    estimates = []
    if len(free):
        estimates.append(float(np.mean(1 - np.asarray(probability[free]).max(axis=1))))
    if len(wrong):
        estimates.append(float(wrong.mean()))
    if not estimates:  # every row is labelled, and every label the only one of its class
        return float("nan"), (0.0, 1.0)
    error = float(np.mean(estimates))
    trials = max(len(wrong), 1) / LABELS_PER_TRIAL
    return error, wilson_interval(error * trials, trials)
