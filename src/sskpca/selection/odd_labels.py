"""Labels that can be learned from, but should be looked at."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sskpca.estimators.held_out import alone
from sskpca.estimators.labels import Labels

__all__ = ["contradictions", "twins", "warn_of_odd_labels"]


def twins(X: Any) -> NDArray[np.intp]:
    """Give the different rows of a table numbers; equal rows have the same."""
    seen: dict[bytes, int] = {}
    if scipy.sparse.issparse(X):
        X = X.tocsr().sorted_indices()
        X.eliminate_zeros()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        keys = [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in ends]
    else:
        keys = [row.tobytes() for row in np.ascontiguousarray(X) + 0.0]  # one zero, not two
    return np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.intp)


def contradictions(labels: Labels, same: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Find pairs of equal rows with different labels, in the order of their numbers from `twins`."""
    codes, groups = labels.codes[labels.labeled], same[labels.labeled]
    order = np.lexsort((codes, groups))
    clash = np.flatnonzero((np.diff(groups[order]) == 0) & (np.diff(codes[order]) != 0))
    pairs = (sorted(labels.labeled[order[k : k + 2]].tolist()) for k in clash)
    return [(first, second) for first, second in pairs]


def warn_of_odd_labels(labels: Labels, same: NDArray[np.intp], stacklevel: int) -> None:
    """Warn of classes with one label, and of equal rows with different labels.

    `same` are the numbers that `twins` gives.
    """
    codes = labels.codes[labels.labeled]
    lone = alone(codes)
    if lone.any():
        names = ", ".join(repr(name) for name in labels.classes[codes[lone]].tolist())
        warnings.warn(
            f"one labelled row only of {names}: without it the class is unknown, so leave-one-out counts it as wrong; "
            "label another one.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
    clash = contradictions(labels, same)
    if clash:
        first, second = clash[0]
        warnings.warn(
            f"the rows {first} and {second} are the same but have different labels ({len(clash)} such in all); "
            "correct one of each, see suspects().",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
