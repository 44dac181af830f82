r"""Nyström features: a kernel seen from a few landmarks.

.. math:: k(x, y) \approx a(x)^\top a(y), \qquad a(x) = \Lambda^{-1/2} U^\top k_L(x), \quad K_{LL} = U \Lambda U^\top,

with :math:`k_L(x)` the kernel values against the landmarks L. It is the kernel of the orthogonal projection onto the
span of the landmarks: never larger than k, exact on the landmarks, and with all rows as landmarks exact on the data.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, clone

from sskpca.kernels.algebra import Mixture, Scaled, Sum, explicit
from sskpca.kernels.base import KernelValueError, finite_rows, whole_number
from sskpca.kernels.given import Precomputed
from sskpca.kernels.landmarks import LANDMARKS, choose_landmarks
from sskpca.kernels.manifold import ManifoldRegularized
from sskpca.kernels.mapped import MappedKernel
from sskpca.linalg.array import Array
from sskpca.linalg.eigen import numerical_rank, symmetric_eigen
from sskpca.rows.source import Rows

__all__ = ["Nystrom", "needs_all_rows", "parts_of"]

# Rows that are no landmarks, on which it is measured what the features miss.
N_CHECKS = 100
# A negative eigenvalue beyond this share of the largest is no rounding error, not even of single precision.
NEGATIVE = 1e-6
# Entries of a block of kernel values: 64 MB.
BLOCK = 8_000_000
# Single precision is used for rows in it if it changes features by no more than this.
SINGLE = 1e-5
# Up to so many columns a sparse block is made dense: products of arrays are faster by far.
FEW_COLUMNS = 2000


def parts_of(kernel: Any) -> Iterator[Any]:
    """Yield the kernels that a kernel is made of."""
    if isinstance(kernel, Scaled):
        yield from parts_of(kernel.kernel)
    elif isinstance(kernel, Sum | Mixture):
        yield from parts_of(kernel.first)
        yield from parts_of(kernel.second)
    else:
        yield kernel


def _dense(X: Any) -> Any:
    """Return a sparse block of few columns as an array."""
    return X.toarray() if scipy.sparse.issparse(X) and X.shape[1] <= FEW_COLUMNS else X


def needs_all_rows(kernel: Any) -> bool:
    """Say whether a kernel is of a graph of the rows, or of their matrix."""
    return explicit(kernel) or isinstance(kernel, Precomputed | ManifoldRegularized)


class Nystrom(MappedKernel, BaseEstimator):
    """A kernel by features of a few landmarks: time and memory grow with the rows, not with their square.

    Parameters
    ----------
    kernel : Kernel
        Which kernel, of two rows alone: no graph, no matrix. What it learns from the data, a bandwidth say, it learns
        from the landmarks.
    n_landmarks : int, default=500
        At most; with as many rows, or fewer, all of them.
    landmarks : {"uniform", "sorted", "kmeans", "leverage"} or array of shape (n_landmarks, n_features), \
default="uniform"
        Rows drawn at random by their numbers, in memory or not; drawn from the sorted rows, which must be in memory, so
        that permuted rows have the same landmarks; the rows next to the centres of clusters, which cover the data more
        evenly; rows drawn by approximate leverage scores, which favours what is rare. The last two look at a sample of
        the rows and take longer. Or the rows themselves; then `n_landmarks` does not count.
    random_state : int, default=0
        Of the draw.

    Attributes
    ----------
    kernel_ : Kernel
        Fitted to the landmarks.
    landmarks_ : ndarray of shape (n_landmarks,)
        Row numbers; empty if the landmarks were given.
    missed_ : float
        Share of the variance that the features miss, measured on a hundred rows that are no landmarks; 0 if there are
        none.
    whitening_ : ndarray of shape (n_landmarks, n_features_out)
        Makes features of kernel values.
    condition_ : float
        Ratio of the largest to the smallest eigenvalue of the landmarks' kernel matrix that is used.

    Examples
    --------
    >>> from sskpca.kernels import Gaussian
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> kernel = Nystrom(Gaussian(gamma=1.0), n_landmarks=20)
    >>> kernel.fit_features(X).shape
    (200, 20)
    """

    def __init__(
        self, kernel: Any, n_landmarks: int = 500, *, landmarks: Any = "uniform", random_state: int = 0
    ) -> None:
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state

    def fit_map(self, rows: Rows) -> None:
        """Choose the landmarks and learn the map to features, from them and a hundred rows more."""
        self._check(rows)
        rng = np.random.default_rng(int(self.random_state))
        if isinstance(self.landmarks, str):
            p = min(int(self.n_landmarks), rows.n_rows)
            order = choose_landmarks(rows, self.kernel, p, self.landmarks, rng)
            self.landmarks_, checks = order[:p], order[p : p + N_CHECKS]
            if self.landmarks != "sorted":
                self.landmarks_.sort()
            fetched = np.concatenate([self.landmarks_, checks])
            both = _dense(rows.take(fetched))
            finite_rows(both, fetched)
            chosen, checked = both[:p], both[p:]
        else:
            chosen = np.asarray(self.landmarks, dtype=np.float64)
            p, self.landmarks_ = len(chosen), np.empty(0, dtype=np.intp)
            fetched = np.sort(rng.permutation(rows.n_rows)[:N_CHECKS])
            checked = _dense(rows.take(fetched))
            finite_rows(checked, fetched)
        self.kernel_: Any = clone(self.kernel)
        values, U = symmetric_eigen(self.kernel_.fit_gram(chosen), overwrite=True)
        if values[-1] < -NEGATIVE * np.abs(values).max():
            raise KernelValueError(
                f"Nystrom: {self.kernel!r} has negative eigenvalues on the landmarks: it is not positive semi-definite."
            )
        q = numerical_rank(values, p)
        if q == 0:
            raise KernelValueError(
                f"Nystrom: {self.kernel!r} is zero on all {p} landmarks; raise n_landmarks or change random_state."
            )
        self.whitening_: Array = U[:, :q] / np.sqrt(values[:q])
        self.condition_ = float(values[0] / values[q - 1])
        # Rounding of single precision in kernel values, as the whitening magnifies it.
        rounding = np.finfo(np.float32).eps * max(0.5, getattr(self.kernel_, "largest_exponent", np.inf))
        self._single = bool(rounding * np.sqrt(p * float(np.mean(values)) / float(values[q - 1])) <= SINGLE)
        self._mean = U[:, :q].mean(axis=0) * np.sqrt(values[:q])  # of the landmarks' features
        self.missed_ = self._missed(checked, p) if checked.shape[0] else 0.0

    def _missed(self, checked: Any, p: int) -> float:
        own = float(np.sum(self.kernel_.diagonal(checked)))
        A = self._features(checked)
        # Variance about the mean of landmarks and checks together: of few checks alone it would be too small.
        mean = (p * self._mean + A.sum(axis=0)) / (p + len(A))
        total = own - len(A) * float(mean @ mean)
        return float(np.clip((own - float(np.sum(A**2))) / total, 0.0, 1.0)) if total > 0 else 0.0

    def _check(self, rows: Rows) -> None:
        whole_number(self.n_landmarks, "Nystrom: n_landmarks", 1)
        whole_number(self.random_state, "Nystrom: random_state", 0)
        if isinstance(self.landmarks, str):
            if self.landmarks not in LANDMARKS:
                listed = ", ".join(f'"{name}"' for name in LANDMARKS)
                raise ValueError(f"Nystrom: landmarks must be {listed} or an array of rows, got {self.landmarks!r}.")
        elif np.ndim(self.landmarks) != 2 or np.shape(self.landmarks)[1] != rows.n_columns or len(self.landmarks) == 0:
            raise ValueError(
                f"Nystrom: landmarks must be rows with the data's {rows.n_columns} columns, got an array of shape "
                f"{np.shape(self.landmarks)}."
            )
        elif not np.isfinite(np.asarray(self.landmarks, dtype=np.float64)).all():
            raise ValueError("Nystrom: the landmarks hold NaN or infinity; fill it in or leave them out.")
        whole = sorted({type(part).__name__ for part in parts_of(self.kernel) if needs_all_rows(part)})
        if whole:
            raise ValueError(
                f'Nystrom: {", ".join(whole)} needs all rows at once, not landmarks; use coordinates="exact".'
            )
        mute = [type(part).__name__ for part in parts_of(self.kernel) if not hasattr(part, "diagonal")]
        if mute:
            raise ValueError(
                f"Nystrom: {mute[0]} has no method diagonal(X), the kernel values of rows with themselves, by which it "
                "is measured what landmarks miss; add it."
            )

    def kernel_values(self, X: Any) -> Array:
        """Return kernel values of points against the landmarks; features are these times `whitening_`.

        Of rows in single precision in single precision, where that loses nothing that counts.
        """
        X = _dense(X)
        if self._single and X.dtype == np.float32:
            return np.asarray(self.kernel_.cross_single(X))
        return np.asarray(self.kernel_.cross(X))

    def _features(self, X: Any) -> Array:
        return np.asarray(self.kernel_values(X) @ self.whitening_)

    def features(self, X: Any) -> Array:
        """Return the features of points, in blocks."""
        p, q = self.whitening_.shape
        step = max(1, BLOCK // p)
        if X.shape[0] <= step:
            return self._features(X)
        out = np.empty((X.shape[0], q))
        for start in range(0, len(out), step):
            out[start : start + step] = self._features(X[start : start + step])
        return out
