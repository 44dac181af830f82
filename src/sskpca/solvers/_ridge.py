r"""Kernel ridge regression with a constant: LS-KPCA without its variance constraint.

.. math:: \min_{\gamma, b}\; \|\gamma\|^2 + c \sum_i ((B\gamma)_i + b - t_i)^2                     \tag{R1}

is LS-KPCA at the multiplier :math:`\zeta = 0`, with an offset that costs nothing. Only labelled rows count. With
:math:`\tilde B = U S V^\top` the labelled rows about their own mean, all label weights and all targets share one
decomposition:

.. math:: \gamma = V \frac{S}{S^2 + 1/c} U^\top t, \qquad
          t - f = (I - \tfrac1l 11^\top - UU^\top)\,t + U \rho\, U^\top t, \quad \rho_j = \frac{1/c}{S_j^2 + 1/c},

and, the hat matrix being linear in t, leaving label i out moves its prediction to

.. math:: f^{(i)}(x_i) = t_i - \frac{t_i - f_i}{1 - h_i}, \qquad
          1 - h_i = (1 - \tfrac1l - \|U_i\|^2) + \textstyle\sum_j \rho_j U_{ij}^2 .                \tag{R2}
"""

from dataclasses import dataclass

import numpy as np

from sskpca._linalg.array import Array
from sskpca._linalg.eigen import symmetric_eigen

__all__ = ["RidgeFamily", "RidgeSolution", "ridge_family"]


@dataclass(frozen=True, slots=True)
class RidgeSolution:
    """Functions for one label weight, a column for each target.

    Attributes
    ----------
    coef : ndarray of shape (rank, n_targets)
    offset : ndarray of shape (n_targets,)
        The constant b.
    held_out : ndarray of shape (n_labeled, n_targets)
        Value at each labelled row of the function that has not seen its label.
    influence : ndarray of shape (n_labeled, rank)
        ``(rows - center) @ coef`` is the sum over the labels of ``(rows - center) @ influence.T * t`` on centred t.
    """

    coef: Array
    offset: Array
    held_out: Array
    influence: Array


@dataclass(frozen=True, slots=True)
class RidgeFamily:
    r"""The decomposition of the labelled rows that serves all label weights and all targets.

    Attributes
    ----------
    rows : ndarray of shape (n_labeled, rank)
        About their mean.
    center : ndarray of shape (rank,)
    vectors : ndarray of shape (n_labeled, k)
        U, orthogonal to the constant.
    squares : ndarray of shape (k,)
        Of the singular values.
    rest : ndarray of shape (n_labeled,)
        :math:`1 - 1/l - \|U_i\|^2`: what no function of the space reaches at a label.
    """

    rows: Array
    center: Array
    vectors: Array
    squares: Array
    rest: Array

    def solve(self, label_weight: float, targets: Array) -> RidgeSolution:
        """Solve (R1) for the columns of `targets`, shape (n_labeled, n_targets)."""
        noise = 1 / label_weight
        mean = targets.mean(axis=0)
        about = targets - mean
        U, rho = self.vectors, noise / (self.squares + noise)
        inside = U.T @ about
        complete = not self.rest.any()
        residual = U @ (rho[:, None] * inside)
        if not complete:
            residual += about - U @ inside
        free = self.rest + (U**2) @ rho
        influence = (U / (self.squares + noise)) @ (U.T @ self.rows)
        coef = influence.T @ about
        return RidgeSolution(coef, mean - self.center @ coef, targets - residual / free[:, None], influence)


def ridge_family(rows: Array) -> RidgeFamily:
    """Decompose the coordinates of the labelled rows, shape (n_labeled, rank), for `RidgeFamily.solve`.

    In the smaller of the two dimensions: O(n_labeled * rank * min(n_labeled, rank)).
    """
    n, rank = rows.shape
    center = rows.mean(axis=0)
    about = rows - center
    if n > rank + 1:
        U, S, _ = np.linalg.svd(about, full_matrices=False)
        rounding = max(n, rank) * np.finfo(float).eps * S.max(initial=0.0)
        keep = rounding < S
        U, squares = U[:, keep], S[keep] ** 2
        U = U - U.mean(axis=0)
        return RidgeFamily(about, center, U, squares, np.maximum(1 - 1 / n - np.sum(U**2, axis=1), 0.0))
    # The constant has the eigenvalue 0 and might mix with others that do: moved below, it is the last by itself, and
    # the other vectors span all that is orthogonal to it, so that nothing is left over.
    K = about @ about.T
    limits = np.finfo(float)
    below = max(float(np.trace(K)) / n, float(limits.eps * (center @ center)), float(limits.tiny))
    w, U = symmetric_eigen(K - below / n, overwrite=True)
    others = np.arange(n) != np.argmin(np.abs(w + below))
    return RidgeFamily(about, center, U[:, others], np.maximum(w[others], 0.0), np.zeros(n))
