r"""Principal coordinates: the change of variables after which every method is diagonal plus low rank.

A function in the span of features :math:`a(x)` is :math:`f = \sum_j \gamma_j \psi_j` with
:math:`\psi_j` orthonormal in the RKHS. On the data :math:`f(X) = Z\gamma`, its squared norm is
:math:`\|\gamma\|^2` and its variance :math:`\gamma^\top D \gamma` with D diagonal.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from sskpca._linalg.array import Array, Matrix
from sskpca._linalg.eigen import numerical_rank, symmetric_eigen
from sskpca.coordinates._values import Moments, StreamedValues, Values, held, leading_columns, rotated
from sskpca.rows._arrays import ArrayRows
from sskpca.rows._source import NoVarianceError, Rows, block_size, finite_answer

__all__ = [
    "Coordinates",
    "NoVarianceError",
    "coordinates_from_features",
    "coordinates_from_moments",
    "evaluate_features",
]

# What a block of rows costs besides its features (distances, neighbours): at least that of so many numbers a row.
LEAST_WIDTH = 256


@dataclass(frozen=True)
class Coordinates:
    r"""The principal coordinates of a data set, and the map that gives those of new points.

    Attributes
    ----------
    values : ndarray of shape (n_samples, rank), or StreamedValues
        Z, the coordinates of the data; or what gives rows of it and its products without holding it.
    variances : ndarray of shape (rank,)
        d, descending: :math:`\sum_i (z_{ij} - \bar z_j)^2`, or without :math:`\bar z_j` if not centred.
        In a centred space that holds the constants, one of them is zero.
    dual : ndarray of shape (n_features, rank)
        The coordinates of a point are its features times this matrix.
    features : callable
        Maps points to rows of features: of kernel values against reference points, or any others.
    centered : bool
        Whether variance is taken around the mean.
    total_variance : float
        Of the whole space, of which `variances` may be a part.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca import KPCA
    >>> coordinates = KPCA(kernel="linear").fit([[0.0, 0.0], [3.0, 4.0], [9.0, 12.0]]).coordinates_
    >>> coordinates.n_samples, coordinates.rank, coordinates.variances.round(3)
    (3, 1, array([116.667]))
    >>> coordinates.project(np.array([[6.0, 8.0]])).round(3)
    array([[10.]])
    """

    values: Values
    variances: Array
    dual: Array
    features: Callable[[Matrix], Array]
    centered: bool
    total_variance: float

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return len(self.values)

    @property
    def rank(self) -> int:
        """Number of coordinates."""
        return len(self.variances)

    @property
    def mean(self) -> Array:
        """The mean of each coordinate over the data."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def discarded_variance(self) -> float:
        """Variance that lies outside these coordinates: zero to rounding at full rank."""
        return max(self.total_variance - float(self.variances.sum()), 0.0)

    def project(self, X: Matrix | Rows) -> Array:
        """Return the coordinates of new points.

        Parameters
        ----------
        X : ndarray, sparse matrix or Rows of shape (n_new, n_columns)
            The points.

        Returns
        -------
        ndarray of shape (n_new, rank)
            Their coordinates.
        """
        return np.asarray(self.evaluate(X, np.eye(self.rank)))

    def evaluate(self, X: Matrix | Rows, coef: Array) -> Any:
        """Evaluate functions at new points; at many points, in blocks.

        Parameters
        ----------
        X : ndarray, sparse matrix or Rows of shape (n_new, n_columns)
            The points.
        coef : ndarray of shape (rank, n_functions)
            Coefficients of the functions on the coordinates.

        Returns
        -------
        array of shape (n_new, n_functions)
            The values; an array of Dask if the points are.
        """
        return evaluate_features(self.features, self.dual @ coef, X)

    def rotated(self, V: Array, variances: Array) -> "Coordinates":
        """Rotate to other orthonormal functions.

        Parameters
        ----------
        V : ndarray of shape (rank, new_rank)
            Coefficients of the new functions, a column each.
        variances : ndarray of shape (new_rank,)
            Their variances.

        Returns
        -------
        Coordinates
            Of the same data, by the new functions.
        """
        return replace(self, values=rotated(self.values, V), variances=variances, dual=self.dual @ V)

    def leading(self, rank: int) -> "Coordinates":
        """Keep the `rank` coordinates of largest variance; if centred, also what the others hold of the mean.

        The data's mean has the coefficients `mean`: a function that is constant, or nearly so, and that the labels
        may need.

        Parameters
        ----------
        rank : int
            How many to keep.

        Returns
        -------
        Coordinates
            With `rank` coordinates, or one more.
        """
        eye = np.eye(self.rank)
        rest = np.where(np.arange(self.rank) < rank, 0.0, self.mean)
        size = float(np.linalg.norm(rest))
        if not self.centered or size == 0:
            return self.components(rank)
        rest /= size
        return self.rotated(
            np.column_stack([eye[:, :rank], rest]),
            np.append(self.variances[:rank], rest @ (self.variances * rest)),
        )

    def scaled(self, factor: float) -> "Coordinates":
        """Multiply the kernel by a positive factor.

        Parameters
        ----------
        factor : float
            Positive.

        Returns
        -------
        Coordinates
            Those of the scaled kernel.
        """
        root = float(np.sqrt(factor))
        return replace(
            self,
            values=self.values * root,
            variances=factor * self.variances,
            dual=root * self.dual,
            total_variance=factor * self.total_variance,
        )

    def components(self, number: int) -> "Coordinates":
        """Keep the coordinates of largest variance and nothing else.

        Parameters
        ----------
        number : int
            How many to keep.

        Returns
        -------
        Coordinates
            With that many coordinates.
        """
        values = leading_columns(self.values, number)
        return replace(self, values=values, variances=self.variances[:number], dual=self.dual[:, :number])

    def held(self) -> "Coordinates":
        """Compute the values of all rows now; those of distributed rows stay where they are.

        Returns
        -------
        Coordinates
            The same, with the values as an array.
        """
        return replace(self, values=held(self.values))

    def __sklearn_clone__(self) -> Self:
        """Share: frozen, and large."""
        return self


def evaluate_features(features: Callable[[Matrix], Array], weights: Array, X: Matrix | Rows) -> Any:
    """Return the features of new points times weights; of many points, in blocks."""

    # The function may be sent to workers: with the features, not with all coordinates.
    def values(block: Matrix, first: int) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            return finite_answer(features(block) @ weights, block, first)

    size = block_size(max(len(weights), LEAST_WIDTH))
    if not isinstance(X, Rows):
        if X.shape[0] <= size:
            return values(X, 0)
        X = ArrayRows(X)
    return X.each(values, size)


def coordinates_from_features(
    A: Array,
    features: Callable[[Matrix], Array],
    dual: Array,
    *,
    centered: bool,
    total_variance: float,
) -> Coordinates:
    r"""Turn orthonormal features of any origin into principal coordinates.

    With :math:`A = F\,\mathrm{dual}` the values on the data of functions orthonormal in the RKHS, diagonalise
    :math:`A^\top H A = V D V^\top` and set :math:`Z = AV`. Directions that vanish on the data are dropped;
    of those with no variance at most one is left, a constant.

    Parameters
    ----------
    A : ndarray of shape (n_samples, p)
    features : callable
    dual : ndarray of shape (n_features, p)
        ``A = features(X) @ dual``.
    centered : bool
    total_variance : float
        Of the space that the features are a part of.
    """
    mean = A.mean(axis=0)
    # About the mean at once: to subtract its square in the end would cost digits where it is large.
    about = A - mean if centered else A
    V, variances = _directions(about.T @ about, mean, len(A), centered)
    return Coordinates(A @ V, variances, dual @ V, features, centered, total_variance)


def coordinates_from_moments(
    moments: Moments,
    rows: Rows,
    features: Callable[[Matrix], Array],
    dual: Array,
    *,
    centered: bool,
    size: int,
) -> Coordinates:
    """Find principal coordinates from sums over the data alone; their values are computed when they are asked for.

    Parameters
    ----------
    moments : Moments
        Of functions that are orthonormal in the RKHS.
    rows : Rows
        The data.
    features : callable
    dual : ndarray of shape (n_features, p)
        ``features(X) @ dual`` are the values of those functions.
    centered : bool
    size : int
        Rows to be mapped at a time.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.trace(moments.gram))
    gram = moments.gram
    if not centered:
        gram = gram + moments.n * np.outer(moments.mean, moments.mean)
        total = float(np.trace(gram))
    if not np.isfinite(total):
        raise ValueError("the features are too large for floating point arithmetic; rescale them.")
    if total <= 0:
        raise NoVarianceError
    V, variances = _directions(gram, moments.mean, moments.n, centered)
    values = StreamedValues(rows, features, dual @ V, moments.mean @ V, size)
    return Coordinates(values, variances, dual @ V, features, centered, total)


def _directions(gram: Array, mean: Array, n: int, centered: bool) -> tuple[Array, Array]:
    """Find the directions of principal variance, and a constant if there is one, from second moments.

    `gram` is about the mean if centred, and is destroyed.
    """
    trace = float(np.trace(gram)) + n * float(mean @ mean) * centered
    variances, V = symmetric_eigen(gram, overwrite=True)
    keep = numerical_rank(variances, n)
    if keep == 0:
        raise NoVarianceError
    null = V[:, keep:]
    V, variances = V[:, :keep], variances[:keep]
    if centered and null.shape[1]:
        # Orthogonal to the kept ones and without variance: what is left of the mean is a constant function.
        offset = null.T @ mean
        size = float(np.linalg.norm(offset))
        if size**2 > np.finfo(float).eps * trace:
            V = np.column_stack([V, null @ (offset / size)])
            variances = np.append(variances, 0.0)
    return V, variances
