"""Simple methods on the same held-out labels, beside which an error means something."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy import stats
from sklearn.neighbors import NearestNeighbors

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._transduction.held_out import alone, wilson_interval

__all__ = ["LEVEL", "MOST_LABELS", "Baseline", "baselines", "better_baseline", "paired_p_value"]

# Of more labels, a random sample of so many is used: enough to know an error to two points, in a few seconds.
MOST_LABELS = 2000
N_TREES = 300
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Baseline:
    """A simple method, and how often it is wrong on held-out labels.

    Attributes
    ----------
    name : str
        "most frequent class", "nearest neighbour" or "random forest".
    error : float
        Share of the held-out labels that it predicts wrong.
    interval : tuple of float
        95 % confidence interval of the error.
    n_labels : int
        Number of labels that were held out.
    labels : ndarray of shape (n_labels,)
        Their positions among the labels given to `baselines`, ascending.
    wrong : ndarray of bool, shape (n_labels,)
    always : str
        The class that it always predicts, if it does.
    """

    name: str
    error: float
    interval: tuple[float, float]
    n_labels: int
    labels: Indices = field(repr=False)
    wrong: NDArray[np.bool_] = field(repr=False)
    always: str = ""

    @classmethod
    def of(cls, name: str, labels: Indices, wrong: NDArray[np.bool_], always: str = "") -> Self:
        """Return a baseline with the error and the interval of `wrong`."""
        n_wrong, n = int(wrong.sum()), len(wrong)
        return cls(name, n_wrong / n, wilson_interval(n_wrong, n), n, labels, wrong, always)

    def restrict(self, labels: Indices) -> Self:
        """Return the same baseline on those of its labels whose position is among `labels`."""
        kept = np.isin(self.labels, labels)
        return self.of(self.name, self.labels[kept], self.wrong[kept], self.always)


def baselines(X: Matrix, codes: Indices, classes: Sequence[str] | None = None) -> tuple[Baseline, ...]:
    """Compute the held-out errors of three simple methods that see the labelled rows only.

    The most frequent class; the class of the nearest other labelled row; and a random forest, in which the trees that
    have not seen a label vote on it (out of bag). Each tree sees about 63 % of the labels, so that with few labels the
    forest's error is a little too high. The most frequent class is that of all labels: held out, it would be wrong on
    every label where two classes are equally frequent. A label that is the only one of its class counts as wrong, as in
    `SSKPCAClassifier`.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_labeled, n_features)
        The labelled rows.
    codes : ndarray of shape (n_labeled,)
        Class numbers, from 0.
    classes : sequence of str, optional
        Names of the classes; their numbers by default.

    Returns
    -------
    tuple of Baseline
        All on the same labels: all of them, or a fixed random sample of 2,000 if there are more. Empty if there are
        fewer than two.

    Examples
    --------
    >>> found = baselines(np.array([[0.0], [0.1], [0.2], [5.0], [5.1]]), np.array([0, 0, 0, 1, 1]), ["a", "b"])
    >>> [(b.name, b.always, b.error) for b in found[:2]]
    [('most frequent class', 'a', 0.4), ('nearest neighbour', '', 0.0)]
    """
    n = len(codes)
    if n < 2:
        return ()
    labels = np.arange(n)
    if n > MOST_LABELS:
        labels = np.sort(np.random.default_rng(0).permutation(n)[:MOST_LABELS])
        X, codes = X[labels], codes[labels]
    lone = alone(codes)
    voted = np.unique(codes)[_out_of_bag_shares(X, codes).argmax(axis=1)]
    most = int(np.argmax(np.bincount(codes)))
    return (
        Baseline.of(
            "most frequent class", labels, (codes != most) | lone, str(most if classes is None else classes[most])
        ),
        Baseline.of("nearest neighbour", labels, (codes[_nearest(X)] != codes) | lone),
        Baseline.of("random forest", labels, (voted != codes) | lone),
    )


def _nearest(X: Matrix) -> Indices:
    """Return the nearest other row of each row."""
    return np.asarray(NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False)[:, 0])


def _out_of_bag_shares(X: Matrix, codes: Indices) -> Array:
    """Return the out-of-bag shares of the classes for each label; equal ones for a label that every tree has drawn."""
    from sklearn.ensemble import RandomForestClassifier  # here: a saved model predicts without

    forest = RandomForestClassifier(N_TREES, oob_score=True, random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a label was never out of bag
        forest.fit(scipy.sparse.csc_matrix(X) if scipy.sparse.issparse(X) else X, codes)
    shares = np.nan_to_num(forest.oob_decision_function_.reshape(len(codes), -1))
    return np.asarray(np.where(shares.any(axis=1, keepdims=True), shares, 1 / shares.shape[1]))


def paired_p_value(model_wrong: NDArray[np.bool_], baseline_wrong: NDArray[np.bool_]) -> float:
    """Return the p-value of the exact one-sided sign test that the baseline is not better than the model.

    Only labels on which one of the two is wrong and the other right count (McNemar's test): if both were equally good,
    it would be the model in half of the cases.

    Parameters
    ----------
    model_wrong, baseline_wrong : ndarray of bool, shape (n_labels,)
        On the same held-out labels.

    Examples
    --------
    >>> paired_p_value(np.array([1, 1, 1, 0], dtype=bool), np.array([0, 0, 0, 0], dtype=bool))
    0.125
    """
    worse = int(np.sum(model_wrong & ~baseline_wrong))
    better = int(np.sum(~model_wrong & baseline_wrong))
    return float(stats.binom.sf(worse - 1, worse + better, 0.5))


def better_baseline(model_wrong: NDArray[np.bool_], baseline_wrong: NDArray[np.bool_], level: float = LEVEL) -> bool:
    """Return whether a baseline is better than the model by more than chance; see `paired_p_value`."""
    return paired_p_value(model_wrong, baseline_wrong) <= level
