"""Principal coordinates from a full kernel matrix, or from rows under the linear kernel."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._linalg.eigen import leading_ritz, numerical_rank, symmetric_eigen, uncut
from sskpca.coordinates._principal import Coordinates, NoVarianceError, coordinates_from_features

__all__ = ["IndefiniteKernelError", "exact_coordinates", "far_from_origin", "linear_coordinates"]

# A negative eigenvalue beyond this share of the largest is no rounding error, not even of single precision.
NEGATIVE = 1e-6
# Up to this size, or from this share of all components on, LAPACK is faster than a Krylov method.
DENSE_SIZE = 1000
DENSE_SHARE = 0.15
# Square of the mean in units of the variance: here the kernel matrix begins to lose more than four of sixteen digits.
FAR = 1e4
# What is left of the mean beside the directions is rounding below this share of it.
ROUNDING = 1e-12


class IndefiniteKernelError(ValueError):
    """The matrix has negative eigenvalues: it is no kernel matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.coordinates import IndefiniteKernelError, exact_coordinates
    >>> try:
    ...     exact_coordinates(np.array([[0.0, 1.0], [1.0, 0.0]]), lambda X: X, centered=False)
    ... except IndefiniteKernelError:
    ...     print("not a kernel matrix")
    not a kernel matrix
    """


def exact_coordinates(
    K: Array,
    features: Callable[[Matrix], Array],
    *,
    centered: bool = True,
    rank: int | None = None,
    tol: float = 1e-3,
    order: Indices | None = None,
    whole_groups: bool = False,
) -> Coordinates:
    r"""Find the principal coordinates of a kernel matrix by one symmetric eigendecomposition.

    With :math:`HKH = W \mathrm{diag}(w) W^\top` and :math:`\bar k` the row means of K,

    .. math::

        z_j = \sqrt{w_j}\, W_j + \bar z_j 1, \quad \bar z_j = \bar k^\top W_j / \sqrt{w_j}, \qquad
        z_0 = (\bar k - \textstyle\sum_j \bar z_j z_j) / \sqrt\kappa, \quad
        \kappa = \operatorname{mean} \bar k - \|\bar z\|^2 .                                       \tag{P1}

    The last one is what is left of the data's mean. At full rank it is constant, :math:`\sqrt\kappa`, and has no
    variance; at a lower rank it is a function as good as the others, and orthogonal to them.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Symmetric, positive semi-definite. Destroyed.
    features : callable
        Maps new points to kernel values against the data, shape (n_new, n_samples).
    centered : bool, default=True
        Without: the eigenpairs of K itself, :math:`z_j = \sqrt{w_j} W_j`.
    rank : int or None, default=None
        Keep this many leading components (and the rest of the mean). All above rounding by default.
    tol : float, default=0.001
        Accepted residual of the leading components relative to the largest eigenvalue, where a Krylov method finds
        them. It decides how close the subspace is to the leading one; within the subspace the coordinates
        are exact whatever it is.
    order : ndarray of shape (n_samples,) or None, default=None
        Order in which a Krylov method assigns its random start to the rows, so that permuted rows have the permuted
        answer.
    whole_groups : bool, default=False
        Keep fewer than `rank` if the last of them have the same variance as others beyond: which ones of these LAPACK
        finds first depends on rounding.

    Returns
    -------
    Coordinates
        Of the data, with the map for new points.

    Raises
    ------
    IndefiniteKernelError
        If an eigenvalue below -1e-6 times the largest is seen. With all components every eigenvalue is; with a low
        `rank`, those that a short Krylov sequence finds, against the trace: gross violations.
    NoVarianceError
        If there is no positive eigenvalue, or if the variance drowns in the rounding of the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.coordinates import exact_coordinates
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> found = exact_coordinates(X @ X.T, lambda new: new @ X.T)
    >>> found.variances.round(6)
    array([14.])
    """
    n = len(K)
    row_mean = K.mean(axis=0)
    grand = float(row_mean.mean())
    trace, largest = float(np.trace(K)), float(np.abs(np.diag(K)).max())
    total = trace - n * grand if centered else trace
    if rank is not None and n > DENSE_SIZE and rank < DENSE_SHARE * n:
        return _by_krylov(K, row_mean, features, centered, total, rank, tol, largest, order)
    if centered:
        # HKH has a zero eigenvalue, with the constant vector. Moved below zero, it cannot mix with components
        # that are small but not zero, whose vectors must be orthogonal to it.
        below = max(total, 0.0) / n
        K -= row_mean
        K -= row_mean[:, None]
        K += grand - below / n
        row_mean = row_mean - grand
    few = rank is not None and rank < DENSE_SHARE * n
    if few:
        ritz = leading_ritz(lambda x: K @ (x - x.mean(axis=0) * centered), n, 1, tol=0.0, max_basis=96)
        _check_definite(ritz.lowest, trace)
    w, W = symmetric_eigen(K, n_leading=rank if few else None, overwrite=True)
    if not few:
        others = np.delete(w, np.argmin(np.abs(w + below))) if centered else w
        _check_definite(float(others[-1]), max(float(w[0]), largest))
    above_rounding = numerical_rank(w, n, largest)
    keep = above_rounding if rank is None else min(above_rounding, rank)
    if whole_groups:
        keep = uncut(w[:above_rounding], keep)
    # Is this the whole space, or the leading part of it?
    complete = keep == above_rounding and (keep < len(w) or len(w) == n)
    if keep == 0 or total <= n * np.finfo(float).eps * largest:
        raise NoVarianceError
    w, root = w[:keep], np.sqrt(w[:keep])
    # Room for one more column now: a copy of these matrices later would be the peak of memory.
    values, dual = np.empty((n, keep + 1)), np.empty((n, keep + 1))
    np.multiply(W[:, :keep], root, out=values[:, :keep])
    np.divide(W[:, :keep], root, out=dual[:, :keep])
    del W
    if not centered:
        return Coordinates(values[:, :keep], w, dual[:, :keep], features, False, total)
    # Orthogonal to constants to the last digit, or a large constant part of the kernel would leak in.
    dual[:, :keep] -= dual[:, :keep].mean(axis=0)
    mean = row_mean @ dual[:, :keep]
    values[:, :keep] += mean - values[:, :keep].mean(axis=0)
    kappa = grand - float(mean @ mean)
    rest_dual = 1 / n - dual[:, :keep] @ mean
    if not _stands_out(kappa, rest_dual, max(largest, float(w[0])), trace):
        return Coordinates(values[:, :keep], w, dual[:, :keep], features, True, total)
    dual[:, keep] = rest_dual / np.sqrt(kappa)
    values[:, keep] = rest = (row_mean + grand - values[:, :keep] @ mean) / np.sqrt(kappa)
    # Orthogonal to the leading components, so its variance is not larger than theirs: the order stands. In the
    # whole space it is a constant, up to components that rounding hides.
    variance = 0.0 if complete else float(np.sum((rest - rest.mean()) ** 2))
    return Coordinates(values, np.append(w, variance), dual, features, True, total)


def _stands_out(kappa: float, dual: Array, largest: float, trace: float) -> bool:
    """Return whether a function of squared norm `kappa` and these dual coefficients is more than rounding."""
    size = float(dual @ dual)
    _check_definite(kappa / size, trace)
    return bool(kappa > len(dual) * np.finfo(float).eps * largest * size)


def _check_definite(lowest: float, scale: float) -> None:
    if lowest < -NEGATIVE * abs(scale):
        raise IndefiniteKernelError(
            f"the kernel matrix is not positive semi-definite (eigenvalue {lowest:.3g} beside {scale:.3g})"
        )


def _by_krylov(
    K: Array,
    row_mean: Array,
    features: Callable[[Matrix], Array],
    centered: bool,
    total: float,
    rank: int,
    tol: float,
    largest: float,
    order: Indices | None,
) -> Coordinates:
    """Find the leading coordinates with products with K only."""
    n = len(K)
    mean = row_mean if centered else np.zeros(n)

    def apply(x: Array) -> Array:  # HKH x, for columns x that need not be centred
        x = x - x.mean(axis=0) if centered else x
        y = K @ x
        return np.asarray(y - y.mean(axis=0) if centered else y)

    ritz = leading_ritz(apply, n, rank, tol=tol, order=order)
    _check_definite(ritz.lowest, max(float(ritz.values[0]), largest))
    keep = numerical_rank(ritz.values, n, largest)
    if keep == 0 or total <= n * np.finfo(float).eps * largest:
        raise NoVarianceError
    root = np.sqrt(ritz.values[:keep])
    # The Ritz vectors are orthonormal and diagonalise HKH on their span, converged or not: the functions
    # are orthonormal in the RKHS, and `image` holds their centred values.
    dual = ritz.vectors[:, :keep] / root
    if centered:
        dual -= dual.mean(axis=0)
    A = ritz.image[:, :keep] / root + mean @ dual
    if centered:
        offset = mean @ dual
        kappa = float(row_mean.mean() - offset @ offset)
        rest_dual = 1 / n - dual @ offset
        if _stands_out(kappa, rest_dual, max(largest, float(ritz.values[0])), float(np.trace(K))):
            A = np.column_stack([A, (row_mean - A @ offset) / np.sqrt(kappa)])
            dual = np.column_stack([dual, rest_dual / np.sqrt(kappa)])
    return coordinates_from_features(A, features, dual, centered=centered, total_variance=total)


def far_from_origin(X: Array) -> bool:
    """Return whether the mean of rows is so large beside their spread that inner products would lose digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance = X.mean(axis=0, dtype=np.float64), X.var(axis=0, dtype=np.float64)
        return bool(mean @ mean > FAR * variance.sum())


def linear_coordinates(
    X: Array,
    features: Callable[[Matrix], Array],
    *,
    rank: int | None = None,
    tol: float = 1e-3,
    order: Indices | None = None,
) -> Coordinates:
    r"""Find the centred principal coordinates of rows under the linear kernel, from the rows about their mean.

    The kernel matrix of rows far from the origin has lost what distinguishes them: its entries are of the size of
    :math:`\|\mu\|^2`, and their digits end there. Rows are at hand here, and so is their mean :math:`\mu`. With
    :math:`v_j` the principal directions of :math:`x - \mu`,

    .. math:: z_j = v_j^\top (x - \mu) + v_j^\top \mu, \qquad
              z_0 = u^\top x / \|u\|, \quad u = \mu - \textstyle\sum_j v_j v_j^\top \mu                    \tag{P2}

    is (P1), and nothing cancels. Nearer to the origin the matrix is as good.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
    features : callable
        Returns the rows themselves.
    rank, tol, order
        As for `exact_coordinates`.
    """
    X = np.asarray(X, dtype=np.float64)
    mean = X.mean(axis=0)
    about = X - mean
    about -= about.mean(axis=0)  # of the mean's own rounding
    with np.errstate(over="ignore", invalid="ignore"):
        K = about @ about.T
    found = exact_coordinates(K, features, rank=rank, tol=tol, order=order)
    dual = about.T @ found.dual
    A = about @ dual + mean @ dual
    rest = mean - dual @ (mean @ dual)
    rest -= dual @ (rest @ dual)
    size = float(np.linalg.norm(rest))
    if size <= ROUNDING * float(np.linalg.norm(mean)):
        return replace(found, values=A, dual=dual)
    dual = np.column_stack([dual, rest / size])
    varying = about @ dual[:, -1]
    A = np.column_stack([A, varying + mean @ dual[:, -1]])
    if rank is None:  # the directions are all there are: what is left of the mean is a constant
        return replace(found, values=A, dual=dual, variances=np.append(found.variances, 0.0))
    return coordinates_from_features(A, features, dual, centered=True, total_variance=found.total_variance)
