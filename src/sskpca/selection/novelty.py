"""How far new rows are from everything seen."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sskpca.linalg.array import Array

__all__ = ["Novelty"]


@dataclass(frozen=True)
class Novelty:
    """Distances to the next row of the data, in units of the largest such distance within the data."""

    search: NearestNeighbors
    largest: float

    @classmethod
    def of(cls, X: Any) -> Self:
        """Learn the data."""
        search = NearestNeighbors(n_neighbors=1).fit(X)
        distances, _ = search.kneighbors(n_neighbors=1)
        return cls(search, float(distances.max()))

    def of_rows(self, X: Any) -> Array:
        """Measure new rows."""
        distances, _ = self.search.kneighbors(X)
        largest = self.largest or float(np.finfo(float).tiny)
        return np.asarray(distances[:, 0] / largest, dtype=np.float64)
