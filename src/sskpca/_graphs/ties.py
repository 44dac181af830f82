r"""Nearest neighbours of rows, those at the same distance treated alike.

Of k neighbours the last may be as far as others that are left out, and which of them a search returns depends on the
order of the rows. Here all rows at the distance of the k-th neighbour share the places that the nearer ones leave: with
s nearer rows and t tied ones, each tied one has the share :math:`(k - s) / t` of a neighbour. Permuted rows have the
permuted neighbours.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Indices, Matrix

__all__ = ["Neighborhoods", "Search", "neighborhoods"]

# Squared distances differ by rounding if they differ by less than the first share of themselves, or by the second share
# of what they are computed from: see `_rounding`.
RELATIVE, ROUNDING = 1e-11, 2e-14
# Neighbours of all rows together, so that hundreds of ties do not make the graph dense.
MOST_EDGES = 4_000_000
# A search for ties takes so many times as many neighbours as the one before.
GROWTH = 4

Search = Callable[[int, Indices | None], tuple[Array, Indices]]
# Rows, neighbours, distances and shares, as in `Neighborhoods`.
Piece = tuple[Indices, Indices, Array, Array]


@dataclass(frozen=True, slots=True)
class Neighborhoods:
    """The neighbours of some rows, in the order of the rows.

    Attributes
    ----------
    rows, neighbors : ndarray of shape (n_pairs,)
    distances : ndarray of shape (n_pairs,)
    shares : ndarray of shape (n_pairs,)
        1, or less for tied neighbours; those of a row sum to k.
    nearest : ndarray of shape (n_rows, k)
        Distances of the k nearest neighbours.
    """

    rows: Indices
    neighbors: Indices
    distances: Array
    shares: Array
    nearest: Array


def neighborhoods(search: Search, X: Matrix, k: int, available: int, *, products: bool) -> Neighborhoods:
    """Find k neighbours of each row, and all that are as far as the last of them.

    Parameters
    ----------
    search : callable
        Maps a number of neighbours, and row numbers or None for all rows, to their distances, ascending, and their
        numbers.
    X : ndarray or sparse matrix
        The rows.
    k : int
    available : int
        Points that can be neighbours of a row; at least k. With more ties than fit into the limit of four million
        edges in all (two thousand a row at 2,000 rows, a hundred at 40,000; at least k more), those that the search
        finds first share the places.
    products : bool
        Are distances found by inner products? They are less precise than those by differences.
    """
    n = X.shape[0]
    width = min(k + 1, available)
    distances, neighbors = search(width, None)
    nearest = distances[:, :k]
    if width == k:
        return _together([_piece(np.arange(n), distances, neighbors, np.zeros(n), k)], nearest)
    blur = _rounding(X, nearest[:, -1], products)
    tied = distances[:, k] ** 2 - nearest[:, -1] ** 2 <= blur
    free = np.flatnonzero(~tied)
    pieces = [_piece(free, distances[free], neighbors[free], blur[free], k)]
    waiting, most = np.flatnonzero(tied), int(np.clip(MOST_EDGES // max(n, 1), 2 * k, available))
    while len(waiting):
        width = min(GROWTH * width, most)
        distances, neighbors = search(width, waiting)
        done = distances[:, -1] ** 2 - distances[:, k - 1] ** 2 > blur[waiting]
        done |= width == most
        pieces.append(_piece(waiting[done], distances[done], neighbors[done], blur[waiting[done]], k))
        waiting = waiting[~done]
    return _together(pieces, nearest)


def _rounding(X: Matrix, distance: Array, products: bool) -> Array:
    """Return the difference of squared distances that may be rounding, for each row."""
    square = X.multiply(X).sum(axis=1) if scipy.sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    norm = np.sqrt(np.asarray(square, dtype=np.float64).ravel())
    return np.asarray(RELATIVE * distance**2 + ROUNDING * norm * (norm if products else distance))


def _piece(rows: Indices, distances: Array, neighbors: Indices, blur: Array, k: int) -> Piece:
    """Share the places of some rows among their neighbours."""
    square = distances**2
    edge, blur = square[:, k - 1 : k], blur[:, None]
    kept = square <= edge + blur
    nearer = square < edge - blur
    n_nearer, n_kept = nearer.sum(axis=1), kept.sum(axis=1)
    shares = np.where(nearer, 1.0, ((k - n_nearer) / (n_kept - n_nearer))[:, None])
    return np.repeat(rows, n_kept), neighbors[kept], distances[kept], shares[kept]


def _together(pieces: list[Piece], nearest: Array) -> Neighborhoods:
    rows, neighbors, distances, shares = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    if len(pieces) > 1:
        order = np.argsort(rows, kind="stable")
        rows, neighbors, distances, shares = rows[order], neighbors[order], distances[order], shares[order]
    return Neighborhoods(rows, neighbors, distances, shares, nearest)
