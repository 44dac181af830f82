"""What the page asks about rows: what they are, why they are called so, and what if they were called something else."""

from collections.abc import Callable

import numpy as np

from sskpca._linalg.array import Indices
from sskpca._selection.explanation import explain
from sskpca._selection.live import answers
from sskpca._transduction.answer import Unanswered
from sskpca._web.desk import Desk, NotYetError
from sskpca._web.session import ActionError
from sskpca._web.view import GIVEN, most_probable

__all__ = ["describe_row", "list_rows", "what_if", "why"]

MOST_CHANGED = 5000
# Classes that are listed for a row, and labelled rows that explain it.
MOST_PROBABLE, MOST_REASONS = 5, 5


def describe_row(desk: Desk, row: int) -> dict[str, object]:
    """Return the cells of a row, what was said of it, and what it is called."""
    table = desk.table
    with desk.lock:
        found, mark = desk.found, desk.session.marks.get(row)
        suspect = next((s for s in desk.suspects if s.row == row), None)
    probable: list[tuple[str, float]] = []
    if found is not None and found.probabilities is not None:
        probable = most_probable(found.probabilities[row], found.answer.classes, MOST_PROBABLE)
    given = None if mark is None else mark.label
    if suspect is not None and given != str(suspect.label):  # it was changed meanwhile
        suspect = None
    contradicted = None
    if suspect is not None:
        contradicted = {"probably": str(suspect.suggestion), "p": round(1 - suspect.probability, 4)}
    return {
        "row": row,
        "name": table.row_name(row),
        "cells": table.cells(row),
        "picture": table.pictures is not None and table.pictures.of(row) is not None,
        "given": given,
        "unsure": mark is not None and mark.unsure,
        "guess": probable[0][0] if probable else None,
        "confidence": probable[0][1] if probable else None,
        "second": probable[1][0] if len(probable) > 1 else None,
        "probabilities": [{"name": name, "p": p} for name, p in probable],
        "suspect": contradicted,
    }


def list_rows(
    desk: Desk, wanted: str, search: str = "", column: str | None = None, offset: int = 0, limit: int = 50
) -> dict[str, object]:
    """Return some of a list of rows, in a line each.

    Parameters
    ----------
    desk : Desk
    wanted : {"all", "labeled", "unlabeled", "unsure", "suspects", "next"}
    search : str
        Only rows with this text in a cell.
    column : str, optional
        The column of the text; any by default.
    offset, limit : int

    Raises
    ------
    ActionError
        There is no such list.
    TableError
        There is no such column.
    """
    with desk.lock:
        view, queue, classes = desk.view, desk.queue, list(desk.session.classes)
        suggested = {s.row: str(s.suggestion) for s in desk.suspects}
    suspected = set(queue.suspects)
    lists: dict[str, Callable[[], Indices]] = {
        "all": lambda: np.arange(len(view.codes)),
        "labeled": lambda: np.flatnonzero(view.source == GIVEN),
        "unlabeled": lambda: np.flatnonzero(view.source != GIVEN),
        "unsure": lambda: np.array(queue.unsure, dtype=np.intp),
        "suspects": lambda: np.array(queue.suspects, dtype=np.intp),
        "next": lambda: np.array(queue.next, dtype=np.intp),
    }
    if wanted not in lists:
        raise ActionError(f"there is no list of rows {wanted[:40]!r}.")
    found = lists[wanted]()
    if search:
        found = found[np.isin(found, desk.table.search(search, column))]
    shown = []
    for row in found[offset : offset + limit].tolist():
        code = int(view.codes[row])
        name = classes[code] if code < len(classes) else None
        shown.append(
            {
                "row": row,
                "name": desk.table.row_name(row),
                "cells": desk.table.brief(row),
                "given": name if view.source[row] == GIVEN else None,
                "guess": name,
                "confidence": None if name is None else round(int(view.confidence[row]) / 255, 3),
                "probably": suggested[row] if row in suspected else None,
            }
        )
    return {"total": len(found), "rows": shown, "columns": desk.table.listed()}


def why(desk: Desk, row: int) -> dict[str, object]:
    """Return the labelled rows that pulled hardest at a row, with their shares in the decision.

    Raises
    ------
    NotYetError
        There is no complete answer.
    """
    with desk.lock:
        found = desk.found
    if found is None or not found.complete or isinstance(found.answer, Unanswered):
        raise NotYetError("there is no complete answer yet; ask again in a moment.")
    answer = found.answer
    explained = desk.worker.ask(lambda: explain(answer, row)).result()
    sizes = np.abs(explained.contributions)
    total = float(sizes.sum()) + abs(explained.offset) or 1.0
    first = zip(explained.rows[:MOST_REASONS], explained.labels, explained.contributions, strict=False)
    because = [
        {
            "row": int(other),
            "name": desk.table.row_name(int(other)),
            "label": str(label),
            "share": round(float(part) / total, 4),
        }
        for other, label, part in first
    ]
    return {"row": row, "because": because, "rest": round(1 - float(sizes[:MOST_REASONS].sum()) / total, 4)}


def what_if(desk: Desk, row: int, code: int) -> dict[str, object]:
    """Return the rows that would be called something else if a row had a class, by a first answer.

    Raises
    ------
    ActionError
        There is no such class.
    NotYetError
        There is no answer yet, or it does not know the class.
    """
    with desk.lock:
        # From the last complete answer: a first answer of a first answer would be too far off.
        found, classes, view = desk.complete_found, list(desk.session.classes), desk.view
        labels = desk.session.labels()
    if not 0 <= code < len(classes):
        raise ActionError(f"there is no class with the number {code}.")
    if found is None or isinstance(found.answer, Unanswered):
        raise NotYetError("there is no answer yet; label rows of two classes first.")
    answer = found.answer
    if classes[code] not in [str(name) for name in answer.classes]:
        raise NotYetError(f'no row was labelled "{classes[code]}" yet, so nothing is known of it.')
    tried = labels.with_labels(np.array([row]), np.array([classes[code]], dtype=object))
    first = desk.worker.ask(lambda: next(answers(answer, tried))).result()
    own = np.array([classes.index(str(name)) for name in first.classes], dtype=np.uint8)
    codes = own[np.asarray(first.distributions).argmax(axis=1)]
    differs = (codes != view.codes) & (view.source != GIVEN)
    differs[row] = False
    rows = np.flatnonzero(differs)
    changed = [[int(other), int(codes[other])] for other in rows[:MOST_CHANGED]]
    return {"row": row, "class": code, "changed": changed, "n_changed": len(rows)}
