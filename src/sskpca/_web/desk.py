"""The desk: a table, its journal, the session and the worker, kept in step. Every tab sees the same desk."""

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from sskpca._linalg.array import Array
from sskpca._report.words import FEW_PER_CLASS
from sskpca._selection import SSKPCAClassifier
from sskpca._selection.baselines import MOST_LABELS
from sskpca._selection.suspects import Suspect
from sskpca._tables.job import unfitted_model
from sskpca._transduction.answer import Transduction, Unanswered
from sskpca._web.curve import Curve
from sskpca._web.journal import Journal, JournalError, folder_of
from sskpca._web.session import Action, ActionError, Session
from sskpca._web.table import OpenTable
from sskpca._web.view import GIVEN, Queue, View, advice_to_stop, queue_of, view_of
from sskpca._web.worker import Found, Task, Worker
from sskpca.plots import neighbor_map
from sskpca.plots._marks import mark_of

__all__ = ["Desk", "GoneError", "NotYetError", "Receipt"]


class NotYetError(Exception):
    """There is no answer yet to what was asked; the message is a sentence."""


class GoneError(Exception):
    """Labelling cannot go on; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """An action is on the disk.

    Attributes
    ----------
    entry : int
        Its number in the journal.
    n_given : int
        How many rows have a label now.
    said : str
        What was done, in words.
    """

    entry: int
    n_given: int
    said: str


@dataclass(frozen=True, slots=True)
class _Before:
    """The page before an action, and the rows whose labels it has changed, to say what else has changed with them."""

    entry: int
    action: Action
    rows: list[int]
    view: View
    error: float | None

    def told(self, n_changed: int | None = None, error: float | None = None) -> dict[str, object]:
        """Return what the page is told of the action: how many other rows it has changed, and the error after it."""
        return {
            "do": self.action.do,
            "rows": len(self.rows),
            "class": self.action.name or None,
            "changed": n_changed,
            "error_before": self.error,
            "error_after": error,
        }


class Desk:
    """A table that is being labelled.

    Parameters
    ----------
    table : OpenTable
    n_jobs : int, optional

    Attributes
    ----------
    session : Session
    journal : Journal
    view : View
        What is shown of the rows now; replaced when it changes.
    version : int
        Of the view.
    map : bytes or None
        Two coordinates for every row, as the page reads them.
    found, complete_found : Found or None
        The newest answer, and the newest one that is complete.
    suspects : tuple of Suspect
        As they were found last.
    model : SSKPCAClassifier or None
        Fitted without labels.
    gone : str or None
        Why labelling cannot go on.
    lock : threading.RLock
        To be held to see several of these at once.

    Raises
    ------
    JournalError
        The journal cannot be had; see `Journal.open`.
    """

    def __init__(self, table: OpenTable, n_jobs: int | None = None) -> None:
        self.table = table
        self.journal = Journal.open(table.path, table.mark, table.label_column, table.n_rows)
        try:
            self.session = Session.of(table.ready.target.labels, table.row_name).replay(self.journal.entries)
        except ActionError as error:
            self.journal.close()
            raise JournalError(
                f"{error} Put back a copy of {self.journal.path}, or move the folder "
                f"{folder_of(table.path).name} away to begin anew."
            ) from None
        self.lock = threading.RLock()
        self.version = 0
        self.map: bytes | None = None
        self.model: SSKPCAClassifier | None = None
        self.message: str | None = None
        self.gone: str | None = None
        self._listeners: list[Callable[[], None]] = []
        self._progress: float | None = 0.0
        self.found: Found | None = None
        self.complete_found: Found | None = None
        self._planned: tuple[int, ...] = ()
        self.suspects: tuple[Suspect, ...] = ()
        self._compared: Found | None = None
        self._curve = Curve(folder_of(table.path))
        self._changes: deque[float] = deque(maxlen=50)
        self._before: _Before | None = None
        self._last: dict[str, object] | None = None
        self._state = _stamp(table)
        self.view = view_of(self.session, None, table.options.least_confidence)
        self.worker = Worker(self._fit, self._publish, self._report, n_jobs)
        self._mapper = threading.Thread(target=self._draw_map, name="sskpca map", daemon=True)

    def start(self) -> None:
        """Begin to fit the kernels and to draw the map."""
        self.worker.submit(self._task())
        self.worker.start()
        self._mapper.start()

    def close(self, timeout: float | None = None) -> None:
        """Stop the worker, and let another process have the journal."""
        self.worker.stop(timeout)
        with self.lock:
            self.journal.close()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a function, in whatever thread, whenever something has changed; return a function that ends this."""
        with self.lock:
            self._listeners.append(listener)

        def end() -> None:
            with self.lock, suppress(ValueError):
                self._listeners.remove(listener)

        return end

    def do(self, action: Action, client: str = "") -> Receipt:
        """Do an action: first on the disk, then on the desk.

        Raises
        ------
        ActionError
            It cannot be done.
        JournalError
            It could not be written, and does not count.
        GoneError
            The table has changed, and row numbers may mean other rows.
        """
        with self.lock:
            self._check_table()
            self.session.check(action)
            before = self.session.labeled
            entry = self.journal.append({**action.to_dict(), **({"client": client} if client else {})})
            said = self.session.apply(action)
            after = self.session.labeled
            rows = [row for row in before.keys() | after.keys() if before.get(row) != after.get(row)]
            if rows:
                self._before = _Before(entry, action, rows, self.view, self._error())
                self._last = self._before.told()  # at once: the line of the action before would be taken for this one's
            self._changed()
            receipt = Receipt(entry, self.session.n_given, said)
            self.worker.submit(self._task())
        self._tell()
        return receipt

    def _check_table(self) -> None:
        if self.gone is None and _stamp(self.table) != self._state:
            if self.table.has_changed():
                self.gone = (
                    f"{self.table.path.name} was changed by somebody, so row numbers may mean other rows. All labels "
                    f"so far are saved in {self.journal.path}. Put the table back as it was, and open it again."
                )
            self._state = _stamp(self.table)
        if self.gone is not None:
            self._tell()
            raise GoneError(self.gone)

    def _task(self) -> Task:
        passed = sorted({*self.session.unsure, *self.session.skipped})
        return Task(self.journal.last, self.session.labels(), np.array(passed, dtype=np.intp))

    def _fit(self) -> Transduction | Unanswered:
        ready, options = self.table.ready, self.table.options
        model = unfitted_model(options, ready).fit(ready.matrix)
        model.set_params(memory=options.memory)
        self.model = model
        return model.answer_

    def _draw_map(self) -> None:
        try:
            places = neighbor_map(self.table.ready.matrix)
        except Exception as error:
            self._report(f"the map could not be drawn: {error}")
            return
        with self.lock:
            self.map = _scaled(places)
        self._tell()

    def _report(self, what: float | str) -> None:
        with self.lock:
            if isinstance(what, str):
                self.message = what
            else:
                self._progress = what if what < 1 else None
        self._tell()

    def _publish(self, found: Found) -> None:
        with self.lock:
            shown, expected = self.found, found.expected
            if found.complete:
                self.complete_found = found
                if found.next_rows is None and expected is not None:
                    self._curve.add(len(found.task.labels.labeled), *expected)
            if shown is not None and (shown.task.entry, shown.complete) > (found.task.entry, found.complete):
                return  # a first answer for newer labels, or the complete one, is shown already
            self.found = found
            self.message = None
            if found.next_rows is not None:
                self._planned = found.next_rows
            if found.suspects is not None:
                self.suspects = found.suspects
            if found.baselines is not None:
                self._compared = found
            self._changed()
            before = self._before
            if before is not None and found.task.entry >= before.entry and found.next_rows is None:
                self._compare(before, found)
        self._tell()

    def _recent_baselines(self) -> list[dict[str, object]]:
        """Return the errors of this model and of simple methods on the same held-out labels, and how many these are.

        None if too many labels have come since.
        """
        found = self._compared
        if found is None or isinstance(found.answer, Unanswered):
            return []
        n_given = min(self.session.n_given, MOST_LABELS)
        recent = [b for b in found.baselines or () if 2 * b.n_labels >= n_given]
        if not recent:
            return []
        held_out = found.answer.held_out
        own = {"name": "this model", "error": held_out.error, "n_labels": len(held_out.rows)}
        return [own, *({"name": b.name, "error": b.error, "n_labels": b.n_labels} for b in recent)]

    def _compare(self, before: _Before, found: Found) -> None:
        """Say what the last action has changed."""
        changed = (self.view.codes != before.view.codes) & (self.view.source != GIVEN)
        changed[before.rows] = False
        n_changed = int(np.sum(changed))
        self._last = before.told(n_changed, self._error())
        if found.complete:
            self._changes.append(n_changed / self.session.n_rows)
            self._before = None

    def _error(self) -> float | None:
        expected = None if self.found is None else self.found.expected
        return None if expected is None else expected[0]

    def _changed(self) -> None:
        self.version += 1
        self.view = view_of(self.session, self.found, self.table.options.least_confidence)

    def _tell(self) -> None:
        with self.lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    @property
    def queue(self) -> Queue:
        """The rows to look at."""
        return queue_of(self.session, self.view, self._planned, self.suspects)

    def classes(self) -> list[dict[str, object]]:
        """Describe the classes: how they look, and how many rows have them."""
        given = np.bincount(self.view.codes[self.view.source == GIVEN], minlength=256)
        called = np.bincount(self.view.codes, minlength=256)
        marks = map(mark_of, range(len(self.session.classes)))
        return [
            {
                "name": name,
                "color": mark.color,
                "shape": mark.shape,
                "given": int(given[code]),
                "called": int(called[code]),
            }
            for code, (name, mark) in enumerate(zip(self.session.classes, marks, strict=True))
        ]

    def state(self) -> dict[str, Any]:
        """Return the state as the page is told."""
        with self.lock:
            found, session, queue = self.found, self.session, self.queue
            expected = None if found is None else found.expected
            error = None
            if expected is not None:
                low, high = expected[1]
                rough = session.n_given < FEW_PER_CLASS * len(session.classes)
                error = {"expected": expected[0], "low": low, "high": high, "rough": rough}
            return {
                "type": "state",
                "version": self.version,
                "entry": self.journal.last,
                "pending": not self._is_answered(found),
                "complete": found is not None and found.complete,
                "stage": self._stage(),
                "progress": self._progress,
                "message": self.gone or self.message,
                "n_given": session.n_given,
                "n_unsure": len(session.unsure),
                "classes": self.classes(),
                "error": error,
                "baselines": self._recent_baselines(),
                "history": self._curve.points(),
                "last": self._last,
                "queue": {"next": queue.next, "unsure": queue.unsure, "suspects": queue.suspects},
                "stop": advice_to_stop(session, self._changes),
                "can_undo": session.can_undo,
                "can_redo": session.can_redo,
            }

    def _stage(self) -> str:
        if self._progress is not None:
            return "loading" if self._progress == 0 else "fit"
        if self.found is None or self.found.probabilities is None:
            return "no classes yet" if len(set(self.session.labeled.values())) < 2 else "fit"
        return "map" if self.map is None else "ready"

    def _is_answered(self, found: Found | None) -> TypeGuard[Found]:
        """Return whether this is the complete answer for the newest labels."""
        return found is not None and found.complete and found.task.entry >= self.journal.last

    def complete(self) -> Found:
        """Return the complete answer for the newest labels.

        Raises
        ------
        NotYetError
            It is not there yet.
        """
        with self.lock:
            found = self.found
            if not self._is_answered(found):
                raise NotYetError("the complete answer for the newest labels is not there yet; try again in a moment.")
            if isinstance(found.answer, Unanswered):
                raise NotYetError("label rows of two classes first.")
            return found


def _stamp(table: OpenTable) -> tuple[int, int]:
    """Return what changes when the file is written."""
    try:
        found = os.stat(table.path)
    except OSError:
        return (-1, -1)
    return (found.st_mtime_ns, found.st_size)


def _scaled(places: Array) -> bytes:
    """Scale a map to the square from -1 to 1, and write it as the page reads it."""
    low, high = places.min(axis=0), places.max(axis=0)
    middle, size = (low + high) / 2, float((high - low).max()) or 1.0
    return np.ascontiguousarray((places - middle) * (2 / size), dtype="<f4").tobytes()
