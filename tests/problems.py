"""Random problems (B, d, t, c, s^2) of every kind that is known to be nasty."""

from typing import NamedTuple

import numpy as np

from sskpca.coordinates import exact_coordinates

KINDS = ("plain", "repeated", "hard", "nearly hard", "duplicates", "rank deficient", "steep")


class Problem(NamedTuple):
    B: np.ndarray
    d: np.ndarray
    t: np.ndarray
    c: float
    s2: float
    kind: str


def draw(seed: int, *, weights: tuple[float, float] = (-6, 6)) -> Problem:
    """Draw a problem of 5 to 60 points; c over 12 decades, s^2 over 6."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(5, 61))
    n_labeled = int(rng.integers(2, n + 1)) if rng.random() < 0.8 else n
    if kind in ("duplicates", "rank deficient"):
        X = rng.standard_normal((n, int(rng.integers(1, 4))))
        if kind == "duplicates":
            X[n // 2 :] = X[: n - n // 2]
            D2 = ((X[:, None] - X[None]) ** 2).sum(-1)
            K = np.exp(-(10 ** rng.uniform(-1, 1)) * D2)
        else:
            K = X @ X.T
        coordinates = exact_coordinates(K, lambda X: X, centered=bool(rng.integers(2)))
        d, B = coordinates.variances, coordinates.values[rng.permutation(n)[:n_labeled]]
    else:
        spread = (-6, 2) if kind == "steep" else (-2, 1)
        d = np.sort(10 ** rng.uniform(*spread, n))[::-1].copy()
        if kind == "repeated":
            d[: int(rng.integers(2, n))] = d[0]
        if rng.random() < 0.5:
            d[-1] = 0.0
        B = rng.standard_normal((n_labeled, n)) * np.sqrt(np.maximum(d, 1e-3) / n)
        multiplicity = int(rng.integers(1, 3))
        if kind == "hard":
            d[:multiplicity] = d[0]
            B[:, :multiplicity] = 0.0
        elif kind == "nearly hard":
            B[:, :multiplicity] *= 10 ** rng.uniform(-14, -4)
    t = np.where(rng.random(n_labeled) < rng.uniform(0.2, 0.8), 1.0, -1.0)
    t[:2] = 1.0, -1.0
    return Problem(B, d, t, 10 ** rng.uniform(*weights), 10 ** rng.uniform(-3, 3), kind)


def feasible_points(p: Problem, near: np.ndarray, rng: np.random.Generator, number: int) -> np.ndarray:
    """Sample coefficients of the right variance, half of them near a given one; one point a column."""
    directions = rng.standard_normal((len(p.d), number))
    directions[:, ::2] = near[:, None] + 10 ** rng.uniform(-6, 0) * np.linalg.norm(near) * directions[:, ::2]
    return directions * np.sqrt(p.s2 / (p.d @ directions**2))
