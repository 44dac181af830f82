"""The expected error over the number of labels, kept beside the journal from one day to the next.

Unlike the journal it can be lost without harm: it only says how the error was, and is written when there is time.
"""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np

from sskpca.saving._atomic import atomic_path

__all__ = ["Curve"]

NAME = "error-curve.json"


class Curve:
    """The expected error after so many labels, with its interval.

    Parameters
    ----------
    folder : pathlib.Path
        Of the journal.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._points: dict[int, tuple[float, float, float]] = {}
        with suppress(OSError, ValueError, TypeError):
            for n_given, *values in json.loads(self._path.read_bytes()):
                self._points[int(n_given)] = _checked(values)

    def points(self) -> list[list[float]]:
        """Return the number of labels, the error, and the ends of its interval, of each point."""
        return [[n_given, *values] for n_given, values in sorted(self._points.items())]

    def add(self, n_given: int, error: float, interval: tuple[float, float]) -> None:
        """Set a point, and write all of them if they can be written."""
        self._points[n_given] = (error, *interval)
        with suppress(OSError), atomic_path(self._path, overwrite=True) as temporary:
            temporary.write_text(json.dumps(self.points()))


def _checked(values: list[float]) -> tuple[float, float, float]:
    error, low, high = (float(value) for value in values)
    if not np.isfinite([error, low, high]).all():
        raise ValueError("a point of the curve is not finite.")
    return error, low, high
