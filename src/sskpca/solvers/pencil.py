r"""The eigenbasis route through (Q): one eigenproblem of the pencil (D, C) serves every target and variance."""

from dataclasses import dataclass

import numpy as np

from sskpca.linalg.array import Array
from sskpca.linalg.eigen import fix_signs, symmetric_eigen
from sskpca.solvers.quadratic import VarianceConstrainedLeastSquares
from sskpca.solvers.report import Solution
from sskpca.solvers.secular import SecularRoot, solve_secular

__all__ = ["Pencil", "PencilFamily", "pencil_of", "solve_in_eigenbasis"]


@dataclass(frozen=True, slots=True)
class Pencil:
    r"""The eigenpairs :math:`D v_k = \theta_k C v_k`, :math:`V^\top C V = I`, largest first."""

    theta: Array
    vectors: Array | None  # None is the identity: no labels, so C = I and D is diagonal already
    reach: Array | None  # V'B', computed without ever forming it: what targets become in this basis
    slack: Array | None  # I - BVV'B', small where label weights are large, and not found by subtraction

    def linear(self, problem: VarianceConstrainedLeastSquares) -> Array:
        """Return V'b. With large label weights b is large and V'b is not: the product would cancel."""
        if self.vectors is None or self.reach is None:
            return problem.linear
        return self.reach @ problem.targets + self.vectors.T @ problem.pull


class PencilFamily:
    r"""The pencils of :math:`C = I + c B^\top B` for all label weights c.

    :math:`C^{-1/2}` comes from the singular values of B, never from C itself, whose
    condition number is the square: large label weights cost no digits. The basis is the same for all c, and so is D
    in it.

    Parameters
    ----------
    rows : ndarray of shape (n_labeled, rank)
        B.
    spectrum : ndarray of shape (rank,)
        The diagonal of D.
    """

    def __init__(self, rows: Array, spectrum: Array) -> None:
        self.spectrum = spectrum
        if len(rows):
            self.left, self.sigma, self.Qt = np.linalg.svd(rows, full_matrices=len(rows) < rows.shape[1])
            half = self.Qt * np.sqrt(spectrum)
            self.D = half @ half.T
        else:
            self.sigma = np.empty(0)

    def at(self, weight: float) -> Pencil:
        """Diagonalise D against C: one symmetric eigenproblem."""
        k = len(self.sigma)
        if k == 0:
            return Pencil(self.spectrum, None, None, None)
        sigma = np.sqrt(weight) * self.sigma
        scale = np.ones(len(self.spectrum))
        scale[:k] = 1 / np.hypot(1.0, sigma)
        theta, U = symmetric_eigen(self.D * np.outer(scale, scale), overwrite=True)
        V = (self.Qt * scale[:, None]).T @ U
        signs = fix_signs(V.copy())
        U *= np.where(np.sum(signs * V, axis=0) < 0, -1.0, 1.0)
        reach = (U[:k] * (sigma * scale[:k])[:, None]).T @ self.left[:, :k].T
        left = self.left[:, :k]
        slack = (left * scale[:k] ** 2) @ left.T
        if len(left) > k:
            slack += np.eye(len(left)) - left @ left.T
        return Pencil(np.maximum(theta, 0.0), signs, reach, slack)


def pencil_of(rows: Array, spectrum: Array) -> Pencil:
    r"""Diagonalise :math:`D = \mathrm{diag}(d)` against :math:`C = I + B^\top B`."""
    return PencilFamily(rows, spectrum).at(1.0)


def solve_in_eigenbasis(problem: VarianceConstrainedLeastSquares, pencil: Pencil | None = None) -> Solution:
    """Solve (Q) through the secular equation in the pencil's eigenbasis.

    For every input, the hard case included. Cost: O(rank cubed) without a `pencil`, which depends on the rows and the
    spectrum only; with one, O(rank squared), and the certificate costs the solution of a system of the size of the
    labels or the rank, whichever is smaller.
    """
    pencil = pencil or pencil_of(problem.rows, problem.spectrum)
    V = pencil.vectors
    root = solve_secular(pencil.theta, pencil.linear(problem), problem.variance)
    coef = root.coords if V is None else V @ root.coords
    zeta = (1 - root.gap) / float(pencil.theta[0])
    coef, moved = _polish(problem, pencil, root, problem.scaled(coef), zeta)
    return problem.report(
        coef,
        zeta + moved,
        min(root.gap - moved * float(pencil.theta[0]), 1.0),
        status=root.status,
        n_iter=root.n_iter,
        route="eigenbasis",
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
