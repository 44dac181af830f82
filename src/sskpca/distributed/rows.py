"""Rows of `dask.array` and `dask.dataframe`: they stay where they are, and what is gathered from them comes."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import dask.array as da
import dask.config
import numpy as np
import scipy.sparse
from dask.delayed import delayed

from sskpca.distributed.blocks import each_block, first_row
from sskpca.distributed.packed import Packed, packed
from sskpca.linalg.array import Array, Indices
from sskpca.linalg.threads import one_thread
from sskpca.rows.source import Gathered, Rows
from sskpca.rows.stream import _joined, _matrix

__all__ = ["DaskRows", "dask_rows"]

# Sums that are merged at a time: few are in memory at once, and the tree is not high.
FAN_IN = 4
# A map of thousands of landmarks is sent once, knowingly.
QUIET = {"distributed.admin.large-graph-warning-threshold": "100GB"}


class DaskRows(Rows):
    """An array of Dask, as rows: of the whole of them only sums, and single rows by number, come to this process.

    Parameters
    ----------
    X : dask.array.Array of shape (n_rows, n_columns)
        Of arrays or of sparse matrices. Whole numbers become double precision, single precision stays single. Columns
        in several chunks are brought together.
    names : list of str, optional
        Of the columns.

    Notes
    -----
    All is computed by the scheduler that is active: that of a `distributed.Client`, or the threads of this process.
    Every pass, and every `take`, makes the chunks anew; ``X.persist()`` keeps them in the memory of the workers.

    Examples
    --------
    >>> rows = DaskRows(da.arange(12, chunks=4).reshape(6, 2))
    >>> rows.shape, rows.take(np.array([5, 0]))
    ((6, 2), array([[10., 11.],
           [ 0.,  1.]]))
    >>> rows.each(lambda block, first: block.sum(axis=1) + first, 1).compute()
    array([ 1.,  6., 11., 16., 21., 26.])
    """

    local = False

    def __init__(self, X: Any, names: list[str] | None = None) -> None:
        if X.ndim != 2:
            raise ValueError(f"DaskRows: an array with rows and columns is needed, got {X.ndim} dimensions.")
        if X.dtype.kind not in "fiub":
            raise ValueError(f"DaskRows: numbers are needed, got an array of {X.dtype}.")
        if np.isnan(X.shape[1]):
            raise ValueError("DaskRows: the number of columns is not known; call compute_chunk_sizes() on the array.")
        if len(X.chunks[1]) > 1:
            X = X.rechunk({1: -1})
        if np.isnan(X.shape[0]):
            X = X.map_blocks(_itself, dtype=X.dtype, meta=X._meta).compute_chunk_sizes()
        self.X, self.names = X, names
        self.n_rows, self.n_columns = map(int, X.shape)
        self.dtype = np.dtype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64)

    @property
    def starts(self) -> Indices:
        """The number of the first row of each chunk, and the number of all rows."""
        return np.concatenate([[0], np.cumsum(self.X.chunks[0], dtype=np.intp)])

    def take(self, rows: Indices) -> Any:
        """Fetch rows by their numbers from the chunks that hold them."""
        rows = np.asarray(rows, dtype=np.intp)
        order = np.argsort(rows, kind="stable")
        bounds = np.searchsorted(rows[order], self.starts)
        chunks = self.X.to_delayed().ravel()
        pick = delayed(_picked, pure=True)
        parts = [
            pick(chunks[k], rows[order[low:high]] - self.starts[k])
            for k, (low, high) in enumerate(pairwise(bounds))
            if high > low
        ]
        found = _joined(delayed(parts).compute()) if parts else np.empty((0, self.n_columns), dtype=self.dtype)
        return found[np.argsort(order, kind="stable")]

    def blocks(self, size: int) -> Iterator[Any]:
        """Fetch the rows in order, chunk by chunk."""
        for chunk in self.X.to_delayed().ravel():
            block = _matrix(chunk.compute())
            for start in range(0, block.shape[0], size):
                yield block[start : start + size]

    def fold(self, new: Callable[[], Gathered], size: int) -> Gathered:
        """Gather something from all rows in one pass: from each chunk where it is, merged in a tree of fixed shape.

        The answer does not depend on who was faster. Nothing that a task was given is changed by it: tasks of a worker
        that died are done again by another one, from the beginning.
        """
        package = packed(new)
        gathered = self.X.map_blocks(
            _gathered,
            package=package,
            size=size,
            dtype=object,
            chunks=((1,) * self.X.numblocks[0], (1,)),
            meta=np.empty((0, 0), dtype=object),
        )
        parts = list(gathered.to_delayed().ravel())
        merge = delayed(_merged, pure=True)
        while len(parts) > 1:
            parts = [merge(package, parts[k : k + FAN_IN]) for k in range(0, len(parts), FAN_IN)]
        # One thread for each task, here too: where tasks run in this process, the last one to end would not know what
        # to set the number back to.
        with dask.config.set(QUIET), one_thread():
            return parts[0].compute()  # type: ignore[no-any-return]

    def each(self, function: Callable[[Any, int], Array], size: int) -> Any:
        """Apply a function of a block and the number of its first row to all blocks, when the answer is asked for.

        What the answer looks like is found by the function of a row of ones.
        """
        example = np.asarray(function(self._ones(), 0))
        return each_block(self.X, function, example, size)

    def _ones(self) -> Any:
        ones = np.ones((1, self.n_columns), dtype=self.dtype)
        return scipy.sparse.csr_array(ones) if scipy.sparse.issparse(self.X._meta) else ones


def dask_rows(X: Any) -> DaskRows:
    """Make rows of a collection of Dask.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        All columns of a table must hold numbers. Its rows have the numbers 0, 1, ... in the order of the partitions,
        whatever its index says.

    Returns
    -------
    DaskRows

    Notes
    -----
    If the lengths of chunks or partitions are not known, they are counted here and now; nothing else is computed before
    it is needed. Count once for several uses: pass what this returns to the estimators in place of X.
    """
    if isinstance(X, da.Array):
        return DaskRows(X)
    kinds: Any = getattr(X, "dtypes", None)
    if not hasattr(X, "to_dask_array") or not hasattr(kinds, "items"):
        raise ValueError(
            f"{type(X).__name__} of Dask: rows come as a dask.array with rows and columns or as a dask.dataframe."
        )
    strange = [name for name, kind in kinds.items() if not _is_number(kind)]
    if strange:
        listed = ", ".join(repr(name) for name in strange)
        raise ValueError(
            f"the columns {listed} hold no numbers; drop or encode them."
            if len(strange) > 1
            else f"the column {listed} holds no numbers; drop or encode it."
        )
    single = all(kind == np.float32 for kind in kinds)
    names = [str(name) for name in kinds.index] if all(isinstance(name, str) for name in kinds.index) else None
    return DaskRows(X.astype("float32" if single else "float64").to_dask_array(lengths=True), names)


def _is_number(kind: Any) -> bool:
    """Say whether a column of this dtype of pandas holds numbers, those with missing ones included."""
    return getattr(kind, "kind", "O") in "fiub" and getattr(kind, "name", "") != "category"


def _itself(block: Any) -> Any:
    return block


def _picked(block: Any, rows: Indices) -> Any:
    return _matrix(block)[rows]


def _gathered(block: Any, package: Packed, size: int, block_info: Any = None) -> Any:
    """Gather from one chunk."""
    block, first, gathered = _matrix(block), first_row(block_info), package.function()
    with one_thread():
        for start in range(0, block.shape[0], size):
            gathered.add(block[start : start + size], first + start)
    return gathered


def _merged(package: Packed, parts: list[Any]) -> Any:
    """Merge into a new one: the parts stay as they are, another task may need them again."""
    merged = package.function()
    for part in parts:
        merged.merge(part)
    return merged
