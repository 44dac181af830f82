"""What a solver says about its answer."""

from dataclasses import dataclass
from enum import StrEnum

from sskpca._linalg.array import Array

__all__ = ["Report", "Solution", "Status"]


class Status(StrEnum):
    """How a solver ended. The first two are successes.

    Examples
    --------
    >>> from sskpca.solvers import Status
    >>> [str(status) for status in Status]
    ['converged', 'hard case', 'stalled', 'max_iter reached']
    """

    CONVERGED = "converged"
    HARD_CASE = "hard case"
    """The labels do not reach the pencil's leading eigenvector: both signs along it are optimal, and
    the one in which the eigenvector's entry of largest modulus is positive was taken. (Of several leading
    eigenvectors any direction would do; it is the first that LAPACK gives.)"""
    STALLED = "stalled"
    """No step improves on the answer in this arithmetic. Lower `label_weight` or loosen `tol`."""
    MAX_ITER = "max_iter reached"
    """Raise `max_iter`, or loosen `tol`."""


@dataclass(frozen=True, slots=True)
class Report:
    r"""The evidence for a solution of a problem with fixed variance.

    Attributes
    ----------
    status : Status
        How the solver ended.
    objective : float
        The value attained.
    bound : float
        No function of the wanted variance has an objective below this (weak duality).
    gap : float
        ``(objective - bound)`` relative to the size of the objective's terms. Zero to rounding
        proves that the solution is the global optimum of the problem in the coordinates it was given. These are those
        of the kernel up to rounding of its largest eigenvalue, which the gap does not see.
    multiplier : float
        :math:`\zeta`, the price of variance.
    variance : float
        :math:`\gamma^\top D \gamma` attained (the sum over the data, not the mean).
    kkt_residual : float
        The larger of the relative stationarity residual and the relative error in the variance.
    n_iter : int
        Evaluations of the secular equation, or reweighting steps.
    route : str
        The algorithm that ran.
    history : tuple of float
        The objective after each reweighting step; empty for the other methods.

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> X, y, _ = make_two_moons(100)
    >>> (report,) = LSKPCA().fit(X, y).reports_
    >>> str(report.status), report.gap < 1e-9, report.kkt_residual < 1e-6
    ('converged', True, True)
    """

    status: Status
    objective: float
    bound: float
    gap: float
    multiplier: float
    variance: float
    kkt_residual: float
    n_iter: int
    route: str
    history: tuple[float, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.status in (Status.CONVERGED, Status.HARD_CASE)


@dataclass(frozen=True, slots=True)
class Solution:
    """A function, as coefficients on the principal coordinates, and the evidence for it.

    Attributes
    ----------
    coef : ndarray of shape (rank,)
        The coefficients.
    report : Report
        The evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import solve_ls_kpca
    >>> solution = solve_ls_kpca(np.array([[1.0]]), np.array([1.0]), np.array([-1.0]), 1.0, 4.0)
    >>> solution.coef, solution.report.gap < 1e-9
    (array([-2.]), True)
    """

    coef: Array
    report: Report
