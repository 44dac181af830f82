r"""Laplacians of a weighted graph, and their smallest eigenpairs.

With W the weights and :math:`Q = \mathrm{diag}(W 1)`:

- "unnormalized": :math:`Q - W`, so that :math:`f^\top L f = \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2`,
- "normalized": :math:`I - Q^{-1/2} W Q^{-1/2}`, with eigenvalues from 0 to 2,
- "random walk": :math:`I - Q^{-1} W`, not symmetric, with the same eigenvalues.
"""

import numpy as np
import scipy.sparse

from sskpca.linalg.array import Array
from sskpca.linalg.eigen import orthonormal_to, symmetric_eigen

__all__ = ["LAPLACIANS", "laplacian", "laplacian_eigenpairs"]

LAPLACIANS = ("unnormalized", "normalized", "random walk")
# Up to this size all eigenpairs are found by LAPACK.
DENSE_SIZE = 2000


def laplacian(W: scipy.sparse.csr_matrix, kind: str = "normalized") -> scipy.sparse.csr_matrix:
    """Return the Laplacian of a graph without isolated points.

    Examples
    --------
    >>> W = scipy.sparse.csr_matrix(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> laplacian(W, "unnormalized").toarray()
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    degree = np.asarray(W.sum(axis=1)).ravel()
    if kind == "unnormalized":
        return (scipy.sparse.diags(degree) - W).tocsr()
    if kind == "normalized":
        root = scipy.sparse.diags(1 / np.sqrt(degree))
        return (scipy.sparse.eye(len(degree)) - root @ W @ root).tocsr()
    if kind == "random walk":
        return (scipy.sparse.eye(len(degree)) - scipy.sparse.diags(1 / degree) @ W).tocsr()
    raise ValueError(f"laplacian={kind!r} is not known; choose from {', '.join(LAPLACIANS)}.")


def laplacian_eigenpairs(
    L: scipy.sparse.csr_matrix, number: int | None, *, tol: float = 3e-3, max_iter: int = 30
) -> tuple[Array, Array]:
    """Find the smallest eigenpairs of a symmetric Laplacian.

    Parameters
    ----------
    L : csr_matrix of shape (n, n)
    number : int or None
        None is all of them: by LAPACK, so for some thousand points at most.
    tol : float, default=3e-3
        Accepted residual relative to a bound of the largest eigenvalue, where subspace iteration finds them. A kernel
        made of these pairs is a kernel whatever the residual is.
    max_iter : int, default=30

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        Ascending; zeros to rounding are zeros: one for each connected component.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal.
    """
    n = L.shape[0]
    # Gershgorin: no eigenvalue is larger than the largest absolute row sum.
    top = float(np.abs(L).sum(axis=1).max())
    if number is None or n <= DENSE_SIZE or number > n // 4:
        values, vectors = symmetric_eigen(-L.toarray(), n_leading=number, overwrite=True)
        values = -values
    else:
        values, vectors = _filtered(L, number, top, tol, max_iter)
    return np.where(values > 1e-10 * top, values, 0.0), vectors


def _filtered(
    L: scipy.sparse.csr_matrix, number: int, top: float, tol: float, max_iter: int, degree: int = 16
) -> tuple[Array, Array]:
    r"""Iterate a subspace with Chebyshev polynomials of L that damp what is not wanted.

    The polynomial is small on :math:`[a, \mathrm{top}]` and grows fast below a. The Ritz values of the subspace are
    upper bounds of the eigenvalues, so that a, the largest of them, is not below one that is wanted. All the work
    is in products of L and of small matrices with blocks of vectors. Multiple eigenvalues, as those of a disconnected
    graph, are no difficulty.
    """
    n = L.shape[0]
    width = number + max(20, number // 5)  # the last ones converge slowly: they are not asked for
    rng = np.random.default_rng(0)
    # Single precision moves half the bytes, and is enough for a filter: the Ritz values are found in double.
    digits = np.float32 if tol > 1e-5 else np.float64
    V = orthonormal_to(np.empty((n, 0)), rng.standard_normal((n, width)), rng)
    start = True
    for _ in range(max_iter):
        LV = L @ V
        ritz, U = symmetric_eigen(-(V.T @ LV))
        V, LV, ritz = V @ U, LV @ U, -ritz
        missed = np.linalg.norm(LV[:, :number] - V[:, :number] * ritz[:number], axis=0)
        if missed.max() <= tol * top:
            break
        # Those of a random subspace are far too high: a start below them saves a round.
        a = 0.3 * ritz[-1] if start else ritz[-1]
        start = False
        middle, half = (top + a) / 2, (top - a) / 2
        scaled = ((2 / half) * (middle * scipy.sparse.eye(n) - L)).tocsr().astype(digits)
        before, after = V.astype(digits), ((middle * V - LV) / half).astype(digits)
        for _ in range(degree - 1):
            before, after = after, scaled @ after - before
        # The columns differ in size by the gain of the filter: brought to the same, they keep their digits.
        V = after.astype(np.float64)
        V = orthonormal_to(V[:, :0], V / np.linalg.norm(V, axis=0), rng)
    return ritz[:number], V[:, :number]
