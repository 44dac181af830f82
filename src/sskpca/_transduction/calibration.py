"""From decisions to probabilities, calibrated on those held out; novelty of rows; the error to expect."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logsumexp, softmax
from sklearn.neighbors import NearestNeighbors

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._linalg.distances import distances, few
from sskpca._transduction.held_out import wilson_interval
from sskpca._transduction.labels import Labels
from sskpca.rows import ArrayRows, Rows
from sskpca.rows._source import each_row

__all__ = [
    "Novelty",
    "expected_calibration_error",
    "expected_error",
    "fit_slope",
    "log_likelihood",
    "probabilities",
    "with_doubt",
]

# So many of the rows are as near to their next one as is usual.
USUAL = 0.99
MOST_ROWS = 20_000
# Rows that are measured at a time, each such block in a thread.
BLOCK = 4096
# Labels that count as one in the interval.
LABELS_PER_TRIAL = 2.0


def log_likelihood(decisions: Array, codes: Indices, slope: float = 1.0) -> Array:
    """Return the logarithm of the probability that decisions give to the labels.

    Parameters
    ----------
    decisions : ndarray of shape (..., n_functions, n_labeled)
        One function for two classes, or one for each of several.
    codes : ndarray of shape (n_labeled,)
        Class numbers.
    slope : float, default=1.0
        Log-odds for a decision of 1.

    Returns
    -------
    ndarray of shape (..., n_labeled)

    Examples
    --------
    >>> log_likelihood(np.array([[0.0, 5.0, -5.0]]), np.array([0, 1, 1]), 2.0).round(2)
    array([ -0.69,  -0.  , -10.  ])
    """
    z = slope * decisions
    if decisions.shape[-2] == 1:
        return np.asarray(-np.logaddexp(0.0, np.where(codes == 1, -1.0, 1.0) * z[..., 0, :]))
    return np.asarray(z[..., codes, np.arange(len(codes))] - logsumexp(z, axis=-2))


def fit_slope(decisions: Array, codes: Indices) -> float:
    """Find the log-odds for a decision of 1 that make held-out labels most likely.

    One parameter, so that the most probable class stays the one that is decided for. As in Platt's method there is one
    label more than was seen, of typical decision, half right and half wrong: labels that are all right do not make
    certain.

    Parameters
    ----------
    decisions : ndarray of shape (n_functions, n_labeled)
    codes : ndarray of shape (n_labeled,)

    Returns
    -------
    float
        Positive.
    """
    n = len(codes)
    typical = float(np.sqrt(np.mean(decisions**2))) or 1.0

    def loss(log_slope: float) -> float:
        slope = float(np.exp(log_slope)) / typical
        right = float(log_likelihood(decisions, codes, slope).sum())
        # One label of typical decision, half right, half wrong.
        doubt = float(np.logaddexp(0.0, -slope * typical) + np.logaddexp(0.0, slope * typical)) / 2
        return (doubt - right) / (n + 1)

    found = minimize_scalar(loss, bounds=(-6.0, 6.0), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x)) / typical


def probabilities(decisions: Array, slope: float) -> Array:
    """Turn decisions of shape (n, n_functions) into probabilities of shape (n, n_classes)."""
    example = np.empty((0, max(2, decisions.shape[1])))
    return each_row(decisions, lambda block, _: _probabilities(block, slope), example)  # type: ignore[no-any-return]


def _probabilities(decisions: Array, slope: float) -> Array:
    if decisions.shape[1] == 1:
        positive = expit(slope * decisions[:, 0])
        return np.column_stack([expit(-slope * decisions[:, 0]), positive])
    return np.asarray(softmax(slope * decisions, axis=1))


def expected_calibration_error(probability: Array, right: Array, n_bins: int = 10) -> float:
    """Compare confidence with accuracy, in bins of equal width, weighed by how many rows they hold.

    Parameters
    ----------
    probability : ndarray of shape (n_samples,)
        Of the class that was decided for.
    right : ndarray of bool, shape (n_samples,)
    n_bins : int, default=10

    Examples
    --------
    >>> expected_calibration_error(np.array([0.75, 0.75, 0.75, 0.75]), np.array([True, True, True, False]))
    0.0
    """
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, probability, n_bins) - np.bincount(bins, np.asarray(right, dtype=float), n_bins)
    return float(np.abs(gaps).sum() / len(probability))


@dataclass(frozen=True)
class Novelty:
    """Distances to the next row of the data, in units of the largest usual one within the data."""

    search: NearestNeighbors
    usual: float

    @classmethod
    def of(cls, X: Matrix | Rows, same: Indices) -> Self:
        """Learn the data, or a sample of 20,000 rows; equal ones, of equal numbers in `same`, count once."""
        different = np.unique(same, return_index=True)[1]
        if len(different) > MOST_ROWS:  # distances to the next of a sample are longer, the usual one, too
            different = np.sort(np.random.default_rng(0).choice(different, MOST_ROWS, replace=False))
        search = NearestNeighbors(n_neighbors=1).fit(X.take(different) if isinstance(X, Rows) else X[different])
        nearest, _ = search.kneighbors(n_neighbors=1)
        # A quantile, so that one outlier does not make everything look familiar.
        usual = float(np.quantile(nearest, USUAL))
        return cls(search, usual if usual > 0 else float(nearest.max()))

    def of_rows(self, X: Matrix | Rows) -> Array:
        """Measure new rows."""
        if X.shape[0] <= BLOCK:
            return self._of_block(X, 0)
        return np.asarray(ArrayRows(X).each(self._of_block, BLOCK))

    def _of_block(self, X: Matrix | Rows, first: int) -> Array:
        points = self.search._fit_X  # noqa: SLF001, scikit-learn does not publish it
        nearest = distances(X, points).min(axis=1) if few(X, points) else self.search.kneighbors(X)[0][:, 0]
        unit = self.usual or float(np.finfo(float).tiny)  # all rows alike
        return np.asarray(nearest / unit, dtype=np.float64)


def with_doubt(known: Array, novelty: Array) -> Array:
    """Let probabilities go to equal ones as rows become unlike all data: from a novelty of 1 on, at 2 they are there.

    Parameters
    ----------
    known : ndarray of shape (n_rows, n_classes)
    novelty : ndarray of shape (n_rows,)

    Examples
    --------
    >>> with_doubt(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0.3, 1.5])).round(3)
    array([[0.9, 0.1],
           [0.7, 0.3]])
    """
    unknown = np.clip(novelty - 1, 0.0, 1 - 1e-6)[:, None]
    return np.asarray((1 - unknown) * known + unknown / known.shape[1])


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
