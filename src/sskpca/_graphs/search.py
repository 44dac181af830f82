"""The search for nearest neighbours: of the data among themselves, and of few or many new points among the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sskpca._graphs.ties import Neighborhoods, Search, neighborhoods
from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._linalg.distances import distances as all_distances
from sskpca._linalg.distances import few

__all__ = ["ApproximateIndex", "ExactIndex", "NearestRows"]

# Use brute force for at least 1,000 new points, at most 10,000 points and at least 6 columns: see `ExactIndex.of_new`.
MANY_NEW, FEW_POINTS, MANY_COLUMNS = 1000, 10_000, 6
# Distances of the nearest rows, ascending, and their numbers, both of shape (n_samples, k).
NearestRows = tuple[Array, Indices]


@dataclass(frozen=True, eq=False)
class ExactIndex:
    """scikit-learn's search for neighbours, with all ties."""

    search: NearestNeighbors

    @property
    def points(self) -> Matrix:
        """The data."""
        return self.search._fit_X  # noqa: SLF001, scikit-learn does not publish it

    @property
    def k(self) -> int:
        """The number of neighbours."""
        return int(self.search.n_neighbors)

    def of_data(self, known: NearestRows | None = None) -> Neighborhoods:
        """Return the neighbours of each point among the others; `known` are some that were found before."""
        index, points = self.search, self.points

        def search(number: int, rows: Indices | None) -> tuple[Array, Indices]:
            if rows is None and known is not None and known[0].shape[1] >= number:
                return known[0][:, :number], known[1][:, :number]
            if rows is None:
                return index.kneighbors(n_neighbors=number)  # type: ignore[no-any-return]
            distances, neighbors = index.kneighbors(points[rows], min(number + 1, points.shape[0]))
            return _without_itself(distances, neighbors, rows)

        last = points.shape[0] - 1
        return neighborhoods(search, points, index.n_neighbors, last, products=_by_products(index))

    def of_new(self, X: Matrix, sizes: Sequence[int]) -> list[Neighborhoods]:
        """Return so many neighbours of new points among the data, for each number of them."""
        index, points = self.search, self.points
        if X.shape[0] >= MANY_NEW and points.shape[0] <= FEW_POINTS and points.shape[1] >= MANY_COLUMNS:
            # Of many new points, all distances to a few are found sooner by products of matrices than by a tree.
            index = NearestNeighbors(n_neighbors=index.n_neighbors, metric=index.metric, algorithm="brute").fit(points)

        def search(number: int, rows: Indices | None) -> tuple[Array, Indices]:
            return index.kneighbors(X if rows is None else X[rows], number)  # type: ignore[no-any-return]

        by_differences = index.metric == "euclidean" and few(X, points)
        n = points.shape[0]
        found = _cut(_among(all_distances(X, points)) if by_differences else search, min(max(sizes) + 1, n))
        return [neighborhoods(found, X, k, n, products=_by_products(index)) for k in sizes]


def _among(distances: Array) -> Search:
    """Return a search among distances of new points to all points."""

    def search(number: int, rows: Indices | None) -> tuple[Array, Indices]:
        known = distances if rows is None else distances[rows]
        nearest = np.argpartition(known, number - 1, axis=1)[:, :number]
        found = np.take_along_axis(known, nearest, axis=1)
        order = np.argsort(found, axis=1, kind="stable")
        return np.take_along_axis(found, order, axis=1), np.take_along_axis(nearest, order, axis=1)

    return search


def _cut(search: Search, width: int) -> Search:
    """Return a search that has found so many neighbours of all rows: fewer are the first of them."""
    distances, neighbors = search(width, None)

    def cut(number: int, rows: Indices | None) -> tuple[Array, Indices]:
        if number > width:
            return search(number, rows)
        if rows is None:
            return distances[:, :number], neighbors[:, :number]
        return distances[rows, :number], neighbors[rows, :number]

    return cut


def _by_products(search: NearestNeighbors) -> bool:
    """Return whether a fitted search finds distances by products of matrices, which are rounded differently."""
    method: str = search._fit_method  # noqa: SLF001, `algorithm` may be "auto"
    return method == "brute"


@dataclass(frozen=True, eq=False)
class ApproximateIndex:
    """The approximate search of pynndescent, without ties."""

    k: int
    points: Matrix
    search: Any  # NNDescent, if it is installed

    def of_data(self) -> Neighborhoods:
        """Return the neighbours of each point among the others."""
        neighbors, distances = self.search.neighbor_graph
        distances, neighbors = _without_itself(distances, neighbors, np.arange(len(neighbors)))
        return self._first(distances[:, : self.k], neighbors[:, : self.k])

    def of_new(self, X: Matrix, sizes: Sequence[int]) -> list[Neighborhoods]:
        """Return the neighbours of new points among the data, `k` of them whatever the sizes."""
        neighbors, distances = self.search.query(X, k=self.k)
        return [self._first(distances, neighbors) for _ in sizes]

    def _first(self, distances: Array, neighbors: Indices) -> Neighborhoods:
        """Take the neighbours as they come: an approximate search does not know all ties."""
        distances, rows = distances.astype(np.float64), np.repeat(np.arange(len(neighbors)), self.k)
        return Neighborhoods(rows, neighbors.ravel(), distances.ravel(), np.ones(distances.size), distances)


def _without_itself(distances: Array, neighbors: Indices, rows: Indices) -> tuple[Array, Indices]:
    """Leave out the row itself from its neighbours: not always the first where there are duplicates."""
    itself = neighbors == rows[:, None]
    itself[~itself.any(axis=1), -1] = True
    shape = len(rows), neighbors.shape[1] - 1
    return distances[~itself].reshape(shape), neighbors[~itself].reshape(shape)
