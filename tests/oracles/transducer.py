"""Joachims' spectral graph transducer from its definition, dense: eigenvectors, then his 2d by 2d eigenproblem."""

import numpy as np


def graph(X, k):
    """Cosine k-nearest-neighbour graph with row-normalised similarities, symmetrised by addition."""
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    S = U @ U.T
    np.fill_diagonal(S, -np.inf)
    A = np.zeros_like(S)
    for i, row in enumerate(S):
        nearest = np.argsort(-row, kind="stable")[:k]
        similar = np.maximum(row[nearest], 0)
        A[i, nearest] = similar / similar.sum()
    return A + A.T


def solve(W, labeled, positive, d, c):
    """Return z on all points: the minimiser of w'Dw + c (Vw - g)'C(Vw - g) over w'w = n."""
    n, deg = len(W), W.sum(1)
    L = np.eye(n) - W / np.sqrt(np.outer(deg, deg))
    V = np.linalg.eigh(L)[1][:, 1 : d + 1]
    D = np.diag(np.arange(1.0, d + 1) ** 2)
    plus, minus = positive.sum(), (~positive).sum()
    g = np.where(positive, np.sqrt(minus / plus), -np.sqrt(plus / minus))
    C = np.diag(np.where(positive, len(g) / (2 * plus), len(g) / (2 * minus)))
    VL = V[labeled]
    G = D + c * VL.T @ C @ VL
    b = c * VL.T @ C @ g
    eye = np.eye(d)
    lam = np.linalg.eigvals(np.block([[G, -eye], [-np.outer(b, b) / n, G]]))
    lam = lam[np.abs(lam.imag) < 1e-7 * np.abs(lam).max()].real.min()
    # one Newton-like correction of the multiplier, which the unsymmetric eigenproblem gives to half the digits
    for _ in range(20):
        w = np.linalg.solve(G - lam * eye, b)
        slope = w @ np.linalg.solve(G - lam * eye, w)
        lam += (1 - np.linalg.norm(w) / np.sqrt(n)) * (w @ w) / slope
    return V @ np.linalg.solve(G - lam * eye, b)
