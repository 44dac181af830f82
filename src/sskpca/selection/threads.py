"""The same work on several things at a time."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs

from sskpca.linalg.threads import one_thread

__all__ = ["in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None, tick: Callable[[], None]
) -> list[Result]:
    """Apply a function to each item, in as many threads as there are jobs; each with one thread of the BLAS.

    Examples
    --------
    >>> in_threads(len, ["a", "bc"], 2, lambda: None)
    [1, 2]
    """

    def step(item: Item) -> Result:
        result = work(item)
        tick()
        return result

    n = effective_n_jobs(n_jobs)
    if n == 1:
        return [step(item) for item in items]
    with one_thread():
        return list(Parallel(n_jobs=n, prefer="threads")(delayed(step)(item) for item in items))
