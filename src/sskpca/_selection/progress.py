"""Progress of long fits, on the error stream."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Protocol

__all__ = ["Listener", "expect", "progress", "reporting_to", "step"]


class Listener(Protocol):
    """Whoever shows the progress of a job that has several parts."""

    def report(self, what: str, done: int, total: int) -> None:
        """Take notice that so many parts are done of what is being done; it has no parts if `total` is 0."""

    def expect(self, seconds: float, share_of_kernels: float) -> None:
        """Take notice of a forecast: all in all, and how much of it is for the kernels."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reporting_to(listener: Listener | None) -> Iterator[None]:
    """Report the progress of the block to a listener, in place of bars."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def step(what: str) -> None:
    """Report that something begins which has no parts."""
    listener = _LISTENER.get()
    if listener is not None:
        listener.report(what, 0, 0)


def expect(seconds: float, share_of_kernels: float) -> None:
    """Report how long a job will take, and how much of it is for the kernels."""
    listener = _LISTENER.get()
    if listener is not None:
        listener.expect(seconds, share_of_kernels)


@contextmanager
def progress(what: str, total: int, shown: bool) -> Iterator[Callable[[], None]]:
    """Show a bar while the block runs; the value is to be called after each of `total` steps."""
    listener = _LISTENER.get()
    if listener is not None:
        done = count(1)
        listener.report(what, 0, total)
        yield lambda: listener.report(what, next(done), total)
        return
    if not shown:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
