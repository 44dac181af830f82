"""Numbered columns in one unit: the pixels of a picture, the channels of a spectrum, the hours of a day."""

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sskpca._linalg.array import Array
from sskpca._tables.encoders import common_unit, read_numbers

__all__ = ["series_weights"]

# A series has so many columns at least, at least such a share of its counters (the others may be constant), and none
# varies more than so many times as much as is usual among them.
SERIES, COUNTED, ALIKE = 8, 0.5, 3.0
# The usual range of a column.
USUAL = (0.05, 0.95)
# Whole numbers of so few values are scores or shades: in one unit, they have the same scale.
FEW_VALUES = 20


def series_weights(table: pa.Table, scales: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """Find numbered columns that are in one unit, and the weights by which they stay so after they were standardised.

    To standardise each pixel by itself would make those at the rim, which are nearly always blank, as important as
    those in the middle. Together the columns weigh as much as if each were standardised.

    A series is a group of columns whose names differ by counters alone, and count through; which vary alike; and each
    of which has values in the range of the next. Names of genes do not count through, and scores on different scales
    differ in their ranges.

    Parameters
    ----------
    table : pyarrow.Table
    scales : mapping of str to float
        Standard deviations of the columns of numbers.

    Returns
    -------
    weights : dict of str to float
    notes : list of str

    Examples
    --------
    >>> table = pa.table({f"hour_{i}": [-1.0 - (i > 3), 0.5, 1.0 + (i > 3)] for i in range(8)})
    >>> weights, notes = series_weights(table, {f"hour_{i}": 1.0 + (i > 3) for i in range(8)})
    >>> round(weights["hour_7"] / weights["hour_0"], 6), round(sum(w**2 for w in weights.values()), 6)
    (2.0, 8.0)
    """
    groups: dict[str, list[str]] = {}
    for name in scales:
        if re.search(r"\d", name):
            groups.setdefault(re.sub(r"\d+", "#", name), []).append(name)
    weights: dict[str, float] = {}
    notes = []
    for group in groups.values():
        names = sorted(group, key=_counters)
        own = np.array([scales[name] for name in names])
        if len(names) < SERIES or not _counts_through(names) or own.max() > ALIKE * np.median(own):
            continue
        if not _one_unit([_values(table, name) for name in names]):
            continue
        # Divided first: the squares of the largest numbers would not be finite.
        size = own.max() * float(np.sqrt(np.mean((own / own.max()) ** 2)))
        weights.update(zip(names, (own / size).tolist(), strict=True))
        notes.append(
            f'the {len(names)} numbered columns like "{names[0]}" vary alike: taken to be in one unit, and scaled '
            "together."
        )
    return weights, notes


def _counters(name: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", name))


def _counts_through(names: list[str]) -> bool:
    """Return whether the counters fill their ranges, nearly.

    Examples
    --------
    >>> _counts_through([f"pixel_{i}_{j}" for i in range(8) for j in range(1, 8)])
    True
    >>> _counts_through([f"RPL{i}" for i in (3, 5, 11, 27, 36, 41)]), _counts_through(["x1", "x01"])
    (False, False)
    """
    counters = {_counters(name) for name in names}
    ranges = [max(column) - min(column) + 1 for column in zip(*counters, strict=True)]
    return len(counters) == len(names) and len(names) >= COUNTED * float(np.prod([float(r) for r in ranges]))


def _values(table: pa.Table, name: str) -> Array:
    column = table.column(name)
    values, missing, _ = read_numbers(column, name, common_unit(column), odd=True)
    return np.asarray(values[~missing])


def _one_unit(columns: list[Array]) -> bool:
    """Return whether columns, in order, may be in one unit by their ranges."""
    usual = [np.quantile(values, USUAL) for values in columns]
    if not all(a[0] <= b[1] and b[0] <= a[1] for a, b in pairwise(usual)):
        return False
    levels = [np.unique(values) for values in columns]
    if any(len(own) > FEW_VALUES or np.any(own != np.rint(own)) for own in levels):
        return True
    highest = max(own[-1] for own in levels)
    # At the rim of a picture shades do not reach the highest.
    return len({own[0] for own in levels}) == 1 and sum(own[-1] == highest for own in levels) > len(levels) / 2
