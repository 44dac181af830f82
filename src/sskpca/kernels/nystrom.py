r"""Nyström features: a kernel seen from a few landmarks.

.. math:: k(x, y) \approx a(x)^\top a(y), \qquad a(x) = \Lambda^{-1/2} U^\top k_L(x), \quad K_{LL} = U \Lambda U^\top,

with :math:`k_L(x)` the kernel values against the landmarks L. It is the kernel of the orthogonal projection onto the
span of the landmarks: never larger than k, exact on the landmarks, and with all rows as landmarks exact on the data.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import MiniBatchKMeans

from sskpca.kernels.algebra import KernelAlgebra, Mixture, Scaled, Sum, explicit
from sskpca.kernels.base import KernelValueError
from sskpca.kernels.given import Precomputed
from sskpca.kernels.manifold import ManifoldRegularized
from sskpca.linalg.array import Array, Indices
from sskpca.linalg.eigen import numerical_rank, symmetric_eigen

__all__ = ["Nystrom", "by_landmarks"]

# Rows that are no landmarks, on which it is measured what the features miss.
N_CHECKS = 100
# A negative eigenvalue beyond this share of the largest is no rounding error, not even of single precision.
NEGATIVE = 1e-6
# Entries of a block of kernel values: 64 MB.
BLOCK = 8_000_000


def by_landmarks(kernel: Any, n_landmarks: int, random_state: int = 0) -> Any:
    """Make a kernel explicit: what has no features of its own gets those of landmarks.

    Parameters
    ----------
    kernel : Kernel
    n_landmarks, random_state
        Of `Nystrom`.

    Examples
    --------
    >>> from sskpca.kernels import Diffusion, Gaussian
    >>> by_landmarks(Gaussian(), 100) + by_landmarks(Diffusion(), 100)
    Sum(first=Nystrom(kernel=Gaussian(), n_landmarks=100), second=Diffusion())
    """
    if explicit(kernel):
        return clone(kernel)
    if isinstance(kernel, Scaled):
        return Scaled(by_landmarks(kernel.kernel, n_landmarks, random_state), kernel.weight)
    if isinstance(kernel, Sum | Mixture):
        first, second = (by_landmarks(part, n_landmarks, random_state) for part in (kernel.first, kernel.second))
        return Sum(first, second) if isinstance(kernel, Sum) else Mixture(first, second, kernel.weight)
    return Nystrom(clone(kernel), n_landmarks, random_state=random_state)


def _parts(kernel: Any) -> Iterator[Any]:
    """Yield the kernels that a kernel is made of."""
    if isinstance(kernel, Scaled):
        yield from _parts(kernel.kernel)
    elif isinstance(kernel, Sum | Mixture):
        yield from _parts(kernel.first)
        yield from _parts(kernel.second)
    else:
        yield kernel


def _needs_all_rows(kernel: Any) -> bool:
    """Say whether a kernel is of a graph of the rows, or of their matrix."""
    return explicit(kernel) or isinstance(kernel, Precomputed | ManifoldRegularized)


class Nystrom(KernelAlgebra, BaseEstimator):
    """A kernel by features of a few landmarks: time and memory grow with the rows, not with their square.

    Parameters
    ----------
    kernel : Kernel
        Which kernel, of two rows alone: no graph, no matrix. What it learns from the data, a bandwidth say, it learns
        from the landmarks and a hundred rows more.
    n_landmarks : int, default=500
        At most; with as many rows, or fewer, all of them.
    landmarks : {"uniform", "kmeans"}, default="uniform"
        Rows drawn at random, or the rows next to the centres of clusters, which cover the data more evenly and take
        longer to find.
    random_state : int, default=0
        Of the draw.

    Attributes
    ----------
    kernel_ : Kernel
        Fitted to the landmarks.
    landmarks_ : ndarray of shape (n_landmarks,)
        Row numbers.
    missed_ : float
        Share of the variance that the features miss, measured on rows that are no landmarks; 0 if there are none.

    Examples
    --------
    >>> from sskpca.kernels import Gaussian
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> kernel = Nystrom(Gaussian(gamma=1.0), n_landmarks=20)
    >>> kernel.fit_features(X).shape
    (200, 20)
    """

    def __init__(
        self, kernel: Any, n_landmarks: int = 500, *, landmarks: str = "uniform", random_state: int = 0
    ) -> None:
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state

    def fit_features(self, X: Any) -> Array:
        """Choose the landmarks and return the features of the data."""
        n = X.shape[0]
        self._check()
        p = min(int(self.n_landmarks), n)
        rng = np.random.default_rng(int(self.random_state))
        order = self._chosen(X, p, rng)
        checks = order[p : p + N_CHECKS]
        self.landmarks_ = np.sort(order[:p])
        self.kernel_: Any = clone(self.kernel)
        # The checks sit behind the landmarks, so that the kernel can be asked for their values too.
        K = self.kernel_.fit_gram(X[np.concatenate([self.landmarks_, checks])])
        values, U = symmetric_eigen(K[:p, :p].copy(), overwrite=True)
        if values[-1] < -NEGATIVE * np.abs(values).max():
            raise KernelValueError(
                f"Nystrom: {self.kernel!r} has negative eigenvalues on the landmarks: it is not positive semi-definite."
            )
        q = numerical_rank(values, p)
        if q == 0:
            raise KernelValueError(
                f"Nystrom: {self.kernel!r} is zero on all {p} landmarks; raise n_landmarks or change random_state."
            )
        self._map: Array = U[:, :q] / np.sqrt(values[:q])
        # Variance about the mean of landmarks and checks together: of few checks alone it would be too small.
        total = float(np.trace(K[p:, p:])) - len(checks) * float(K.mean())
        left = float(np.trace(K[p:, p:])) - float(np.sum((K[p:, :p] @ self._map) ** 2))
        self.missed_ = float(np.clip(left / total, 0.0, 1.0)) if total > 0 else 0.0
        return self.features(X)

    def _check(self) -> None:
        if not isinstance(self.n_landmarks, Integral) or isinstance(self.n_landmarks, bool) or self.n_landmarks < 1:
            raise ValueError(f"Nystrom: n_landmarks must be a whole number from 1 up, got {self.n_landmarks!r}.")
        seed = self.random_state
        if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
            raise ValueError(f"Nystrom: random_state must be a whole number from 0 up, got {seed!r}.")
        if self.landmarks not in ("uniform", "kmeans"):
            raise ValueError(f'Nystrom: landmarks must be "uniform" or "kmeans", got {self.landmarks!r}.')
        whole = sorted({type(part).__name__ for part in _parts(self.kernel) if _needs_all_rows(part)})
        if whole:
            raise ValueError(f"Nystrom: {', '.join(whole)} needs all rows at once, not landmarks; use it as it is.")

    def features(self, X: Any) -> Array:
        """Return the features of points, in blocks."""
        p, q = self._map.shape
        out = np.empty((X.shape[0], q))
        step = max(1, BLOCK // (p + N_CHECKS))
        for start in range(0, len(out), step):
            rows = slice(start, start + step)
            out[rows] = self.kernel_.cross(X[rows])[:, :p] @ self._map
        return out

    def fit_gram(self, X: Any) -> Array:
        """Choose the landmarks and return the kernel matrix of the features."""
        self._data = self.fit_features(X)
        return np.asarray(self._data @ self._data.T)

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points against the data."""
        return np.asarray(self.features(X) @ self._data.T)

    def _chosen(self, X: Any, p: int, rng: np.random.Generator) -> Indices:
        """Order the rows: the landmarks first, then the others at random."""
        order = rng.permutation(X.shape[0])
        if self.landmarks == "uniform" or p == X.shape[0]:
            return order
        seed = int(rng.integers(2**31))
        centres = MiniBatchKMeans(p, random_state=seed, n_init=1, max_iter=20, batch_size=max(4 * p, 1024)).fit(X)
        distance = np.full(p, np.inf)
        nearest = np.full(p, -1)
        step = max(1, BLOCK // p)
        for start in range(0, len(order), step):
            rows = order[start : start + step]
            D = centres.transform(X[rows])
            best = np.argmin(D, axis=0)
            closer = D[best, np.arange(p)] < distance
            distance[closer], nearest[closer] = D[best, np.arange(p)][closer], rows[best[closer]]
        # Two centres may have the same row next to them: others, at random, make up the number.
        chosen = np.unique(nearest)
        return np.concatenate([chosen, order[~np.isin(order, chosen)]])
