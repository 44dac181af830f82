"""Two moons: the toy data of the paper's figures."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["make_two_moons"]


def make_two_moons(
    n_samples: int = 200,
    *,
    n_labeled: int = 4,
    noise: float = 0.1,
    random_state: int | np.random.Generator | None = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Draw two interleaved half circles of which a few points are labelled.

    Parameters
    ----------
    n_samples : int, default=200
        Number of points.
    n_labeled : int, default=4
        Labelled points of each class, spread evenly along the moon.
    noise : float, default=0.1
        Standard deviation around the half circle of radius 1.
    random_state : int, Generator or None, default=0
        Random seed for the noise.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        0 and 1 where labelled, -1 elsewhere.
    target : ndarray of shape (n_samples,)
        The true classes.

    Examples
    --------
    >>> from sskpca.datasets import make_two_moons
    >>> X, y, target = make_two_moons(100)
    >>> X.shape, int((y >= 0).sum()), int((y == target).sum())
    ((100, 2), 8, 8)
    """
    if n_labeled < 0 or 2 * max(n_labeled, 1) > n_samples:
        raise ValueError(f"cannot label {n_labeled} points of each class among {n_samples} samples.")
    rng = np.random.default_rng(random_state)
    sizes = n_samples - n_samples // 2, n_samples // 2
    angles = [np.linspace(0, np.pi, size) for size in sizes]
    upper = np.column_stack([np.cos(angles[0]), np.sin(angles[0])])
    lower = np.column_stack([1 - np.cos(angles[1]), 0.5 - np.sin(angles[1])])
    X = np.vstack([upper, lower]) + noise * rng.standard_normal((n_samples, 2))
    target = np.repeat([0, 1], sizes)
    y = np.full(n_samples, -1)
    for start, size in ((0, sizes[0]), (sizes[0], sizes[1])):
        # The middles of equal pieces: evenly spread, never the tips.
        chosen = start + ((np.arange(n_labeled) + 0.5) * size / max(n_labeled, 1)).astype(int)
        y[chosen] = target[chosen]
    order = rng.permutation(n_samples)
    return X[order], y[order], target[order]
