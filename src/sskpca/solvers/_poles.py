r"""The poles of the problems without each label: a rank-one downdate (H1) moves the pole of the pencil to the left.

With :math:`q = q_\delta + g\varrho` as in (H3), the pole :math:`\delta_i` is the root of
:math:`1 - \sum_k p_k^2/q_k`, or stays where it was if the label does not see the leading eigenspace.
"""

import copy

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca.solvers._pencil import Pencil
from sskpca.solvers._secular import from_leading

__all__ = ["Poles", "inverted", "without_leak"]


def inverted(q: Array) -> Array:
    """Invert numbers that are not negative, in place; zero stays zero."""
    # A division with a condition is several times as slow, and zeros are rare.
    if (q == 0).any():
        q[q == 0] = np.inf
    return np.divide(1.0, q, out=q)


class Poles:
    """Where the problems (H1) of a batch of labels have their poles: the same for all targets."""

    def __init__(self, pencil: Pencil, P: Array) -> None:
        self.pencil, self.theta = pencil, pencil.theta
        self.rho, self.away, self.noise = from_leading(self.theta)
        # As in `solve_secular`: what leaks into the leading eigenspace by rounding counts as zero.
        self.P = without_leak(P, self.away, self.noise)
        self.base, self.moves = _poles(self.P, self.away, self.rho, self.noise)
        # Zero in the leading eigenspace where the pole stays: P is zero there.
        self.q0 = self.away + self.base[:, None] * self.rho
        self.inverse0 = inverted(self.q0.copy())
        square = self.P**2 * self.inverse0
        self.h0 = np.where(self.moves, 0.0, 1 - np.sum(square, axis=1))[:, None]
        self.spread = square * self.rho
        # The eigenvector at a pole that moves.
        self.v = np.where(self.moves[:, None], self.P * self.inverse0, 0.0)

    def tiled(self, number: int) -> "Poles":
        """Return the same poles so many times, one after the other."""
        if number == 1:
            return self
        other = copy.copy(self)
        for name in ("P", "q0", "inverse0", "h0", "spread", "v"):
            setattr(other, name, np.tile(getattr(self, name), (number, 1)))
        other.base, other.moves = np.tile(self.base, number), np.tile(self.moves, number)
        return other


def without_leak(A: Array, away: Array, noise: float, size: Array | float = 0.0) -> Array:
    """Set to zero what rounding leaks into the leading eigenspace."""
    some = away > 0
    leak = np.max(np.abs(A[:, some]) / away[some], axis=1, initial=0.0)[:, None]
    return np.where(~some & (np.abs(A) <= np.maximum(noise * np.maximum(leak, size), 1e-150)), 0.0, A)


def _poles(P: Array, away: Array, rho: Array, noise: float, max_iter: int = 60) -> tuple[Array, NDArray[np.bool_]]:
    """Find for each row how far its pole is to the left of the pencil's, in units of that, and whether it moves."""
    some = away > 0
    # A sum that is 1 to rounding is a leading eigenvalue that repeats without this label: the pole stays, with one
    # eigenvector more.
    share = P[:, some] ** 2 / away[some]
    excess, doubt = np.sum(share, axis=1) - 1, noise * (1 + np.sum(share / away[some], axis=1))
    seen = np.any(P[:, ~some] != 0, axis=1)
    moves = seen | (excess > -doubt)
    varies = rho > 0  # a constant has no variance, and its term no multiplier
    weight = P[:, varies] ** 2 / (1 - np.sum(P[:, ~varies] ** 2, axis=1))[:, None]
    weight, a, r = weight[moves], away[varies], rho[varies]
    base = np.zeros(len(P))
    at = np.max((weight - a) / r, axis=1, initial=0.0)  # no term alone exceeds 1
    for _ in range(max_iter):
        inverse = inverted(a + at[:, None] * r)
        terms = weight * inverse
        total = np.sum(terms, axis=1)
        terms *= inverse
        # Newton on the inverse of the sum, which is concave: from the left, and never past the root.
        step = (total - 1) * total / (terms @ r)
        at = at + np.maximum(step, 0.0)
        if np.all(step <= 4 * np.finfo(float).eps * at):
            break
    base[moves] = at
    base[~seen & (excess <= doubt)] = 0.0
    return base, moves
