r"""Which rows to see the others from.

Uniform draws suit most data; from sorted rows they do not depend on the order of the rows. Centres of clusters cover
the data evenly. Ridge leverage scores [AlaouiMahoney2015]_,

.. math::

    \ell_\lambda(x) = \frac1\lambda \left( k(x, x) - k_S(x)^\top (K_{SS} + \lambda I)^{-1} k_S(x) \right)      \tag{Y1}

up to a factor, measure what a row has that a first draw S lacks: rows that nothing else stands for are taken more
often.
"""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans

from sskpca.kernels.base import finite_rows
from sskpca.linalg.array import Array, Indices
from sskpca.rows.canonical import canonical_order
from sskpca.rows.source import Rows

__all__ = ["LANDMARKS", "choose_landmarks"]

LANDMARKS = ("uniform", "sorted", "kmeans", "leverage")
# Centres and scores are found among a sample of this many rows a landmark, or this many in all if that is more.
POOL_FACTOR, POOL = 10, 10_000
# Rows whose scores are found at a time.
BATCH = 2000


def choose_landmarks(rows: Rows, kernel: Any, p: int, how: str, rng: np.random.Generator) -> Indices:
    """Order row numbers: p landmarks first, then others at random.

    Parameters
    ----------
    rows : Rows
    kernel : Kernel
        Unfitted; for the scores.
    p : int
    how : {"uniform", "sorted", "kmeans", "leverage"}
    rng : Generator
    """
    order = rng.permutation(rows.n_rows)
    if how == "sorted":
        return canonical_order(rows)[order]
    if how == "uniform" or p == rows.n_rows:
        return order
    pool = np.sort(order[: max(POOL_FACTOR * p, POOL)])
    data = rows.take(pool)
    finite_rows(data, pool)
    chosen = pool[_centres(data, p, rng) if how == "kmeans" else _by_scores(data, kernel, p, rng)]
    return np.concatenate([chosen, order[~np.isin(order, chosen)]])


def _centres(data: Any, p: int, rng: np.random.Generator) -> Indices:
    """Find the rows next to the centres of p clusters."""
    seed = int(rng.integers(2**31))
    centres = MiniBatchKMeans(p, random_state=seed, n_init=1, max_iter=20, batch_size=max(4 * p, 1024)).fit(data)
    distance, nearest = np.full(p, np.inf), np.full(p, -1)
    for first in range(0, data.shape[0], BATCH):
        D = centres.transform(data[first : first + BATCH])
        best = np.argmin(D, axis=0)
        closer = D[best, np.arange(p)] < distance
        distance[closer], nearest[closer] = D[best, np.arange(p)][closer], first + best[closer]
    # Two centres may have the same row next to them: others, at random, make up the number.
    chosen = np.unique(nearest)
    others = rng.permutation(np.setdiff1d(np.arange(data.shape[0]), chosen))
    return np.concatenate([chosen, others[: p - len(chosen)]])


def _by_scores(data: Any, kernel: Any, p: int, rng: np.random.Generator) -> Indices:
    """Draw one half uniformly, and the other in proportion to the scores (Y1) that are left after the first.

    By scores alone the crowd, in which no row is rare, would be seen from too few.
    """
    half = max(p // 2, min(p, 2))
    first = rng.permutation(data.shape[0])[:half]
    seen: Any = clone(kernel)
    K = seen.fit_gram(data[first])
    ridge = _ridge(K)
    K.flat[:: half + 1] += ridge
    factor = cho_factor(K, overwrite_a=True)
    scores = np.empty(data.shape[0])
    for start in range(0, len(scores), BATCH):
        block = data[start : start + BATCH]
        C = seen.cross(block)
        scores[start : start + BATCH] = seen.diagonal(block) - np.sum(C * cho_solve(factor, C.T).T, axis=1)
    scores = np.maximum(scores, np.finfo(float).eps * float(np.abs(scores).max(initial=0.0)) + np.finfo(float).tiny)
    # Without replacement, in proportion to the scores: the largest of perturbed logarithms (Gumbel).
    keys = np.log(scores) + rng.gumbel(size=len(scores))
    keys[first] = np.inf
    return np.argsort(-keys, kind="stable")[:p]


def _ridge(K: Array) -> float:
    """Find the ridge at which a kernel matrix has half as many degrees of freedom as rows."""
    values = np.maximum(np.linalg.eigvalsh(K), 0.0)
    low, high = np.finfo(float).eps * float(values[-1]), float(values.sum()) + np.finfo(float).tiny
    for _ in range(60):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if np.sum(values / (values + middle)) > len(K) / 2 else (low, middle)
    return float(np.sqrt(low * high))
