"""Functions of blocks of rows, applied where the blocks are, when the answer is asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca.distributed.packed import Packed, packed
from sskpca.linalg.threads import one_thread
from sskpca.rows.source import finite_answer
from sskpca.rows.stream import _matrix

__all__ = ["each_block", "first_row"]


def each_block(
    array: Any, function: Callable[[Any, int], NDArray[Any]], example: NDArray[Any], size: int | None = None
) -> Any:
    """Apply a function of a block and the number of its first row to a lazy array; a lazy array, one row for each row.

    Parameters
    ----------
    array : dask.array.Array
        In one chunk along all axes but the first; the chunks along that must be known.
    function : callable
    example : ndarray
        What the function makes of some row or rows: says the dtype and the length of the other axes.
    size : int, optional
        Rows to be given to the function at a time: as numbers in floating point, and its answers must be finite. A
        whole chunk, as it is, by default.
    """
    columns = tuple((length,) for length in example.shape[1:])
    return array.map_blocks(
        _applied if size is None else _evaluated,
        package=packed(function),
        empty=example[:0],
        **({} if size is None else {"size": size}),
        dtype=example.dtype,
        chunks=(array.chunks[0], *columns),
        drop_axis=list(range(example.ndim, array.ndim)),
        meta=example[:0],
    )


def first_row(block_info: Any) -> int:
    """Read the number of a block's first row from what Dask tells of the block."""
    return int(block_info[0]["array-location"][0][0])


def _applied(block: Any, package: Packed, empty: NDArray[Any], block_info: Any = None) -> NDArray[Any]:
    """Apply the function to a chunk."""
    return np.asarray(package.function(block, first_row(block_info))) if len(block) else empty


def _evaluated(block: Any, package: Packed, empty: NDArray[Any], size: int, block_info: Any = None) -> NDArray[Any]:
    """Apply the function to a chunk of the data, some rows at a time."""
    block, first, parts = _matrix(block), first_row(block_info), []
    with one_thread():  # Dask has as many tasks under way as there are processors already
        for start in range(0, block.shape[0], size):
            rows = block[start : start + size]
            part = np.asarray(package.function(rows, first + start))
            parts.append(finite_answer(part, rows, first + start))
    return np.concatenate(parts) if parts else empty
