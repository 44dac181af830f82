"""The map: where the rows lie, and what they are called."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca.linalg.array import Array, Indices
from sskpca.report.marks import MARKS, mark_of, outline
from sskpca.report.raster import draw_points
from sskpca.report.words import several
from sskpca.tables.labelling import Labelling

__all__ = ["Map", "Outline", "Point", "draw_map"]

WIDTH, HEIGHT, MARGIN = 720, 520, 16

MOST_SHAPES = 3_000
"""More rows than this are drawn as an image: each shape is an element that a browser has to keep."""

MOST_LABELED_SHAPES = 1_500

MOST_POINTS = 200_000
"""More are thinned: the picture would not change, and drawing it would take minutes."""


@dataclass(frozen=True, slots=True)
class Point:
    """A row as a shape: its place, its class, and what is told when it is pointed at."""

    x: str
    y: str
    code: int
    row: int
    confidence: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The shape of a class, small for rows and large for rows with a label."""

    code: int
    color: str
    small: str
    large: str


@dataclass(frozen=True, slots=True)
class Map:
    """The map as shapes, or as an image with shapes on top.

    Attributes
    ----------
    width, height : int
    outlines : tuple of Outline
        Of the marks in use.
    unsure, found, given : tuple of Point
        Rows drawn as shapes.
    suspects, next_rows : tuple of Point
        Rows to be ringed.
    image : str
        The rows that are not drawn as shapes, as a ``data:`` address; empty if there are none.
    notes : tuple of str
        What the reader should know of how it is drawn.
    """

    width: int
    height: int
    outlines: tuple[Outline, ...]
    unsure: tuple[Point, ...]
    found: tuple[Point, ...]
    given: tuple[Point, ...]
    suspects: tuple[Point, ...]
    next_rows: tuple[Point, ...]
    image: str
    notes: tuple[str, ...]


def draw_map(labelling: Labelling) -> Map:
    """Draw the rows in their leading coordinates.

    Rows without finite coordinates are not drawn; the notes say how many.
    """
    on_map = np.asarray(np.isfinite(labelling.places).all(axis=1))
    x, y = _scaled(labelling.places[:, 0], on_map, WIDTH), HEIGHT - _scaled(labelling.places[:, 1], on_map, HEIGHT)
    given = on_map & (labelling.given >= 0)
    plain = on_map & (labelling.given < 0)
    notes = []
    if not on_map.all():
        notes.append(f"{several(int(np.sum(~on_map)), 'row')} without coordinates cannot be drawn.")

    crowded = int(on_map.sum()) > MOST_SHAPES
    in_image = plain & crowded
    if crowded and given.sum() > MOST_LABELED_SHAPES:
        in_image |= given
    image = ""
    if crowded:
        shown = np.flatnonzero(in_image)
        if len(shown) > MOST_POINTS:
            notes.append(
                f"Of {several(len(shown), 'row')} the map shows {MOST_POINTS:,}, drawn by lot; all are in the counts."
            )
            shown = np.sort(np.random.default_rng(0).choice(shown, MOST_POINTS, replace=False))
        size = (WIDTH, HEIGHT)
        image = draw_points(x[shown], y[shown], labelling.called[shown], ~labelling.sure[shown], size, 2.0)
        which = "All rows" if in_image[given].any() else "Rows without a given label"
        notes.append(
            f"{which} are drawn as one image, since there are more than {MOST_SHAPES:,} rows; "
            "only the marks on top of it can be pointed at."
        )
        if in_image[given].any():
            notes.append(
                f"Given labels are not set off on the map, since there are more than {MOST_LABELED_SHAPES:,} of them."
            )
    if len(labelling.classes) > MARKS:
        notes.append(f"There are more than {MARKS} classes, so that some share colour and shape.")

    def points(rows: Indices) -> tuple[Point, ...]:
        percent = np.floor(100 * np.nan_to_num(labelling.confidence[rows])).astype(int)
        return tuple(
            Point(f"{a:.1f}", f"{b:.1f}", code, row + 1, share)
            for a, b, code, row, share in zip(
                x[rows], y[rows], labelling.called[rows].tolist(), rows.tolist(), percent.tolist(), strict=True
            )
        )

    drawn = on_map & ~in_image
    small = 4.6 if len(x) <= 500 else 3.4
    large = 7.5 if given.sum() <= 100 else 5.0
    used = np.unique(labelling.called[drawn] % MARKS).tolist()
    suspects = np.array([suspect.row for suspect in labelling.suspects], dtype=np.intp)
    next_rows = np.array(labelling.next_rows, dtype=np.intp)
    return Map(
        WIDTH,
        HEIGHT,
        tuple(
            Outline(k, mark_of(k).color, outline(mark_of(k).shape, small), outline(mark_of(k).shape, large))
            for k in used
        ),
        points(np.flatnonzero(drawn & plain & ~labelling.sure)),
        points(np.flatnonzero(drawn & plain & labelling.sure)),
        points(np.flatnonzero(drawn & given)),
        points(suspects[on_map[suspects]]),
        points(next_rows[on_map[next_rows]]),
        image,
        tuple(notes),
    )


def _scaled(values: Array, finite: NDArray[np.bool_], length: int) -> Array:
    """Stretch coordinates over the picture; all in the middle if they are all the same."""
    known = values[finite]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    if not high > low:
        return np.full(len(values), length / 2)
    # halves, so that the range of huge values does not overflow
    share = (values / 2 - low / 2) / (high / 2 - low / 2)
    return np.asarray(MARGIN + (length - 2 * MARGIN) * share)
