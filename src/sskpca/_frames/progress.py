"""Progress of a job by named steps, with a forecast of its end."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sskpca._selection.progress import reporting_to, step
from sskpca._tables.forecast import duration_in_words

__all__ = ["showing_progress"]

# Steps in their order, by the name that the library reports: what they are called, and the share of the time that they
# take, roughly. Kernels and candidates have what is left, as is forecast.
STEPS = {
    "reading": ("reading", 0.01),
    "columns": ("columns", 0.03),
    "kernels": ("kernels", 0.0),
    "candidates": ("weighing", 0.0),
    "checking labels": ("checking labels", 0.05),
    "choosing rows": ("choosing rows", 0.07),
    "comparing": ("comparing", 0.07),
    "writing": ("writing", 0.02),
}
# So much is trusted in the forecast: seconds that it counts for beside those that were measured.
TRUST = 1.0


class Steps:
    """How far a job has come: what is being done, and the share that is done; it never goes back.

    Examples
    --------
    >>> steps = Steps()
    >>> steps.expect(30.0, 0.8)
    >>> steps.report("kernels", 7, 20)
    >>> steps.text, round(steps.share, 2)
    ('kernels 7 of 20', 0.25)
    >>> steps.report("columns", 0, 0)  # of something that is done again on the way
    >>> steps.text
    'kernels 7 of 20'
    >>> steps.left(7.5)  # as fast as was forecast
    'about 20 s left'
    """

    def __init__(self) -> None:
        self.text, self.share, self.seconds = "", 0.0, 0.0
        self.shares = {name: share for name, (_, share) in STEPS.items()}
        self.expect(0.0, 0.6)

    def expect(self, seconds: float, share_of_kernels: float) -> None:
        """Take notice of a forecast."""
        rest = 1.0 - sum(share for _, share in STEPS.values())
        self.shares |= {"kernels": rest * share_of_kernels, "candidates": rest * (1 - share_of_kernels)}
        self.seconds = seconds

    def report(self, what: str, done: int, total: int) -> None:
        """Take notice of a step."""
        if what not in STEPS:
            return
        before = sum(list(self.shares.values())[: list(STEPS).index(what)])
        share = before + self.shares[what] * (done / total if total else 0.0)
        if share >= self.share:
            title = STEPS[what][0]
            self.text, self.share = f"{title} {done} of {total}" if total else title, share

    def left(self, passed: float) -> str:
        """Forecast the time that is left, by the forecast and the seconds that have passed; "" without a forecast."""
        if not self.seconds:
            return ""
        slower = (passed + TRUST) / (self.share * self.seconds + TRUST)
        return f"about {duration_in_words((1 - self.share) * self.seconds * slower)} left"


class Bar(Steps):
    """The same, shown by a bar."""

    def __init__(self, bar: Any) -> None:
        super().__init__()
        self.bar, self.task, self.started = bar, bar.add_task("", total=1.0, left=""), time.perf_counter()

    def report(self, what: str, done: int, total: int) -> None:
        """Take notice of a step, and show it."""
        super().report(what, done, total)
        left = self.left(time.perf_counter() - self.started)
        self.bar.update(self.task, description=self.text, completed=self.share, left=left)


@contextmanager
def showing_progress(shown: bool) -> Iterator[None]:
    """Show the steps of a job on the error stream while the block runs."""
    if not shown:
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    shown_left = TextColumn("{task.percentage:>3.0f} %  {task.fields[left]}")
    columns = (TextColumn("{task.description:22}"), BarColumn(), shown_left)
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar, reporting_to(Bar(bar)):
        step("reading")
        yield
