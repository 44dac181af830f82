"""Rows of numbers that may be larger than the memory, and passes over them in blocks."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Column, Indices, Matrix
from sskpca._linalg.threads import one_thread
from sskpca._sources import source_of

__all__ = [
    "Accumulator",
    "NoVarianceError",
    "Rows",
    "as_rows",
    "block_size",
    "blocks_of",
    "collected",
    "each_row",
    "finite_answer",
]

# Numbers in a block, 16 MB: enough for products to be fast, few enough for the cache.
BLOCK = 2_000_000
# Blocks that wait for each thread: enough that none is idle, few enough for the memory.
AHEAD = 2


class NoVarianceError(ValueError):
    """All points are alike under the kernel: there is no variance to work with.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.coordinates import NoVarianceError, exact_coordinates
    >>> try:
    ...     exact_coordinates(np.ones((3, 3)), lambda X: X)
    ... except NoVarianceError:
    ...     print("all rows are equal")
    all rows are equal
    """


class Accumulator(Protocol):
    """What is gathered in a pass over the rows."""

    def add(self, block: Matrix, first: int) -> None:
        """Add a block, whose first row has the number `first`."""
        ...

    def merge(self, other: Self) -> None:
        """Add what another one has gathered from other blocks."""
        ...


Gathered = TypeVar("Gathered", bound=Accumulator)


class Rows(ABC):
    """Rows of numbers, all with the same columns.

    Abstract: a source must have `take` and `blocks`. One that has workers of its own replaces `fold` and `each`, too;
    all that the library does with the rows goes through these four.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    n_columns : int
        Number of columns.
    names : list of str or None
        Names of the columns, if new rows must have the same.
    local : bool
        Whether `each` returns an array of this process.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.rows import Rows
    >>> class Counting(Rows):
    ...     n_rows, n_columns = 6, 1
    ...
    ...     def take(self, rows):
    ...         return np.asarray(rows, dtype=float)[:, None]
    ...
    ...     def blocks(self, size):
    ...         for first in range(0, 6, size):
    ...             yield self.take(np.arange(first, min(first + size, 6)))
    >>> Counting().each(lambda block, first: block * 2, 4).ravel()
    array([ 0.,  2.,  4.,  6.,  8., 10.])
    """

    n_rows: int
    n_columns: int
    names: list[str] | None = None
    local = True

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.n_rows, self.n_columns

    @abstractmethod
    def take(self, rows: Indices) -> Matrix:
        """Return rows by their numbers.

        Parameters
        ----------
        rows : ndarray of int of shape (n,)
            Row numbers, from 0.

        Returns
        -------
        ndarray or sparse matrix of shape (n, n_columns)
            The rows, in that order.
        """

    @abstractmethod
    def blocks(self, size: int) -> Iterator[Matrix]:
        """Yield all rows in order; may be called again.

        Parameters
        ----------
        size : int
            Largest number of rows in a block.

        Yields
        ------
        ndarray or sparse matrix
            A block of rows.
        """

    def fold(self, new: Callable[[], Gathered], size: int) -> Gathered:
        """Gather something from all rows in one pass.

        Blocks are dealt to as many accumulators as there are threads in turn, and these are merged in order, so that
        the result does not depend on which thread is faster.

        Parameters
        ----------
        new : callable
            Returns a new accumulator, with the methods ``add(block, first)`` and ``merge(other)``.
        size : int
            Largest number of rows in a block.

        Returns
        -------
        accumulator
            What was gathered from all rows.
        """
        with ExitStack() as stack:
            number = stack.enter_context(one_thread())
            gathered = [new() for _ in range(number)]
            # A thread of its own for each: blocks reach an accumulator in order, one at a time.
            workers = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(number)]
            waiting: deque[Future[None]] = deque()
            for k, (block, first) in enumerate(self._numbered(size)):
                waiting.append(workers[k % number].submit(gathered[k % number].add, block, first))
                if len(waiting) >= AHEAD * number:
                    waiting.popleft().result()
            for future in waiting:
                future.result()
        for other in gathered[1:]:
            gathered[0].merge(other)
        return gathered[0]

    def each(self, function: Callable[[Matrix, int], Column], size: int) -> Any:
        """Apply a function of a block and the number of its first row to all blocks, and stack the results.

        Parameters
        ----------
        function : callable
            ``function(block, first)`` returns one row for each row of the block; `first` is the number of its first.
        size : int
            Largest number of rows in a block.

        Returns
        -------
        ndarray
            The results, stacked; a source with workers may return a lazy array.
        """
        out: Column | None = None

        def checked(block: Matrix, first: int) -> Column:
            return finite_answer(np.asarray(function(block, first)), block, first)

        with one_thread() as number, ThreadPoolExecutor(number) as workers:
            waiting: deque[tuple[int, Future[Column]]] = deque()

            def collect() -> None:
                nonlocal out
                first, future = waiting.popleft()
                part = future.result()
                if out is None:
                    out = np.empty((self.n_rows, *part.shape[1:]), dtype=part.dtype)
                out[first : first + len(part)] = part

            for block, first in self._numbered(size):
                waiting.append((first, workers.submit(checked, block, first)))
                if len(waiting) >= AHEAD * number:
                    collect()
            while waiting:
                collect()
        return out

    def _numbered(self, size: int) -> Iterator[tuple[Matrix, int]]:
        first = 0
        for block in self.blocks(size):
            yield block, first
            first += block.shape[0]
        if first != self.n_rows:
            raise ValueError(f"{type(self).__name__}: {first} rows came in a pass, {self.n_rows} were announced.")


def block_size(width: int) -> int:
    """Return the number of rows of this many numbers that make a block."""
    return max(1, BLOCK // max(width, 1))


def blocks_of(X: Matrix, size: int) -> Iterator[tuple[Matrix, int]]:
    """Yield blocks of at most `size` rows of a matrix, each with the number of its first row."""
    for first in range(0, X.shape[0], size):
        yield X[first : first + size], first


def finite_answer(answer: Column, block: Matrix, first: int) -> Column:
    """Return what was computed from a block if all of it is finite, else raise one sentence about the rows."""
    if answer.dtype.kind == "f" and not np.isfinite(answer).all():
        values, last = block.data if scipy.sparse.issparse(block) else block, first + block.shape[0] - 1
        if not np.isfinite(values).all():
            raise ValueError(f"the rows {first} to {last} hold NaN or infinity; fill them in or leave them out.")
        raise ValueError(
            f"the rows {first} to {last} hold numbers that are too large for floating point arithmetic; rescale them "
            "or leave them out."
        )
    return answer


def as_rows(X: object) -> Rows | None:
    """Return the rows of a `Rows` or of a collection with a registered source (Dask's); None for anything else."""
    if isinstance(X, Rows):
        return X
    source = source_of(X)
    return None if source is None else source.rows(X)


def each_row(values: Any, function: Callable[[Any, int], Column], example: Column) -> Any:
    """Apply a function of a block of values and the number of its first row: at once to an array, lazily to a lazy one.

    Parameters
    ----------
    values : ndarray or lazy array
        One row for each row of the data.
    function : callable
        Returns one row for each row.
    example : ndarray
        Has the dtype of what the function returns, and the length of its other axes.

    Examples
    --------
    >>> each_row(np.array([1.0, 2.0]), lambda block, first: 2 * block, np.empty(0))
    array([2., 4.])
    """
    source = source_of(values)
    return function(values, 0) if source is None else source.each(values, function, example)


def collected(values: Any) -> Any:
    """Return a lazy collection as an array of this process, and anything else as it is."""
    source = source_of(values)
    return values if source is None else source.collect(values)
