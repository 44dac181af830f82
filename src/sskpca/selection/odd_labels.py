"""Labels that can be learned from, but should be looked at."""

import warnings

import numpy as np

from sskpca.coordinates import Coordinates
from sskpca.estimators.labels import Labels

__all__ = ["warn_of_odd_labels"]


def warn_of_odd_labels(labels: Labels, coordinates: Coordinates, stacklevel: int) -> None:
    """Warn of classes with one label, and of equal rows with different labels."""
    codes = labels.codes[labels.labeled]
    counts = np.bincount(codes)
    if (counts == 1).any():
        alone = ", ".join(repr(name) for name in labels.classes[counts == 1].tolist())
        warnings.warn(
            f"one labelled row only of {alone}: without it the class is unknown, so leave-one-out counts it as wrong; "
            "label another one.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
    Z = coordinates.values[labels.labeled]
    order = np.lexsort(np.round(Z[:, :2], 8).T)
    same = np.all(np.abs(np.diff(Z[order], axis=0)) <= 1e-8, axis=1)
    clash = np.flatnonzero(same & (np.diff(codes[order]) != 0))
    if len(clash):
        first, second = sorted(labels.labeled[order[clash[0] : clash[0] + 2]].tolist())
        warnings.warn(
            f"the rows {first} and {second} are the same but have different labels ({len(clash)} such in all); "
            "correct one of each, see suspects().",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
