"""One thread of the BLAS for each task: Dask has as many tasks under way as there are processors already."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


class _Limit:
    """The limit of a process, while at least one of its tasks is under way.

    The number of threads is one for the whole process. Were every task to set it and to set it back, the last one to
    end would leave it as another task had it.
    """

    def __init__(self) -> None:
        self.lock, self.tasks = Lock(), 0
        self.limiter: Any = None

    def enter(self) -> None:
        with self.lock:
            self.tasks += 1
            if self.tasks == 1:
                self.limiter = _libraries().limit(limits=1, user_api="blas")

    def leave(self) -> None:
        with self.lock:
            self.tasks -= 1
            if self.tasks == 0:
                self.limiter.restore_original_limits()


_limit = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the BLAS use one thread until all tasks of this process have left."""
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()  # finds them: once
