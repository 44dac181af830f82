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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca.solvers._pencil import Pencil
from sskpca.solvers._poles import Poles, inverted, without_leak
from sskpca.solvers._secular import UNDECIDED

__all__ = ["HeldOut", "HeldOutTask", "leave_one_out", "leave_one_out_each"]

# Entries of the largest array of intermediate values: a few of them stay in the cache.
CHUNK = 100_000
# A relative step of Newton's method after which the error is rounding.
NEGLIGIBLE_STEP = 1e-8

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
    return leave_one_out_each(pencil, scale, [HeldOutTask(targets, variances, points)], middle=middle)[0]


@dataclass(frozen=True, slots=True)
class HeldOutTask:
    """The parameters of `leave_one_out` that differ between classes.

    Attributes
    ----------
    targets, variances, points
        As for `leave_one_out`.
    multipliers : ndarray of shape (n_variances,), optional
        Those of the problems with all labels: the held-out ones are near, and the search starts there.
    """

    targets: Array
    variances: Array
    points: Array | None = None
    multipliers: Array | None = None


def leave_one_out_each(
    pencil: Pencil, scale: Array, tasks: Sequence[HeldOutTask], *, middle: bool = False
) -> list[HeldOut]:
    """Return `leave_one_out` for several targets on the same rows, with as many variances each: they share poles."""
    assert pencil.reach is not None
    P = np.ascontiguousarray(pencil.reach.T)  # one row a label
    n, rank = P.shape
    found = [_Blank.of(pencil, task, n) for task in tasks]
    n_variances = found[0].s2.shape[1]  # the same for all
    step = max(1, CHUNK // (rank * n_variances * len(tasks)))
    pulls = scale * np.array([task.targets for task in tasks])
    linear, size = pulls @ P, np.abs(pulls) @ np.abs(P)
    near = [task.multipliers for task in tasks]
    for first in range(0, n, step):
        rows = slice(first, first + step)
        poles = Poles(pencil, P[rows])
        # All tasks at once, one after the other along the first axis.
        E = linear[:, None] - P[rows] * pulls[:, rows, None]
        number = E.shape[1]
        problems = _Downdates(poles.tiled(len(tasks)), E.reshape(-1, rank), np.repeat(size, number, axis=0))
        s2 = np.concatenate([blank.s2[rows] for blank in found])
        start = None if any(z is None for z in near) else np.repeat(np.array(near), number, axis=0)
        gap, x, hard = problems.solve(s2, start)
        residual = problems.residual(x, gap, s2)
        if middle:
            problems.forget_undecided(x, gap)
        for j, blank in enumerate(found):
            own = slice(j * number, (j + 1) * number)
            blank.hard[rows], blank.gaps[rows], blank.residual[rows] = hard[own], gap[own], residual[own]
            blank.predictions[rows] = np.einsum("ivk,ik->iv", x[own], P[rows]) / scale[rows, None]
            blank.values[rows] = x[own] @ blank.points.T
            blank.multipliers[rows] = (1 - poles.base[:, None] - gap[own]) / pencil.theta[0]
    # That a difference loses all digits at leverages next to 1 does not matter: it is tiny, and its inverse large.
    slack = 1 - np.einsum("ik,ik->i", P, P)
    magnified = np.finfo(float).eps / np.maximum(slack, np.finfo(float).tiny)
    return [blank.held_out(magnified, pencil) for blank in found]


@dataclass(frozen=True, slots=True)
class _Blank:
    """Arrays to be filled, a row for each label."""

    s2: Array
    points: Array
    predictions: Array
    values: Array
    hard: NDArray[np.bool_]
    multipliers: Array
    residual: Array
    gaps: Array

    @classmethod
    def of(cls, pencil: Pencil, task: HeldOutTask, n: int) -> "_Blank":
        wanted = np.asarray(task.variances, dtype=np.float64)
        shape = n, len(wanted)
        others = np.empty((0, len(pencil.theta))) if task.points is None else task.points
        if pencil.vectors is not None:
            others = others @ pencil.vectors
        predictions, multipliers, residual, gaps = np.empty((4, *shape))
        return cls(
            np.broadcast_to(wanted.reshape(len(wanted), -1), shape[::-1]).T,
            others,
            predictions,
            np.empty((*shape, len(others))),
            np.empty(shape, dtype=bool),
            multipliers,
            residual,
            gaps,
        )

    def held_out(self, magnified: Array, pencil: Pencil) -> HeldOut:
        rank = len(pencil.theta)
        with np.errstate(divide="ignore"):
            amplified = 1 + np.abs(self.multipliers.T) * pencil.theta[0] + 4 * rank / self.gaps.T
        return HeldOut(
            self.predictions.T,
            self.values.swapaxes(0, 1),
            self.hard.T,
            self.multipliers.T,
            np.maximum(self.residual.T, magnified),
            magnified * amplified,
        )


class _Downdates:
    """The problems (H1) of a batch of labels for one target, one row each, seen from their poles."""

    def __init__(self, poles: Poles, E: Array, size: Array) -> None:
        self.poles, self.theta, self.rho, self.P, self.q0 = poles, poles.theta, poles.rho, poles.P, poles.q0
        moves, away, noise = poles.moves, poles.away, poles.noise
        # What labels leave that cancel, where `size` is the sum of their moduli, counts as zero, too.
        self.E = without_leak(E, away, noise, size)
        # The eigenvector at the pole, and the linear term along it.
        self.v = poles.v
        if not moves.all():
            self.v = poles.v.copy()
            first = np.argmax(np.where(away == 0, np.abs(self.E), -1.0), axis=1)
            self.v[~moves, first[~moves]] = 1.0
        self.length = np.sqrt(self.v**2 @ self.theta)
        self.along = np.sum(self.v * self.E, axis=1)
        # Off the leading eigenspace, q0 is a difference of eigenvalues: rounding over distance.
        doubt = size + np.where(away > 0, poles.inverse0, 0.0) * np.abs(self.E)
        self.along[np.abs(self.along) <= noise * np.sum(np.abs(self.v) * doubt, axis=1)] = 0.0
        # No term alone exceeds s at the root: a lower bound of the gap, times s.
        terms = np.where(self.q0 == 0, np.abs(self.E) * np.sqrt(self.theta[0]), 0.0).max(axis=1)
        self.least = np.maximum(terms, self.theta[0] * np.abs(self.along / self.length))[:, None]
        # Without a linear term along the moved pole's eigenvector, the numerator and the denominator of beta both
        # vanish at the pole, in proportion to the gap, which cancels.
        self.flat = moves & (self.along == 0)
        self.numerator = np.where(self.flat[:, None], -self.rho * poles.inverse0, 1.0) * self.P * self.E

    def at(self, gap: Array, rows: Indices | slice = slice(None)) -> tuple[Array, Array, Array]:
        """Return x at given gaps, with 1 / q and h; of some rows."""
        inverse = inverted(self.q0[rows, None] + gap[:, :, None] * self.rho)
        above = np.einsum("ivk,ik->iv", inverse, self.numerator[rows])
        spread = np.einsum("ivk,ik->iv", inverse, self.poles.spread[rows])
        h = self.poles.h0[rows] + gap * spread
        below = np.where(self.flat[rows, None], spread, h)
        beta = np.divide(above, below, out=np.zeros_like(h), where=below > 0)
        x = beta[:, :, None] * self.P[rows, None]
        x += self.E[rows, None]
        x *= inverse
        return x, inverse, h

    def solve(
        self, s2: Array, multipliers: Array | None = None, *, rtol: float = 1e-14, max_iter: int = 60
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        r"""Solve :math:`\varphi_i(g) = s^2` by Newton's method on :math:`1/\sqrt\varphi`, all at once.

        Returns the gaps, x of shape (n, n_variances, rank), and which of them are hard cases.
        """
        theta = self.theta
        weighted, along = self.rho * theta, theta * self.P
        hard = np.zeros(s2.shape, dtype=bool)
        todo = ~hard
        gaps = self.least / np.sqrt(s2)
        if multipliers is not None:
            near = 1 - self.poles.base[:, None] - multipliers * theta[0]
            # Without a linear term along the pole it may be a hard case, which shows at the pole itself.
            gaps = np.where(gaps > 0, np.maximum(gaps, near), 0.0)
        for n_iter in range(max_iter):
            left = np.flatnonzero(todo.any(axis=1))
            rows: Indices | slice = left if 2 * len(left) < len(todo) else slice(None)  # most are done early
            gap, s = gaps[rows], np.sqrt(s2[rows])
            x, inverse, h = self.at(gap, rows)
            square = x**2
            phi = square @ theta
            norm = np.sqrt(phi)
            hard[rows] |= (gap == 0) & (norm < s)
            square *= inverse
            slope = square @ weighted
            x *= inverse
            turn = np.einsum("ivk,ik->iv", x, along[rows]) ** 2 / theta[0]
            slope += np.divide(turn, h, out=np.zeros_like(h), where=h > 0)
            step = np.divide((norm / s - 1) * phi, slope, out=np.zeros_like(phi), where=slope > 0)
            # A start to the right of the root goes back, to its left: the lower bound is too large where `along` is
            # small by cancellation. Later it would be rounding.
            back = (norm < s * (1 - rtol)) & ((n_iter < 3) | (np.abs(step) > NEGLIGIBLE_STEP * gap))
            moves = ~hard[rows] & (back | (norm > s * (1 + rtol))) & (np.abs(step) > np.finfo(float).eps * gap)
            todo[rows] &= moves
            if not todo.any():
                break
            gap = np.where(todo[rows], np.maximum(gap + step, gap / 8), gap)
            gaps[rows] = gap
            # Newton's method squares the error: after a step of this size there is none.
            todo[rows] &= np.abs(step) > NEGLIGIBLE_STEP * gap
            if not todo.any():
                break
        x, _, _ = self.at(gaps)
        for i, k in np.argwhere(hard):
            v = self.v[i] * self._sign(i) / self.length[i]
            x[i, k] -= v * ((theta * v) @ x[i, k])
            x[i, k] += v * np.sqrt(max(s2[i, k] - theta @ x[i, k] ** 2, 0.0))
        self._complete(x, s2, ~hard & (gaps < NEAR))
        return gaps, x, hard

    def _complete(self, x: Array, s2: Array, near: NDArray[np.bool_]) -> None:
        """Mend the variance along the eigenvector at the pole, in place: so near it that costs nothing."""
        i, k = np.nonzero(near)
        if len(i) == 0:
            return
        v = self.v[i] / self.length[i, None]
        along, excess = np.sum(self.theta * v * x[i, k], axis=1), np.sum(self.theta * x[i, k] ** 2, axis=1) - s2[i, k]
        root = along**2 - excess
        far = along + np.copysign(np.sqrt(np.maximum(root, 0.0)), along)
        x[i, k] -= v * np.divide(excess, far, out=np.zeros_like(far), where=(root >= 0) & (far != 0))[:, None]

    def forget_undecided(self, x: Array, gap: Array) -> None:
        """Leave out what labels do not reach, in place: the eigenvector at the pole, and all in its eigenspace."""
        i, k = np.nonzero(gap < UNDECIDED)
        if len(i) == 0:
            return
        q = self.q0[i] + gap[i, k, None] * self.rho
        near = q < UNDECIDED
        x[i, k] = np.where(near, 0.0, x[i, k])
        # Without the label there is one eigenvector more at the pole if the other coordinates have theirs as near: the
        # root of their h. As `v` it is known to rounding over the distance of those that are left out already.
        v = np.where(near, 0.0, self.P[i] / np.where(near, 1.0, q))
        slope = v**2 @ self.rho
        more = np.abs(1 - np.sum(v * self.P[i], axis=1)) < UNDECIDED * slope
        i, k, v = i[more], k[more], v[more]
        x[i, k] -= v * ((v * x[i, k]) @ self.rho / slope[more])[:, None]

    def _sign(self, i: int) -> float:
        """Return the sign that makes an eigenvector's entry of largest modulus positive."""
        V = self.poles.pencil.vectors
        v = self.v[i] if V is None else V @ self.v[i]
        return float(np.sign(v[np.argmax(np.abs(v))]))

    def residual(self, x: Array, gap: Array, s2: Array) -> Array:
        """Judge answers by stationarity and variance."""
        defect = self.q0[:, None] + gap[:, :, None] * self.rho
        defect *= x  # q x
        size = np.sqrt(np.einsum("ivk,ivk->iv", defect, defect)) + np.sqrt(np.einsum("ivk,ivk->iv", x, x))
        size += np.linalg.norm(self.E, axis=1)[:, None]
        prediction = np.einsum("ivk,ik->iv", x, self.P)
        defect -= prediction[:, :, None] * self.P[:, None]
        defect -= self.E[:, None]
        missed = np.sqrt(np.einsum("ivk,ivk->iv", defect, defect))
        return np.asarray(np.maximum(missed / size, np.abs((x**2) @ self.theta / s2 - 1)))
