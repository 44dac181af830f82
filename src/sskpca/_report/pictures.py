"""The pictures of the page: small charts, and the map with the rows that its script draws."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Array, Column, Indices
from sskpca._report.words import count, number, several
from sskpca._tables.labelling import Labelling, Reliability
from sskpca._transduction.held_out import wilson_interval
from sskpca.plots._charts import total_weights
from sskpca.plots._map import MOST_EMBEDDED
from sskpca.plots._marks import MARKS

__all__ = [
    "FOUND",
    "GIVEN",
    "NEXT",
    "POINT",
    "SUSPECT",
    "UNSURE",
    "Bin",
    "ClassCount",
    "Dot",
    "Map",
    "Method",
    "Panel",
    "calibration_bins",
    "candidate_panels",
    "class_counts",
    "compared_methods",
    "pack_map",
]

MOST_PANELS = 6
# Of more rows, a random sample is drawn: the picture would not change, and the page would become large.
MOST_POINTS = 20_000
# What a row is: one of the first three, and perhaps one of the others besides.
UNSURE, FOUND, GIVEN, SUSPECT, NEXT = 0, 1, 2, 4, 8
# A row on the map, in 12 bytes, as map.js reads it: its place in 65,535ths of the picture, from the top left; its row
# counted from 0.
POINT = np.dtype([("x", "<u2"), ("y", "<u2"), ("row", "<u4"), ("code", "<u2"), ("percent", "u1"), ("kind", "u1")])


@dataclass(frozen=True, slots=True)
class ClassCount:
    """The rows of a class: labelled in the table, found, and left blank as unsure."""

    code: int
    name: str
    given: int
    found: int
    unsure: int

    @property
    def total(self) -> int:
        """All rows called so."""
        return self.given + self.found + self.unsure


def class_counts(labelling: Labelling) -> tuple[ClassCount, ...]:
    """Count the rows of every class, in the order of the classes."""
    n = len(labelling.classes)
    is_given = labelling.given >= 0
    given = np.bincount(labelling.given[is_given], minlength=n)
    found = np.bincount(labelling.called[~is_given & labelling.sure], minlength=n)
    unsure = np.bincount(labelling.called[~is_given & ~labelling.sure], minlength=n)
    return tuple(
        ClassCount(k, name, int(given[k]), int(found[k]), int(unsure[k])) for k, name in enumerate(labelling.classes)
    )


@dataclass(frozen=True, slots=True)
class Bin:
    """Held-out labels of like confidence.

    Attributes
    ----------
    confidence, right : float
    count : int
    low, high : float
        95 % confidence interval of `right`.
    radius : float
        Of a dot whose area goes with the count, between 0 and 1.
    """

    confidence: float
    right: float
    count: int
    low: float
    high: float
    radius: float


def calibration_bins(reliability: Reliability) -> tuple[Bin, ...]:
    """List the bins that have labels in them."""
    filled = np.flatnonzero(reliability.count > 0)
    most = int(reliability.count.max(initial=1))
    bins = []
    for i in filled.tolist():
        n, right = int(reliability.count[i]), float(reliability.right[i])
        low, high = wilson_interval(round(n * right), n)
        bins.append(Bin(float(reliability.confidence[i]), right, n, low, high, float(np.sqrt(n / most))))
    return tuple(bins)


@dataclass(frozen=True, slots=True)
class Method:
    """How often a method is wrong on held-out labels, with a 95 % confidence interval."""

    name: str
    always: str
    error: float
    low: float
    high: float
    own: bool


def compared_methods(labelling: Labelling) -> tuple[Method, ...]:
    """List this model and the baselines; empty without baselines."""
    if not labelling.baselines:
        return ()
    own = Method("this model", "", labelling.loo_error, *labelling.loo_interval, own=True)
    return (own, *(Method(b.name, b.always, b.error, *b.interval, own=False) for b in labelling.baselines))


@dataclass(frozen=True, slots=True)
class Dot:
    """Candidates of the same label weight and error: where they are, and how much they count together."""

    across: float
    up: float
    radius: float


@dataclass(frozen=True, slots=True)
class Panel:
    """The candidates of a kernel: held-out error against label weight.

    Attributes
    ----------
    kernel : str
    weight : float
        How much its candidates count in all.
    n_candidates : int
    lowest, highest : float
        Their errors.
    dots : tuple of Dot
        Between 0 and 1, on axes that all panels share; radii too.
    left, right : str
        Label weights at the ends of the axis.
    top : float
        Error at the upper end of the axis.
    """

    kernel: str
    weight: float
    n_candidates: int
    lowest: float
    highest: float
    dots: tuple[Dot, ...]
    left: str
    right: str
    top: float

    @property
    def line(self) -> tuple[Dot, ...]:
        """The lowest dot at every label weight, from left to right."""
        best: dict[float, Dot] = {}
        for dot in self.dots:
            if dot.across not in best or dot.up < best[dot.across].up:
                best[dot.across] = dot
        return tuple(best[across] for across in sorted(best))


def candidate_panels(candidates: Mapping[str, Column]) -> tuple[tuple[Panel, ...], int]:
    """Draw the kernels that count most, and tell how many others there are; a forest has no label weight to draw."""
    drawn = np.isfinite(candidates["label_weight"].astype(float))
    candidates = {name: column[drawn] for name, column in candidates.items()}
    kernels = np.array([str(kernel) for kernel in candidates["kernel"]], dtype=object)
    weight, error = candidates["weight"].astype(float), candidates["loo_error"].astype(float)
    across = np.log10(candidates["label_weight"].astype(float))
    totals = total_weights(kernels, weight)
    order = list(totals)
    if not order:
        return (), 0
    low, high = float(across.min()), float(across.max())
    top = max(0.1, float(np.nanmax(error, initial=0.0)))
    place = (across - low) / (high - low) if high > low else np.full(len(across), 0.5)
    groups = {}
    for kernel in order[:MOST_PANELS]:
        inside = np.flatnonzero((kernels == kernel) & np.isfinite(error))
        sums: dict[tuple[float, float], float] = {}
        for i in inside.tolist():
            key = (float(place[i]), float(error[i]) / top)
            sums[key] = sums.get(key, 0.0) + float(weight[i])
        groups[kernel] = inside, sums
    most = max((share for _, sums in groups.values() for share in sums.values()), default=0.0) or 1.0
    ends = number(10**low), number(10**high)
    panels = tuple(
        Panel(
            kernel,
            totals[kernel],
            int(np.sum(kernels == kernel)),
            float(error[inside].min(initial=1.0)),
            float(error[inside].max(initial=0.0)),
            tuple(Dot(a, b, float(np.sqrt(share / most))) for (a, b), share in sorted(sums.items())),
            *ends,
            top,
        )
        for kernel, (inside, sums) in groups.items()
    )
    return panels, max(0, len(order) - MOST_PANELS)


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
