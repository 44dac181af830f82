"""LS-KPCA the slow and obvious way, twice: LAPACK's generalised eigenproblem with bisection, and the paper's pencil."""

import mpmath
import numpy as np
import scipy.linalg


def objective(coef, B, t, c):
    return coef @ coef + np.sum(c * (B @ coef - t) ** 2)


def by_bisection(B, d, t, c, s2):
    """Diagonalise (C, D) with LAPACK, bisect the secular equation, return the best objective."""
    C = np.eye(len(d)) + c * B.T @ B
    theta, V = scipy.linalg.eigh(np.diag(d), C)
    theta, V = theta[::-1], V[:, ::-1]
    e = V.T @ (c * B.T @ t)
    lead = theta > theta[0] * (1 - 1e-10)

    def point(gap):
        return e / ((1 - theta / theta[0]) * ~lead + gap * theta / theta[0])

    low, high = 1e-13, 1.0
    while theta @ point(high) ** 2 > s2:
        high *= 2
    if theta @ point(low) ** 2 < s2:  # hard, or so nearly that double precision does not tell
        x = np.where(lead, 0.0, e / np.where(lead, 1.0, 1 - theta / theta[0]))
        x[0] = np.sqrt(max(s2 - theta @ x**2, 0) / theta[0])
    else:
        for _ in range(200):
            middle = np.sqrt(low * high)
            low, high = (middle, high) if theta @ point(middle) ** 2 > s2 else (low, middle)
        x = point(high)
    coef = V @ x
    coef *= np.sqrt(s2 / (coef @ (d * coef)))
    return objective(coef, B, t, c)


def by_the_papers_pencil(K, labeled, t, c, s2):
    """Solve the 2m by 2m generalised eigenproblem of the paper in the dual coefficients; return f on the data."""
    m = len(K)
    K_L = K[labeled]
    P = K.T @ K - K.T @ np.full((m, m), 1 / m) @ K
    C = K + c * K_L.T @ K_L
    b = c * K_L.T @ t
    zeros = np.zeros((m, m))
    above, below = scipy.linalg.eigvals(
        np.block([[C, -P], [-np.outer(b, b) / s2, C]]),
        np.block([[P, zeros], [zeros, P]]),
        homogeneous_eigvals=True,
    )
    finite = np.abs(below) > 1e-9 * np.abs(below).max()  # P is singular: constants have no variance
    zeta = above[finite] / below[finite]
    real = zeta[np.abs(zeta.imag) <= 1e-6 * np.abs(zeta.real)].real
    return K @ np.linalg.solve(C - real.min() * P, b)


def in_sixty_digits(B, d, t, c, s2):
    """Solve small problems in multiple precision; return the optimal objective as a float."""
    with mpmath.workdps(60):
        n = len(d)
        mB = mpmath.matrix(B.tolist())
        mt, mc, ms2 = mpmath.matrix(t.tolist()), mpmath.mpf(c), mpmath.mpf(s2)
        C = mpmath.eye(n) + mc * (mB.T * mB)
        b = mc * (mB.T * mt)
        w, U = mpmath.eigsy(C)
        half = U * mpmath.diag([1 / mpmath.sqrt(x) for x in w]) * U.T
        theta, V = mpmath.eigsy(half * mpmath.diag([mpmath.mpf(x) for x in d]) * half)
        e = (half * V).T * b
        theta = [theta[i] for i in range(n)]
        top = max(theta)
        lead = [x > top * (1 - mpmath.mpf(10) ** -40) for x in theta]

        def x_at(gap):
            return [e[i] / ((0 if lead[i] else 1 - theta[i] / top) + gap * theta[i] / top) for i in range(n)]

        def phi(gap):
            return sum(theta[i] * x**2 for i, x in enumerate(x_at(gap)))

        low, high = mpmath.mpf(10) ** -45, mpmath.mpf(1)
        while phi(high) > ms2:
            high *= 4
        if phi(low) < ms2:
            x = [mpmath.mpf(0) if lead[i] else e[i] / (1 - theta[i] / top) for i in range(n)]
            missing = ms2 - sum(theta[i] * x[i] ** 2 for i in range(n))
            x[lead.index(True)] = mpmath.sqrt(missing / top)
        else:
            for _ in range(220):
                middle = mpmath.sqrt(low * high)
                low, high = (middle, high) if phi(middle) > ms2 else (low, middle)
            x = x_at(high)
        # |x|^2 - 2 e'x + c |t|^2, as C is the identity in this basis
        value = sum(xi**2 for xi in x) - 2 * sum(x[i] * e[i] for i in range(n))
        return float(value + mc * (mt.T * mt)[0])
