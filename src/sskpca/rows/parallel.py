"""A pass over blocks in several threads, each with one thread of the BLAS.

Products of matrices would use all threads by themselves; exponentials and sums in between would not.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

from sskpca.linalg.threads import one_thread

__all__ = ["fold_in_threads", "map_in_threads"]

# Blocks that wait for each thread: enough that none is idle, few enough for the memory.
AHEAD = 2

Gathered = TypeVar("Gathered", bound=Any)
Result = TypeVar("Result")


def fold_in_threads(blocks: Iterator[tuple[Any, int]], new: Callable[[], Gathered]) -> Gathered:
    """Add every block to one of as many accumulators as there are threads, in turn; merge them in order."""
    with ExitStack() as stack:
        number = stack.enter_context(one_thread())
        gathered = [new() for _ in range(number)]
        # A thread of its own for each: blocks reach an accumulator in order, one at a time.
        workers = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(number)]
        waiting: deque[Future[None]] = deque()
        for k, (block, first) in enumerate(blocks):
            waiting.append(workers[k % number].submit(gathered[k % number].add, block, first))
            if len(waiting) >= AHEAD * number:
                waiting.popleft().result()
        for future in waiting:
            future.result()
    for other in gathered[1:]:
        gathered[0].merge(other)
    return gathered[0]


def map_in_threads(
    blocks: Iterator[tuple[Any, int]], function: Callable[[Any, int], Result]
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each block's first row and what the function makes of the block, in order."""
    with one_thread() as number, ThreadPoolExecutor(number) as workers:
        waiting: deque[tuple[int, Future[Result]]] = deque()
        for block, first in blocks:
            waiting.append((first, workers.submit(function, block, first)))
            if len(waiting) >= AHEAD * number:
                done, future = waiting.popleft()
                yield done, future.result()
        for done, future in waiting:
            yield done, future.result()
