"""Neighbourhood graphs and their Laplacians; sparse throughout."""

from sskpca.graphs.laplacian import LAPLACIANS, laplacian, laplacian_eigenpairs
from sskpca.graphs.neighbors import NeighborGraph, checked_graph

__all__ = ["LAPLACIANS", "NeighborGraph", "checked_graph", "laplacian", "laplacian_eigenpairs"]
