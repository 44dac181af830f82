r"""The secular equation in the eigenbasis of the pencil, with the gap to the pole as unknown."""

from dataclasses import dataclass

import numpy as np

from sskpca._linalg.array import Array
from sskpca.solvers._report import Status

__all__ = ["FEW", "UNDECIDED", "SecularRoot", "solve_secular", "solve_secular_each"]

# Coordinates are rounded as numbers from so many terms at least, however few they are: equal rows differ in them.
FEW = 32
# A coordinate over a denominator below this is decided by rounding, not by the labels.
UNDECIDED = 1e-7
# What leaks into the leading eigenspace is at most this share of the linear term. An eigenvalue that is nearer than
# rounding can tell apart would mix with the leading one: what is there is then the linear term itself.
MOST_LEAK = 1e-6


@dataclass(frozen=True, slots=True)
class SecularRoot:
    """The answer of `solve_secular`."""

    gap: float
    coords: Array
    denominators: Array  # q; zero in the leading eigenspace in the hard case
    n_iter: int
    status: Status

    @property
    def middle(self) -> Array:
        """The mean of all optima in a hard case, or so near to one that rounding decides.

        What the labels do not reach is zero, and the variance smaller than wanted. Unlike any one of the optima it does
        not depend on a convention, such as the order of equal eigenvalues.
        """
        return np.where(self.denominators < UNDECIDED, 0.0, self.coords)


def from_leading(theta: Array) -> tuple[Array, Array, float]:
    r"""Return :math:`\varrho`, the distances :math:`1 - \varrho` from the leading eigenvalue, and their rounding.

    The largest eigenvalue is known to rounding only, and so is what belongs to its eigenspace: its distance is zero.
    """
    rho, noise = theta / theta[0], 4 * max(len(theta), FEW) * float(np.finfo(float).eps)
    return rho, np.where(1 - rho > noise, 1 - rho, 0.0), noise


def solve_secular(
    theta: Array,
    linear: Array,
    variance: float,
    *,
    size: Array | float = 0.0,
    rtol: float = 1e-14,
    max_iter: int = 60,
) -> SecularRoot:
    r"""Minimise a diagonalised quadratic over an ellipsoid.

    .. math:: \min_x\; \|x\|^2 - 2 e^\top x \quad\text{subject to}\quad \sum_k \theta_k x_k^2 = s^2   \tag{S1}

    The minimiser is :math:`x_k = e_k / q_k`, :math:`q_k = 1 - \zeta\theta_k`. With the gap
    :math:`g = 1 - \zeta\theta_1 \ge 0` and :math:`\rho_k = \theta_k/\theta_1` this is
    :math:`q_k = (1 - \rho_k) + g \rho_k`, free of cancellation however close the pole is, and g solves

    .. math:: \varphi(g) = \sum_k \frac{\theta_k e_k^2}{q_k^2} = s^2 .                        \tag{S2}

    Parameters
    ----------
    theta : ndarray of shape (n,)
        Descending, not negative, the first positive.
    linear : ndarray of shape (n,)
        e.
    variance : float
        s squared, positive.
    size : ndarray of shape (n,), default=0
        Sums of the moduli of the terms that e is the sum of: where they cancel to rounding, e counts as zero in the
        leading eigenspace.
    rtol : float, default=1e-14
        Largest accepted excess of the attained s, relative.
    max_iter : int, default=60

    Returns
    -------
    SecularRoot
        Status ``HARD_CASE`` if (S2) has no root: then the gap is zero, and what is missing of the
        variance lies along the first coordinate with positive sign.

    Examples
    --------
    >>> root = solve_secular(np.array([1.0, 0.25]), np.array([3.0, 0.0]), 1.0)
    >>> root.gap, root.coords
    (3.0, array([1., 0.]))
    """
    s = np.sqrt(variance)
    rho, away, noise = from_leading(theta)
    # Eigenvectors leak into the leading eigenspace by rounding over distance. What is below that has
    # no meaningful sign: it counts as zero. So does what is left of labels that cancel.
    leading = away == 0
    leak = noise * np.max(np.abs(linear[~leading]) / away[~leading], initial=0.0)
    leak = min(leak, MOST_LEAK * float(np.max(np.abs(linear))))
    least = np.maximum(np.maximum(leak, noise * size), 1e-150 * s / float(np.sqrt(theta[0])))  # the gap would underflow
    e = np.where(leading & (np.abs(linear) <= least), 0.0, linear)
    active = (e != 0) & (theta > 0)
    top, a, r = np.sqrt(theta[active]) * np.abs(e[active]), away[active], rho[active]
    # No term alone exceeds s at the root, so each gives a lower bound of the gap.
    with np.errstate(over="ignore"):
        gap = float(np.max((top / s - a) / r, initial=0.0))
    status, n_iter = Status.MAX_ITER, 0
    while n_iter < max_iter:
        n_iter += 1
        q = a + gap * r
        y = top / q
        norm = float(np.linalg.norm(y))
        if gap == 0 and norm < s:
            status = Status.HARD_CASE
            break
        # Newton on 1/sqrt(phi), which is concave in g: from the left the gap only rises, never past the root.
        slope = float(y**2 @ (r / q))
        step = (norm / s - 1) * norm**2 / slope if slope > 0 else 0.0
        if norm <= s * (1 + rtol) or step <= np.finfo(float).eps * gap:
            status = Status.CONVERGED
            break
        gap += step
    q = away + gap * rho
    x = np.divide(e, q, out=np.zeros_like(e), where=q > 0)
    if status is Status.HARD_CASE:
        missing = variance - float(theta @ x**2)
        x[0] = np.sqrt(max(missing, 0.0) / theta[0])
    return SecularRoot(gap, x, q, n_iter, status)


def solve_secular_each(
    theta: Array, linear: Array, variances: Array, *, rtol: float = 1e-14, max_iter: int = 60
) -> tuple[Array, Array]:
    """Solve (S1) for several linear terms and variances on the same spectrum, all at once.

    Parameters
    ----------
    theta : ndarray of shape (n,)
        As for `solve_secular`.
    linear : ndarray of shape (n_problems, n)
    variances : ndarray of shape (n_problems,)
    rtol, max_iter
        As for `solve_secular`.

    Returns
    -------
    gaps : ndarray of shape (n_problems,)
    middle : ndarray of shape (n_problems, n)
        The solutions, as `SecularRoot.middle` has them.
    """
    s = np.sqrt(variances)
    rho, away, noise = from_leading(theta)
    leading = away == 0
    leak = noise * np.max(np.abs(linear[:, ~leading]) / away[~leading], axis=1, initial=0.0)
    leak = np.minimum(leak, MOST_LEAK * np.max(np.abs(linear), axis=1))
    least = np.maximum(leak, 1e-150 * s / float(np.sqrt(theta[0])))
    e = np.where(leading & (np.abs(linear) <= least[:, None]), 0.0, linear)
    top, r = np.sqrt(theta) * np.abs(e), np.where(theta > 0, rho, 1.0)
    with np.errstate(over="ignore"):
        gap = np.max(np.where(top > 0, (top / s[:, None] - away) / r, 0.0), axis=1, initial=0.0)
    for _ in range(max_iter):
        q = away + gap[:, None] * rho
        q[q == 0] = np.inf  # the term is zero
        square = (top / q) ** 2
        phi = square.sum(axis=1)
        norm, slope = np.sqrt(phi), (square / q) @ rho
        step = np.divide((norm / s - 1) * phi, slope, out=np.zeros_like(phi), where=slope > 0)
        rises = (norm > s * (1 + rtol)) & (step > np.finfo(float).eps * gap)
        if not rises.any():
            break
        gap = np.where(rises, gap + step, gap)
    q = away + gap[:, None] * rho
    return gap, np.where(q < UNDECIDED, 0.0, e / np.where(q == 0, 1.0, q))
