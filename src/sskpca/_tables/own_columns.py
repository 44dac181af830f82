"""The columns that are added to a table, and not learned from when it comes back."""

__all__ = ["OWN_COLUMNS", "PROBABILITY", "RESULT_COLUMNS", "is_own"]

RESULT_COLUMNS = (
    *("sskpca_label", "sskpca_source", "sskpca_confidence", "sskpca_guess", "sskpca_second"),
    *("sskpca_next", "sskpca_suspect", "sskpca_label_quality"),
)
# And to new rows, and to some rows taken from a table.
OWN_COLUMNS = (*RESULT_COLUMNS, "sskpca_unseen", "sskpca_row")
# Before the name of a class.
PROBABILITY = "sskpca_p_"


def is_own(name: str) -> bool:
    """Return whether a column of this name is one that is added.

    Examples
    --------
    >>> is_own("sskpca_next"), is_own("sskpca_p_cat"), is_own("species")
    (True, True, False)
    """
    return name in OWN_COLUMNS or name.startswith(PROBABILITY)
