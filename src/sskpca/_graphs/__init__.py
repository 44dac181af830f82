"""Neighbourhood graphs and their Laplacians; sparse throughout."""

from sskpca._graphs.laplacian import LAPLACIANS, laplacian, laplacian_eigenpairs
from sskpca._graphs.neighbors import FittedGraph, NeighborGraph, checked_graph

__all__ = ["LAPLACIANS", "FittedGraph", "NeighborGraph", "checked_graph", "laplacian", "laplacian_eigenpairs"]
