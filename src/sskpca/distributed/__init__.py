"""Rows on a cluster of Dask: the same estimators on `dask.array` and `dask.dataframe`, with any of its schedulers."""

from sskpca.distributed.blocks import each_block
from sskpca.distributed.rows import DaskRows, dask_rows

__all__ = ["DaskRows", "dask_rows", "each_block"]
