r"""Exact leave-one-out for LS-KPCA: every label, every variance, from one eigenbasis.

In the eigenbasis of the pencil (D, C), with :math:`\Theta` its eigenvalues and :math:`p_i` the label row i, the problem
without label i is

.. math::

    \min_x\; x^\top (I - p_i p_i^\top)\, x - 2 e_i^\top x \quad\text{subject to}\quad x^\top \Theta x = s^2,
    \qquad e_i = e - p_i t_i :                                                                        \tag{H1}

a rank-one downdate. With :math:`q = 1 - \zeta\theta` and :math:`h = 1 - \sum_k p_k^2/q_k`,

.. math:: x_k = \frac{e_k + \beta p_k}{q_k}, \qquad \beta = \frac1h \sum_k \frac{p_k e_k}{q_k} = p_i^\top x :   \tag{H2}

the held-out prediction takes the place of the label. The pole :math:`\delta_i` of (H1) is the root of h, or stays where
it was. Measured from there, :math:`\zeta = \delta_i - g/\theta_1` and, with :math:`\varrho = \theta/\theta_1`,

.. math:: q = q_\delta + g\varrho, \qquad h = h_\delta + g \sum_k \frac{p_k^2 \varrho_k}{q_{\delta,k}\, q_k} :  \tag{H3}

no difference of nearly equal numbers, however near the pole is. O(rank) for an evaluation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca.solvers._pencil import Pencil
from sskpca.solvers._secular import FEW, UNDECIDED

__all__ = ["HeldOut", "leave_one_out"]

# Entries of the largest array of intermediate values: a few megabytes stay in the cache.
CHUNK = 400_000

# Gaps below this may be known to few digits only, where numbers cancel.
NEAR = 1e-4


@dataclass(frozen=True, slots=True)
class HeldOut:
    r"""Functions found without one of the labels each.

    Attributes
    ----------
    predictions : ndarray of shape (n_variances, n_labeled)
        Value of each function at the point whose label it has not seen.
    values : ndarray of shape (n_variances, n_labeled, n_points)
        At [v, i, j] the value at the j-th of the given points of the function of the v-th variance that has not seen
        label i.
    hard : ndarray of bool, shape (n_variances, n_labeled)
        The problem without label i is a hard case: the sign along its leading eigenvector is a convention.
    multipliers : ndarray of shape (n_variances, n_labeled)
        The price of variance in each problem.
    residual : ndarray of shape (n_variances, n_labeled)
        KKT residual in the eigenbasis, relative; or, where it is larger, the rounding that the removal of a label
        magnifies: the machine precision over 1 less the label's leverage, about the label weight times the squared norm
        of its coordinates.
    doubt : ndarray of shape (n_variances, n_labeled)
        A crude bound of what rounding may have done to the answer, relative:
        :math:`\epsilon (1 + |\zeta|\theta_1 + 4r/g) / (1 - p_i^\top p_i)`, r the rank and g the gap. Small eigenvalues
        of the pencil are known to rounding of the largest only, which a high price shows; and so is the pole, which
        matters next to it. Infinite in a hard case. Mostly it is much too large.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import leave_one_out
    >>> from sskpca.solvers._pencil import PencilFamily
    >>> pencil = PencilFamily(np.array([[1.0, 0.5], [-1.0, 0.5]]), np.array([4.0, 1.0])).at(1.0)
    >>> held_out = leave_one_out(pencil, np.ones(2), np.array([1.0, -1.0]), np.array([1.0, 4.0]))
    >>> held_out.predictions.shape, bool(held_out.hard.any())
    ((2, 2), False)
    """

    predictions: Array
    values: Array
    hard: NDArray[np.bool_]
    multipliers: Array
    residual: Array
    doubt: Array


def leave_one_out(
    pencil: Pencil,
    scale: Array,
    targets: Array,
    variances: Array,
    points: Array | None = None,
    *,
    middle: bool = False,
) -> HeldOut:
    """Solve LS-KPCA without each label in turn, for several variances.

    Without any label, where one was all there is, the answer is the first principal component: status hard case.

    Parameters
    ----------
    pencil : Pencil
        Of the rows with all labels, each times the root of its weight.
    scale : ndarray of shape (n_labeled,)
        The roots of the weights, positive.
    targets : ndarray of shape (n_labeled,)
        Not scaled.
    variances : ndarray of shape (n_variances,) or (n_variances, n_labeled)
        s squared, positive, as sums over the data; in the second form each label left out may have its own.
    points : ndarray of shape (n_points, rank) or None, default=None
        Coordinates of points to evaluate the functions at besides. A sum of coordinates gives the sum of the values:
        for means over many labelled points one row is enough.
    middle : bool, default=False
        In a hard case, or so near to one that rounding decides, return the mean of all optima in place of one of them:
        see `SecularRoot.middle`.

    Returns
    -------
    HeldOut
        The values of the functions found, with how far they can be trusted.

    Examples
    --------
    Three coordinates, three labels; each prediction is that of the solution without its label:

    >>> import numpy as np
    >>> from sskpca.solvers import leave_one_out, solve_ls_kpca
    >>> from sskpca.solvers._pencil import PencilFamily
    >>> B, d = np.array([[1.0, 0.5, 0.2], [-1.0, 0.5, 0.1], [0.3, -0.4, 0.5]]), np.array([4.0, 2.0, 1.0])
    >>> t = np.array([1.0, -1.0, 1.0])
    >>> held_out = leave_one_out(PencilFamily(B, d).at(1.0), np.ones(3), t, np.array([4.0]))
    >>> without_first = solve_ls_kpca(B[1:], d, t[1:], 1.0, 4.0)
    >>> bool(np.isclose(held_out.predictions[0, 0], B[0] @ without_first.coef))
    True
    """
    assert pencil.reach is not None
    P = np.ascontiguousarray(pencil.reach.T)  # one row a label
    n, rank = P.shape
    s2 = np.broadcast_to(np.asarray(variances, dtype=np.float64).reshape(len(variances), -1), (len(variances), n)).T
    pulls = scale * targets
    linear, size = P.T @ pulls, np.abs(P).T @ np.abs(pulls)
    others = np.empty((0, rank)) if points is None else points
    if pencil.vectors is not None:
        others = others @ pencil.vectors
    values = np.empty((n, len(variances), len(others)))
    hard = np.empty((n, len(variances)), dtype=bool)
    predictions, multipliers, residual, gaps = np.empty((4, n, len(variances)))
    step = max(1, CHUNK // (rank * len(variances)))
    for first in range(0, n, step):
        rows = slice(first, first + step)
        problems = _Downdates(pencil, P[rows], linear - P[rows] * pulls[rows, None], size)
        gap, x, hard[rows] = problems.solve(s2[rows])
        gaps[rows] = gap
        residual[rows] = problems.residual(x, gap, s2[rows])
        if middle:
            problems.forget_undecided(x, gap)
        predictions[rows] = np.einsum("ivk,ik->iv", x, P[rows]) / scale[rows, None]
        values[rows] = x @ others.T
        multipliers[rows] = (1 - problems.base[:, None] - gap) / pencil.theta[0]
    # That a difference loses all digits at leverages next to 1 does not matter: it is tiny, and its inverse large.
    slack = 1 - np.einsum("ik,ik->i", P, P)
    magnified = np.finfo(float).eps / np.maximum(slack, np.finfo(float).tiny)
    with np.errstate(divide="ignore"):
        amplified = 1 + np.abs(multipliers.T) * pencil.theta[0] + 4 * rank / gaps.T
    residual, doubt = np.maximum(residual.T, magnified), magnified * amplified
    return HeldOut(predictions.T, values.swapaxes(0, 1), hard.T, multipliers.T, residual, doubt)


class _Downdates:
    """The problems (H1) of a batch of labels, one row each, seen from their poles."""

    def __init__(self, pencil: Pencil, P: Array, E: Array, size: Array) -> None:
        self.pencil, self.theta = pencil, pencil.theta
        self.rho = self.theta / self.theta[0]
        noise = 4 * max(len(self.theta), FEW) * np.finfo(float).eps
        away = np.where(1 - self.rho > noise, 1 - self.rho, 0.0)
        # As in `solve_secular`: what leaks into the leading eigenspace by rounding counts as zero; and so does what
        # labels leave that cancel, where `size` is the sum of their moduli.
        self.P, self.E = _without_leak(P, away, noise), _without_leak(E, away, noise, size)
        self.base, moves = _poles(self.P, away, self.rho, noise)
        # Zero in the leading eigenspace where the pole stays: P is zero there.
        self.q0 = away + self.base[:, None] * self.rho
        self.inverse0 = np.divide(1.0, self.q0, out=np.zeros_like(self.q0), where=self.q0 > 0)
        self.h0 = np.where(moves, 0.0, 1 - np.sum(self.P**2 * self.inverse0, axis=1))[:, None]
        # The eigenvector at the pole, and the linear term along it.
        self.v = np.where(moves[:, None], self.P * self.inverse0, 0.0)
        first = np.argmax(np.where(away == 0, np.abs(self.E), -1.0), axis=1)
        self.v[~moves, first[~moves]] = 1.0
        self.length = np.sqrt(np.sum(self.theta * self.v**2, axis=1))
        self.along = np.sum(self.v * self.E, axis=1)
        # Off the leading eigenspace, q0 is a difference of eigenvalues: rounding over distance.
        doubt = size + np.where(away > 0, self.inverse0, 0.0) * np.abs(self.E)
        self.along[np.abs(self.along) <= noise * np.sum(np.abs(self.v) * doubt, axis=1)] = 0.0
        # No term alone exceeds s at the root: a lower bound of the gap, times s.
        terms = np.where(self.q0 == 0, np.abs(self.E) * np.sqrt(self.theta[0]), 0.0).max(axis=1)
        self.least = np.maximum(terms, self.theta[0] * np.abs(self.along / self.length))[:, None]
        # Without a linear term along the moved pole's eigenvector, the numerator and the denominator of beta both
        # vanish at the pole, in proportion to the gap, which cancels.
        self.flat = moves & (self.along == 0)
        numerator = np.where(self.flat[:, None], -self.rho * self.inverse0, 1.0) * self.P * self.E
        self.once = np.stack([numerator, self.P**2 * self.inverse0 * self.rho], axis=2)

    def inverse(self, gap: Array) -> Array:
        q = self.q0[:, None] + gap[:, :, None] * self.rho
        return np.asarray(np.divide(1.0, q, out=np.zeros_like(q), where=q > 0))

    def prediction(self, inverse: Array, gap: Array) -> tuple[Array, Array]:
        """Return beta and h."""
        numerator, spread = np.moveaxis(inverse @ self.once, 2, 0)
        h = self.h0 + gap * spread
        below = np.where(self.flat[:, None], spread, h)
        return np.divide(numerator, below, out=np.zeros_like(h), where=below > 0), h

    def solve(self, s2: Array, *, rtol: float = 1e-14, max_iter: int = 60) -> tuple[Array, Array, NDArray[np.bool_]]:
        r"""Solve :math:`\varphi_i(g) = s^2` by Newton's method on :math:`1/\sqrt\varphi`, all at once.

        Returns the gaps, x of shape (n, n_variances, rank), and which of them are hard cases.
        """
        theta, P, E, s = self.theta, self.P, self.E, np.sqrt(s2)
        hard = np.zeros(s.shape, dtype=bool)
        todo = ~hard
        # Quadratic forms in (1, beta), so that nothing of the size of x is formed before the end.
        twice = theta[:, None] * np.stack([E**2, 2 * E * P, P**2], axis=2)
        thrice = self.rho[:, None] * twice
        turning = (theta * P)[:, :, None] * np.stack([E, P], axis=2)
        gap = self.least / s
        for n_iter in range(max_iter):
            inverse = self.inverse(gap)
            inverse2 = inverse**2
            beta, h = self.prediction(inverse, gap)
            powers = np.stack([np.ones_like(beta), beta, beta**2], axis=2)
            phi = np.maximum(np.sum((inverse2 @ twice) * powers, axis=2), 0.0)
            norm = np.sqrt(phi)
            hard |= (gap == 0) & (norm < s)
            turn = np.sum((inverse2 @ turning) * powers[:, :, :2], axis=2) ** 2 / theta[0]
            slope = np.sum(((inverse2 * inverse) @ thrice) * powers, axis=2)
            slope += np.divide(turn, h, out=np.zeros_like(h), where=h > 0)
            step = np.divide((norm / s - 1) * phi, slope, out=np.zeros_like(phi), where=slope > 0)
            # The bound is too large where `along` is small by cancellation: then the first step goes back.
            back = norm < s * (1 - rtol) if n_iter < 3 else False
            todo &= ~hard & (back | (norm > s * (1 + rtol))) & (np.abs(step) > np.finfo(float).eps * gap)
            if not todo.any():
                break
            gap = np.where(todo, np.maximum(gap + step, gap / 8), gap)
        inverse = self.inverse(gap)
        beta, _ = self.prediction(inverse, gap)
        x = inverse * (E[:, None] + beta[:, :, None] * P[:, None])
        for i, k in np.argwhere(hard):
            v = self.v[i] * self._sign(i) / self.length[i]
            x[i, k] -= v * ((theta * v) @ x[i, k])
            x[i, k] += v * np.sqrt(max(s2[i, k] - theta @ x[i, k] ** 2, 0.0))
        self._complete(x, s2, ~hard & (gap < NEAR))
        return gap, x, hard

    def _complete(self, x: Array, s2: Array, near: NDArray[np.bool_]) -> None:
        """Mend the variance along the eigenvector at the pole, in place: so near it that costs nothing."""
        i, k = np.nonzero(near)
        v = self.v[i] / self.length[i, None]
        along, excess = np.sum(self.theta * v * x[i, k], axis=1), np.sum(self.theta * x[i, k] ** 2, axis=1) - s2[i, k]
        root = along**2 - excess
        far = along + np.copysign(np.sqrt(np.maximum(root, 0.0)), along)
        x[i, k] -= v * np.divide(excess, far, out=np.zeros_like(far), where=(root >= 0) & (far != 0))[:, None]

    def forget_undecided(self, x: Array, gap: Array) -> None:
        """Leave out what labels do not reach, in place: the eigenvector at the pole, and all in its eigenspace."""
        i, k = np.nonzero(gap < UNDECIDED)
        v = self.v[i] / self.length[i, None]
        x[i, k] -= v * np.sum(self.theta * v * x[i, k], axis=1)[:, None]
        x[i, k] = np.where(self.q0[i] + gap[i, k, None] * self.rho < UNDECIDED, 0.0, x[i, k])

    def _sign(self, i: int) -> float:
        """Return the sign that makes an eigenvector's entry of largest modulus positive."""
        V = self.pencil.vectors
        v = self.v[i] if V is None else V @ self.v[i]
        return float(np.sign(v[np.argmax(np.abs(v))]))

    def residual(self, x: Array, gap: Array, s2: Array) -> Array:
        """Judge answers by stationarity and variance."""
        q = self.q0[:, None] + gap[:, :, None] * self.rho
        P, E = self.P[:, None], self.E[:, None]
        defect = np.linalg.norm(q * x - P * np.sum(P * x, axis=2, keepdims=True) - E, axis=2)
        scale = np.linalg.norm(q * x, axis=2) + np.linalg.norm(x, axis=2) + np.linalg.norm(E, axis=2)
        return np.asarray(np.maximum(defect / scale, np.abs(np.sum(self.theta * x**2, axis=2) / s2 - 1)))


def _without_leak(A: Array, away: Array, noise: float, size: Array | float = 0.0) -> Array:
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
        q = a + at[:, None] * r
        inverse = np.divide(1.0, q, out=np.zeros_like(q), where=q > 0)
        total = np.sum(weight * inverse, axis=1)
        # Newton on the inverse of the sum, which is concave: from the left, and never past the root.
        step = (total - 1) * total / np.sum(weight * r * inverse**2, axis=1)
        at = at + np.maximum(step, 0.0)
        if np.all(step <= 4 * np.finfo(float).eps * at):
            break
    base[moves] = at
    base[~seen & (excess <= doubt)] = 0.0
    return base, moves
