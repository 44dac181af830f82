"""LS-KPCA in extended precision, many small problems at once: Cholesky, Jacobi rotations, bisection."""

import numpy as np

LONG = np.longdouble


def optima(B, d, t, c, s2):
    """Return the optimal objectives of problems of one size.

    Parameters
    ----------
    B : ndarray of shape (n_problems, n_labeled, rank)
    d : ndarray of shape (n_problems, rank)
    t : ndarray of shape (n_problems, n_labeled)
    c, s2 : ndarray of shape (n_problems,)
    """
    B, d, t, c, s2 = (np.asarray(part, dtype=LONG) for part in (B, d, t, c, s2))
    rank = d.shape[1]
    C = np.eye(rank, dtype=LONG) + c[:, None, None] * np.einsum("pli,plj->pij", B, B)
    b = c[:, None] * np.einsum("pli,pl->pi", B, t)
    L = _cholesky(C)
    # With y = L' gamma: min |y|^2 - 2 (L^-1 b)'y over y'My = s2, M = L^-1 D L^-T.
    inverse = _lower_inverse(L)
    theta, V = _jacobi(np.einsum("pij,pj,pkj->pik", inverse, d, inverse))
    e = np.einsum("pji,pj->pi", V, np.einsum("pij,pj->pi", inverse, b))
    top = theta.max(axis=1, keepdims=True)
    rho = theta / top
    lead = rho > 1 - LONG(1e-16)
    away = np.where(lead, 0, 1 - rho)

    def point(gap):
        q = away + gap[:, None] * rho
        return np.divide(e, q, out=np.zeros_like(e), where=q > 0)

    low, high = np.full(len(d), LONG(1e-300)), np.full(len(d), LONG(1e300))
    for _ in range(1500):
        middle = np.sqrt(low) * np.sqrt(high)
        above = np.sum(theta * point(middle) ** 2, axis=1) > s2
        low, high = np.where(above, middle, low), np.where(above, high, middle)
        if np.all(high <= low * (1 + LONG(1e-18))):
            break
    x = point(high)
    # Hard, or so nearly that these digits do not tell: what is missing costs the same in any direction of the space.
    missing = np.maximum(s2 - np.sum(theta * x**2, axis=1), 0)
    norm, linear = np.sum(x**2, axis=1) + missing / top[:, 0], np.sum(e * x, axis=1)
    return norm - 2 * linear + c * np.sum(t**2, axis=1)


def _cholesky(A):
    L = np.zeros_like(A)
    for j in range(A.shape[1]):
        L[:, j, j] = np.sqrt(A[:, j, j] - np.sum(L[:, j, :j] ** 2, axis=1))
        for i in range(j + 1, A.shape[1]):
            L[:, i, j] = (A[:, i, j] - np.sum(L[:, i, :j] * L[:, j, :j], axis=1)) / L[:, j, j]
    return L


def _lower_inverse(L):
    inverse = np.zeros_like(L)
    for i in range(L.shape[1]):
        inverse[:, i, i] = 1 / L[:, i, i]
        for j in range(i):
            inverse[:, i, j] = -np.sum(L[:, i, j:i] * inverse[:, j:i, j], axis=1) / L[:, i, i]
    return inverse


def _jacobi(A, sweeps=14):
    A, n = A.copy(), A.shape[1]
    V = np.broadcast_to(np.eye(n, dtype=LONG), A.shape).copy()
    for _ in range(sweeps):
        for i in range(n - 1):
            for j in range(i + 1, n):
                turn = np.arctan2(2 * A[:, i, j], A[:, j, j] - A[:, i, i]) / 2
                cosine, sine = np.cos(turn)[:, None], np.sin(turn)[:, None]
                for M in (A, V):
                    left, right = M[:, :, i].copy(), M[:, :, j].copy()
                    M[:, :, i], M[:, :, j] = cosine * left - sine * right, sine * left + cosine * right
                upper, lower = A[:, i].copy(), A[:, j].copy()
                A[:, i], A[:, j] = cosine * upper - sine * lower, sine * upper + cosine * lower
    return np.einsum("pii->pi", A).copy(), V
