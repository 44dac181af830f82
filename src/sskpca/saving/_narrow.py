"""Arrays in the smallest type that holds all their bits: counts, pixels and codes need no eight bytes each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WIDE", "narrow"]

NARROWER = {"<f8": ("<i1", "<i2", "<f4"), "<i8": ("<i1", "<i2", "<i4"), "<i4": ("<i1", "<i2")}
WIDE = frozenset(NARROWER)
FEWEST = 64  # entries for which it is worth a word


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of the smallest type which, turned back, has the same bits."""
    if array.size < FEWEST:
        return array
    for name in NARROWER.get(array.dtype.str, ()):
        with np.errstate(invalid="ignore", over="ignore"):
            small = array.astype(name)
            if same_bits(small.astype(array.dtype), array):
                return small
    return array


def same_bits(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Return whether arrays of one type agree, zeros with their signs and NaNs included."""
    as_bits = f"u{first.dtype.itemsize}"
    return np.array_equal(first.view(as_bits), second.view(as_bits))
