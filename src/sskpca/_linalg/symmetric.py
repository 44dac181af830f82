"""Factors of symmetric matrices that may be indefinite, with their inertia."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from sskpca._linalg.array import Array

__all__ = ["SymmetricFactor", "factor_symmetric"]


@dataclass(frozen=True, slots=True)
class SymmetricFactor:
    r"""The Bunch-Kaufman factors :math:`A = L \Delta L^\top`, with 1 by 1 and 2 by 2 blocks in :math:`\Delta`."""

    factor: Array
    pivots: np.ndarray
    n_negative: int  # negative eigenvalues of A, by Sylvester's law of inertia
    singular: bool

    def solve(self, rhs: Array) -> Array:
        """Solve A x = rhs."""
        x, _ = lapack.dsytrs(self.factor, self.pivots, rhs, lower=1)
        return np.asarray(x)


def factor_symmetric(A: Array) -> SymmetricFactor:
    """Factorise a symmetric matrix and count its negative eigenvalues.

    Examples
    --------
    >>> factor = factor_symmetric(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> factor.n_negative, factor.solve(np.array([2.0, 3.0]))
    (1, array([3., 2.]))
    """
    if len(A) == 0:
        return SymmetricFactor(A, np.empty(0, dtype=np.int32), 0, False)
    factor, pivots, info = lapack.dsytrf(A.T, lower=1)
    single = pivots > 0
    # A 2 by 2 pivot is taken only where its determinant is negative: one eigenvalue of each sign.
    n_negative = int(np.sum(np.diag(factor)[single] < 0)) + int(np.sum(~single)) // 2
    return SymmetricFactor(factor, pivots, n_negative, bool(info > 0))
