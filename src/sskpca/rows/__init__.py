"""Where rows come from: arrays, files, streams; by number, or in one pass over blocks of them."""

from sskpca.rows.arrays import ArrayRows
from sskpca.rows.memory import available_memory, bytes_of, in_bytes
from sskpca.rows.parquet import ParquetRows
from sskpca.rows.source import Accumulator, Rows, as_rows
from sskpca.rows.stream import BlockRows

__all__ = [
    "Accumulator",
    "ArrayRows",
    "BlockRows",
    "ParquetRows",
    "Rows",
    "as_rows",
    "available_memory",
    "bytes_of",
    "in_bytes",
]
