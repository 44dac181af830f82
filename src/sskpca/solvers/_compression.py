r"""A smaller problem with the same solutions, for many label weights and variances.

All that labels see of the coordinates is :math:`T(\zeta) = B (I - \zeta D)^{-1} B^\top`, for multipliers between two
bounds. The coordinates of largest variance are kept as they are. On the others, whose
:math:`(I - \zeta D)^{-1}` has no pole near, the functions are restricted to those that some nodes :math:`\zeta_k`
need:

.. math:: \operatorname{span} \{ (I - \zeta_k D)^{-1} B^\top : k = 1 \dots n \} .                     \tag{R1}

A rational Krylov space: T and its derivative are exact at the nodes, and in between the error falls like
:math:`\varrho^{-2n}` with :math:`\varrho = \exp(\pi K(1/\kappa) / K(1 - 1/\kappa))`, K the elliptic integral and
:math:`\kappa` the ratio of the largest to the smallest :math:`1 - \zeta d` at the cut.                   (R2)
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ellipk

from sskpca._linalg.array import Array
from sskpca._linalg.eigen import symmetric_eigen

__all__ = ["Compressed", "compress"]

# Where less than this is saved, nothing is: an eigenproblem costs the cube.
WORTHWHILE = 0.75


@dataclass(frozen=True, slots=True)
class Compressed:
    """Rows and spectrum of a smaller problem.

    Attributes
    ----------
    rows : ndarray of shape (n_labeled, small)
    spectrum : ndarray of shape (small,)
        Descending.
    error : float
        Largest relative error of T seen at the points where it should be largest.
    """

    rows: Array
    spectrum: Array
    error: float


def compress(rows: Array, spectrum: Array, low: float, high: float, tol: float = 1e-11) -> Compressed:
    """Make a problem smaller without changing its solutions.

    Parameters
    ----------
    rows : ndarray of shape (n_labeled, rank)
        B. Label weights may differ from problem to problem: they do not matter here.
    spectrum : ndarray of shape (rank,)
        d, descending.
    low, high : float
        The multipliers of the solutions lie between these.
    tol : float, default=1e-11
        Wanted error of T, relative.

    Returns
    -------
    Compressed
        The problem itself where it is small already.
    """
    n_labeled, rank = rows.shape
    kept, n_nodes = _sizes(n_labeled, spectrum, low, high, tol)
    if kept + n_nodes * n_labeled > WORTHWHILE * rank:
        return Compressed(rows, spectrum, 0.0)
    tail, B = spectrum[kept:], rows[:, kept:]
    if not B.any():  # no label sees the others, and none of them leads
        return Compressed(rows[:, :kept], spectrum[:kept], 0.0)
    nodes = _nodes(low, high, float(tail[0]), n_nodes)
    # Scaled alike, or the directions that only some nodes need would drown.
    blocks = [B / (1 - zeta * tail) for zeta in nodes]
    Q = np.linalg.qr(np.vstack([block / np.linalg.norm(block) for block in blocks]).T)[0]
    small, U = symmetric_eigen((Q.T * tail) @ Q, overwrite=True)
    small, Q = np.maximum(small, 0.0), Q @ U
    seen = B @ Q
    # The largest errors are at the ends and between the nodes.
    between = np.sqrt((1 - nodes[1:] * tail[0]) * (1 - nodes[:-1] * tail[0]))
    error = 0.0
    for zeta in (low, high, *((1 - between) / tail[0])):
        T = (B / (1 - zeta * tail)) @ B.T
        error = max(error, float(np.linalg.norm(T - (seen / (1 - zeta * small)) @ seen.T) / np.linalg.norm(T)))
    # The first values of the tail may exceed the last that were kept only by rounding.
    order = np.argsort(-np.append(spectrum[:kept], small), kind="stable")
    return Compressed(np.hstack([rows[:, :kept], seen])[:, order], np.append(spectrum[:kept], small)[order], error)


def _sizes(n_labeled: int, spectrum: Array, low: float, high: float, tol: float) -> tuple[int, int]:
    """Choose how many coordinates to keep and how many nodes to use on the others, so that the sum is least."""
    kept = np.arange(1, len(spectrum))
    smallest, largest = 1 - max(high, 0.0) * spectrum[kept], 1 - min(low, 0.0) * spectrum[kept]
    usable = (smallest > 0.05) & (spectrum[kept] > 0)
    if not usable.any():
        return len(spectrum), 0
    kept = kept[usable]
    ratio = np.maximum(largest[usable] / smallest[usable], 1 + 1e-6)
    rate = np.pi * ellipk(1 / ratio) / ellipk(1 - 1 / ratio)  # (R2); zero where the ratio has no digits left
    n_nodes = np.maximum(np.ceil(np.log(4 / tol) / (2 * np.maximum(rate, 1e-6))), 2)
    best = int(np.argmin(kept + n_nodes * n_labeled))
    return int(kept[best]), int(min(n_nodes[best], len(spectrum)))


def _nodes(low: float, high: float, top: float, number: int) -> Array:
    """Place nodes like Chebyshev's on the logarithm of 1 - zeta * top."""
    ends = np.log1p(-max(high, 0.0) * top), np.log1p(-min(low, 0.0) * top)
    angles = np.cos(np.pi * (2 * np.arange(number) + 1) / (2 * number))
    u = np.exp((ends[0] + ends[1]) / 2 + (ends[1] - ends[0]) / 2 * angles)
    return np.asarray((1 - u) / top)
