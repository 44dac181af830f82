r"""How much each column of a table matters for the labels.

The labels are predicted by kernel ridge regression with a constant (R1) from the labelled rows, once with all columns
and once without each. What a column gains is the rise of the mean log likelihood of held-out labels, in nats per label,

.. math:: \frac1l \sum_i \bigl(\log p_{-i}(c_i \mid x_i) - \log p_{-i}(c_i \mid x_i \text{ without the column})\bigr),

with :math:`p_{-i}` the softmax of a slope times the functions that have not seen label i. Distances without a column
are the distances less those of the column, and labels are left out by (R2): one decomposition of the centred kernel of
the labels serves all label weights, so a column takes one decomposition.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._linalg.eigen import symmetric_eigen
from sskpca._linalg.threads import one_thread
from sskpca._transduction.held_out import alone

__all__ = ["MOST_COLUMNS", "MOST_LABELS", "Relevance", "column_relevance"]

# Of more labels, a random sample of so many is used; of more columns, those that separate the classes best.
MOST_LABELS, MOST_COLUMNS = 300, 200
# Distances: the sums over the columns of |x - y| (Laplacian kernel) and of |x - y|^2 (Gaussian kernel).
POWERS = (1, 2)
LABEL_WEIGHTS = np.array([0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
SLOPES = 2.0 ** np.arange(-2.0, 4.25, 0.25)
# A column is beyond noise from two standard errors on, or more: so many that of tables in which no column has any
# influence, at most one in twenty has such a column.
LEAST_ERRORS, LEVEL = 2.0, 0.05
# Where less than this share of the distances is left without a column, a difference would be mostly rounding.
CANCELLED = 1e-3


@dataclass(frozen=True, slots=True)
class Relevance:
    """What one column gains, given all others.

    Of two columns that say the same, neither gains anything.

    Attributes
    ----------
    column : str
    gain : float
        Rise of the mean log likelihood of held-out labels, in nats per label; negative if they are predicted better
        without the column.
    standard_error : float
        From the differences label by label.
    limit : float
        From how many standard errors on a gain or loss is beyond noise, given the numbers of columns and labels.
    """

    column: str
    gain: float
    standard_error: float
    limit: float = LEAST_ERRORS

    @property
    def helps(self) -> bool:
        """Whether the gain is beyond noise."""
        return self.gain > self.limit * self.standard_error

    @property
    def hurts(self) -> bool:
        """Whether held-out labels are predicted better without the column, beyond noise."""
        return self.gain < -self.limit * self.standard_error


def column_relevance(
    X: Matrix, codes: Indices, groups: Sequence[slice | Indices], columns: Sequence[str]
) -> tuple[Relevance, ...]:
    """Compute how much each column of a table matters for the labels.

    The kernel (Laplacian or Gaussian, at the median distance) and the slope are those with the largest held-out
    likelihood with all columns. Median and label weight are chosen anew without each: with a column that drowns the
    others a large weight is best, which without it would fit noise. O(columns * labels^3).

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n_labeled, n_features)
        The labelled rows. Of more than 300, a fixed random sample is used.
    codes : ndarray of shape (n_labeled,)
        Class numbers. The only label of a class cannot be predicted from the others, and is not counted.
    groups : sequence of slice or ndarray
        The features that each column of the table has become. Of more than 200, those are left out whose features
        differ least between classes; the others are then chosen by the labels, so that their gains are a little high.
    columns : sequence of str
        Names of the columns.

    Returns
    -------
    tuple of Relevance
        The largest gain first. Empty if no class has two labels.
    """
    if len(codes) > MOST_LABELS:
        sample = np.sort(np.random.default_rng(0).permutation(len(codes))[:MOST_LABELS])
        X, codes = X[sample], codes[sample]
    codes = np.unique(codes, return_inverse=True)[1]
    known = ~alone(codes)
    if not known.any() or len(np.unique(codes)) < 2:
        return ()
    tested = np.arange(len(groups))
    if len(groups) > MOST_COLUMNS:
        shares = separation(X, codes, groups)
        tested = np.sort(np.argsort(-shares, kind="stable")[:MOST_COLUMNS])
    n = int(known.sum())
    limit = max(LEAST_ERRORS, float(stats.t.isf(LEVEL / len(groups), max(n - 1, 1))))
    with one_thread():  # small matrices: threads would wait for each other
        power, slope = _choose(X, codes, known)
        D = _distances(X, power)
        full = _best_likelihoods(D, codes, known, slope)
        found = []
        for k in tested.tolist():
            gains = full - _best_likelihoods(_without(X, D, groups[k], power), codes, known, slope)
            error = float(gains.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
            found.append(Relevance(columns[k], float(gains.mean()), error, limit))
    return tuple(sorted(found, key=lambda entry: -entry.gain))


def separation(X: Matrix, codes: Indices, groups: Sequence[slice | Indices]) -> Array:
    """Return the share of the variance of each group of features that lies between the classes.

    Examples
    --------
    >>> separation(np.array([[0.0, 1.0], [0.0, 2.0], [4.0, 1.0], [4.0, 2.0]]), np.array([0, 0, 1, 1]), [[0], [1]])
    array([1., 0.])
    """
    n, members = len(codes), np.eye(codes.max() + 1)[codes]
    counts = members.sum(axis=0)
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = X.multiply(X) if sparse.issparse(X) else X**2
    total = np.maximum(np.asarray(squares.sum(axis=0)).ravel() - n * mean**2, 0.0)
    means = np.asarray(X.T @ members) / counts
    between = np.maximum((means**2) @ counts - n * mean**2, 0.0)
    sums = np.array([(between[group].sum(), total[group].sum()) for group in groups])
    return np.asarray(np.divide(sums[:, 0], sums[:, 1], out=np.zeros(len(groups)), where=sums[:, 1] > 0))


def _distances(X: Matrix, power: int) -> Array:
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return np.asarray(manhattan_distances(X, X) if power == 1 else euclidean_distances(X, squared=True))
    return np.asarray(cdist(X, X, "cityblock" if power == 1 else "sqeuclidean"))


def _without(X: Matrix, D: Array, group: slice | Indices, power: int) -> Array:
    """Return the distances without the features of one group."""
    rest = np.maximum(D - _distances(X[:, group], power), 0.0)
    if rest.max() >= CANCELLED * D.max():
        return rest
    others = np.ones(X.shape[1], dtype=bool)
    others[group] = False
    return _distances(X[:, others], power) if others.any() else np.zeros_like(D)


def _held_out(D: Array, codes: Indices) -> Array:
    """Return ridge functions at each label they have not seen, shape (n_label_weights, n_labeled, n_classes)."""
    n = len(D)
    scale = float(np.median(D[np.triu_indices(n, 1)])) or float(D.mean()) or 1.0
    K = np.exp(-D / scale)
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    # The constant is moved below all other eigenvectors, which then span what is orthogonal to it; see `ridge_family`.
    w, U = symmetric_eigen(K - 1 / n, overwrite=True)
    others = np.arange(n) != np.argmin(w)
    w, U = np.maximum(w[others], 0.0), U[:, others]
    targets = 2 * np.eye(codes.max() + 1)[codes] - 1
    rho = 1 / (LABEL_WEIGHTS[:, None] * w + 1)
    residuals = U @ (rho[:, :, None] * (U.T @ targets))
    return np.asarray(targets - residuals / (rho @ (U**2).T)[:, :, None])


def _log_likelihood(decisions: Array, codes: Indices, slope: float) -> Array:
    scaled = slope * decisions
    scaled -= scaled.max(axis=-1, keepdims=True)
    return np.asarray(scaled[..., np.arange(len(codes)), codes] - np.log(np.exp(scaled).sum(axis=-1)))


def _best_likelihoods(D: Array, codes: Indices, known: NDArray[np.bool_], slope: float) -> Array:
    """Return the held-out log likelihoods of the labels for the label weight that makes their sum largest."""
    found = _log_likelihood(_held_out(D, codes)[:, known], codes[known], slope)
    return np.asarray(found[np.argmax(found.sum(axis=1))])


def _choose(X: Matrix, codes: Indices, known: NDArray[np.bool_]) -> tuple[int, float]:
    """Find the kernel, as the power of the distances, and the slope with the largest held-out likelihood."""
    values = []
    for power in POWERS:
        decisions = _held_out(_distances(X, power), codes)[:, known]
        typical = np.sqrt(np.mean(decisions**2, axis=(1, 2)))
        for slope in SLOPES.tolist():
            # One label more of typical decision, half right and half wrong: that all are right does not make certain.
            doubt = (np.logaddexp(0.0, -2 * slope * typical) + np.logaddexp(0.0, 2 * slope * typical)) / 2
            total = _log_likelihood(decisions, codes[known], slope).sum(axis=1) - doubt
            values.append((float(total.max()), power, slope))
    return max(values)[1:]
