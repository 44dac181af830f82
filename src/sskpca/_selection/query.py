r"""Which rows to label next.

The rows that tell most about the others: under a Gaussian prior with the kernel as covariance, a label on x with noise
:math:`\sigma^2` reduces the variance of all rows together, whatever the label is, by exactly

.. math:: \frac{z_x^\top \Sigma D \Sigma\, z_x}{z_x^\top \Sigma z_x + \sigma^2}, \qquad
          \Sigma = (I + B^\top B / \sigma^2)^{-1} .                                                 \tag{A1}

With labels, times the doubt about the row's class.
"""

from collections.abc import Sequence

import numpy as np

from sskpca._linalg.array import Array, Indices
from sskpca._transduction.answer import Transduction, Unanswered
from sskpca.coordinates import Coordinates

__all__ = ["Information", "next_rows"]

# Beyond so many rows a sample of them is looked at.
MOST_ROWS = 20_000
# Rows whose coordinates are found at a time.
BLOCK = 2000


class Information:
    """How much the label of each row would tell about all rows: (A1), relative to the best row, the mean over kernels.

    Parameters
    ----------
    coordinates : sequence of Coordinates
    labeled : ndarray
        Rows that are labelled already.
    weights : ndarray of shape (n_kernels,)
        Of the kernels in the mean; they sum to 1.
    noise : float, default=0.1
        Variance of a label, for kernels of mean variance 1.
    pool : ndarray, optional
        Rows to look at, which stand for all; all by default.
    """

    def __init__(
        self,
        coordinates: Sequence[Coordinates],
        labeled: Indices,
        weights: Array,
        noise: float = 0.1,
        pool: Indices | None = None,
    ) -> None:
        self.weights, self.noise = weights, noise
        self.images = []  # Z times a root of Sigma
        # Of each kernel: the covariance of the images' columns, and of each row its numerator and z' Sigma z.
        self.covariances, self.numerators, self.sizes = [], [], []
        for part in coordinates:
            B = part.values[labeled] / np.sqrt(noise)
            root = np.linalg.cholesky(np.eye(part.rank) + B.T @ B)
            rows = _of_rows(part, np.arange(part.n_samples) if pool is None else pool)
            Y = np.linalg.solve(root, rows.T).T
            centered = Y - Y.mean(axis=0)
            covariance = centered.T @ centered
            self.images.append(Y)
            self.covariances.append(covariance)
            self.numerators.append(np.sum((Y @ covariance) * Y, axis=1))
            self.sizes.append(np.sum(Y**2, axis=1))

    def gains(self) -> Array:
        """Evaluate (A1) for all rows."""
        total = np.zeros(len(self.images[0]))
        for weight, numerator, size in zip(self.weights, self.numerators, self.sizes, strict=True):
            gain = numerator / (size + self.noise)
            total += weight * gain / max(float(gain.max()), np.finfo(float).tiny)
        return total

    def observe(self, row: int) -> None:
        """Condition on a label of this row, in time proportional to the size of the images."""
        for i, Y in enumerate(self.images):
            y, covariance = Y[row].copy(), self.covariances[i]
            size = float(y @ y)
            # Sigma - Sigma z z' Sigma / (z' Sigma z + noise), in its root: the images times I - shrink y y'
            shrink = (1 - np.sqrt(self.noise / (size + self.noise))) / size if size > 0 else 0.0
            twice = 2 * shrink - shrink**2 * size  # its square is I - twice y y'
            along, across = Y @ y, covariance @ y
            own = float(y @ across)
            self.numerators[i] += twice * along * (twice * own * along - 2 * (Y @ across))
            self.sizes[i] -= twice * along**2
            both = np.outer(y, across)
            self.covariances[i] = covariance - shrink * (both + both.T) + shrink**2 * own * np.outer(y, y)
            self.images[i] = Y - shrink * np.outer(along, y)


def next_rows(answer: Transduction | Unanswered, number: int, passed: Indices | None = None) -> Indices:
    """Choose rows to label next; see `SSKPCAClassifier.next_rows`.

    Parameters
    ----------
    answer : Transduction or Unanswered
    number : int
    passed : ndarray, optional
        Rows that are not to be proposed: somebody has looked at them and could not tell.
    """
    labels, geometry = answer.labels, answer.geometry
    n, n_kernels = len(labels.codes), len(geometry.coordinates)
    eligible = labels.codes < 0
    if passed is not None:
        eligible[passed] = False
    free = np.flatnonzero(eligible)
    if len(free) == 0:
        return np.empty(0, dtype=np.intp)
    pool = np.arange(n)
    if n > MOST_ROWS:
        pool = np.sort(np.random.default_rng(0).choice(free, min(MOST_ROWS, len(free)), False))
    taken = ~eligible[pool]
    weights, doubt = np.full(n_kernels, 1 / n_kernels), np.ones(len(pool))
    if isinstance(answer, Transduction):
        # Half of the say for the kernels that count, half for all alike: what counts now may be an error.
        weights = (weights + [w.sum() for w in answer.found.weights]) / 2
        ordered = np.sort(np.asarray(answer.distributions[pool]), axis=1)
        doubt = 1 - (ordered[:, -1] - ordered[:, -2])
    information = Information(geometry.coordinates, labels.labeled, weights, pool=pool)
    chosen: list[int] = []
    ids = geometry.row_ids[pool]
    copies = np.isin(ids, geometry.row_ids[labels.labeled])
    for _ in range(min(number, int(np.sum(~taken)))):
        worth = information.gains() * doubt - copies  # the copies of a labelled row come last
        row = int(np.argmax(np.where(taken, -2.0, worth)))
        chosen.append(int(pool[row]))
        taken[row] = True
        copies |= ids == ids[row]
        information.observe(row)  # of rows that tell nearly the same, one is enough for now
    return np.array(chosen, dtype=np.intp)


def _of_rows(part: Coordinates, rows: Indices) -> Array:
    """Give the coordinates of rows, in blocks: features of all of them at once may be large."""
    return np.vstack([part.values[rows[first : first + BLOCK]] for first in range(0, len(rows), BLOCK)])
