r"""Kernels of the distance: Gaussian, of numbers or of their ranks, and Laplacian."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray
from scipy.special import ndtri
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._linalg.distances import distances, few
from sskpca._parameters import check_number
from sskpca.kernels._base import MatrixKernel, dense, finite
from sskpca.kernels._fitted import FittedUnit
from sskpca.rows._source import blocks_of

__all__ = ["FittedGaussian", "Gaussian", "GaussianRanks", "Laplacian", "median_off_diagonal"]


# Rows of a matrix that stay in the cache while several operations are done on them.
CACHED = 256
# Up to so many rows the ranks of all columns are found at once.
FEW_SCORED = 8


def median_off_diagonal(D: Array) -> float:
    """Return the median entry of a symmetric matrix off its diagonal, exactly and in little memory.

    A sample gives two values that enclose the median; one pass counts what is below them and
    collects what is between, which is sorted.

    Examples
    --------
    >>> median_off_diagonal(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 9.0], [2.0, 9.0, 0.0]]))
    2.0
    """
    n = len(D)
    if n < 2:
        return 0.0
    pairs = n * (n - 1) // 2
    upper = [D[i, i + 1 :] for i in range(n - 1)]
    if pairs <= 200_000:
        return float(np.median(np.concatenate(upper)))
    sample = np.sort(np.concatenate([row[:: max(1, pairs // 50_000)] for row in upper]))
    low, high = sample[[int(0.48 * len(sample)), int(0.52 * len(sample))]]
    below = sum(int(np.count_nonzero(row < low)) for row in upper)
    between = np.sort(np.concatenate([row[(row >= low) & (row <= high)] for row in upper]))
    first, second = (pairs - 1) // 2 - below, pairs // 2 - below
    if first < 0 or second >= len(between):  # the sample misled us
        return float(np.median(np.concatenate(upper)))
    return float((between[first] + between[second]) / 2)


def _squared_distances(X: Matrix) -> Array:
    """Return the squared distances of all rows: scikit-learn's formula in place, with a third of the memory traffic."""
    if scipy.sparse.issparse(X):
        return np.asarray(euclidean_distances(X, squared=True))
    D = X @ X.T
    norms = np.diag(D).copy()
    for block, start in blocks_of(D, CACHED):
        block *= -2
        block += norms
        block += norms[start : start + CACHED, None]
        np.maximum(block, 0.0, out=block)
    np.fill_diagonal(D, 0.0)
    return np.asarray(D)


def _bandwidth(gamma: object, D: Array, kernel: str) -> float:
    """Return the number that `gamma` stands for; D are the distances that the kernel decays with."""
    if isinstance(gamma, str) and gamma == "median":
        # If more than half of all pairs coincide, the mean is the next best scale; if all do, any will do.
        scale = median_off_diagonal(D) or float(D.mean()) or 1.0
        if scale < np.finfo(float).tiny * 4:
            raise ValueError(f"{kernel}: the features are too small for floating point arithmetic; rescale them.")
        return 1 / scale
    if isinstance(gamma, Real) and not isinstance(gamma, bool) and 0 < float(gamma) < np.inf:
        return float(gamma)
    raise ValueError(f'{kernel}: gamma must be "median" or a positive number, got {gamma!r}.')


@dataclass(frozen=True, eq=False, repr=False)
class FittedGaussian(FittedUnit):
    """A Gaussian kernel of given bandwidth against rows.

    Attributes
    ----------
    rows : ndarray or csr_matrix
        The data, less their center.
    center : ndarray of shape (n_columns,) or None
        None for sparse rows, which are not shifted.
    gamma_ : float
        The bandwidth parameter used.
    """

    rows: Matrix
    center: Array | None
    gamma_: float

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        if scipy.sparse.issparse(self.rows):
            D = euclidean_distances(_shifted(X, self.center), self.rows, squared=True)
            D *= -self.gamma_
            return np.asarray(np.exp(D, out=D))
        X = _shifted(X, self.center)
        if few(X, self.rows):
            return np.asarray(np.exp(-self.gamma_ * distances(X, self.rows, "sqeuclidean")))
        return self._dense(X)

    def cross_single(self, X: Matrix) -> NDArray[np.floating]:
        """Return kernel values of rows in single precision."""
        return self._dense(_shifted(X, self.center), np.float32)

    @property
    def largest_exponent(self) -> float:
        """The largest exponent that the data have with the origin: what rounding errors are relative to."""
        if scipy.sparse.issparse(self.rows):
            return float("inf")
        return self.gamma_ * float(np.einsum("ij,ij->i", self.rows, self.rows).max())

    def _dense(self, X: Array, kind: DTypeLike = np.float64) -> Array:
        """Evaluate the kernel by one product, with the norms as two more columns: memory is gone through once.

        Scaled before it is rounded to the wanted precision, so that the squares are in its range.
        """
        root = np.sqrt(self.gamma_)
        X, Y = root * X, root * self.rows
        left = np.empty((len(X), X.shape[1] + 2), dtype=kind)
        right = np.empty((len(Y), X.shape[1] + 2), dtype=kind)
        left[:, :-2], right[:, :-2] = X, 2 * Y
        left[:, -1], right[:, -1] = 1.0, -np.einsum("ij,ij->i", Y, Y)
        with np.errstate(over="ignore", invalid="ignore"):  # infinitely far, or missing: checked later
            left[:, -2], right[:, -2] = -np.einsum("ij,ij->i", X, X), 1.0
            K = left @ right.T
        np.minimum(K, 0.0, out=K)
        return np.asarray(np.exp(K, out=K))


def _shifted(X: Matrix, center: Array | None) -> Matrix:
    if center is None:
        return X.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return dense(X) - center


@dataclass(eq=False, repr=False)
class Gaussian(MatrixKernel):
    r"""The Gaussian kernel.

    .. math:: k(x, y) = \exp(-\gamma \|x - y\|^2)

    Parameters
    ----------
    gamma : float or "median", default="median"
        "median" is one over the median squared distance between different rows of the data.
    factor : float, default=1.0
        Multiplies `gamma`: larger than 1 for a narrower kernel than the median's.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Gaussian
    >>> fitted, K = Gaussian(gamma=0.5).fit_gram(np.array([[0.0], [2.0]]))
    >>> K.round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    >>> fitted.gamma_, fitted.cross(np.array([[2.0]])).round(3)
    (0.5, array([[0.135, 1.   ]]))
    """

    gamma: float | str = "median"
    factor: float = 1.0

    def fit_gram(self, X: Matrix) -> tuple[FittedGaussian, Array]:
        """Learn the bandwidth, and return the kernel matrix, too."""
        factor = check_number(self, "factor", self.factor, limited=False)
        # Distances do not change with a shift; their floating point evaluation does, and small numbers are better.
        # (The median, since a single outlier would carry the mean away.)
        center = None if scipy.sparse.issparse(X) else np.median(X, axis=0).astype(np.float64)
        rows = _shifted(X, center)
        with np.errstate(over="ignore", invalid="ignore"):
            D = finite(_squared_distances(rows), self)
        gamma = factor * _bandwidth(self.gamma, D, "Gaussian")
        D *= -gamma
        return FittedGaussian(self, rows, center, gamma), np.asarray(np.exp(D, out=D))

    def from_other(self, other: FittedGaussian, K: Array) -> tuple[FittedGaussian, Array]:
        """Return what `fit_gram` would, from a kernel that differs by its factor only: distances are found once."""
        assert isinstance(other.spec, Gaussian)
        ratio = check_number(self, "factor", self.factor, limited=False) / other.spec.factor
        fitted, powered = FittedGaussian(self, other.rows, other.center, ratio * other.gamma_), K.copy()
        while ratio >= 2:  # a product is far quicker than a power
            powered *= powered
            ratio /= 2
        return fitted, powered if ratio == 1 else powered**ratio


@dataclass(frozen=True, eq=False, repr=False)
class FittedRanks(FittedUnit):
    """A Gaussian kernel of normal scores against rows.

    Attributes
    ----------
    values, scores : tuple of ndarray
        The distinct numbers of each column, ascending, and their scores.
    gaussian : FittedGaussian
        Of the scores.
    """

    values: tuple[Array, ...]
    scores: tuple[Array, ...]
    gaussian: FittedGaussian

    @property
    def gamma_(self) -> float:
        """The bandwidth parameter used, of the scores."""
        return self.gaussian.gamma_

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return self.gaussian.cross(_scored(X, self.values, self.scores))


@dataclass(eq=False, repr=False)
class GaussianRanks(MatrixKernel):
    r"""The Gaussian kernel of normal scores: of the ranks of numbers, not of the numbers.

    .. math:: k(x, y) = \exp\Bigl(-\gamma \sum_j (s_j(x_j) - s_j(y_j))^2\Bigr), \qquad
              s_j(v) = \Phi^{-1}(\text{share of the data below v, in column j}) / \text{their standard deviation}

    Whatever the units and the shape of a column, incomes or counts with a long tail say, its scores are normally
    distributed. Between numbers of the data scores are interpolated, beyond them they are constant.

    Parameters
    ----------
    factor : float, default=1.0
        Bandwidth parameter in units of one over the median squared distance.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import GaussianRanks
    >>> X = np.array([[1.0], [2.0], [3.0], [1000.0]])
    >>> K = GaussianRanks().fit(X).cross(X)
    >>> bool(np.isclose(K[0, 1], K[2, 3]))  # the last gap is one rank, like the first
    True
    """

    factor: float = 1.0

    def fit_gram(self, X: Matrix) -> tuple[FittedRanks, Array]:
        """Learn the ranks and the bandwidth, and return the kernel matrix, too."""
        columns = [np.unique(column, return_counts=True) for column in dense(X).T]
        values = tuple(values for values, _ in columns)
        scores = tuple(_normal_scores(counts) for _, counts in columns)
        gaussian, K = Gaussian(factor=self.factor).fit_gram(_scored(X, values, scores))
        return FittedRanks(self, values, scores, gaussian), K


def _scored(X: Matrix, values: tuple[Array, ...], scores: tuple[Array, ...]) -> Array:
    """Interpolate scores, in each column between the known values."""
    if X.shape[0] <= FEW_SCORED:
        return _scored_at_once(dense(X), values, scores)
    columns = zip(dense(X).T, values, scores, strict=True)
    return np.column_stack([np.interp(column, known, score) for column, known, score in columns])


def _scored_at_once(X: Array, values: tuple[Array, ...], scores: tuple[Array, ...]) -> Array:
    """Interpolate all columns at once, by bisection: for few rows a call a column would take longer."""
    known, score = np.concatenate(values), np.concatenate(scores)
    sizes = np.array([len(column) for column in values])
    last = np.cumsum(sizes) - 1
    low = np.broadcast_to(last - sizes + 1, X.shape)  # at the largest known value that is not above, or the first
    high = np.broadcast_to(last, X.shape)
    for _ in range(int(sizes.max(initial=1)).bit_length()):
        middle = (low + high + 1) // 2
        above = known[middle] <= X
        low, high = np.where(above, middle, low), np.where(above, high, np.maximum(middle - 1, low))
    after = np.minimum(low + 1, last)
    inside = (known[low] < X) & (after > low)
    steps = np.where(inside, known[after] - known[low], 1.0)
    slopes = np.where(inside, score[after] - score[low], 0.0) / steps
    return np.asarray(slopes * np.where(inside, X - known[low], 0.0) + score[low])


def _normal_scores(counts: Indices) -> Array:
    """Return the scores of distinct numbers, ascending, that occur so often: of the middle of their ranks."""
    n = counts.sum()
    scores = ndtri((np.cumsum(counts) - counts / 2) / n)
    mean = counts @ scores / n
    spread = np.sqrt(counts @ (scores - mean) ** 2 / n)
    return np.asarray((scores - mean) / spread if spread > 0 else np.zeros(len(scores)))


def _short_indices(X: Matrix) -> Matrix:
    """Return a sparse matrix with the 32-bit indices that scikit-learn's Manhattan distances need."""
    if scipy.sparse.issparse(X) and X.indices.dtype != np.int32 and max(*X.shape, X.nnz) < 2**31:
        return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


@dataclass(frozen=True, eq=False, repr=False)
class FittedLaplacian(FittedUnit):
    """A Laplacian kernel of given bandwidth against rows.

    Attributes
    ----------
    rows : ndarray or csr_matrix
    gamma_ : float
        The bandwidth parameter used.
    """

    rows: Matrix
    gamma_: float

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        if few(X, self.rows):
            return np.asarray(np.exp(-self.gamma_ * distances(X, self.rows, "cityblock")))
        D = np.asarray(manhattan_distances(_short_indices(X), self.rows), dtype=np.float64)
        D *= -self.gamma_
        return np.asarray(np.exp(D, out=D))


@dataclass(eq=False, repr=False)
class Laplacian(MatrixKernel):
    r"""The Laplacian kernel of the Manhattan distance.

    .. math:: k(x, y) = \exp(-\gamma \|x - y\|_1)

    Parameters
    ----------
    gamma : float or "median", default="median"
        "median" is one over the median distance between different rows of the data.
    factor : float, default=1.0
        Multiplies `gamma`: larger than 1 for a narrower kernel than the median's.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Laplacian
    >>> Laplacian(gamma=0.5).fit_gram(np.array([[0.0], [2.0]]))[1].round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    gamma: float | str = "median"
    factor: float = 1.0

    def fit_gram(self, X: Matrix) -> tuple[FittedLaplacian, Array]:
        """Learn the bandwidth, and return the kernel matrix, too."""
        factor = check_number(self, "factor", self.factor, limited=False)
        rows = _short_indices(X).copy()
        with np.errstate(over="ignore", invalid="ignore"):
            D = finite(np.asarray(manhattan_distances(rows, rows), dtype=np.float64), self)
        gamma = factor * _bandwidth(self.gamma, D, "Laplacian")
        D *= -gamma
        return FittedLaplacian(self, rows, gamma), np.asarray(np.exp(D, out=D))
