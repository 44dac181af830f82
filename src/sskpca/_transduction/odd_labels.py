"""Labels that can be learned from, but should be looked at."""

import warnings
from hashlib import blake2b

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sskpca._linalg.array import Column, Matrix
from sskpca._parameters import callers_level
from sskpca._transduction.held_out import alone
from sskpca._transduction.labels import Labels
from sskpca.rows import ArrayRows, Rows

__all__ = ["contradictions", "row_ids", "warn_of_odd_labels"]

# Rows that are looked at at a time.
BLOCK = 8192


def row_ids(X: Matrix | Rows) -> NDArray[np.intp]:
    """Return numbers of the different rows of a table, in the order in which they come; equal rows have the same.

    Rows that are not in this process are all taken for different ones.
    """
    rows = X if isinstance(X, Rows) else ArrayRows(X)
    if not rows.local:
        return np.arange(rows.n_rows)
    _, first, numbers = np.unique(rows.each(_digests, BLOCK), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.asarray(place[numbers], dtype=np.intp)


def _digests(block: Matrix, first: int) -> Column:
    """Shorten each row to 16 bytes, so that those of millions of rows can be compared."""
    if scipy.sparse.issparse(block):
        block = block.tocsr().sorted_indices()
        block.eliminate_zeros()
        ends = zip(block.indptr[:-1], block.indptr[1:], strict=True)
        keys = [block.indices[a:b].astype(np.int64).tobytes() + block.data[a:b].tobytes() for a, b in ends]
    else:
        keys = [row.tobytes() for row in np.ascontiguousarray(block) + 0.0]  # one zero, not two
    return np.array([blake2b(key, digest_size=16).digest() for key in keys], dtype="V16")


def contradictions(labels: Labels, same: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Find pairs of equal rows with different labels, in the order of their numbers from `row_ids`."""
    codes, groups = labels.codes[labels.labeled], same[labels.labeled]
    order = np.lexsort((codes, groups))
    clash = np.flatnonzero((np.diff(groups[order]) == 0) & (np.diff(codes[order]) != 0))
    pairs = (sorted(labels.labeled[order[k : k + 2]].tolist()) for k in clash)
    return [(first, second) for first, second in pairs]


def warn_of_odd_labels(labels: Labels, same: NDArray[np.intp]) -> None:
    """Warn of classes with one label, and of equal rows with different labels.

    `same` are the numbers that `row_ids` gives.
    """
    codes = labels.codes[labels.labeled]
    lone = alone(codes)
    if lone.any():
        names = ", ".join(repr(name) for name in labels.classes[codes[lone]].tolist())
        warnings.warn(
            f"one labelled row only of {names}: without it the class is unknown, so leave-one-out counts it as wrong; "
            "label another one.",
            UserWarning,
            stacklevel=callers_level(),
        )
    clash = contradictions(labels, same)
    if clash:
        first, second = clash[0]
        warnings.warn(
            f"the rows {first} and {second} are the same but have different labels ({len(clash)} such in all); "
            "correct one of each, see suspects().",
            UserWarning,
            stacklevel=callers_level(),
        )
