"""Rows on a cluster of Dask."""
