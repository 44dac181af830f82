"""The matrix of coordinates of a data set that is larger than the memory."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sskpca.linalg.array import Array, Indices
from sskpca.rows.source import Rows

__all__ = ["StreamedValues"]

# Rows whose features are remembered, at most: labels are few, samples of the data are not.
REMEMBERED = 10_000


@dataclass(frozen=True)
class StreamedValues:
    """What code does with the matrix Z of coordinates, without the matrix.

    Rows of it by number, its product with coefficients, and the mean of its columns. A product takes a pass over the
    data, in which every row is mapped anew. The last rows that were asked for by number, if they are not many, are
    remembered: those of the labels, as a rule.

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
    features: Callable[[Any], Array]
    dual: Array
    center: Array
    size: int
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of coordinates."""
        return self.rows.n_rows, self.dual.shape[1]

    def __len__(self) -> int:
        return self.rows.n_rows

    def mean(self, axis: int = 0) -> Array:
        """Give the mean of each column; a mean over anything else is not known."""
        assert axis == 0
        return self.center

    def __getitem__(self, rows: Any) -> Array:
        """Give the coordinates of one row, or of several, by number."""
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
        return (found @ self.dual)[back]

    def __matmul__(self, coef: Array) -> Any:
        """Evaluate functions on all rows: a pass over the data."""
        # The function may be sent to workers: with the features, not with all that is here.
        features, combined = self.features, self.dual @ coef
        return self.rows.each(lambda block, _: features(block) @ combined, self.size)

    def __mul__(self, factor: float) -> "StreamedValues":
        return replace(self, dual=self.dual * factor, center=self.center * factor)

    def rotated(self, V: Array) -> "StreamedValues":
        """Go over to the functions with the coefficients in the columns of V."""
        return replace(self, dual=self.dual @ V, center=self.center @ V)
