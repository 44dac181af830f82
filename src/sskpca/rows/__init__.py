"""Where rows come from: arrays, files, streams; by number, or in one pass over blocks of them."""

from sskpca.rows._arrays import ArrayRows
from sskpca.rows._source import Rows
from sskpca.rows._stream import BlockRows, ParquetRows

__all__ = ["ArrayRows", "BlockRows", "ParquetRows", "Rows"]
