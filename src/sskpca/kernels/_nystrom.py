r"""Nyström features: a kernel approximated by its values against a few landmarks.

.. math:: k(x, y) \approx a(x)^\top a(y), \qquad a(x) = \Lambda^{-1/2} U^\top k_L(x), \quad K_{LL} = U \Lambda U^\top,

with :math:`k_L(x)` the kernel values against the landmarks L. It is the kernel of the orthogonal projection onto the
span of the landmarks: never larger than k, exact on the landmarks, and with all rows as landmarks exact on the data.
"""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Column, Indices, LandmarksLike, Matrix
from sskpca._linalg.eigen import numerical_rank, symmetric_eigen
from sskpca._parameters import check_count
from sskpca.kernels._base import FeatureKernel, Kernel, KernelValueError, finite_rows
from sskpca.kernels._fitted import Factors, FittedFeatures, FittedKernel
from sskpca.rows import Rows
from sskpca.rows._arrays import canonical_order, rows_of
from sskpca.rows._source import block_size, blocks_of

__all__ = ["FittedNystrom", "Nystrom"]

LANDMARKS = ("uniform", "sorted")
# Rows that are not landmarks, on which the missed variance is measured.
N_CHECKS = 100
# A negative eigenvalue beyond this share of the largest is no rounding error, not even of single precision.
NEGATIVE = 1e-6
# Single precision is used for rows in it if it changes features by no more than this.
SINGLE = 1e-5
# Up to so many columns a sparse block is made dense: products of arrays are faster by far.
FEW_COLUMNS = 2000


@dataclass(frozen=True, eq=False, repr=False)
class FittedNystrom(FittedFeatures):
    """Features by landmarks.

    Attributes
    ----------
    kernel_ : FittedKernel
        Fitted to the landmarks.
    landmarks_ : ndarray of shape (n_landmarks,)
        Row numbers; empty if the landmarks were given.
    whitening_ : ndarray of shape (n_landmarks, n_features_out)
        Makes features of kernel values.
    condition_ : float
        Ratio of the largest to the smallest eigenvalue of the landmarks' kernel matrix that is used.
    missed_ : float
        Share of the variance that the features miss, measured on a hundred rows that are not landmarks; 0 if there are
        none.
    single : bool
        Whether single precision is good enough for rows in it.
    """

    kernel_: FittedKernel
    landmarks_: Indices
    whitening_: Array
    condition_: float
    missed_: float
    single: bool

    def kernel_values(self, X: Matrix) -> Array:
        """Return kernel values of rows against the landmarks; features are these times `whitening_`.

        For rows in single precision in single precision, where that is good enough.
        """
        return _values(self.kernel_, X, self.single)

    @property
    def factors(self) -> Factors:
        """The features as kernel values times the whitening."""
        return Factors(self.kernel_values, self.whitening_, self.condition_)

    def contracted(self, weights: Array) -> "FittedNystrom":
        """Return functions as features."""
        return replace(self, whitening_=weights)

    def features(self, X: Matrix) -> Array:
        """Return the features of rows, in blocks."""
        p, q = self.whitening_.shape
        size = block_size(p)
        if X.shape[0] <= size:
            return np.asarray(self.kernel_values(X) @ self.whitening_)
        out = np.empty((X.shape[0], q))
        for block, first in blocks_of(X, size):
            out[first : first + size] = self.kernel_values(block) @ self.whitening_
        return out


def _values(kernel: FittedKernel, X: Matrix, single: bool) -> Column:
    X = _dense(X)
    return np.asarray(kernel.cross_single(X) if single and X.dtype == np.float32 else kernel.cross(X))


def _dense(X: Matrix) -> Matrix:
    """Return a sparse block of few columns as an array."""
    return X.toarray() if scipy.sparse.issparse(X) and X.shape[1] <= FEW_COLUMNS else X


@dataclass(eq=False, repr=False)
class Nystrom(FeatureKernel):
    """A kernel by features of a few landmarks: time and memory grow with the rows, not with their square.

    Parameters
    ----------
    kernel : Kernel
        A kernel of two rows alone: no graph, no matrix. What it learns from the data, a bandwidth say, it learns
        from the landmarks.
    n_landmarks : int, default=500
        At most; with as many rows, or fewer, all of them.
    landmarks : {"uniform", "sorted"} or array of shape (n_landmarks, n_features), default="uniform"
        "uniform" draws row numbers, whether the rows are in memory or not; "sorted" draws from the sorted rows, which
        must be in memory, so that permuted rows have the same landmarks. An array holds the landmarks themselves; then
        `n_landmarks` does not count.
    random_state : int, default=0
        Random seed for the choice of landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Gaussian, Nystrom
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> fitted, A = Nystrom(Gaussian(gamma=1.0), n_landmarks=20).fit_features(X)
    >>> A.shape, fitted.landmarks_.shape
    ((200, 20), (20,))
    """

    kernel: Kernel
    n_landmarks: int = 500
    _: KW_ONLY
    landmarks: LandmarksLike = "uniform"
    random_state: int = 0

    from_some_rows = True

    def width(self, n_rows: int) -> int:
        """Return the number of landmarks, at most."""
        number = check_count(self, "n_landmarks", self.n_landmarks)
        return number if isinstance(self.landmarks, str) else len(self.landmarks)

    def fit(self, X: Matrix | Rows) -> FittedNystrom:
        """Choose the landmarks and learn the map to features, from them and a hundred rows more."""
        rows = rows_of(X)
        self._check(rows)
        numbers, chosen, checked = self._drawn(rows)
        p = chosen.shape[0]
        kernel, K = self.kernel.fit_gram(chosen)
        values, U = symmetric_eigen(K, overwrite=True)
        if values[-1] < -NEGATIVE * np.abs(values).max():
            raise KernelValueError(
                f"Nystrom: {self.kernel!r} has negative eigenvalues on the landmarks: it is not positive semi-definite."
            )
        q = numerical_rank(values, p)
        if q == 0:
            raise KernelValueError(
                f"Nystrom: {self.kernel!r} is zero on all {p} landmarks; raise n_landmarks or change random_state."
            )
        whitening = U[:, :q] / np.sqrt(values[:q])
        condition = float(values[0] / values[q - 1])
        # Rounding of single precision in kernel values, as the whitening magnifies it.
        rounding = np.finfo(np.float32).eps * max(0.5, kernel.largest_exponent)
        single = bool(rounding * np.sqrt(p * float(np.mean(values)) / float(values[q - 1])) <= SINGLE)
        missed = 0.0
        if checked.shape[0]:
            total = U[:, :q].sum(axis=0) * np.sqrt(values[:q])  # of the landmarks' features
            missed = _missed(kernel.diagonal(checked), _values(kernel, checked, single) @ whitening, total, p)
        return FittedNystrom(self, kernel, numbers, whitening, condition, missed, single)

    def _drawn(self, rows: Rows) -> tuple[Indices, Matrix, Matrix]:
        """Return the row numbers of the landmarks, the landmarks, and rows to measure on what they miss."""
        order = np.random.default_rng(int(self.random_state)).permutation(rows.n_rows)
        if not isinstance(self.landmarks, str):
            checks = np.sort(order[:N_CHECKS])
            chosen = np.asarray(self.landmarks, dtype=np.float64)
            return np.empty(0, dtype=np.intp), chosen, finite_rows(_dense(rows.take(checks)), checks)
        p = min(int(self.n_landmarks), rows.n_rows)
        if self.landmarks == "sorted":
            order = canonical_order(rows)[order]
        else:
            order[:p].sort()
        fetched = order[: p + N_CHECKS]
        both = finite_rows(_dense(rows.take(fetched)), fetched)
        return order[:p], both[:p], both[p:]

    def _check(self, rows: Rows) -> None:
        check_count(self, "n_landmarks", self.n_landmarks)
        check_count(self, "random_state", self.random_state, least=0)
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
        whole = sorted({type(part).__name__ for part in self.kernel.parts if part.needs_all_rows or part.by_features})
        if whole:
            raise ValueError(
                f'Nystrom: {", ".join(whole)} needs all rows at once, not landmarks; use coordinates="exact".'
            )


def _missed(diagonal: Array, A: Array, total: Array, p: int) -> float:
    """Return the share of the variance of some rows that their features A miss."""
    own = float(np.sum(diagonal))
    # Variance about the mean of landmarks and these rows together: of few rows alone it would be too small.
    mean = (total + A.sum(axis=0)) / (p + len(A))
    variance = own - len(A) * float(mean @ mean)
    return float(np.clip((own - float(np.sum(A**2))) / variance, 0.0, 1.0)) if variance > 0 else 0.0
