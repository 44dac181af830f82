"""LS-KPCA: squared loss on the labels, variance fixed; the exact global optimum."""

from dataclasses import replace
from typing import Literal

import numpy as np

from sskpca._linalg.array import Array
from sskpca.solvers._label_space import solve_in_label_space
from sskpca.solvers._pencil import solve_in_eigenbasis
from sskpca.solvers._quadratic import VarianceConstrainedLeastSquares
from sskpca.solvers._report import Solution, Status

__all__ = ["Route", "solve_ls_kpca", "solve_quadratic"]

Route = Literal["auto", "eigenbasis", "label space"]

# Below this rank an eigenproblem takes a few milliseconds: the route without special cases wins.
SMALL_RANK = 120
# A gap beyond this proves nothing.
UNPROVED = 1e-3


def solve_quadratic(problem: VarianceConstrainedLeastSquares, *, route: Route = "auto", start: float = 0.0) -> Solution:
    """Solve (Q) by the cheaper route; the other one takes over wherever that would lose digits."""
    n_labeled, rank = problem.rows.shape
    cheap = n_labeled > 0 and rank > SMALL_RANK and 2 * n_labeled <= rank
    if n_labeled > 0 and (route == "label space" or (route == "auto" and cheap)):
        solution = solve_in_label_space(problem, start)
        if solution is not None:
            return solution
    solution = solve_in_eigenbasis(problem)
    if route == "auto" and n_labeled > 0 and not cheap and _doubtful(solution):
        other = solve_in_label_space(problem, start)
        if other is not None and other.report.kkt_residual < solution.report.kkt_residual:
            return other
    return solution


def solve_ls_kpca(
    B: Array,
    d: Array,
    t: Array,
    weights: Array | float,
    variance: float,
    *,
    route: Route = "auto",
) -> Solution:
    r"""Find the function of given variance that is smoothest and closest to the labels.

    .. math::

        \min_\gamma\; \|\gamma\|^2 + \sum_i c_i \left( (B\gamma)_i - t_i \right)^2
        \quad\text{subject to}\quad \gamma^\top D \gamma = s^2                              \tag{LS}

    Not convex, yet solved to the global optimum; the report proves it.

    Parameters
    ----------
    B : ndarray of shape (n_labeled, rank)
        Principal coordinates of the labelled points.
    d : ndarray of shape (rank,)
        Variances of the coordinates, descending, not negative.
    t : ndarray of shape (n_labeled,)
        Targets, such as -1 and +1.
    weights : float or ndarray of shape (n_labeled,)
        c, one for all or one for each label; not negative.
    variance : float
        s squared, positive, as a sum over the data.
    route : {"auto", "eigenbasis", "label space"}, default="auto"
        "auto" takes the cheaper one. "label space" hands over to the eigenbasis in (nearly) hard cases, and "auto" to
        label space where the eigenbasis stalls; the report says which one answered.

    Returns
    -------
    Solution
        With no labels, or all weights zero, the first principal component scaled to the variance
        (status ``HARD_CASE``: its sign is a convention).

    Examples
    --------
    Two coordinates of variance 4 and 1, one label that sees the second only:

    >>> import numpy as np
    >>> from sskpca.solvers import solve_ls_kpca
    >>> solution = solve_ls_kpca(np.array([[0.0, 1.0]]), np.array([4.0, 1.0]), np.array([1.0]), 3.0, 4.0)
    >>> solution.coef.round(6), str(solution.report.status)
    (array([0.916515, 0.8     ]), 'hard case')
    """
    B, d, t = (np.asarray(a, dtype=np.float64) for a in (B, d, t))
    root = np.sqrt(np.broadcast_to(np.asarray(weights, dtype=np.float64), t.shape))
    problem = VarianceConstrainedLeastSquares(
        rows=np.ascontiguousarray(B * root[:, None]),
        targets=t * root,
        spectrum=d,
        variance=float(variance),
        pull=np.zeros(len(d)),
    )
    solution = solve_quadratic(problem, route=route)
    if solution.report.converged and _doubtful(solution):
        return replace(solution, report=replace(solution.report, status=Status.STALLED))
    return solution


def _doubtful(solution: Solution) -> bool:
    return solution.report.status == Status.STALLED or not solution.report.gap <= UNPROVED
