"""What the page shows: for every row a class, how sure it is, and where it comes from; and which rows to look at."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca._selection.suspects import Suspect
from sskpca._web.session import Session
from sskpca._web.worker import Found

__all__ = [
    "GIVEN",
    "NONE",
    "UNSURE",
    "Queue",
    "View",
    "advice_to_stop",
    "most_probable",
    "packed_changes",
    "queue_of",
    "view_of",
]

# No class.
NONE = 255
# Where a class comes from: the model; a person; a person who could not tell; a model that is not sure enough.
MODEL, GIVEN, UNSURE, NOT_SURE = 0, 1, 2, 3
# Rows in each list.
MOST_NEXT, MOST_UNSURE, MOST_SUSPECTS = 30, 200, 200
# Labels in a row that each change less than this share of the rows, before somebody may stop; and labels of each class
# that there must be.
QUIET, LITTLE, LEAST_EACH = 10, 0.002, 2


@dataclass(frozen=True, eq=False)
class View:
    """A class for every row.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n_rows,)
        Positions in the classes of the session; 255 for none.
    confidence : ndarray of uint8, shape (n_rows,)
        From 0 to 255.
    source : ndarray of uint8, shape (n_rows,)
    """

    codes: NDArray[np.uint8]
    confidence: NDArray[np.uint8]
    source: NDArray[np.uint8]

    @property
    def has_answer(self) -> bool:
        """Whether there is a class for rows without a label."""
        return bool(np.any((self.source != GIVEN) & (self.codes != NONE)))


def view_of(session: Session, found: Found | None, least_confidence: float) -> View:
    """Show the newest labels, and the newest answer on all other rows."""
    n = session.n_rows
    codes, sure = np.full(n, NONE, np.uint8), np.zeros(n)
    number = {name: code for code, name in enumerate(session.classes)}
    if found is not None and found.probabilities is not None:
        own = np.array([number[str(name)] for name in found.answer.classes], dtype=np.uint8)
        called = found.probabilities.argmax(axis=1)
        codes, sure = own[called], found.probabilities[np.arange(n), called]
    source = np.where(sure >= least_confidence, MODEL, NOT_SURE).astype(np.uint8)
    confidence = np.rint(255 * np.clip(np.nan_to_num(sure), 0, 1)).astype(np.uint8)
    for row, mark in session.marks.items():
        if mark.label is not None:
            codes[row], confidence[row], source[row] = number[mark.label], 255, GIVEN
        elif mark.unsure:
            source[row] = UNSURE
    return View(codes, confidence, source)


def packed_changes(version: int, now: View, before: View | None) -> bytes:
    """Write the rows that differ from an earlier view, or all, as the page reads them.

    Little-endian: the version and the number of rows, each four bytes; then the row numbers, four bytes each; the
    classes; the confidences; the sources, a byte each.
    """
    rows = np.arange(len(now.codes), dtype="<u4")
    if before is not None:
        changed = (now.codes != before.codes) | (now.confidence != before.confidence) | (now.source != before.source)
        rows = np.flatnonzero(changed).astype("<u4")
    parts = (rows, now.codes[rows], now.confidence[rows], now.source[rows])
    return struct.pack("<II", version, len(rows)) + b"".join(part.tobytes() for part in parts)


def most_probable(probabilities: Array, classes: Iterable[object], most: int) -> list[tuple[str, float]]:
    """List the most probable classes of a row."""
    names = [str(name) for name in classes]
    order = np.argsort(-probabilities, kind="stable")[:most]
    return [(names[k], float(probabilities[k])) for k in order]


@dataclass(frozen=True)
class Queue:
    """Rows to look at.

    Attributes
    ----------
    next : list of int
        To label next, the most useful first; rows that were put off come last.
    unsure : list of int
        That the model is least sure of, and those that a person could not tell after them.
    suspects : list of int
        Whose label the others contradict.
    """

    next: list[int]
    unsure: list[int]
    suspects: list[int]


def queue_of(session: Session, view: View, planned: Iterable[int], suspects: Sequence[Suspect]) -> Queue:
    """Choose the rows to look at.

    Parameters
    ----------
    session : Session
    view : View
    planned : iterable of int
        Rows to label next as they were chosen last; some may have a label by now. When they run out, the rows that
        the model is least sure of take their place until there are new ones.
    suspects : sequence of Suspect
        As they were found last; labels that were changed since are left out.
    """
    marks = session.marks
    open_rows = np.flatnonzero((view.source != GIVEN) & (view.source != UNSURE))
    doubtful = open_rows[np.argsort(view.confidence[open_rows], kind="stable")][: MOST_UNSURE + len(marks)].tolist()
    # Before there is an answer, no row is more doubtful than another: the first one asks for the next rows.
    instead = doubtful if view.has_answer else ()
    fresh = (row for row in dict.fromkeys([*planned, *instead]) if row not in marks)
    put_off = [row for row in session.skipped if marks[row].label is None and not marks[row].unsure]
    first = [row for row, _ in zip(fresh, range(MOST_NEXT), strict=False)]
    return Queue(
        [*first, *put_off][:MOST_NEXT],
        [*(row for row in instead if view.source[row] == NOT_SURE), *session.unsure][:MOST_UNSURE],
        [s.row for s in suspects if s.row in marks and marks[s.row].label == str(s.label)][:MOST_SUSPECTS],
    )


def advice_to_stop(session: Session, changes: Sequence[float]) -> str | None:
    """Return a sentence if further labels change little; None if they may still change something.

    Parameters
    ----------
    session : Session
    changes : sequence of float
        Shares of the rows that each of the last labels has changed.
    """
    names = list(session.labeled.values())
    each = min((names.count(name) for name in session.classes), default=0)
    last = list(changes)[-QUIET:]
    if len(last) < QUIET or max(last) > LITTLE or each < LEAST_EACH:
        return None
    return (
        f"The last {QUIET} labels each changed less than {100 * LITTLE:g} % of the rows: further labels change little."
    )
