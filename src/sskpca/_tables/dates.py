"""Dates and times of day: read from cells, and as features.

What is used is the distance in time, and where the table spans enough of them, the month, the weekday and the hour,
each as a point on a circle, so that December is next to January. All of it together has variance 1, as a number has,
and dates beyond the usual range count as its end: neither a typing error in a year nor a late row stands out.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._linalg.array import Array
from sskpca._tables.cells import Cells, Mask, is_date, is_missing, texts
from sskpca._tables.encoders import FEW_MISSING, Encoded, filled_notes, indicator_scale
from sskpca._tables.error import TableError, row_name

__all__ = ["DATE", "Date", "date_order", "read_dates"]

TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(:(?P<second>\d{2}(\.\d+)?))?\s*(?P<half>[aApP]\.?[mM]\.?)?"
    r"\s*(Z|UTC|[+-]\d{2}:?\d{2})?"
)
DAY = (
    r"((?P<year>\d{4})[-/.](?P<m>\d{1,2})([-/.](?P<d>\d{1,2}))?"
    r"|(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y>\d{4}|\d{2}))"
)
CELL = re.compile(rf"{DAY}([T, ]+{TIME})?")
CLOCK = re.compile(TIME)
# For Arrow, which cannot name groups.
DATE = "^(" + re.sub(r"\?P<\w+>", "", f"{DAY}([T, ]+{TIME})?|{TIME}") + ")$"
EPOCH = datetime(1970, 1, 1)
DAY_LENGTH = 86_400.0
# Circles: how long one takes, and of how much the table must be, in days, for its parts to be more than the date.
CIRCLES = {"month": 370.0, "weekday": 14.0, "hour": 2.0}
# The range of dates without the odd ones at either end.
USUAL = (0.01, 0.99)


def date_order(text: Cells) -> str:
    """Return in which order day and month are where the year comes last: "dmy", "mdy", or "" if both occur.

    Where all days may be months, points are taken for the European order and other marks for the American one.

    Examples
    --------
    >>> date_order(pa.chunked_array([["31.1.2020", "1.2.2020"]])), date_order(pa.chunked_array([["1/2/2020"]]))
    ('dmy', 'mdy')
    """
    found = [match for cell in pc.unique(text).to_pylist() if cell and (match := CELL.fullmatch(cell)) and match["a"]]
    day_first, month_first = any(int(m["a"]) > 12 for m in found), any(int(m["b"]) > 12 for m in found)
    if day_first != month_first:
        return "dmy" if day_first else "mdy"
    if day_first:
        return ""
    return "mdy" if found and all("/" in match[0] or "-" in match[0] for match in found) else "dmy"


def read_dates(column: Cells, name: str, order: str, odd: bool = False) -> tuple[Array, Mask, int]:
    """Read the dates of a column, in seconds since 1970 by the clock on the wall; times of day in seconds.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    order : str
        "dmy" or "mdy", see `date_order`.
    odd : bool
        Whether cells that are no dates are missing, instead of an error.

    Returns
    -------
    values : ndarray of shape (n_rows,)
        Zero where missing.
    missing : ndarray of bool, shape (n_rows,)
    n_odd : int
        Cells that are no dates.
    """
    if is_date(column.type):
        values = _typed(column)
        return np.nan_to_num(values), np.isnan(values), 0
    text = texts(column)
    different = pc.unique(text)
    known = np.array([_seconds(cell, order) for cell in different.to_pylist()])
    values = known[pc.index_in(text, value_set=different).to_numpy(zero_copy_only=False).astype(np.intp)]
    strange = np.flatnonzero(np.isnan(values) & ~is_missing(text))
    if len(strange) and not odd:
        raise TableError(
            f'the column "{name}" has "{text[int(strange[0])].as_py()}" in {row_name(strange[0])}, which is no date; '
            "correct it, or leave the cell empty."
        )
    return np.nan_to_num(values), np.isnan(values), len(strange)


def _typed(column: Cells) -> Array:
    if pa.types.is_time(column.type):
        unit = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
        whole = pc.cast(pc.cast(column, pa.int32() if unit < 10**6 else pa.int64()), pa.float64())
        return np.asarray(whole.to_numpy(), dtype=np.float64) / unit
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        column = pc.local_timestamp(column)
    stamps = pc.cast(column, pa.timestamp("us"), safe=False)
    return np.asarray(pc.cast(pc.cast(stamps, pa.int64()), pa.float64(), safe=False).to_numpy(), dtype=np.float64) / 1e6


def _seconds(cell: str | None, order: str) -> float:
    match = CELL.fullmatch(cell or "")
    if match is None:
        clock = CLOCK.fullmatch(cell or "")
        return np.nan if clock is None else _time(clock)
    if match["year"]:
        year, month, day = int(match["year"]), int(match["m"]), int(match["d"] or 1)
    else:
        first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
        day, month = (first, second) if order == "dmy" else (second, first)
        if len(match["y"]) == 2:  # as the computers count
            year += 2000 if year < 69 else 1900
    try:
        return (datetime(year, month, day) - EPOCH).total_seconds() + _time(match)
    except ValueError:
        return np.nan


def _time(match: re.Match[str]) -> float:
    if match["hour"] is None:
        return 0.0
    hour, half = int(match["hour"]), (match["half"] or "")[:1].lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    inside = hour < 25 and int(match["minute"]) < 60
    return 3600.0 * hour + 60.0 * int(match["minute"]) + float(match["second"] or 0) if inside else np.nan


def _angles(values: Array, part: str) -> Array:
    """Return where dates are on a circle, as a share of it."""
    if part == "hour":
        return values / DAY_LENGTH % 1.0
    days = np.floor(values / DAY_LENGTH)
    if part == "weekday":
        return (days + 3) % 7 / 7  # 1970 began on a Thursday
    # The month as an angle of the day of the year: as smooth as the seasons are.
    return days % 365.2425 / 365.2425


def _parts(values: Array, parts: tuple[str, ...], usual: Array) -> Array:
    found = []
    for part in parts:
        if part == "time":
            found.append(np.clip(values, *usual))
        else:
            turn = 2 * np.pi * _angles(values, part)
            found += [np.sin(turn), np.cos(turn)]
    return np.column_stack(found)


@dataclass(frozen=True)
class Date:
    """Dates: the distance in time and, where they vary, month, weekday and hour; a missing one is the mean."""

    name: str
    order: str
    parts: tuple[str, ...]
    usual: Array
    mean: Array
    scale: Array
    odd: bool
    missing_share: float
    missing_scale: float | None

    @classmethod
    def fit(cls, column: Cells, name: str, gaps: bool = True) -> Self:
        """Learn the range and which parts vary; if `gaps`, where many are missing, that they are is a feature."""
        order = "dmy" if is_date(column.type) else date_order(texts(column)) or "dmy"
        values, missing, n_odd = read_dates(column, name, order, odd=True)
        real = values[~missing]
        usual = np.quantile(real, USUAL)
        if usual[0] == usual[1]:
            usual = np.array([real.min(), real.max()])
        days = float(usual[1] - usual[0]) / DAY_LENGTH
        clock = bool(real.max() <= DAY_LENGTH and real.min() >= 0)  # times of day, without dates
        circles = [part for part, least in CIRCLES.items() if days >= least and np.ptp(_angles(real, part)) > 0]
        parts = ("hour",) if clock else ("time", *circles)
        matrix = _parts(real, parts, usual)
        variance, first = matrix.var(axis=0), 0
        scale = np.empty(matrix.shape[1])
        for part in parts:
            own = slice(first, first + (1 if part == "time" else 2))
            # Of a part that hardly varies no more is made than of a rare value.
            scale[own] = np.sqrt(max(variance[own].sum(), 1e-12 if part == "time" else 0.1) * len(parts))
            first = own.stop
        share = float(missing.mean())
        many = gaps and share > FEW_MISSING
        return cls(
            name,
            order,
            parts,
            usual,
            matrix.mean(axis=0),
            scale,
            n_odd > 0,
            share,
            indicator_scale(share) if many else None,
        )

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return len(self.mean) + (self.missing_scale is not None)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        names = [
            name
            for part in self.parts
            for name in ([self.name] if part == "time" else [f"{self.name}_{part}_sin", f"{self.name}_{part}_cos"])
        ]
        return (*names, *([f"{self.name}_missing"] if self.missing_scale is not None else []))

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Return what was filled into `n` empty cells."""
        return filled_notes(self.name, n, "mean")

    def transform(self, column: Cells) -> Encoded:
        """Return the parts, standardized."""
        values, missing, n_odd = read_dates(column, self.name, self.order, self.odd)
        matrix = (_parts(values, self.parts, self.usual) - self.mean) / self.scale
        matrix[missing] = 0.0
        if self.missing_scale is not None:
            matrix = np.column_stack([matrix, (missing - self.missing_share) / self.missing_scale])
        cells = "1 cell is" if n_odd == 1 else f"{n_odd} cells are"
        note = (f'{cells} no date in "{self.name}": taken as empty.',) if n_odd else ()
        return Encoded(matrix, note)
