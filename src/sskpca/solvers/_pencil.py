r"""The eigenbasis route through (Q): one eigenproblem of the pencil (D, C) serves every target and variance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from sskpca._linalg.array import Array
from sskpca._linalg.eigen import fix_signs, symmetric_eigen
from sskpca.solvers._quadratic import VarianceConstrainedLeastSquares
from sskpca.solvers._report import Solution
from sskpca.solvers._secular import SecularRoot, solve_secular

__all__ = ["Pencil", "PencilFamily", "pencil_of", "solve_in_eigenbasis"]


# Largest rounding of C, relative to its smallest eigenvalue, at which it is formed where the labels outnumber the
# coordinates: its condition number is the square of that of B.
BENIGN = 1e-9


@dataclass(frozen=True)
class Pencil:
    r"""The eigenpairs :math:`D v_k = \theta_k C v_k`, :math:`V^\top C V = I`, largest first."""

    theta: Array
    vectors: Array | None  # None is the identity: no labels, so C = I and D is diagonal already
    factors: tuple[Array, Array] | None  # of BV, one of them as small as the rank

    @cached_property
    def reach(self) -> Array | None:
        """V'B', what targets become in this basis: one column a label, found when it is asked for."""
        return None if self.factors is None else (self.factors[0] @ self.factors[1]).T

    def linear(self, problem: VarianceConstrainedLeastSquares) -> Array:
        """Return V'b. With large label weights b is large and V'b is not: the product would cancel."""
        if self.vectors is None or self.factors is None or not problem.linear.any():
            return problem.linear
        left, right = self.factors
        return right.T @ (left.T @ problem.targets) + self.vectors.T @ problem.pull

    def size(self, problem: VarianceConstrainedLeastSquares) -> Array:
        """Return the sums of the moduli of the terms of `linear`, for the leading eigenvectors; zero for the others."""
        out = np.zeros(len(self.theta))
        if self.vectors is not None and self.factors is not None:
            leading = self.theta >= self.theta[0] * (1 - 1e-8)
            left, right = self.factors
            out[leading] = np.abs(right[:, leading]).T @ (np.abs(left).T @ np.abs(problem.targets))
            out[leading] += np.abs(self.vectors[:, leading]).T @ np.abs(problem.pull)
        return out


class PencilFamily:
    r"""The pencils of :math:`C = I + c B^\top B` for all label weights c.

    :math:`C^{-1/2}` comes from the singular values of B, not from C itself, whose
    condition number is the square: large label weights cost no digits. The basis is the same for all c, and so is D
    in it. Only where the labels outnumber the coordinates and the label weight is small enough for that to cost no
    digits either is C formed: a tenth of the time, and no matrix has more than one side as long as the labels are many.

    Parameters
    ----------
    rows : ndarray of shape (n_labeled, rank)
        B.
    spectrum : ndarray of shape (rank,)
        The diagonal of D.
    """

    def __init__(self, rows: Array, spectrum: Array) -> None:
        self.rows, self.spectrum = rows, spectrum
        self.gram = rows.T @ rows if len(rows) > len(spectrum) else None

    def at(self, weight: float) -> Pencil:
        """Diagonalise D against C: one symmetric eigenproblem."""
        if len(self.rows) == 0:
            return Pencil(self.spectrum, None, None)
        if self.gram is not None and np.finfo(float).eps * weight * float(np.linalg.norm(self.gram)) <= BENIGN:
            return self._from_gram(self.gram, weight)
        left, sigma, Qt, D = self._singular
        k = len(sigma)
        sigma = np.sqrt(weight) * sigma
        scale = np.ones(len(self.spectrum))
        scale[:k] = 1 / np.hypot(1.0, sigma)
        theta, U = symmetric_eigen(D * np.outer(scale, scale), overwrite=True)
        V = (Qt * scale[:, None]).T @ U
        signs = fix_signs(V.copy())
        U *= np.where(np.sum(signs * V, axis=0) < 0, -1.0, 1.0)
        return Pencil(np.maximum(theta, 0.0), signs, (left[:, :k], U[:k] * (sigma * scale[:k])[:, None]))

    def _from_gram(self, gram: Array, weight: float) -> Pencil:
        C = weight * gram
        C.flat[:: len(C) + 1] += 1.0
        L = np.linalg.cholesky(C)
        half = scipy.linalg.solve_triangular(L, np.diag(np.sqrt(self.spectrum)), lower=True, check_finite=False)
        theta, U = symmetric_eigen(half @ half.T, overwrite=True)
        V = scipy.linalg.solve_triangular(L, U, lower=True, trans=1, overwrite_b=True, check_finite=False)
        V = fix_signs(np.ascontiguousarray(V))
        return Pencil(np.maximum(theta, 0.0), V, (self.rows, np.sqrt(weight) * V))

    @cached_property
    def _singular(self) -> tuple[Array, Array, Array, Array]:
        """The singular value decomposition of B, and D in its basis."""
        left, sigma, Qt = np.linalg.svd(self.rows, full_matrices=len(self.rows) < self.rows.shape[1])
        half = Qt * np.sqrt(self.spectrum)
        return left, sigma, Qt, half @ half.T


def pencil_of(rows: Array, spectrum: Array) -> Pencil:
    r"""Diagonalise :math:`D = \mathrm{diag}(d)` against :math:`C = I + B^\top B`."""
    return PencilFamily(rows, spectrum).at(1.0)


def solve_in_eigenbasis(problem: VarianceConstrainedLeastSquares) -> Solution:
    """Solve (Q) through the secular equation in the pencil's eigenbasis.

    For every input, the hard case included. Cost: O(rank cubed), and O(n_labeled rank squared) for more labels than
    coordinates.
    """
    pencil = pencil_of(problem.rows, problem.spectrum)
    V = pencil.vectors
    root = solve_secular(pencil.theta, pencil.linear(problem), problem.variance, size=pencil.size(problem))
    coef = root.coords if V is None else V @ root.coords
    zeta = (1 - root.gap) / float(pencil.theta[0])
    n_labeled, rank = problem.rows.shape
    coef, moved = _polish(problem, pencil, root, problem.scaled(coef), zeta)
    return problem.report(
        coef,
        zeta + moved,
        min(root.gap - moved * float(pencil.theta[0]), 1.0),
        status=root.status,
        n_iter=root.n_iter,
        route="eigenbasis",
        root=V if n_labeled > rank else None,
    )


def _polish(
    problem: VarianceConstrainedLeastSquares,
    pencil: Pencil,
    root: SecularRoot,
    coef: Array,
    zeta: float,
) -> tuple[Array, float]:
    r"""Take Newton steps on the KKT system itself, with the eigenbasis as approximate inverse.

    Returns the coefficients and by how much the multiplier moved.

    Small eigenvalues of the pencil are known to :math:`\epsilon\theta_1` only, which shows where
    :math:`\zeta\theta_1` is very negative; residuals in the original coordinates do not suffer from that.
    """
    V = pencil.vectors
    # Where the gap is lost in the rounding of zeta, only the length of the leading part is free.
    pinned = root.denominators < 1e-8
    q = np.where(pinned, np.inf, root.denominators)

    def inverse(y: Array) -> Array:  # (C - zeta D)^-1 off the pinned eigenspace
        return y / q if V is None else V @ ((V.T @ y) / q)

    leading = np.where(pinned, root.coords, 0.0)
    along = leading if V is None else V @ leading
    moved = 0.0
    residual, scale = problem.stationarity(coef, zeta)
    for _ in range(4):
        size = np.linalg.norm(residual)
        if size <= np.finfo(float).eps * scale:
            break
        weighted = problem.spectrum * coef
        step = -inverse(residual)
        if not pinned.any():
            along = inverse(weighted)
        grip = weighted @ along
        if grip == 0:
            break
        length = -float(weighted @ step) / float(grip)
        # Judged as it will be used: of the right variance, and to the left of the pole.
        better = problem.scaled(coef + step + length * along)
        further = moved if pinned.any() else moved + length
        residual, scale = problem.stationarity(better, zeta + further)
        if not np.linalg.norm(residual) < size or further * float(pencil.theta[0]) > root.gap:
            break
        coef, moved = better, further
    return coef, moved
