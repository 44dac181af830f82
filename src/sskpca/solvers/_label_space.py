r"""The label-space route through (Q): matrices as large as the labels are many.

With :math:`M(\zeta) = I - \zeta D`, which is diagonal, Woodbury's identity turns :math:`(C - \zeta D)\gamma = b` into

.. math::

    S u = t - B M^{-1} p, \qquad \gamma = M^{-1}(p + B^\top u), \qquad S(\zeta) = I + B M^{-1} B^\top  \tag{L1}

and, by Haynsworth, the negative eigenvalues of :math:`C - \zeta D` number :math:`n_-(M) - n_-(S)`:    (L2)
zero exactly where the multiplier is to the left of the pole.
"""

from dataclasses import dataclass

import numpy as np

from sskpca._linalg.array import Array
from sskpca._linalg.eigen import SymmetricFactor, factor_symmetric
from sskpca.solvers._quadratic import VarianceConstrainedLeastSquares
from sskpca.solvers._report import Solution, Status

__all__ = ["solve_in_label_space"]

# The multiplier resolves the gap to the pole no better than eps / gap: closer than this, the
# eigenbasis route, whose unknown is the gap itself, keeps all digits.
SMALLEST_GAP = 1e-6
# 1 - zeta d_j below this spoils S by cancellation, although the pole there is removable.
NEAREST_POLE = 1e-7


@dataclass(frozen=True, slots=True)
class _Evaluation:
    problem: VarianceConstrainedLeastSquares
    zeta: float
    M: Array
    S: SymmetricFactor
    coef: Array
    feasible: bool  # C - zeta D is positive definite

    def solve(self, y: Array) -> Array:
        """Apply (C - zeta D)^-1."""
        x = y / self.M
        return x - (self.problem.rows.T @ self.S.solve(self.problem.rows @ x)) / self.M


def _evaluate(problem: VarianceConstrainedLeastSquares, zeta: float) -> _Evaluation | None:
    M = 1 - zeta * problem.spectrum
    if np.abs(M).min() < NEAREST_POLE:
        return None
    BM = problem.rows / M
    S = BM @ problem.rows.T
    S.flat[:: len(S) + 1] += 1.0
    factor = factor_symmetric(S)
    if factor.singular:
        return None
    u = factor.solve(problem.targets - BM @ problem.pull)
    coef = (problem.pull + problem.rows.T @ u) / M
    # One step of refinement: S is as ill-conditioned as the label weights are large.
    u += factor.solve(problem.targets - u - problem.rows @ coef)
    coef = (problem.pull + problem.rows.T @ u) / M
    feasible = int(np.sum(M < 0)) == factor.n_negative
    return _Evaluation(problem, zeta, M, factor, coef, feasible)


def _pole(at: _Evaluation, direction: Array, n_steps: int = 3) -> tuple[float, Array]:
    """Estimate the pole from the left by inverse iteration; a Rayleigh quotient, so never below it."""
    d, B = at.problem.spectrum, at.problem.rows
    v = direction
    for _ in range(n_steps):
        v = at.solve(d * v)
        v = v / np.sqrt(v @ (d * v))
    Bv = B @ v
    size = float(v @ v + Bv @ Bv)
    return size, v / np.sqrt(size)


def solve_in_label_space(
    problem: VarianceConstrainedLeastSquares,
    start: float = 0.0,
    *,
    rtol: float = 1e-12,
    max_iter: int = 40,
) -> Solution | None:
    r"""Solve (Q) by Newton's method on :math:`1/\sqrt{\varphi(\zeta)}`, one l by l system an evaluation.

    Concavity sends every Newton step to the right of the root, from where the next ones descend
    monotonically; a step past the pole is noticed by its inertia (L2) and taken back. O(rank l squared) an
    evaluation.

    Parameters
    ----------
    problem : VarianceConstrainedLeastSquares
        With at least one label.
    start : float, default=0.0
        Where to begin: the multiplier of a similar problem saves evaluations.
    rtol : float, default=1e-12
        Accepted relative error of the variance, which is then scaled away.
    max_iter : int, default=40

    Returns
    -------
    Solution or None
        None where this route would lose digits: (nearly) hard cases, or a root on top of a removable pole
        :math:`1/d_j`. The eigenbasis route has no such places.
    """
    d, s2 = problem.spectrum, problem.variance
    low, high = -np.inf, np.inf  # low < root; high is beyond the root or beyond the pole
    infeasible = np.inf  # the smallest multiplier seen beyond the pole
    zeta, pole = start, np.inf
    for n_iter in range(1, max_iter + 1):
        at = _evaluate(problem, zeta)
        if at is None:
            zeta += 4 * NEAREST_POLE * max(abs(zeta), 1 / float(d[0])) * (-1 if n_iter % 2 else 2)
            continue
        if not at.feasible:
            high = infeasible = min(high, zeta)
            zeta = low + (high - low) / 2 if np.isfinite(low) else min(0.0, high - 1 / float(d[0]))
            continue
        phi = problem.attained(at.coef)
        if not phi > 0:
            return None
        rate = at.solve(d * at.coef)  # the derivative of the coefficients by zeta
        slope = float(rate @ (d * at.coef))  # half the derivative of phi
        if abs(phi / s2 - 1) <= rtol:
            return _finish(at, pole, n_iter)
        newton = zeta + (1 - np.sqrt(phi / s2)) * phi / slope
        if phi < s2:
            low = max(low, zeta)
            estimate, v = _pole(at, rate)
            pole = min(pole, estimate)
            # At the root the leading term alone does not exceed s: delta - |v'b| sqrt(delta) / s.
            newton = min(newton, pole * (1 - abs(v @ problem.linear) / np.sqrt(pole * s2)))
        else:
            high = min(high, zeta)
        if abs(newton - zeta) <= 4 * np.finfo(float).eps * abs(zeta):
            return None
        if not low < newton < high:
            if not np.isfinite(low) or not np.isfinite(high):
                return None
            newton = low + (high - low) / 2
        if infeasible - low < SMALLEST_GAP * abs(infeasible):
            return None
        zeta = newton
    return None


def _finish(at: _Evaluation, pole: float, n_iter: int) -> Solution | None:
    """Prove the answer: find a multiplier to the right at which C - zeta D is positive definite still."""
    zeta, problem = at.zeta, at.problem
    margin = 1.0
    if zeta > 0:
        pole = min(pole, _pole(at, at.solve(problem.spectrum * at.coef))[0])
        for fraction in (0.5, 0.1, 0.02, 0.004):
            beyond = zeta + fraction * (pole - zeta)
            if 1 - zeta / beyond < SMALLEST_GAP:
                return None
            further = _evaluate(problem, beyond)
            if further is not None and further.feasible:
                # C - zeta D = (1 - h) C + h (C - beyond D) with h = zeta / beyond
                margin = 1 - zeta / beyond
                break
        else:
            return None
    return problem.report(
        problem.scaled(at.coef),
        zeta,
        margin,
        status=Status.CONVERGED,
        n_iter=n_iter,
        route="label space",
    )
