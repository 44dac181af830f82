r"""Laplacians of a weighted graph, and their smallest eigenpairs.

With W the weights and :math:`Q = \mathrm{diag}(W 1)`:

- "unnormalized": :math:`Q - W`, so that :math:`f^\top L f = \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2`,
- "normalized": :math:`I - Q^{-1/2} W Q^{-1/2}`, with eigenvalues from 0 to 2,
- "random walk": :math:`I - Q^{-1} W`, not symmetric, with the same eigenvalues.
"""

import numpy as np
import scipy.sparse

from sskpca.linalg.array import Array
from sskpca.linalg.eigen import leading_ritz, symmetric_eigen

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


def laplacian_eigenpairs(L: scipy.sparse.csr_matrix, number: int | None, *, tol: float = 1e-6) -> tuple[Array, Array]:
    """Find the smallest eigenpairs of a symmetric Laplacian.

    Parameters
    ----------
    L : csr_matrix of shape (n, n)
    number : int or None
        None is all of them: by LAPACK, so for some thousand points at most.
    tol : float, default=1e-6
        Accepted residual relative to the largest eigenvalue, where a Krylov method finds them. A kernel made of these
        pairs is a kernel whatever the residual is.

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
        ritz = leading_ritz(lambda x: top * x - L @ x, n, number, tol=tol)
        values, vectors = top - ritz.values, ritz.vectors
    return np.where(values > 1e-10 * top, values, 0.0), vectors
