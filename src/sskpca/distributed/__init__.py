"""Rows on a Dask cluster: the same estimators on `dask.array` and `dask.dataframe`, with any of its schedulers."""

from sskpca.distributed._rows import DaskRows

__all__ = ["DaskRows"]
