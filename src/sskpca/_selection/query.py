r"""Which rows to label next.

The rows that tell most about the others: under a Gaussian prior with the kernel as covariance, a label on x with noise
:math:`\sigma^2` reduces the variance of all rows together, whatever the label is, by exactly

.. math:: \frac{z_x^\top \Sigma D \Sigma\, z_x}{z_x^\top \Sigma z_x + \sigma^2}, \qquad
          \Sigma = (I + B^\top B / \sigma^2)^{-1} .                                                 \tag{A1}

With labels, times the doubt about the row's class.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca._linalg.threads import one_thread
from sskpca._transduction.answer import Geometry, Transduction, Unanswered
from sskpca.coordinates import Coordinates

__all__ = ["Information", "Prior", "next_rows", "prior_of"]

# Beyond so many rows a sample of them is looked at.
MOST_ROWS = 20_000
# Rows whose coordinates are found at a time.
BLOCK = 2000
# Variance of a label, for kernels of mean variance 1.
NOISE = 0.1


@dataclass(frozen=True, eq=False)
class Prior:
    """What (A1) needs of a kernel before any label.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, rank)
        z of each row that is looked at.
    spread : ndarray of shape (rank, rank)
        D, their covariance, times their number.
    numerators, sizes : ndarray of shape (n_rows,)
        z' D z and z' z.
    """

    rows: Array
    spread: Array
    numerators: Array
    sizes: Array

    @classmethod
    def of(cls, coordinates: Coordinates, pool: Indices | None = None) -> "Prior":
        """Return the prior of a kernel, for some rows or all."""
        Z = _of_rows(coordinates, pool)
        centered = Z - Z.mean(axis=0)
        spread = centered.T @ centered
        return cls(Z, spread, np.sum((Z @ spread) * Z, axis=1), np.sum(Z**2, axis=1))


def prior_of(geometry: Geometry) -> list[Prior]:
    """Return the priors of all kernels, which further labels do not change, for the rows that are looked at."""
    pool = _pool(geometry.coordinates[0].n_samples)
    return [Prior.of(part, pool) for part in geometry.coordinates]


class Information:
    """How much the label of each row would tell about all rows: (A1), relative to the best row, the mean over kernels.

    Parameters
    ----------
    priors : sequence of Prior
        Of each kernel.
    labels : sequence of ndarray of shape (n_labeled, rank)
        In each kernel, the coordinates of the rows that are labelled already.
    weights : ndarray of shape (n_kernels,)
        Of the kernels in the mean; they sum to 1.
    noise : float, default=0.1
        Variance of a label, for kernels of mean variance 1.
    """

    def __init__(self, priors: Sequence[Prior], labels: Sequence[Array], weights: Array, noise: float = NOISE) -> None:
        self.priors, self.weights, self.noise = priors, weights, noise
        self.covariances, self.numerators, self.sizes = [], [], []
        for prior, B in zip(priors, labels, strict=True):
            rank = B.shape[1]
            covariance = np.linalg.inv(np.eye(rank) + B.T @ B / noise)
            self.covariances.append(covariance)
            if 2 * len(B) > rank:
                image = prior.rows @ covariance
                self.numerators.append(np.sum((image @ prior.spread) * image, axis=1))
                self.sizes.append(np.sum(image * prior.rows, axis=1))
            else:  # Sigma = I - B' M B: few labels change little of what was there before them
                M = np.linalg.inv(noise * np.eye(len(B)) + B @ B.T)
                along, across = prior.rows @ B.T, prior.rows @ (prior.spread @ B.T)
                image = along @ M
                both = (image @ (B @ prior.spread @ B.T) - 2 * across) * image
                self.numerators.append(prior.numerators + np.sum(both, axis=1))
                self.sizes.append(prior.sizes - np.sum(image * along, axis=1))

    def gains(self) -> Array:
        """Evaluate (A1) for all rows."""
        total = np.zeros(len(self.sizes[0]))
        for weight, numerator, size in zip(self.weights, self.numerators, self.sizes, strict=True):
            gain = numerator / (size + self.noise)
            total += weight * gain / max(float(gain.max()), np.finfo(float).tiny)
        return total

    def observe(self, row: int) -> None:
        """Condition on a label of this row: Sigma loses Sigma z z' Sigma / (z' Sigma z + noise)."""
        for i, prior in enumerate(self.priors):
            own = self.covariances[i] @ prior.rows[row]
            scale = float(self.sizes[i][row]) + self.noise
            along = prior.rows @ own
            across = prior.rows @ (self.covariances[i] @ (prior.spread @ own))
            spread = float(own @ prior.spread @ own) / scale
            self.numerators[i] = self.numerators[i] + along * (spread * along - 2 * across) / scale
            self.sizes[i] = self.sizes[i] - along**2 / scale
            self.covariances[i] = self.covariances[i] - np.outer(own, own) / scale


def next_rows(
    answer: Transduction | Unanswered,
    number: int,
    passed: Indices | None = None,
    priors: Sequence[Prior] | None = None,
) -> Indices:
    """Choose rows to label next; see `SSKPCAClassifier.next_rows`.

    Parameters
    ----------
    answer : Transduction or Unanswered
    number : int
    passed : ndarray, optional
        Rows that are not to be proposed: somebody has looked at them and could not tell.
    priors : sequence of Prior, optional
        `prior_of` the geometry, if it is known already.
    """
    labels, geometry = answer.labels, answer.geometry
    n, n_kernels = len(labels.codes), len(geometry.coordinates)
    eligible = labels.codes < 0
    if passed is not None:
        eligible[passed] = False
    if not eligible.any():
        return np.empty(0, dtype=np.intp)
    sample = _pool(n)
    pool = np.arange(n) if sample is None else sample
    if not eligible[pool].any():  # nearly all are labelled: whatever is left
        return np.flatnonzero(eligible)[:number]
    taken = ~eligible[pool]
    weights, doubt = np.full(n_kernels, 1 / n_kernels), np.ones(len(pool))
    if isinstance(answer, Transduction):
        # Half of the say for the kernels that count, half for all alike: what counts now may be an error.
        weights = (weights + [w.sum() for w in answer.found.weights]) / 2
        ordered = np.sort(np.asarray(answer.distributions[pool]), axis=1)
        doubt = 1 - (ordered[:, -1] - ordered[:, -2])
    ids = geometry.row_ids[pool]
    copies = np.isin(ids, geometry.row_ids[labels.labeled])
    with one_thread():  # small problems: threads would wait for each other
        labeled = [np.asarray(part.values[labels.labeled]) for part in geometry.coordinates]
        information = Information(prior_of(geometry) if priors is None else priors, labeled, weights)
        return _chosen(information, doubt, ids, copies, taken, pool, number)


def _chosen(
    information: Information,
    doubt: Array,
    ids: Indices,
    copies: NDArray[np.bool_],
    taken: NDArray[np.bool_],
    pool: Indices,
    number: int,
) -> Indices:
    """Choose rows of the pool one after the other, each as if the labels of those before it were known."""
    chosen: list[int] = []
    for _ in range(min(number, int(np.sum(~taken)))):
        worth = information.gains() * doubt - copies  # the copies of a labelled row come last
        row = int(np.argmax(np.where(taken, -2.0, worth)))
        chosen.append(int(pool[row]))
        taken[row] = True
        copies |= ids == ids[row]
        information.observe(row)  # of rows that tell nearly the same, one is enough for now
    return np.array(chosen, dtype=np.intp)


def _pool(n: int) -> Indices | None:
    """Return the rows that are looked at, if there are too many for all: the same ones whatever is labelled."""
    return None if n <= MOST_ROWS else np.sort(np.random.default_rng(0).choice(n, MOST_ROWS, False))


def _of_rows(part: Coordinates, rows: Indices | None) -> Array:
    """Return the coordinates of rows, in blocks: features of all of them at once may be large."""
    if rows is None and isinstance(part.values, np.ndarray):
        return part.values
    wanted = np.arange(part.n_samples) if rows is None else rows
    return np.vstack([part.values[wanted[first : first + BLOCK]] for first in range(0, len(wanted), BLOCK)])
