"""The matrix of coordinates of a data set, in memory or not, and the few products of it that are needed.

Everyone else uses what `Values` has: rows by number, products with coefficients, the mean and the length. An array has
it; `StreamedValues` computes it from the data, in this process or on a cluster, and never holds the matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.rows._source import Rows

__all__ = ["StreamedValues", "Values", "held", "leading_columns", "rotated"]

# Rows whose features are remembered, at most: labels are few, samples of the data are not.
REMEMBERED = 10_000


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
    number, if they are not many, are remembered: those of the labels, as a rule.

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
