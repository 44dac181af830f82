"""The background worker: always the newest labels, and a first answer at once.

Two threads: one goes step by step to the complete answer and what follows from it; the other gives the first answer
and settles questions meanwhile, so that nobody waits for a step that older labels have begun.
"""

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from sskpca._linalg.array import Array, Indices
from sskpca._linalg.threads import one_thread
from sskpca._selection.baselines import Baseline, baselines
from sskpca._selection.live import first_answer
from sskpca._selection.progress import reporting_to
from sskpca._selection.query import Prior, next_rows, prior_of
from sskpca._selection.suspects import Suspect, find_suspects
from sskpca._transduction.answer import Transduction, Unanswered, transduce
from sskpca._transduction.calibration import probabilities
from sskpca._transduction.labels import Labels

__all__ = ["Found", "Task", "Worker", "steps"]

# Rows that are proposed at a time: enough for a minute, and none of them like another.
N_NEXT = 10

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Task:
    """Labels to be answered.

    Attributes
    ----------
    entry : int
        The last entry of the journal that they follow from.
    labels : Labels
    passed : ndarray
        Rows that are not to be proposed for labelling.
    """

    entry: int
    labels: Labels
    passed: Indices


@dataclass(frozen=True, eq=False)
class Found:
    """What is known of a task so far; a later one of the same task knows more.

    Attributes
    ----------
    task : Task
    answer : Transduction or Unanswered
    complete : bool
        Whether it is the answer of a new fit; otherwise a first one, and the complete one follows.
    probabilities : ndarray of shape (n_rows, n_classes), optional
        Of the classes of `answer`; of labelled rows, by a model that has not seen the label.
    next_rows : tuple of int, optional
    suspects : tuple of Suspect, optional
    baselines : tuple of Baseline, optional
    """

    task: Task
    answer: Transduction | Unanswered
    complete: bool
    probabilities: Array | None = None
    next_rows: tuple[int, ...] | None = None
    suspects: tuple[Suspect, ...] | None = None
    baselines: tuple[Baseline, ...] | None = None

    @property
    def expected(self) -> tuple[float, tuple[float, float]] | None:
        """The expected error on the unlabelled rows with its interval, if it is known."""
        labels = self.task.labels
        if isinstance(self.answer, Unanswered) or len(labels.labeled) == len(labels.codes):
            return None
        error, (low, high) = self.answer.expected
        return (error, (low, high)) if np.isfinite([error, low, high]).all() else None


def steps(
    last: Transduction | Unanswered, task: Task, n_jobs: int | None = None, priors: Sequence[Prior] | None = None
) -> Iterator[Found]:
    """Answer labels step by step, what is most urgent first: they may be abandoned after each.

    Parameters
    ----------
    last : Transduction or Unanswered
        The complete answer for earlier labels of the same rows.
    task : Task
    n_jobs : int, optional
    priors : sequence of Prior, optional
        `prior_of` the geometry, to choose the next rows from.

    Yields
    ------
    Found
        The complete answer; then with the next rows, the suspects, and the baselines.
    """
    if len(task.labels.classes) < 2:
        found = Found(task, Unanswered(last.geometry, task.labels, last.method), True)
        yield found
    elif isinstance(last, Transduction) and _same(last.labels, task.labels):  # a row was put off
        found = Found(task, last, True, _probabilities(last))
        yield found
    else:
        answer = transduce(last.geometry, task.labels, last.method, n_jobs=n_jobs)
        found = Found(task, answer, True, _probabilities(answer))
        yield found
    found = replace(found, next_rows=tuple(next_rows(found.answer, N_NEXT, task.passed, priors).tolist()))
    yield found
    if isinstance(found.answer, Unanswered):
        return
    found = replace(found, suspects=tuple(find_suspects(found.answer, tried=0)))
    yield found
    labels, geometry = task.labels, found.answer.geometry
    compared = baselines(
        geometry.rows(labels.labeled), labels.codes[labels.labeled], [str(name) for name in labels.classes]
    )
    yield replace(found, baselines=compared)


def first_step(last: Transduction | Unanswered | None, task: Task) -> Found | None:
    """Return the first answer, from the last complete one; None if that tells nothing of these labels."""
    if not isinstance(last, Transduction) or len(task.labels.classes) < 2 or _same(last.labels, task.labels):
        return None
    answer = first_answer(last, task.labels)
    return None if answer is None else Found(task, answer, False, _probabilities(answer))


def _same(labels: Labels, others: Labels) -> bool:
    return np.array_equal(labels.classes, others.classes) and np.array_equal(labels.codes, others.codes)


def _probabilities(answer: Transduction) -> Array:
    found = answer.distributions.copy()
    held_out = answer.held_out
    found[held_out.rows] = probabilities(held_out.decisions.reshape(len(held_out.rows), -1), answer.slope)
    return found


class Worker:
    """Threads that fit the kernels and then answer the newest labels.

    Parameters
    ----------
    fit : callable
        Fits the kernels; returns what is known before any label.
    publish : callable
        Takes what was found; called in either thread, so that what was found for newer labels, or a complete answer,
        may have come before.
    report : callable
        Takes the share of the fit that is done, from 0 to 1, or a sentence about what went wrong.
    n_jobs : int, optional
    """

    def __init__(
        self,
        fit: Callable[[], Transduction | Unanswered],
        publish: Callable[[Found], None],
        report: Callable[[float | str], None],
        n_jobs: int | None = None,
    ) -> None:
        self._fit, self._publish, self._report, self._n_jobs = fit, publish, report, n_jobs
        self._changed = threading.Condition()
        self._newest: Task | None = None
        self._urgent: Task | None = None
        self._complete: Transduction | Unanswered | None = None
        self._questions: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="sskpca worker", daemon=True)
        self._first = threading.Thread(target=self._hurry, name="sskpca first answers", daemon=True)

    def start(self) -> None:
        """Begin to fit."""
        self._thread.start()
        self._first.start()

    def stop(self, timeout: float | None = None) -> None:
        """End after the current step."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for thread in (self._first, self._thread):
            if thread.ident is not None:
                thread.join(timeout)

    def submit(self, task: Task) -> None:
        """Answer these labels in place of all earlier ones."""
        with self._changed:
            self._newest = self._urgent = task
            self._changed.notify_all()

    def ask(self, question: Callable[[], T]) -> "Future[T]":
        """Run a short computation soon."""
        future: Future[T] = Future()
        with self._changed:
            self._questions.append((future, question))
            self._changed.notify_all()
        return future

    def _run(self) -> None:
        try:
            with reporting_to(_Kernels(self._report)):
                fitted = self._fit()
        except Exception as error:
            self._fail("the kernels could not be fitted", error)
            return
        self._report(1.0)
        with one_thread():  # what follows is small: threads of the BLAS would wait for each other
            self._serve(fitted, prior_of(fitted.geometry))

    def _hurry(self) -> None:
        """Give first answers, and settle questions when there is none to give, until the end."""
        while True:
            with self._changed:
                while not (self._stopped or self._questions or self._urgent is not None):
                    self._changed.wait()
                if self._stopped:
                    return
                task, self._urgent = self._urgent, None
                question = self._questions.popleft() if task is None else None
                complete = self._complete
            if question is not None:
                _settle(*question)
            elif task is not None:
                found = None
                with suppress(Exception):  # the complete answer will fail as well, and say so
                    found = first_step(complete, task)
                if found is not None:
                    self._publish(found)

    def _serve(self, complete: Transduction | Unanswered, priors: Sequence[Prior]) -> None:
        """Answer tasks until the end."""
        current: Iterator[Found] | None = None
        while True:
            with self._changed:
                self._complete = complete
                while not (self._stopped or self._newest is not None or current is not None):
                    self._changed.wait()
                if self._stopped:
                    return
                task, self._newest = self._newest, None
            if task is not None:
                current = steps(complete, task, self._n_jobs, priors)
            try:
                found = next(current, None)  # type: ignore[arg-type]
            except Exception as error:
                current = None
                self._fail("no answer was found for the newest labels, which are saved", error)
                continue
            if found is None:
                current = None
                continue
            if found.complete:
                complete = found.answer
            self._publish(found)

    def _fail(self, what: str, error: Exception) -> None:
        traceback.print_exc()
        self._report(f"{what}: {error}")


def _settle(future: "Future[Any]", question: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(question())
    except Exception as error:
        future.set_exception(error)


class _Kernels:
    """Listens to the progress of a fit: how many of the kernels are done."""

    def __init__(self, report: Callable[[float], None]) -> None:
        self._report, self._shown = report, 0.0

    def report(self, what: str, done: int, total: int) -> None:
        """Pass on the share that is done, no more than ten times a second."""
        if what == "kernels" and total and (done == total or time.monotonic() - self._shown > 0.1):
            self._shown = time.monotonic()
            self._report(done / total)

    def expect(self, seconds: float, share_of_kernels: float) -> None:
        """Ignore a forecast: the share that is done is shown."""
