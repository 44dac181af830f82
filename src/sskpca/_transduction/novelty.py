"""How far new rows are from everything seen."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.rows import ArrayRows, Rows

__all__ = ["Novelty", "with_doubt"]

# So many of the rows are as near to their next one as is usual.
USUAL = 0.99
MOST_ROWS = 20_000
# Rows that are measured at a time, each such block in a thread.
BLOCK = 4096


@dataclass(frozen=True)
class Novelty:
    """Distances to the next row of the data, in units of the largest usual one within the data."""

    search: NearestNeighbors
    usual: float

    @classmethod
    def of(cls, X: Matrix | Rows, same: Indices) -> Self:
        """Learn the data, or a sample of 20,000 rows; equal ones, of equal numbers in `same`, count once."""
        different = np.unique(same, return_index=True)[1]
        if len(different) > MOST_ROWS:  # distances to the next of a sample are longer, the usual one, too
            different = np.sort(np.random.default_rng(0).choice(different, MOST_ROWS, replace=False))
        search = NearestNeighbors(n_neighbors=1).fit(X.take(different) if isinstance(X, Rows) else X[different])
        distances, _ = search.kneighbors(n_neighbors=1)
        # A quantile, so that one outlier does not make everything look familiar.
        usual = float(np.quantile(distances, USUAL))
        return cls(search, usual if usual > 0 else float(distances.max()))

    def of_rows(self, X: Matrix | Rows) -> Array:
        """Measure new rows."""
        if X.shape[0] <= BLOCK:
            return self._of_block(X, 0)
        return np.asarray(ArrayRows(X).each(self._of_block, BLOCK))

    def _of_block(self, X: Matrix | Rows, first: int) -> Array:
        distances, _ = self.search.kneighbors(X)
        unit = self.usual or float(np.finfo(float).tiny)  # all rows alike
        return np.asarray(distances[:, 0] / unit, dtype=np.float64)


def with_doubt(known: Array, novelty: Array) -> Array:
    """Let probabilities go to equal ones as rows become unlike all data: from a novelty of 1 on, at 2 they are there.

    Parameters
    ----------
    known : ndarray of shape (n_rows, n_classes)
    novelty : ndarray of shape (n_rows,)

    Examples
    --------
    >>> with_doubt(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0.3, 1.5])).round(3)
    array([[0.9, 0.1],
           [0.7, 0.3]])
    """
    unknown = np.clip(novelty - 1, 0.0, 1 - 1e-6)[:, None]
    return np.asarray((1 - unknown) * known + unknown / known.shape[1])
