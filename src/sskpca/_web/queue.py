"""Which rows a person should look at, and when it is enough."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sskpca._selection.suspects import Suspect
from sskpca._web.session import Session
from sskpca._web.view import GIVEN, NOT_SURE, UNSURE, View

__all__ = ["Queue", "advice_to_stop", "queue_of"]

# Rows in each list.
MOST_NEXT, MOST_UNSURE, MOST_SUSPECTS = 30, 200, 200
# Labels in a row that each change less than this share of the rows, before somebody may stop; and labels of each class
# that there must be.
QUIET, LITTLE, LEAST_EACH = 10, 0.002, 2


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
