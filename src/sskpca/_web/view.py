"""What the page shows for every row: a class, how sure it is, and where it comes from; and what of it has changed."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca._web.session import Session
from sskpca._web.worker import Found

__all__ = ["GIVEN", "MODEL", "NONE", "NOT_SURE", "UNSURE", "View", "most_probable", "packed_changes", "view_of"]

# No class.
NONE = 255
# Where a class comes from: the model; a person; a person who could not tell; a model that is not sure enough.
MODEL, GIVEN, UNSURE, NOT_SURE = 0, 1, 2, 3


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
