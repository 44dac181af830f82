"""Parameters as users give them, checked."""

from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = ["check_count", "check_number"]

# Beyond this, double precision has nothing to say about the solution.
LARGEST = 1e12


def check_number(
    owner: object, name: str, value: Any, *, zero: bool = False, also: str = "", limited: bool = True
) -> float:
    """Return a positive, finite parameter as a float, or raise one sentence."""
    fine = isinstance(value, Real) and not isinstance(value, bool | np.bool_) and np.isfinite(float(value))
    if fine and (float(value) > 0 or (zero and float(value) == 0)):
        if limited and float(value) != 0 and not 1 / LARGEST <= float(value) <= LARGEST:
            raise ValueError(
                f"{type(owner).__name__}: {name} must be between {1 / LARGEST:g} and {LARGEST:g}, got {value!r}."
            )
        return float(value)
    wanted = "a finite number, zero or more" if zero else "a finite positive number"
    raise ValueError(f"{type(owner).__name__}: {name} must be {also}{wanted}, got {value!r}.")


def check_count(owner: object, name: str, value: Any, *, also: str = "") -> int:
    """Return a whole number from 1 up, or raise one sentence."""
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) and int(value) >= 1:
        return int(value)
    raise ValueError(f"{type(owner).__name__}: {name} must be {also}a whole number from 1 up, got {value!r}.")
