"""MV-KPCA: kernel principal components along which similar points do not scatter."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sskpca._linalg.array import Array, Indices
from sskpca._linalg.eigen import fix_signs, leading_ritz
from sskpca.coordinates._values import Values
from sskpca.solvers._pencil import pencil_of

__all__ = ["Components", "solve_mv_kpca", "within_group_rows"]

# Up to here a dense eigenproblem is cheaper than it would be to think about it.
SMALL_RANK = 600


@dataclass(frozen=True, slots=True)
class Components:
    r"""The leading solutions of :math:`D\gamma = \theta C \gamma`.

    Attributes
    ----------
    coef : ndarray of shape (rank, n_components)
        One function a column, :math:`\gamma^\top C \gamma = 1`; the entry of largest modulus is positive.
    theta : ndarray of shape (n_components,)
        The variance ratios attained, descending: :math:`\gamma^\top D \gamma / \gamma^\top C \gamma`.
    kkt_residual : ndarray of shape (n_components,)
        :math:`\|D\gamma - \theta C\gamma\| \,/\, (\|D\| + \theta\|C\|)\|\gamma\|`, the backward error.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import solve_mv_kpca
    >>> found = solve_mv_kpca(np.array([[1.0, 0.0]]), np.array([4.0, 3.0]), 1.0, 2)
    >>> found.theta
    array([3., 2.])
    """

    coef: Array
    theta: Array
    kkt_residual: Array


def within_group_rows(Z: Values, groups: Sequence[Indices]) -> Array:
    """Stack the coordinates of each group less the group's mean: the rows of W B."""
    sets = [np.asarray(g) for g in groups if len(g) > 1]
    if not sets:
        return np.empty((0, Z.shape[1]))
    rows = Z[np.concatenate(sets)]  # all at once: they may have to be fetched
    parts = np.split(rows, np.cumsum([len(g) for g in sets])[:-1])
    return np.vstack([part - part.mean(axis=0) for part in parts])


def solve_mv_kpca(rows: Array, d: Array, weight: float, n_components: int) -> Components:
    r"""Find the functions of largest variance whose norm and within-group variance are small.

    .. math::

        \max_\gamma\; \frac{\gamma^\top D \gamma}{\gamma^\top (I + c\, N^\top N)\, \gamma}            \tag{MV}

    The maximisers are :math:`\gamma = \theta^{-1/2} C^{-1} D^{1/2} y` for the leading eigenvectors y of

    .. math::

        D^{1/2} C^{-1} D^{1/2} = D - D^{1/2} N^\top \left( \tfrac1c I + N N^\top \right)^{-1} N D^{1/2} ,  \tag{MV1}

    a diagonal minus a matrix of low rank, of which only products are formed when it is large.

    Parameters
    ----------
    rows : ndarray of shape (n_grouped, rank)
        N: coordinates less their group's mean, see `within_group_rows`.
    d : ndarray of shape (rank,)
        Variances of the coordinates, descending.
    weight : float
        c; zero is kernel PCA.
    n_components : int
        At most the number of positive entries of `d`.

    Returns
    -------
    Components
        The functions, with their variance ratios and KKT residuals.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import solve_mv_kpca
    >>> solve_mv_kpca(np.array([[1.0, 0.0]]), np.array([4.0, 3.0]), 1.0, 1).coef.ravel()
    array([0., 1.])
    """
    k = min(n_components, int(np.sum(d > 0)))
    N = np.sqrt(weight) * rows
    if len(N) > len(d):
        N = np.linalg.qr(N, mode="r")
    if len(d) <= SMALL_RANK or len(d) < 5 * k:
        V = pencil_of(N, d).vectors
        coef = np.eye(len(d), k) if V is None else V[:, :k]
    else:
        coef = _leading(N, d, k)
    image = coef + N.T @ (N @ coef)
    size = np.sqrt(np.sum(coef * image, axis=0))
    coef, image = coef / size, image / size
    spread = d[:, None] * coef
    theta = np.sum(coef * spread, axis=0)
    residual = np.linalg.norm(spread - image * theta, axis=0)
    heaviest = float(np.linalg.norm(N, 2)) if N.size else 0.0
    scale = (d[0] + theta * (1 + heaviest**2)) * np.linalg.norm(coef, axis=0)
    return Components(fix_signs(coef), theta, residual / scale)


def _leading(N: Array, d: Array, k: int) -> Array:
    """Find the leading maximisers through products with (MV1) only."""
    _, sigma, Q = scipy.linalg.svd(N, full_matrices=False, check_finite=False)
    shrink = sigma**2 / (1 + sigma**2)
    root = np.sqrt(d)[:, None]

    def inverse(x: Array) -> Array:  # C^-1
        return np.asarray(x - Q.T @ (shrink[:, None] * (Q @ x)))

    ritz = leading_ritz(lambda x: root * inverse(root * x), len(d), k, tol=1e-13)
    return inverse(root * ritz.vectors)
