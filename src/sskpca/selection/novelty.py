"""How far new rows are from everything seen."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sskpca.linalg.array import Array, Indices
from sskpca.rows import Rows

__all__ = ["Novelty"]

# So many of the rows are as near to their next one as is usual.
USUAL = 0.99
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Novelty:
    """Distances to the next row of the data, in units of the largest usual one within the data."""

    search: NearestNeighbors
    usual: float

    @classmethod
    def of(cls, X: Any, same: Indices) -> Self:
        """Learn the data, or a sample of 20,000 rows; equal ones, of equal numbers in `same`, count once."""
        different = np.unique(same, return_index=True)[1]
        if len(different) > MOST_ROWS:  # distances to the next of a sample are longer, the usual one, too
            different = np.sort(np.random.default_rng(0).choice(different, MOST_ROWS, replace=False))
        search = NearestNeighbors(n_neighbors=1).fit(X.take(different) if isinstance(X, Rows) else X[different])
        distances, _ = search.kneighbors(n_neighbors=1)
        # A quantile, so that one outlier does not make everything look familiar.
        usual = float(np.quantile(distances, USUAL))
        return cls(search, usual if usual > 0 else float(distances.max()))

    def of_rows(self, X: Any) -> Array:
        """Measure new rows."""
        distances, _ = self.search.kneighbors(X)
        unit = self.usual or float(np.finfo(float).tiny)  # all rows alike
        return np.asarray(distances[:, 0] / unit, dtype=np.float64)
