r"""The problem that LS-KPCA is, and that every step of LR-KPCA is.

.. math::

    \min_\gamma\; \|\gamma\|^2 - 2 p^\top \gamma + \|B\gamma - t\|^2
    \quad\text{subject to}\quad \gamma^\top D \gamma = s^2              \tag{Q}

With :math:`C = I + B^\top B` and :math:`b = p + B^\top t` it is stationary where
:math:`(C - \zeta D)\gamma = b`, and globally optimal where besides :math:`C - \zeta D \succeq 0`.
Label weights are in the rows already: row i of B and of t is multiplied by :math:`\sqrt{c_i}`.
"""

from dataclasses import dataclass, field

import numpy as np

from sskpca._linalg.array import Array
from sskpca.solvers._report import Report, Solution, Status
from sskpca.solvers._secular import FEW

__all__ = ["VarianceConstrainedLeastSquares"]

# A KKT residual beyond this is no success, whatever the solver believes.
SOUND = 1e-6
# Rows of which moduli are taken at a time: of all of them, the copy would take longer than the products.
BLOCK = 256


@dataclass(frozen=True)
class VarianceConstrainedLeastSquares:
    """Problem (Q).

    Parameters
    ----------
    rows : ndarray of shape (n_labeled, rank)
        B, each row multiplied by the square root of its label's weight.
    targets : ndarray of shape (n_labeled,)
        t, likewise.
    spectrum : ndarray of shape (rank,)
        The diagonal of D, descending, not negative, the first positive.
    variance : float
        s squared, positive: a sum over the data.
    pull : ndarray of shape (rank,)
        p. Zero for LS-KPCA.
    """

    rows: Array
    targets: Array
    spectrum: Array
    variance: float
    pull: Array
    linear: Array = field(init=False)  # b

    def __post_init__(self) -> None:
        object.__setattr__(self, "linear", self.pull + self.rows.T @ self.targets)
        if np.linalg.norm(self.linear) <= 1e-10 * np.linalg.norm(self.rows) * np.linalg.norm(self.targets):
            # Labels that contradict each other: what is left of them by rounding would decide the sign.
            noise = 4 * max(len(self.targets), FEW) * np.finfo(float).eps
            size = np.abs(self.rows).T @ np.abs(self.targets)
            object.__setattr__(self, "linear", np.where(np.abs(self.linear) <= noise * size, 0.0, self.linear))

    def objective(self, coef: Array) -> float:
        """Evaluate the objective of (Q)."""
        misfit = self.rows @ coef - self.targets
        return float(coef @ coef - 2 * (self.pull @ coef) + misfit @ misfit)

    def attained(self, coef: Array) -> float:
        """Evaluate the constrained variance."""
        return float(coef @ (self.spectrum * coef))

    def scaled(self, coef: Array) -> Array:
        """Multiply `coef` so that its variance is exact; a correction of the last digits."""
        return coef * float(np.sqrt(self.variance / self.attained(coef)))

    def stationarity(self, coef: Array, multiplier: float) -> tuple[Array, float]:
        """Return the gradient of the Lagrangian (halved), and the size of its terms."""
        fitted = self.rows @ coef
        misfit = self.rows.T @ (fitted - self.targets)
        priced = multiplier * self.spectrum * coef
        # Labels may contradict each other and cancel; the terms, and their rounding, are there all the same.
        size, labels = np.abs(fitted) + np.abs(self.targets), np.zeros(len(coef))
        for first in range(0, len(size), BLOCK):
            labels += np.abs(self.rows[first : first + BLOCK]).T @ size[first : first + BLOCK]
        scale = np.linalg.norm(coef) + np.linalg.norm(labels) + np.linalg.norm(self.pull) + np.linalg.norm(priced)
        return coef + misfit - self.pull - priced, float(scale)

    def report(
        self,
        coef: Array,
        multiplier: float,
        margin: float,
        *,
        status: Status,
        n_iter: int,
        route: str,
        root: Array | None = None,
    ) -> Solution:
        r"""Judge an answer from outside: KKT residual and lower bound.

        `margin` is a number for which :math:`C - \zeta D \succeq \mathrm{margin}\cdot C` is known. Then the
        Lagrangian, whose minimum over all functions is the dual value, is not lower than at `coef` by more than
        :math:`\varrho^\top C^{-1} \varrho / \mathrm{margin}`, :math:`\varrho` its gradient there: a bound that
        holds for inexact answers as well. Where the margin vanishes (hard case) the multiplier backs
        off first, by as much as a bound of the cost is least. `root` is a matrix R with :math:`RR^\top` next to
        :math:`C^{-1}`, if one is known: then none is inverted.
        """
        residual, scale = self.stationarity(coef, multiplier)
        attained = self.attained(coef)
        objective = self.objective(coef)
        kkt = max(
            float(np.linalg.norm(residual)) / scale if scale > 0 else 0.0,
            abs(attained / self.variance - 1),
        )
        loss = self._inverse_norm(residual, root)
        # The h that balances loss / h against h zeta s^2, the price of backing off.
        back_off = np.sqrt(loss / (multiplier * self.variance)) if multiplier > 0 else 0.0
        if margin < back_off:
            back_off = min(back_off, 0.5)
            # C - (1 - h) zeta D = h C + (1 - h)(C - zeta D)
            residual = residual + back_off * multiplier * self.spectrum * coef
            loss, margin = self._inverse_norm(residual, root), back_off
            dual_multiplier = (1 - back_off) * multiplier
        else:
            dual_multiplier = multiplier
        loss = loss / margin if margin > 0 else 0.0  # no margin, no loss: stationary to the last digit
        bound = objective - dual_multiplier * (attained - self.variance) - loss
        misfit = self.rows @ coef - self.targets
        if not kkt <= SOUND:
            status = Status.STALLED
        size = float(coef @ coef + 2 * abs(self.pull @ coef) + misfit @ misfit)
        return Solution(
            coef,
            Report(
                status=status,
                objective=objective,
                bound=float(bound),
                gap=float(objective - bound) / size if size > 0 else 0.0,
                multiplier=float(multiplier),
                variance=attained,
                kkt_residual=kkt,
                n_iter=n_iter,
                route=route,
            ),
        )

    def _inverse_norm(self, x: Array, root: Array | None) -> float:
        """Evaluate x' C^-1 x, which is the least value of |x - B'v|^2 + |v|^2 over v."""
        n_labeled, rank = self.rows.shape
        if n_labeled == 0:
            return float(x @ x)
        if root is not None:
            v = self.rows @ (root @ (root.T @ x))
        elif n_labeled <= rank:
            v = _solved(self.rows @ self.rows.T, self.rows @ x)
        else:
            v = self.rows @ _solved(self.rows.T @ self.rows, x)
        rest = x - self.rows.T @ v  # for any v this is an upper bound, and at the exact one the value
        return float(rest @ rest + v @ v)


def _solved(gram: Array, y: Array) -> Array:
    """Solve (I + gram) v = y."""
    system = np.eye(len(gram)) + gram
    try:
        return np.asarray(np.linalg.solve(system, y))
    except np.linalg.LinAlgError:  # twins so large that one is lost beside them
        return np.asarray(np.linalg.lstsq(system, y)[0])
