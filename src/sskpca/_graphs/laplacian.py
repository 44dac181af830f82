r"""Laplacians of a weighted graph, and their smallest eigenpairs.

With W the weights and :math:`Q = \mathrm{diag}(W 1)`:

- "unnormalized": :math:`Q - W`, so that :math:`f^\top L f = \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2`,
- "normalized": :math:`I - Q^{-1/2} W Q^{-1/2}`, with eigenvalues from 0 to 2,
- "random walk": :math:`I - Q^{-1} W`, not symmetric, with the same eigenvalues.
"""

import warnings

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from sskpca._linalg.array import Array, Indices
from sskpca._linalg.eigen import EQUAL, drawn, fix_signs, orthonormal_to, symmetric_eigen, tie_groups, uncut

__all__ = ["LAPLACIANS", "equal_eigenvectors", "laplacian", "laplacian_eigenpairs"]

LAPLACIANS = ("unnormalized", "normalized", "random walk")
# Eigenvalues up to this share of the largest are zero.
ROUNDING = 1e-12
# Up to this size all eigenpairs are found by LAPACK; some of them, from the second size on, in single precision first.
DENSE_SIZE, SMALL = 2000, 500
# Eigenvalues that differ by less than this share of the largest are not told apart by single precision.
SINGLE = 1e-5
# Of the filter, see `_filtered`.
POLYNOMIAL_DEGREE = 16


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
    if not degree.min(initial=np.inf) > 0:
        raise ValueError(f"the graph leaves row {int(degree.argmin())} without neighbours; connect or remove it.")
    if kind == "unnormalized":
        return (scipy.sparse.diags(degree) - W).tocsr()
    if kind == "normalized":
        root = scipy.sparse.diags(1 / np.sqrt(degree))
        return (scipy.sparse.eye(len(degree)) - root @ W @ root).tocsr()
    if kind == "random walk":
        return (scipy.sparse.eye(len(degree)) - scipy.sparse.diags(1 / degree) @ W).tocsr()
    raise ValueError(f"laplacian={kind!r} is not known; choose from {', '.join(LAPLACIANS)}.")


def null_space(W: scipy.sparse.csr_matrix, kind: str) -> Array:
    """Return an orthonormal basis of the functions that the Laplacian annihilates, one for each component.

    The first is that of the whole graph: constant, or proportional to the root of the degrees if normalised; then the
    components, the largest first.
    """
    number, component = connected_components(W, directed=False)
    whole = np.sqrt(np.asarray(W.sum(axis=1)).ravel()) if kind == "normalized" else np.ones(W.shape[0])
    order = np.argsort(-np.bincount(component), kind="stable")
    parts = np.where(component[:, None] == order[: number - 1], whole[:, None], 0.0)
    return fix_signs(np.linalg.qr(np.column_stack([whole, parts]))[0])


def laplacian_eigenpairs(
    W: scipy.sparse.csr_matrix,
    kind: str = "normalized",
    number: int | None = None,
    *,
    tol: float = 0.03,
    max_iter: int = 30,
    order: Indices | None = None,
) -> tuple[Array, Array]:
    """Find the smallest eigenpairs of a graph's symmetric Laplacian.

    If the last of them have the same eigenvalue as others that are not wanted, they are left out: which of their space
    are found is chance.

    Parameters
    ----------
    W : csr_matrix of shape (n, n)
        The graph.
    kind : {"normalized", "unnormalized"}, default="normalized"
    number : int or None
        None is all of them: by LAPACK, so for some thousand points at most. At least one for each component is found.
    tol : float, default=0.03
        Accepted residual relative to the largest eigenvalue that is wanted, where subspace iteration finds them; the
        smoother vectors are far closer. A kernel made of these pairs is a kernel whatever the residual is.
    max_iter : int, default=30
    order : ndarray of shape (n,), optional
        In which subspace iteration deals its random start to the points.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        Ascending; as many zeros as the graph has components, or more if edges between some are all but zero.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal.
    """
    L = laplacian(W, kind)
    n = L.shape[0]
    null = null_space(W, kind)
    zeros = np.zeros(null.shape[1])
    # Gershgorin: no eigenvalue is larger than the largest absolute row sum.
    top = float(np.abs(L).sum(axis=1).max())
    rest = n - len(zeros) if number is None else min(max(number - len(zeros), 0), n - len(zeros))
    if rest == 0:
        return zeros, null
    if number is not None and SMALL < n <= DENSE_SIZE and number <= n // 4:
        values, vectors = _single_precision(L, null, rest, top)
        rest = len(values)
    elif number is None or n <= DENSE_SIZE or number > n // 4:
        # The null space is known; moved to the other end, it cannot mix with eigenvalues that are merely small.
        more = min(rest + 1, n - len(zeros))
        values, vectors = symmetric_eigen(-L.toarray() - 2 * top * (null @ null.T), n_leading=more, overwrite=True)
        values = -values[:more]
        rest = _whole_groups(values, rest, top)
        values = values[:rest]
    else:
        values, vectors = _filtered(L, null, rest, top, tol, max_iter, order)
    # Below this an eigenvalue has no digit that is not rounding: the edges that it comes from do not count.
    return np.append(zeros, np.where(values > ROUNDING * top, values, 0.0)), np.column_stack([null, vectors[:, :rest]])


def equal_eigenvectors(W: scipy.sparse.csr_matrix, eigenvalues: Array) -> Indices:
    """Return the group numbers of a graph's eigenvectors, equal for those that nothing tells apart.

    These have the same eigenvalue; or, if that is zero, belong to components with the same number of points. In the
    order of `laplacian_eigenpairs`.
    """
    sizes = -np.sort(-np.bincount(connected_components(W, directed=False)[1]))
    n_null = min(len(sizes), len(eigenvalues))
    null = np.append(-1, sizes[: n_null - 1])
    groups = np.append(0, np.cumsum(np.diff(null) != 0))
    return np.append(groups, groups[-1] + 1 + tie_groups(eigenvalues[n_null:], float(eigenvalues[-1])))


def _whole_groups(values: Array, number: int, top: float) -> int:
    """Return how many eigenvalues to keep so that no group of equal ones is cut: none, if all are equal."""
    if number < len(values) and tie_groups(values, top)[-1] == 0:
        return 0
    return uncut(values, number, top)


def _single_precision(L: scipy.sparse.csr_matrix, null: Array, number: int, top: float) -> tuple[Array, Array]:
    """Find a subspace in single precision, in half of the time, and the eigenpairs in it in double.

    What is missing of the subspace is rounding of single precision; the eigenpairs within it are exact.
    """
    single = (-L.toarray() - 2 * top * (null @ null.T)).astype(np.float32)
    more = min(number + 1, len(single) - null.shape[1])
    _, V = symmetric_eigen(single, n_leading=more, overwrite=True)
    V = orthonormal_to(null, V.astype(np.float64), np.random.default_rng(0))
    values, U = symmetric_eigen(-(V.T @ (L @ V)), overwrite=True)
    kept = uncut(-values, number, top * SINGLE / EQUAL)
    return -values[:kept], fix_signs(V @ U[:, :kept])


def _filtered(
    L: scipy.sparse.csr_matrix,
    null: Array,
    number: int,
    top: float,
    tol: float,
    max_iter: int,
    order: Indices | None,
) -> tuple[Array, Array]:
    r"""Iterate a subspace with Chebyshev polynomials of L that damp what is not wanted.

    The polynomial is small on :math:`[a, \mathrm{top}]` and grows fast below a. The Ritz values of the subspace are
    upper bounds of the eigenvalues, so that a, the largest of them, is not below one that is wanted. All the work
    is in products of L and of small matrices with blocks of vectors, orthogonal to the null space.
    """
    n = L.shape[0]
    width = min(number + max(20, number // 5), n - null.shape[1])  # the last ones converge slowly: not asked for
    rng = np.random.default_rng(0)
    # Single precision moves half the bytes, and is enough for a filter: the Ritz values are found in double.
    digits = np.float32 if tol > 1e-3 else np.float64
    V = orthonormal_to(null, drawn(rng, n, width, order), rng)
    for done in range(max_iter + 1):
        LV = L @ V
        ritz, U = np.linalg.eigh(V.T @ LV)
        V, LV = V @ U, LV @ U
        missed = np.linalg.norm(LV[:, :number] - V[:, :number] * ritz[:number], axis=0).max()
        if done >= 2 and missed <= tol * ritz[number - 1]:
            break
        if done == max_iter:
            warnings.warn(
                f"the eigenvectors of the graph have a relative residual of {missed / ritz[number - 1]:.1e} after "
                f'{done} rounds; ask for fewer (n_eigenvectors), or use laplacian="normalized".',
                UserWarning,
                stacklevel=2,
            )
            break
        # The Ritz values of a random subspace are far too high: a start below them saves a round.
        a = ritz[-1] * (0.3 if done == 0 else 1.0)
        middle, half = (top + a) / 2, (top - a) / 2
        scaled = ((2 / half) * (middle * scipy.sparse.eye(n) - L)).tocsr().astype(digits)
        before, after = V.astype(digits), ((middle * V - LV) / half).astype(digits)
        for _ in range(POLYNOMIAL_DEGREE - 1):
            before, after = after, scaled @ after - before
        # The columns differ in size by the gain of the filter: brought to the same, they keep their digits.
        V = after.astype(np.float64)
        V = orthonormal_to(null, V / np.linalg.norm(V, axis=0), rng)
    return ritz[:number], V[:, :number]
