"""Parameters as users give them, checked; and where a warning about them should point to."""

import inspect
from numbers import Integral, Real

import numpy as np

__all__ = ["callers_level", "check_count", "check_number"]

# Beyond this, double precision has nothing to say about the solution.
LARGEST = 1e12
# Who calls fit through these has not written them either.
PASSED_THROUGH = ("sskpca", "sklearn", "joblib", "functools")


def check_number(
    owner: object, name: str, value: object, *, zero: bool = False, also: str = "", limited: bool = True
) -> float:
    """Return a positive, finite parameter as a float, or raise one sentence.

    Parameters
    ----------
    owner : object
        Whose parameter it is; its class is named in the error.
    name : str
    value : object
    zero : bool, default=False
        Accept zero, too.
    also : str, default=""
        What else is accepted, for the error: ``'"auto" or '``.
    limited : bool, default=True
        Refuse numbers below 1e-12 and above 1e12.

    Examples
    --------
    >>> check_number("a text", "width", 2)
    2.0
    """
    if _is_number(value, Real) and np.isfinite(float(value)) and (float(value) > 0 or (zero and float(value) == 0)):  # type: ignore[arg-type]
        number = float(value)  # type: ignore[arg-type]
        if limited and number != 0 and not 1 / LARGEST <= number <= LARGEST:
            raise ValueError(
                f"{type(owner).__name__}: {name} must be between {1 / LARGEST:g} and {LARGEST:g}, got {value!r}."
            )
        return number
    wanted = "a finite number, zero or more" if zero else "a finite positive number"
    raise ValueError(f"{type(owner).__name__}: {name} must be {also}{wanted}, got {value!r}.")


def check_count(owner: object, name: str, value: object, *, least: int = 1, also: str = "") -> int:
    """Return a whole number from `least` up, or raise one sentence; the parameters are those of `check_number`."""
    if _is_number(value, Integral) and int(value) >= least:  # type: ignore[call-overload]
        return int(value)  # type: ignore[call-overload, no-any-return]
    raise ValueError(f"{type(owner).__name__}: {name} must be {also}a whole number from {least} up, got {value!r}.")


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def callers_level() -> int:
    """Count the frames up to the line outside the package that led here: the `stacklevel` of a warning.

    However deep the warning is: `fit` and `update_labels` come by different ways.
    """
    here = inspect.currentframe()
    frame, level = here and here.f_back, 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED_THROUGH:
        frame, level = frame.f_back, level + 1
    return level
