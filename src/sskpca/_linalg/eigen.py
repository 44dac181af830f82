"""Symmetric matrices: eigenpairs, and factors of indefinite ones with their inertia.

Order, sign and the numerical rank are settled here and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from sskpca._linalg.array import Array, Indices

__all__ = [
    "EQUAL",
    "Ritz",
    "SymmetricFactor",
    "drawn",
    "factor_symmetric",
    "fix_signs",
    "leading_ritz",
    "numerical_rank",
    "orthonormal_to",
    "symmetric_eigen",
    "tie_groups",
    "uncut",
]

# Columns per multiplication of a Krylov method: narrow blocks converge in fewer columns, wide ones run faster.
BLOCK = 48
# Eigenvalues that differ by less than this, relative, are equal.
EQUAL = 1e-9
# Up to the first size one thread does it, up to the second a copy of the matrix does not matter.
TINY, SMALL = 100, 1000


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


def fix_signs(vectors: Array) -> Array:
    """Turn each column so that its entry of largest modulus is positive, in place."""
    if vectors.size:
        peak = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
        vectors *= np.where(peak < 0, -1.0, 1.0)
    return vectors


def symmetric_eigen(A: Array, *, n_leading: int | None = None, overwrite: bool = False) -> tuple[Array, Array]:
    r"""Find the eigenpairs of a symmetric matrix, largest first.

    .. math:: A v_j = w_j v_j, \qquad w_1 \ge w_2 \ge \dots

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric; only one triangle is read.
    n_leading : int, optional
        Return this many leading pairs only. About half the time of all of them when few.
    overwrite : bool, default=False
        May `A` be destroyed? Saves one matrix of memory.

    Returns
    -------
    values : ndarray of shape (k,)
        Descending.
    vectors : ndarray of shape (n, k)
        Orthonormal columns; the entry of largest modulus of each is positive.

    Examples
    --------
    >>> symmetric_eigen(np.diag([1.0, 3.0]))[0]
    array([3., 1.])
    """
    n = len(A)
    if TINY < n <= SMALL and (n_leading is None or n_leading >= n):
        # NumPy's BLAS has its own threads, and so has SciPy's: small problems in a loop of products stay with one.
        values, vectors = np.linalg.eigh(A)
    elif n_leading is None or n_leading >= n:
        # A transposed view is free and Fortran-ordered, so LAPACK can work in place.
        values, vectors = scipy.linalg.eigh(A.T, driver="evd", overwrite_a=overwrite, check_finite=False)
    else:
        values, vectors = scipy.linalg.eigh(
            A.T,
            driver="evr",
            subset_by_index=(n - n_leading, n - 1),
            overwrite_a=overwrite,
            check_finite=False,
        )
    return values[::-1], fix_signs(vectors[:, ::-1])


def numerical_rank(values: Array, n: int, largest: float = 0.0) -> int:
    """Count the eigenvalues that stand out of the rounding noise of an n by n matrix.

    Noise is ``n * eps`` times the largest of `values`, which are descending, or times the `largest` entry that the
    matrix was computed from.
    """
    if len(values) == 0:
        return 0
    return int(np.sum(values > n * np.finfo(float).eps * max(float(values[0]), largest, 0.0)))


def tie_groups(values: Array, scale: float = 0.0) -> Indices:
    """Return the group numbers of sorted eigenvalues, the same for equal ones.

    The eigenvectors of equal eigenvalues are any basis of their space, so that only what is the same for all of a group
    does not depend on rounding.

    Parameters
    ----------
    values : ndarray of shape (k,)
    scale : float, default=0.0
        Eigenvalues are equal that differ by less than 1e-9 of this, or of themselves. With the largest eigenvalue of a
        matrix the eigenvectors of different groups are known to six digits.

    Examples
    --------
    >>> tie_groups(np.array([3.0, 2.0, 2.0, 1.0]))
    array([0, 1, 1, 2])
    """
    size = np.maximum(np.abs(values), scale)
    return np.append(0, np.cumsum(np.abs(np.diff(values)) > EQUAL * np.maximum(size[1:], size[:-1])))[: len(values)]


def uncut(values: Array, number: int, scale: float = 0.0) -> int:
    """Return how many leading eigenpairs to keep, at most `number`, so that no group of equal eigenvalues is cut.

    All of `number` where not even the first group would be whole. The parameters are those of `tie_groups`.

    Examples
    --------
    >>> uncut(np.array([3.0, 2.0, 2.0, 1.0]), 2)
    1
    """
    if number >= len(values):
        return number
    groups = tie_groups(values, scale)
    return int(np.searchsorted(groups, groups[number])) or number


@dataclass(frozen=True, slots=True)
class Ritz:
    """Approximate leading eigenpairs of a symmetric operator from a Krylov space.

    The vectors are orthonormal and ``vectors.T @ image`` is ``diag(values)`` to rounding, converged or not.
    """

    values: Array  # descending
    vectors: Array  # (n, k)
    image: Array  # the operator applied to `vectors`
    residual: float  # largest |A v - w v| over the pairs, relative to the largest |w|
    lowest: float  # smallest Ritz value met: an upper bound of the smallest eigenvalue


def leading_ritz(
    apply: Callable[[Array], Array],
    n: int,
    k: int,
    *,
    tol: float,
    max_basis: int | None = None,
    order: Indices | None = None,
) -> Ritz:
    r"""Find the `k` leading eigenpairs of a symmetric operator by a block Krylov method.

    An orthonormal basis :math:`Q` of :math:`\mathrm{span}\{\Omega, A\Omega, A^2\Omega, \dots\}`
    grows, block by block and fully reorthogonalised, until the Rayleigh-Ritz pairs of
    :math:`Q^\top A Q` satisfy :math:`\|A v - w v\| \le \mathrm{tol}\cdot\max|w|`. All heavy work is
    matrix-matrix multiplication.

    Parameters
    ----------
    apply : callable
        Maps an (n, b) block to A times the block.
    n, k : int
        Size of the operator, number of pairs.
    tol : float
        Accepted relative residual.
    max_basis : int, optional
        Give up growing here (default `n`): the residual reached is in the result.
    order : ndarray of shape (n,), optional
        Deal the rows of the random start to the rows of the operator in this order, so that a permuted operator has the
        permuted start.

    Notes
    -----
    Where eigenvectors are wanted rather than a subspace (`tol` of 1e-8 or less), a fresh random block is added before
    a converged answer is accepted; if it brings up more copies of an eigenvalue, the search goes on.
    """
    rng = np.random.default_rng(0)

    def draw(width: int) -> Array:
        return drawn(rng, n, width, order)

    limit = n if max_basis is None else min(max_basis, n)
    k = min(k, limit)
    capacity = min(limit, 4 * k + 4 * BLOCK)
    Q, AQ, T = np.empty((n, capacity)), np.empty((n, capacity)), np.empty((capacity, capacity))
    P = draw(min(BLOCK, limit))
    # A coarse tolerance is mostly met by a smaller basis; where it is not, the basis grows.
    p, next_check = 0, min(limit, (2 * k if tol < 5e-3 else k + k // 2) + BLOCK)
    found: Array | None = None
    while True:
        width = min(P.shape[1], limit - p)
        if p + width > capacity:
            grown = min(limit, max(p + width, capacity + capacity // 2))
            Q, AQ = _widen(Q, grown), _widen(AQ, grown)
            T = _widen(_widen(T, grown).T, grown).T
            capacity = grown
        P = orthonormal_to(Q[:, :p], P[:, :width], rng)
        new = slice(p, p + width)
        Q[:, new], AQ[:, new] = P, apply(P)
        p += width
        T[:p, new] = Q[:, :p].T @ AQ[:, new]
        T[new, :p] = T[:p, new].T
        # A maps every earlier block into the basis: what the basis misses is the image of the last one.
        P = AQ[:, new] - Q[:, :p] @ T[:p, new]
        if p >= next_check:
            w, U = np.linalg.eigh(T[:p, :p])
            values, U = w[::-1][:k], U[:, ::-1][:, :k]
            scale = max(abs(w[0]), abs(w[-1]), np.finfo(float).tiny)
            missed = np.einsum("ij,ik,kj->j", U[new], P.T @ P, U[new])
            residual = float(np.sqrt(max(missed.max(), 0.0)) / scale)
            settled = found is not None and bool(np.all(values - found <= max(tol, 1e-12) * scale))
            if p >= limit or (residual <= tol and (settled or tol > 1e-8)):
                return Ritz(values, Q[:, :p] @ U, AQ[:, :p] @ U, residual, float(w[0]))
            if residual <= tol:
                # Converged, but a Krylov space holds no more copies of an eigenvalue than its block has columns: fresh
                # ones would show what is missing.
                found = values
                P = np.hstack([P, draw(BLOCK)])
                next_check = min(limit, p + P.shape[1])
            else:
                next_check = min(limit, p + max(BLOCK, p // 5))


def drawn(rng: np.random.Generator, n: int, width: int, order: Indices | None) -> Array:
    """Draw columns of normal numbers, whose rows are dealt out in the given order."""
    P = rng.standard_normal((n, width))
    if order is not None:
        P[order] = P.copy()
    return P


def _widen(A: Array, width: int) -> Array:
    wide = np.empty((A.shape[0], width))
    wide[:, : A.shape[1]] = A
    return wide


def orthonormal_to(Q: Array, P: Array, rng: np.random.Generator) -> Array:
    """Orthonormalise the columns of P against Q and each other.

    By Cholesky factors, at the speed of multiplication, where P allows it. Where it has nothing new to offer (the
    Krylov space is exhausted) QR leaves arbitrary columns, which need not be orthogonal to Q; the loop
    projects those again, or draws fresh ones.
    """
    for attempt in range(8):
        if Q.shape[1]:
            P = P - Q @ (Q.T @ P)
        try:
            L = np.linalg.cholesky(P.T @ P)
            well = float(np.diag(L).min()) > 1e-6 * float(np.diag(L).max())
        except np.linalg.LinAlgError:
            well = False
        if well:
            P = P @ np.linalg.inv(L).T  # well conditioned, so as good as a triangular solve, and faster
        else:
            P, R = np.linalg.qr(P)
            lost = np.abs(np.diag(R)) == 0
            P[:, lost] = rng.standard_normal((len(P), int(lost.sum())))
        if attempt and well and np.abs(Q.T @ P).max(initial=0.0) < 1e-13:
            break
    return P
