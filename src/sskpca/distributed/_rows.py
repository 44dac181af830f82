"""Rows of `dask.array` and `dask.dataframe`: they stay where they are; only what is gathered from them is fetched.

A function of a model on its way to the workers holds on to what it was made from: landmarks, which are needed, and
often the very rows that it is to be applied to, which must not be sent. It is packed here without them, once; all tasks
of a pass refer to the same package, and every worker opens it once.
"""

import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import dask.array as da
import dask.config
import numpy as np
import scipy.sparse
from dask.base import is_dask_collection
from dask.delayed import delayed

from sskpca._linalg.array import Column, Indices, Matrix
from sskpca._linalg.threads import one_thread
from sskpca._sources import Source
from sskpca.rows._source import Gathered, Rows, blocks_of, finite_answer
from sskpca.rows._stream import as_matrix, joined

__all__ = ["DaskRows", "Packed", "dask_rows", "packed"]

# Packages that a worker keeps open: as many as a portfolio has kernels.
OPEN = 8

# Sums that are merged at a time: few are in memory at once, and the tree is shallow.
FAN_IN = 4
# A map of thousands of landmarks is sent once, knowingly.
QUIET = {"distributed.admin.large-graph-warning-threshold": "100GB"}


@dataclass(frozen=True)
class Packed:
    """A function as bytes; two of the same content are the same.

    Attributes
    ----------
    digest : str
        Of the content.
    content : bytes
    """

    digest: str
    content: bytes = field(repr=False, compare=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The function, where it is needed."""
        return _opened(self)


def packed(function: Callable[..., Any]) -> Any:
    """Pack a function, without rows and lazy arrays; one node of a graph, to be given to all of its tasks.

    A part of the graph, and not data that were scattered: when a worker dies, nothing that it held is lost.
    """
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(function)
    content = buffer.getvalue()
    package = Packed(blake2b(content, digest_size=16).hexdigest(), content)
    return delayed(package, name=f"packed-{package.digest}", traverse=False)


@lru_cache(maxsize=OPEN)
def _opened(package: Packed) -> Callable[..., Any]:
    return _Unpickler(io.BytesIO(package.content)).load()  # type: ignore[no-any-return]


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def persistent_id(self, thing: Any) -> str | None:
        return "elsewhere" if isinstance(thing, Rows) or is_dask_collection(thing) else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> None:
        """Return None in place of what stayed where it was."""


class DaskRows(Rows):
    """A Dask array as rows; only sums over all rows, and single rows by number, are fetched.

    Parameters
    ----------
    X : dask.array.Array of shape (n_rows, n_columns)
        Of arrays or of sparse matrices. Whole numbers become double precision, single precision stays single. Columns
        in several chunks are brought together.
    names : list of str or None, default=None
        Names of the columns.

    Notes
    -----
    All is computed by the scheduler that is active: that of a `distributed.Client`, or the threads of this process.
    Every pass, and every `take`, makes the chunks anew; ``X.persist()`` keeps them in the memory of the workers.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sskpca.distributed import DaskRows
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
            X = X.map_blocks(_itself, dtype=X.dtype, meta=X._meta).compute_chunk_sizes()  # noqa: SLF001, the type of the chunks
        self.X, self.names = X, names
        self.n_rows, self.n_columns = map(int, X.shape)
        self.dtype = np.dtype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64)

    @property
    def starts(self) -> Indices:
        """The number of the first row of each chunk, and the number of all rows."""
        return np.concatenate([[0], np.cumsum(self.X.chunks[0], dtype=np.intp)])

    def take(self, rows: Indices) -> Matrix:
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
        found = joined(delayed(parts).compute()) if parts else np.empty((0, self.n_columns), dtype=self.dtype)
        return found[np.argsort(order, kind="stable")]

    def blocks(self, size: int) -> Iterator[Matrix]:
        """Fetch the rows in order, chunk by chunk."""
        for chunk in self.X.to_delayed().ravel():
            for block, _ in blocks_of(as_matrix(chunk.compute()), size):
                yield block

    def fold(self, new: Callable[[], Gathered], size: int) -> Gathered:
        """Gather something from all rows in one pass: from each chunk where it is, merged in a tree of fixed shape.

        The result does not depend on which worker is faster. No task changes what it was given: those of a worker that
        died are done again by another one, from the beginning.
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

    def each(self, function: Callable[[Matrix, int], Column], size: int) -> da.Array:
        """Apply a function of a block and the number of its first row to all blocks, when the answer is asked for.

        What the answer looks like is found by the function of a row of ones.
        """
        example = np.asarray(function(self._ones(), 0))
        return each_block(self.X, function, example, size)

    def _ones(self) -> Matrix:
        ones = np.ones((1, self.n_columns), dtype=self.dtype)
        return scipy.sparse.csr_array(ones) if scipy.sparse.issparse(self.X._meta) else ones  # noqa: SLF001, the type of the chunks


def each_block(
    array: Any,
    function: Callable[[Any, int], Column],
    example: Column,
    size: int | None = None,
) -> da.Array:
    """Apply a function of a block and the number of its first row to a lazy array; a lazy array, one row for each row.

    Parameters
    ----------
    array : dask.array.Array
        In one chunk along all axes but the first; the chunks along that must be known.
    function : callable
    example : ndarray
        Has the dtype of what the function returns, and the length of its other axes.
    size : int, optional
        Rows to be given to the function at a time: as numbers in floating point, and its answers must be finite. A
        whole chunk, as it is, by default.
    """
    columns = tuple((length,) for length in example.shape[1:])
    return array.map_blocks(  # type: ignore[no-any-return]
        _applied if size is None else _evaluated,
        package=packed(function),
        empty=example[:0],
        **({} if size is None else {"size": size}),
        dtype=example.dtype,
        chunks=(array.chunks[0], *columns),
        drop_axis=list(range(example.ndim, array.ndim)),
        meta=example[:0],
    )


def dask_rows(X: Any) -> DaskRows:
    """Return the rows of a Dask collection.

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
    """Return whether a column of this pandas dtype holds numbers, nullable ones included."""
    return getattr(kind, "kind", "O") in "fiub" and getattr(kind, "name", "") != "category"


def _itself(block: Matrix) -> Matrix:
    return block


def _picked(block: Any, rows: Indices) -> Matrix:
    return as_matrix(block)[rows]


def _first_row(block_info: Any) -> int:
    """Return the number of a block's first row, as Dask describes the block."""
    return int(block_info[0]["array-location"][0][0])


def _applied(block: Column, package: Packed, empty: Column, block_info: Any = None) -> Column:
    """Apply the function to a chunk."""
    return np.asarray(package.function(block, _first_row(block_info))) if len(block) else empty


def _evaluated(block: Any, package: Packed, empty: Column, size: int, block_info: Any = None) -> Column:
    """Apply the function to a chunk of the data, some rows at a time."""
    first, parts = _first_row(block_info), []
    with one_thread():  # Dask has as many tasks under way as there are processors already
        for rows, start in blocks_of(as_matrix(block), size):
            part = np.asarray(package.function(rows, first + start))
            parts.append(finite_answer(part, rows, first + start))
    return np.concatenate(parts) if parts else empty


def _gathered(block: Any, package: Packed, size: int, block_info: Any = None) -> Any:
    """Gather from one chunk."""
    first, gathered = _first_row(block_info), package.function()
    with one_thread():
        for part, start in blocks_of(as_matrix(block), size):
            gathered.add(part, first + start)
    return gathered


def _merged(package: Packed, parts: list[Any]) -> Any:
    """Merge into a new one: the parts stay as they are, another task may need them again."""
    merged = package.function()
    for part in parts:
        merged.merge(part)
    return merged


SOURCE = Source(rows=dask_rows, each=each_block, collect=lambda values: values.compute())
