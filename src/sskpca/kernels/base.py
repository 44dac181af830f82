r"""What a kernel is to this library, and the names of the common ones.

A kernel learns what it needs from the data (a bandwidth, say) in :meth:`fit_gram`, which also returns the
matrix :math:`K_{ij} = k(x_i, x_j)`; :meth:`cross` compares new points with the data it was fitted to.
Parameters follow scikit-learn's conventions, so that ``kernel__gamma`` works in a grid.
"""

from numbers import Integral, Real
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse

from sskpca.linalg.array import Array, Indices

__all__ = ["Kernel", "KernelValueError", "finite", "finite_rows", "positive", "whole_number"]


class KernelValueError(ValueError):
    """A kernel gave values that are not finite."""


@runtime_checkable
class Kernel(Protocol):
    """Similarity of points."""

    def fit_gram(self, X: Any) -> Array:
        """Learn from the data and return its kernel matrix, a fresh float64 array that the caller may destroy."""
        ...

    def cross(self, X: Any) -> Array:
        """Return kernel values of new points (rows) against the data (columns)."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name."""
        ...


def finite(K: Array, kernel: object) -> Array:
    """Return K if all of it is finite, else raise one sentence that says what to do."""
    # A sum first, which needs no temporary: nan and inf survive it.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(K.sum())
    if suspicious and not np.isfinite(K).all():
        raise KernelValueError(
            f"{type(kernel).__name__} kernel values are not finite: the features are too large for floating "
            "point arithmetic; rescale them (for example with sklearn.preprocessing.StandardScaler)."
        )
    return K


def finite_rows(X: Any, rows: Indices) -> None:
    """Refuse rows in which numbers are missing; `rows` are their numbers in the data."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.asarray(abs(X).sum(axis=1)).ravel()
    # Sums of large numbers may overflow, too: those are looked at once more.
    wrong = [row for row in np.flatnonzero(~np.isfinite(sums)) if not np.isfinite(_numbers(X[[row]])).all()]
    if wrong:
        raise ValueError(
            f"Row {int(np.min(rows[wrong]))} of X contains NaN or infinity; fill it in (sklearn.impute.SimpleImputer) "
            "or leave it out."
        )


def _numbers(X: Any) -> Any:
    return X.data if scipy.sparse.issparse(X) else X


def positive(value: Any, name: str, *, zero: bool = False) -> float:
    """Return a finite parameter above zero (or zero, if allowed) as a float, or raise one sentence."""
    fine = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if fine and (float(value) > 0 or (zero and float(value) == 0)):
        return float(value)
    raise ValueError(f"{name} must be a finite {'number, zero or more' if zero else 'positive number'}, got {value!r}.")


def whole_number(value: Any, name: str, least: int) -> int:
    """Return a whole number from `least` up as an int, or raise one sentence."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise ValueError(f"{name} must be a whole number from {least} up, got {value!r}.")
