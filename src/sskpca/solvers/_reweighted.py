"""LR-KPCA: any smooth loss on the labels, by a sequence of LS-KPCA problems on the same coordinates."""

import numpy as np
from scipy.optimize import minimize_scalar

from sskpca._linalg.array import Array
from sskpca.solvers._least_squares import Route, solve_ls_kpca, solve_quadratic
from sskpca.solvers._losses import Logistic, Loss
from sskpca.solvers._quadratic import VarianceConstrainedLeastSquares
from sskpca.solvers._report import Report, Solution, Status

__all__ = ["solve_lr_kpca"]


def solve_lr_kpca(
    B: Array,
    d: Array,
    t: Array,
    weights: Array | float,
    variance: float,
    *,
    loss: Loss | None = None,
    tol: float = 1e-9,
    max_iter: int = 200,
    start: Array | None = None,
    route: Route = "auto",
) -> Solution:
    r"""Find a function of given variance that is smooth and has a small loss on the labels.

    .. math::

        \min_\gamma\; \|\gamma\|^2 + \sum_i c_i\, \ell\!\left(t_i (B\gamma)_i\right)
        \quad\text{subject to}\quad \gamma^\top D \gamma = s^2                                 \tag{LR}

    Around :math:`\gamma_n`, with slopes :math:`\ell'_i` and curvatures :math:`\kappa_i`, the next iterate solves

    .. math::

        \min_\gamma\; \|\gamma\|^2 + \sum_i c_i \left[ t_i \ell'_i\, b_i^\top\gamma
        + \tfrac{\kappa_i}{2} \left( b_i^\top (\gamma - \gamma_n) \right)^2 \right]
        + \lambda \|\gamma - \gamma_n\|^2 ,                                                    \tag{LR1}

    which is problem (Q) after division by :math:`1 + \lambda`; :math:`\kappa_i = \max(\ell''_i, 0)`. The other
    candidate is Newton's step on the KKT system. Each is followed along the ellipsoid to its lowest point, and the
    lower one is taken if it lowers (LR), or, where (LR) is flat to rounding, the KKT residual. If not,
    :math:`\lambda` rises; beyond 1000, the curvature is that of a majorant. The slopes stand in the linear term,
    not in working responses, so that labels with vanishing curvature cost no digits.

    Parameters
    ----------
    B : ndarray of shape (n_labeled, rank)
        Principal coordinates of the labelled points.
    d : ndarray of shape (rank,)
        Variances of the coordinates, descending, not negative.
    t : ndarray of shape (n_labeled,)
        Targets, -1 or +1.
    weights : float or ndarray of shape (n_labeled,)
        c, one for all or one for each label; not negative.
    variance : float
        s squared, positive, as a sum over the data.
    loss : Loss or None, default=None
        The loss of a label; `Logistic` by default.
    tol : float, default=1e-09
        Accepted KKT residual, relative.
    max_iter : int, default=200
        Largest number of reweighting steps, the refused ones included.
    start : ndarray of shape (rank,) or None, default=None
        Coefficients to start from (scaled to the variance); the LS-KPCA solution by default.
    route : {"auto", "eigenbasis", "label space"}, default="auto"
        "auto" takes the cheaper one. "label space" hands over to the eigenbasis in (nearly) hard cases, and "auto" to
        label space where the eigenbasis stalls; the report says which one answered.

    Returns
    -------
    Solution
        A KKT point. Each step is solved to its global optimum, the whole is not convex. The bound
        is that of the loss linearised at the answer (for a non-convex loss: of no loss at all);
        where the report's gap closes nevertheless, the answer is the global optimum.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import solve_lr_kpca
    >>> B, d, t = np.array([[1.0, 0.5], [-1.0, 0.5]]), np.array([4.0, 1.0]), np.array([1.0, -1.0])
    >>> solution = solve_lr_kpca(B, d, t, 1.0, 4.0)
    >>> solution.coef.round(6) + 0.0, str(solution.report.status)  # no -0.
    (array([1., 0.]), 'converged')
    """
    B, d, t = (np.asarray(a, dtype=np.float64) for a in (B, d, t))
    at = _Point(B, d, t, weights, loss or Logistic())
    multiplier = 0.0
    if start is None:
        first = solve_ls_kpca(at.B, at.d, at.t, at.c, variance, route=route)
        start, multiplier = first.coef, first.report.multiplier
    at = at.moved(start, variance)
    history, damping, n_iter = [at.value], 0.0, 0
    while at.kkt > tol and n_iter < max_iter and damping < 1e12:
        n_iter += 1
        step = _model_step(at, damping, variance, multiplier, route)
        targets = (step.coef, _newton_kkt(at))
        new = min((_search(at, coef, variance) for coef in targets), key=lambda point: point.value)
        if new.improves(at):
            multiplier = step.report.multiplier * (1 + damping)
            damping = damping / 8 if damping > 1e-3 else 0.0
            at = new
            history.append(at.value)
        else:
            damping = max(8 * damping, 1e-2)
    unfinished = Status.MAX_ITER if n_iter == max_iter else Status.STALLED
    status = Status.CONVERGED if at.kkt <= tol else unfinished
    bound = _bound(at, variance)
    return Solution(
        at.coef,
        Report(
            status=status,
            objective=at.value,
            bound=bound,
            gap=(at.value - bound) / abs(at.value),
            multiplier=at.zeta,
            variance=float(at.coef @ (at.d * at.coef)),
            kkt_residual=at.kkt,
            n_iter=n_iter,
            route="reweighted",
            history=tuple(history),
        ),
    )


class _Point:
    """An iterate of (LR) with all that is derived from it."""

    def __init__(self, B: Array, d: Array, t: Array, c: Array | float, loss: Loss, coef: Array | None = None) -> None:
        self.B, self.d, self.t, self.loss = B, d, t, loss
        self.c = np.broadcast_to(np.asarray(c, dtype=np.float64), t.shape)
        self.coef = np.zeros(len(d)) if coef is None else coef
        self.f = B @ self.coef
        self.margin = t * self.f
        self.value = float(self.coef @ self.coef + self.c @ loss.value(self.margin))
        self.second = loss.second(self.margin)
        self.drift = B.T @ (self.c * t * loss.slope(self.margin)) / 2
        weighted = d * self.coef
        gradient = self.coef + self.drift
        # The multiplier that leaves the least residual.
        size = float(weighted @ weighted)
        self.zeta = float(gradient @ weighted) / size if size > 0 else 0.0
        self.residual = gradient - self.zeta * weighted
        scale = np.linalg.norm(self.coef) + np.linalg.norm(self.drift) + np.linalg.norm(gradient)
        self.kkt = float(np.linalg.norm(self.residual) / scale) if scale > 0 else np.inf

    def moved(self, coef: Array, variance: float) -> "_Point":
        """Go to other coefficients, scaled to the variance."""
        coef = coef * np.sqrt(variance / float(coef @ (self.d * coef)))
        return _Point(self.B, self.d, self.t, self.c, self.loss, coef)

    def improves(self, old: "_Point") -> bool:
        """Is this one better? Close to the end the objective is flat to rounding, and the residual judges."""
        flat = abs(self.value - old.value) <= 8 * np.finfo(float).eps * abs(old.value)
        return self.kkt < old.kkt if flat else self.value < old.value


def _search(old: _Point, target: Array, variance: float) -> _Point:
    r"""Find the lowest point on the curve through `old` and `target` on the ellipsoid.

    Along :math:`\gamma + \beta\delta`, scaled to the variance, everything is a function of three
    quadratics in :math:`\beta` and of l straight lines: a hundred evaluations cost less than one step.
    """
    whole = old.moved(target, variance)
    delta = target - old.coef
    if not np.any(delta):
        return whole
    f, g = old.f, old.B @ delta
    norms = old.coef @ old.coef, 2 * (old.coef @ delta), delta @ delta
    spread = variance, 2 * (old.coef @ (old.d * delta)), delta @ (old.d * delta)

    def value(beta: Array) -> Array:
        scale2 = variance / (spread[0] + beta * (spread[1] + beta * spread[2]))
        margin = old.t * np.sqrt(scale2)[:, None] * (f + np.outer(beta, g))
        return scale2 * (norms[0] + beta * (norms[1] + beta * norms[2])) + old.loss.value(margin) @ old.c

    grid = np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 73)])
    values = value(grid)
    best = int(np.argmin(values))
    if best == 0 or values[best] >= whole.value:
        return whole
    around = grid[best - 1], grid[min(best + 1, len(grid) - 1)]
    beta = minimize_scalar(
        lambda beta: float(value(np.array([beta]))[0]),
        bounds=around,
        method="bounded",
        options={"xatol": 1e-10 * around[1]},
    ).x
    return min(
        (old.moved(old.coef + b * delta, variance) for b in (beta, grid[best])),
        key=lambda point: point.value,
    )


def _model_step(at: _Point, damping: float, variance: float, multiplier: float, route: Route) -> Solution:
    """Solve (LR1)."""
    curvature = at.loss.majorant(at.margin) if damping > 1e3 else np.maximum(at.second, 0.0)
    bend = np.sqrt(at.c * curvature / (2 * (1 + damping)))
    bent = bend > 0
    problem = VarianceConstrainedLeastSquares(
        rows=at.B[bent] * bend[bent, None],
        targets=at.f[bent] * bend[bent],
        spectrum=at.d,
        variance=variance,
        pull=(damping * at.coef - at.drift) / (1 + damping),
    )
    return solve_quadratic(problem, route=route, start=multiplier / (1 + damping))


def _newton_kkt(at: _Point) -> Array:
    r"""Take Newton's step on the KKT system of (LR), by Woodbury in the space of the labels if they are few.

    .. math:: H \delta - \dot\zeta\, D\gamma = -\varrho, \quad (D\gamma)^\top \delta = 0,
              \qquad H = I - \zeta D + \tfrac12 B^\top \mathrm{diag}(c\,\ell'') B
    """
    weighted = at.d * at.coef
    M = 1 - at.zeta * at.d
    M = np.where(np.abs(M) < 1e-10, 1e-10, M)  # a removable pole: any nearby multiplier will do
    X = np.column_stack([-at.residual, weighted])
    bend = at.c * at.second / 2
    try:
        if len(bend) > len(M):
            half = np.sqrt(np.abs(bend))[:, None] * at.B
            up, down = half[bend > 0], half[bend < 0]
            X = np.asarray(np.linalg.solve(np.diag(M) + up.T @ up - down.T @ down, X), dtype=np.float64)
        else:
            X /= M[:, None]
            inner = np.eye(len(bend)) + bend[:, None] * ((at.B / M) @ at.B.T)
            X -= (at.B.T @ np.linalg.solve(inner, bend[:, None] * (at.B @ X))) / M[:, None]
    except np.linalg.LinAlgError:
        return at.coef
    grip = float(weighted @ X[:, 1])
    step = X[:, 0] - (float(weighted @ X[:, 0]) / grip if grip else 0.0) * X[:, 1]
    return at.coef + step if np.all(np.isfinite(step)) else at.coef


def _bound(at: _Point, variance: float) -> float:
    """Bound (LR) from below by the exact optimum with a linear minorant of the loss."""
    pull, constant = np.zeros(len(at.d)), 0.0
    if at.loss.convex:
        pull = -at.drift
        constant = float(at.c @ at.loss.value(at.margin) - 2 * (at.drift @ at.coef))
    no_rows = np.empty((0, len(at.d)))
    minorant = VarianceConstrainedLeastSquares(no_rows, np.empty(0), at.d, variance, pull)
    return solve_quadratic(minorant).report.bound + constant
