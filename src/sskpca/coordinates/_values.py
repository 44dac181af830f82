r"""The matrix of coordinates of a data set, in memory or not, and the few products of it that are needed.

Everyone else uses what `Values` has: rows by number, products with coefficients, the mean and the length. An array has
it; `StreamedValues` computes it from the data, in this process or on a cluster, and never holds the matrix.

Sums over the data: all that principal coordinates need of it.

With :math:`f(x)` the features, :math:`f_0` a guess of their mean from a few rows, and :math:`M` the matrix that makes
orthonormal functions of them,

.. math::

    s = \sum_i (f(x_i) - f_0), \quad G = \sum_i (f(x_i) - f_0)(f(x_i) - f_0)^\top, \qquad
    M^\top \left( G - \tfrac1n s s^\top \right) M                                             \tag{M1}

are the second moments of the functions about their mean. G is p by p whatever the number of rows, costs half of a
product of matrices, and nothing cancels if the guess is near. M may be applied to G in the end, or to every row at the
price of another product; where G would lose digits, the rows are mapped.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
from scipy.linalg.blas import dsyrk

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.rows._source import Rows

__all__ = ["Moments", "StreamedValues", "Values", "feature_moments", "held", "leading_columns", "rotated"]

# Rows whose features are remembered, at most: labels are few.
REMEMBERED = 10_000

# Relative error of a variance that is accepted where M is applied in the end.
ACCURATE = 1e-7


class Values(Protocol):
    """What is asked of a matrix Z of coordinates; `numpy.ndarray` has it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of coordinates."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> Array:
        """Return the coordinates of rows, by number."""
        ...

    def __matmul__(self, coef: Array) -> Any:
        """Return the product with coefficients: an array, or a lazy one where the data are distributed."""
        ...

    def __mul__(self, factor: float) -> "Values":
        """Return the multiple by a number."""
        ...

    def mean(self, axis: int = 0) -> Array:
        """Return the mean of each column."""
        ...


@dataclass(frozen=True)
class StreamedValues:
    """Coordinates that are computed from the data when they are asked for.

    A product takes a pass over the data, in which every row is mapped anew. The last rows that were asked for by
    number, if they are not many, are remembered: those of the labels, and a sample, as a rule.

    Attributes
    ----------
    rows : Rows
        The data.
    features : callable
    dual : ndarray of shape (n_features, rank)
        ``Z = features(X) @ dual``.
    center : ndarray of shape (rank,)
        The mean of each column.
    size : int
        Rows to be mapped at a time.
    """

    rows: Rows
    features: Callable[[Matrix], Array]
    dual: Array
    center: Array
    size: int
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of coordinates."""
        return self.rows.n_rows, self.dual.shape[1]

    def __len__(self) -> int:
        return self.rows.n_rows

    def mean(self, axis: int = 0) -> Array:
        """Return the mean of each column; a mean over anything else is not known."""
        assert axis == 0
        return self.center

    def __getitem__(self, rows: Any) -> Array:
        """Return the coordinates of one row, or of several, by number."""
        wanted = np.atleast_1d(np.asarray(rows, dtype=np.intp))
        found = self._found(wanted)
        return found if np.ndim(rows) else found[0]

    def _found(self, wanted: Indices) -> Array:
        if len(self._known.get("rows", ())):
            at = np.searchsorted(self._known["rows"], wanted)
            at[at == len(self._known["rows"])] = 0
            if np.array_equal(self._known["rows"][at], wanted):
                return np.asarray(self._known["features"][at] @ self.dual)
        distinct, back = np.unique(wanted, return_inverse=True)
        found = np.asarray(self.features(self.rows.take(distinct)), dtype=np.float64)
        if 1 < len(distinct) <= REMEMBERED:
            self._known.update(rows=distinct, features=found)
        return np.asarray((found @ self.dual)[back])

    def __matmul__(self, coef: Array) -> Any:
        """Evaluate functions on all rows: a pass over the data."""
        # The function may be sent to workers: with the features, not with all that is here.
        features, combined = self.features, self.dual @ coef
        return self.rows.each(lambda block, _: features(block) @ combined, self.size)

    def __mul__(self, factor: float) -> "StreamedValues":
        return replace(self, dual=self.dual * factor, center=self.center * factor)


def rotated(values: Values, V: Array) -> Values:
    """Return the values of the functions with the coefficients in the columns of V."""
    if isinstance(values, StreamedValues):
        return replace(values, dual=values.dual @ V, center=values.center @ V)
    return values @ V  # type: ignore[no-any-return]


def leading_columns(values: Values, number: int) -> Values:
    """Return the first coordinates only; of an array, a view."""
    if isinstance(values, StreamedValues):
        return rotated(values, np.eye(values.shape[1], number))
    return values[:, :number]


def held(values: Values) -> Values:
    """Return the values of all rows as an array; those of distributed rows stay where they are."""
    if isinstance(values, StreamedValues) and values.rows.local:
        return values @ np.eye(values.shape[1])  # type: ignore[no-any-return]
    return values


@dataclass(frozen=True)
class Moments:
    """Mean and second moments of functions over the data.

    Attributes
    ----------
    n : int
        Number of rows.
    mean : ndarray of shape (p,)
    gram : ndarray of shape (p, p)
        Sums of products, about the mean.
    """

    n: int
    mean: Array
    gram: Array


class FeatureSums:
    """Gathers (M1) from blocks of rows: sums in double precision, whatever that of the features is."""

    def __init__(self, features: Callable[[Matrix], Array], guess: Array) -> None:
        self.features, self.guess = features, guess
        self.n = 0
        self.total = np.zeros(len(guess))
        self.gram = np.zeros((len(guess), len(guess)), order="F")

    def __getstate__(self) -> dict[str, Any]:
        """Send the sums without the map: it is as large, and merging does not need it."""
        return {**vars(self), "features": None}

    def add(self, block: Matrix, first: int) -> None:
        """Add a block of rows."""
        F = self.features(block)
        shifted = np.empty(F.shape)
        np.subtract(F, self.guess, out=shifted)
        sums = shifted.sum(axis=0)
        if not np.isfinite(sums).all():
            raise ValueError(
                f"the rows {first} to {first + len(shifted) - 1} hold NaN, infinity or numbers too large for floating "
                "point arithmetic; fill them in or leave them out."
            )
        self.n += len(shifted)
        self.total += sums
        # The lower triangle, added to what is there.
        self.gram = dsyrk(1.0, shifted.T, beta=1.0, c=self.gram, lower=1, overwrite_c=1)

    def merge(self, other: Self) -> None:
        """Add the sums over other rows."""
        self.n += other.n
        self.total += other.total
        self.gram += other.gram


def feature_moments(
    rows: Rows,
    features: Callable[[Matrix], Array],
    whitening: Array | None,
    guess: Array,
    size: int,
    *,
    condition: float = 1.0,
) -> Moments:
    """Find the moments (M1) in one pass over the data.

    Parameters
    ----------
    rows : Rows
    features : callable
    whitening : ndarray of shape (n_features, p), optional
        M; none is the identity.
    guess : ndarray of shape (n_features,)
        Of the mean of the features.
    size : int
        Rows to be mapped at a time.
    condition : float, default=1.0
        Of M, squared: the ratio of the eigenvalues that it divides by. If it is so large that G would lose more than
        the first seven digits of a variance, M is applied to the rows.
    """
    # A guess that is not finite is from rows with missing numbers: without it the pass says which they are.
    guess = np.where(np.isfinite(guess), guess, 0.0)
    apart = whitening is not None and np.finfo(float).eps * condition**2 <= ACCURATE
    if whitening is None or apart:
        sums = rows.fold(lambda: FeatureSums(features, guess), size)
    else:
        mapped = _Mapped(features, whitening)
        sums = rows.fold(lambda: FeatureSums(mapped, guess @ whitening), size)
    drift = sums.total / sums.n
    gram = np.tril(sums.gram) + np.tril(sums.gram, -1).T
    with np.errstate(over="ignore", invalid="ignore"):
        gram -= sums.n * np.outer(drift, drift)
    mean = sums.guess + drift
    if apart and whitening is not None:
        with np.errstate(over="ignore", invalid="ignore"):  # it is looked at later
            gram, mean = whitening.T @ gram @ whitening, mean @ whitening
        gram = (gram + gram.T) / 2
    return Moments(sums.n, mean, gram)


@dataclass(frozen=True)
class _Mapped:
    """Features times a matrix; an object, not a closure, so that it can be sent to a worker."""

    features: Callable[[Matrix], Array]
    matrix: Array

    def __call__(self, block: Matrix) -> Array:
        return np.asarray(self.features(block) @ self.matrix)
