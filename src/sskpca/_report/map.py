"""The map: which rows are drawn, where, and how they are handed to the script that draws them."""

import base64
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Indices
from sskpca._report.words import count, several
from sskpca._tables.labelling import Labelling
from sskpca.plots._map import MOST_EMBEDDED
from sskpca.plots._marks import MARKS

__all__ = ["FOUND", "GIVEN", "NEXT", "POINT", "SUSPECT", "UNSURE", "Map", "pack_map"]

MOST_POINTS = 20_000
"""Of more rows, a random sample is drawn: the picture would not change, and the page would become large."""

# What a row is: one of the first three, and perhaps one of the others besides.
UNSURE, FOUND, GIVEN, SUSPECT, NEXT = 0, 1, 2, 4, 8

POINT = np.dtype([("x", "<u2"), ("y", "<u2"), ("row", "<u4"), ("code", "<u2"), ("percent", "u1"), ("kind", "u1")])
"""A row on the map, in 12 bytes, as map.js reads it: its place in 65,535ths of the picture, from the top left;
its row counted from 0."""


@dataclass(frozen=True, slots=True)
class Map:
    """The rows that are drawn.

    Attributes
    ----------
    points : ndarray of `POINT`
        In the order of the rows.
    notes : tuple of str
        What the reader should know of how it is drawn.
    """

    points: NDArray[np.void]
    notes: tuple[str, ...]

    @property
    def packed(self) -> str:
        """The points, in base 64."""
        return base64.b64encode(self.points.tobytes()).decode("ascii")


def pack_map(labelling: Labelling, places: Array) -> Map:
    """Put the rows on the map.

    Parameters
    ----------
    labelling : Labelling
    places : ndarray of shape (n_rows, 2)
        As `neighbor_map` returns them. Rows without finite coordinates are not drawn; the notes say how many.
    """
    kind = np.where(labelling.given >= 0, GIVEN, np.where(labelling.sure, FOUND, UNSURE))
    kind[[suspect.row for suspect in labelling.suspects]] |= SUSPECT
    kind[list(labelling.next_rows)] |= NEXT
    on_map = np.asarray(np.isfinite(places).all(axis=1))
    rows = _drawn(np.flatnonzero(on_map), kind >= GIVEN)
    points = np.empty(len(rows), POINT)
    points["x"] = _scaled(places[:, 0], on_map)[rows]
    points["y"] = 65_535 - _scaled(places[:, 1], on_map)[rows]
    points["row"] = rows
    points["code"] = labelling.called[rows]
    points["percent"] = np.floor(100 * np.nan_to_num(labelling.confidence[rows]))
    points["kind"] = kind[rows]
    return Map(points, tuple(_notes(len(places), int(on_map.sum()), len(rows), len(labelling.classes))))


def _drawn(rows: Indices, wanted: NDArray[np.bool_]) -> Indices:
    """Choose the rows that are drawn; of many, those that are wanted first."""
    if len(rows) <= MOST_POINTS:
        return rows
    shuffled = np.random.default_rng(0).permutation(rows)
    first = shuffled[np.argsort(~wanted[shuffled], kind="stable")]
    return np.sort(first[:MOST_POINTS])


def _scaled(values: Array, finite: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """Stretch coordinates over the picture; all in the middle if they are all the same."""
    known = values[finite]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    # halves, so that the range of huge values does not overflow
    share = (known / 2 - low / 2) / (high / 2 - low / 2) if high > low else np.full(len(known), 0.5)
    scaled = np.zeros(len(values), np.uint16)
    scaled[finite] = np.round(65_535 * share)
    return scaled


def _notes(n_rows: int, n_placed: int, n_drawn: int, n_classes: int) -> list[str]:
    notes = []
    if n_rows > MOST_EMBEDDED:
        notes.append(
            f"Of more than {count(MOST_EMBEDDED)} different rows, a random {count(MOST_EMBEDDED)} are arranged by "
            "t-SNE, and each of the others is placed among the three that it is most like."
        )
    if n_drawn < n_placed:
        notes.append(f"The map shows {count(n_drawn)} of {several(n_placed, 'row')}, chosen at random.")
    if n_placed < n_rows:
        notes.append(f"{several(n_rows - n_placed, 'row')} without coordinates cannot be drawn.")
    if n_classes > MARKS:
        notes.append(f"There are more than {MARKS} classes, so some share colour and shape.")
    return notes
