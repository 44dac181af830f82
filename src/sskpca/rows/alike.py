"""Rows that cannot be told apart."""

from typing import Any

__all__ = ["NoVarianceError", "all_alike"]


class NoVarianceError(ValueError):
    """All points are alike under the kernel: there is no variance to work with."""


def all_alike(X: Any) -> bool:
    """Say whether all rows of an array or a sparse matrix are the same."""
    return bool(abs(X.max(axis=0) - X.min(axis=0)).max() == 0)
