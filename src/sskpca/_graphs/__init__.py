"""Neighbourhood graphs and their Laplacians; sparse throughout."""

from sskpca._graphs.laplacian import LAPLACIANS, laplacian, laplacian_eigenpairs
from sskpca._graphs.neighbors import (
    FittedGraph,
    NearestRows,
    NeighborGraph,
    checked_graph,
    interpolated,
    nearest_rows,
)

__all__ = [
    "LAPLACIANS",
    "FittedGraph",
    "NearestRows",
    "NeighborGraph",
    "checked_graph",
    "interpolated",
    "laplacian",
    "laplacian_eigenpairs",
    "nearest_rows",
]
