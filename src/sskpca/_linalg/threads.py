"""How many threads the BLAS may use: one policy for the whole library.

Large decompositions have all threads. Everything else has one: small problems, since NumPy and SciPy each bring a BLAS
with threads of its own, which wait for each other; and whatever runs in several threads already. The number belongs to
the process, so that it is counted how many ask for one: the first sets it, and the last sets it back.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401, brings its own BLAS, which must be there when the libraries are listed
import threadpoolctl
from threadpoolctl import ThreadpoolController

__all__ = ["n_threads", "one_thread", "threads_for"]

# Up to so many rows a decomposition has one thread: some seconds. More would gain little, and on a busy machine they
# wait for each other until it takes ten times as long.
SMALL = 2500


@cache
def _libraries() -> tuple[ThreadpoolController, ThreadpoolController]:
    """Return the libraries with one number of threads for the process, and those with one for each thread: OpenMP's.

    To list what is loaded takes milliseconds: it is done once.
    """
    found = ThreadpoolController()
    paths: tuple[list[str], list[str]] = [], []
    for part in found.info():
        paths[part["user_api"] == "openmp" or part.get("threading_layer") == "openmp"].append(part["filepath"])
    return found.select(filepath=paths[0]), found.select(filepath=paths[1])


def _number() -> int:
    found = (part for libraries in _libraries() for part in libraries.info() if part["user_api"] == "blas")
    return max((part["num_threads"] for part in found), default=1)


def _anyone_may_set() -> None:
    """Let this thread set the number: threadpoolctl from 3.7 on listens to the thread that came first only."""
    release = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if release is not None:
        release(force=True)


class _Limit:
    """The number of those that have asked for one thread, and what was before the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count, self.before = 0, 1
        self.limit: Any = None

    def take(self) -> int:
        with self.lock:
            if self.count == 0:
                self.before = _number()
                _anyone_may_set()
                self.limit = _libraries()[0].limit(limits=1)
            self.count += 1
            return self.before

    def give_back(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0:
                # Perhaps not in the thread that has set it.
                _anyone_may_set()
                self.limit.restore_original_limits()
                _anyone_may_set()


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[int]:
    """Let the BLAS use one thread meanwhile, and give the number of threads that it may use otherwise.

    Examples
    --------
    >>> with one_thread() as number:
    ...     number == n_threads()
    True
    """
    before = _LIMIT.take()
    try:
        with _libraries()[1].limit(limits=1):
            yield before
    finally:
        _LIMIT.give_back()


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """Let the BLAS use as many threads as help to decompose a matrix of this size."""
    if size > SMALL:
        yield
        return
    with one_thread():
        yield


def n_threads() -> int:
    """Return how many threads may be used: as many as the BLAS would, if nobody had asked for one."""
    with _LIMIT.lock:
        return _LIMIT.before if _LIMIT.count else _number()
