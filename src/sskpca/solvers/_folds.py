r"""k-fold for LS-KPCA: every fold of the labels, every variance, from one eigenbasis.

As in leave-one-out, but a fold of b labels goes at once. With :math:`P` (b rows) its labels in the eigenbasis of
the pencil and :math:`e` what the others pull towards,

.. math::

    x = Q^{-1} (e + P^\top \beta), \qquad (I - P Q^{-1} P^\top)\, \beta = P Q^{-1} e,
    \qquad Q = I - \zeta\Theta :                                                                    \tag{F1}

a downdate of rank b; :math:`\beta = Px` are the held-out predictions. The multiplier is left of the pole if and only
if :math:`I - P Q^{-1} P^\top` is positive definite, so that Newton's method on :math:`1/\sqrt\varphi` can be kept
between a point beyond the root and one short of it without the pole being known.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca.solvers._pencil import Pencil
from sskpca.solvers._secular import solve_secular

__all__ = ["FoldsOut", "leave_folds_out"]


@dataclass(frozen=True, slots=True)
class FoldsOut:
    """Functions found without a fold of the labels each, at the labelled points.

    Attributes
    ----------
    values : ndarray of shape (n_variances, n_folds, n_labeled)
    multipliers : ndarray of shape (n_variances, n_folds)
    residual : ndarray of shape (n_variances, n_folds)
        KKT residual in the eigenbasis, relative, or the rounding that the removal magnifies, if that is larger. Where
        it is large (a hard case, a leverage next to 1) the problem is to be solved by itself.
    """

    values: Array
    multipliers: Array
    residual: Array


def leave_folds_out(pencil: Pencil, scale: Array, targets: Array, variances: Array, folds: Indices) -> FoldsOut:
    """Solve LS-KPCA without each fold of the labels, for several variances.

    Parameters
    ----------
    pencil, scale, targets
        As for `leave_one_out`.
    variances : ndarray of shape (n_variances,)
        s squared, positive, as sums over the data.
    folds : ndarray of shape (n_labeled,)
        The fold of each label, counted from 0.

    Returns
    -------
    FoldsOut
    """
    assert pencil.reach is not None
    P = pencil.reach.T
    linear = pencil.reach @ (scale * targets)
    starts = np.array([solve_secular(pencil.theta, linear, float(v)).gap for v in variances])
    n_folds = int(folds.max()) + 1
    values = np.empty((len(variances), n_folds, len(P)))
    multipliers, residual = np.empty((2, len(variances), n_folds))
    for fold in range(n_folds):
        out = folds == fold
        problem = _Downdate(pencil.theta, P[out], pencil.reach[:, ~out] @ (scale * targets)[~out])
        gap, x = problem.solve(variances, np.maximum(starts, 1e-6))
        values[:, fold] = x @ pencil.reach / scale
        multipliers[:, fold] = (1 - gap) / pencil.theta[0]
        residual[:, fold] = problem.residual(x, gap, variances)
    return FoldsOut(values, multipliers, residual)


class _Downdate:
    """The problem (F1) without one fold, for several variances at once."""

    def __init__(self, theta: Array, P: Array, e: Array) -> None:
        self.theta, self.rho, self.P, self.e = theta, theta / theta[0], P, e
        self.away = np.maximum(1 - self.rho, 0.0)
        # All products of two labels' rows: then a sweep over all variances is one product of matrices.
        self.pairs = np.triu_indices(len(P))
        self.products = P[self.pairs[0]] * P[self.pairs[1]]

    def inner(self, inverse: Array) -> Array:
        """Return I - P / Q P' for each row of 1 / Q."""
        b = len(self.P)
        G = np.empty((len(inverse), b, b))
        G[:, self.pairs[0], self.pairs[1]] = G[:, self.pairs[1], self.pairs[0]] = -(inverse @ self.products.T)
        G[:, np.arange(b), np.arange(b)] += 1
        return G

    def solve(self, s2: Array, gap: Array, *, rtol: float = 1e-14, max_iter: int = 80) -> tuple[Array, Array]:
        """Find the gaps, and x of shape (n_variances, rank)."""
        s = np.sqrt(s2)
        low, high = np.zeros(len(s2)), np.full(len(s2), np.inf)
        gap, best, x = gap.copy(), gap.copy(), np.full((len(s2), len(self.theta)), np.nan)
        todo = np.ones(len(s2), dtype=bool)
        for _ in range(max_iter):
            now = np.flatnonzero(todo)
            if not len(now):
                break
            inverse = 1 / np.maximum(self.away + gap[now, None] * self.rho, np.finfo(float).tiny)
            G = self.inner(inverse)
            inside = _positive_definite(G)
            low[now[~inside]] = np.maximum(low[now[~inside]], gap[now[~inside]])
            step = np.full(len(now), -np.inf)
            if inside.any():
                k, inverse, G = now[inside], inverse[inside], G[inside]
                y, norm, slope = self._at(inverse, G)
                x[k], best[k] = y, gap[k]
                short = norm < s[k]
                high[k[short]], low[k[~short]] = gap[k[short]], gap[k[~short]]
                step[inside] = np.divide((norm / s[k] - 1) * norm**2, slope, out=np.zeros_like(norm), where=slope > 0)
                todo[k] = (np.abs(norm / s[k] - 1) > rtol) & (np.abs(step[inside]) > np.finfo(float).eps * gap[k])
            new = gap[now] + step
            # Outside the bracket, and beyond the pole, where there is no step: halve the bracket, on a logarithmic
            # scale where it is wide.
            lost = (new <= low[now]) | (new >= high[now])
            new[lost] = _between(low[now[lost]], high[now[lost]])
            todo[now] &= (new != low[now]) & (new != high[now])
            gap[now] = np.where(todo[now], new, gap[now])
        return best, x

    def _at(self, inverse: Array, G: Array) -> tuple[Array, Array, Array]:
        """Return x, the root of its variance, and minus half the slope of the variance."""
        beta = np.linalg.solve(G, ((inverse * self.e) @ self.P.T)[:, :, None])[:, :, 0]
        x = inverse * (self.e + beta @ self.P)
        turned = inverse * self.rho * x
        turn = turned @ self.P.T
        slope = np.sum(turned * self.rho * x, axis=1) + np.sum(
            turn * np.linalg.solve(G, turn[:, :, None])[:, :, 0], axis=1
        )
        return x, np.sqrt(np.sum(self.theta * x**2, axis=1)), self.theta[0] * slope

    def residual(self, x: Array, gap: Array, s2: Array) -> Array:
        """Judge answers by stationarity and variance, and by the rounding that the removal of the fold magnifies.

        That is large next to the pole, where a hard case is decided by noise, at leverages next to 1, and at very
        negative multipliers. What was not found is infinitely bad.
        """
        q = self.away + gap[:, None] * self.rho
        qx = q * x
        defect = np.linalg.norm(qx - (x @ self.P.T) @ self.P - self.e, axis=1)
        scale = np.linalg.norm(qx, axis=1) + np.linalg.norm(x, axis=1) + np.linalg.norm(self.e)
        defect = np.divide(defect, scale, out=np.full_like(defect, np.inf), where=scale > 0)
        found = np.maximum(defect, np.abs(np.sum(self.theta * x**2, axis=1) / s2 - 1))
        tiny = np.finfo(float).tiny
        least = np.linalg.eigvalsh(self.inner(1 / np.maximum(q, tiny)))[:, 0] if len(self.P) else np.ones(len(gap))
        magnified = np.finfo(float).eps * (1 / np.maximum(least, tiny) + gap)
        return np.where(np.isnan(found), np.inf, np.maximum(found, magnified))


def _positive_definite(G: Array) -> NDArray[np.bool_]:
    try:
        np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.eigvalsh(G)[:, 0] > 0)
    return np.ones(len(G), dtype=bool)


def _between(low: Array, high: Array) -> Array:
    wide = np.isinf(high)
    middle = np.where(
        high > 4 * low, np.sqrt(np.maximum(low, 1e-3 * np.where(wide, 1.0, high)) * high), (low + high) / 2
    )
    return np.where(wide, 4 * low, middle)
