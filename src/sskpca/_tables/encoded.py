"""What encoders of columns have in common: their result, and the scale of columns of zeros and ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sskpca._linalg.array import Array

__all__ = ["FEW_MISSING", "LEAST_VARIANCE", "Encoded", "indicator_scale", "one_hot_scale"]

# Of fewer missing values than this share of the rows, nothing can be learned.
FEW_MISSING = 0.02
# A value that one row in a thousand has would stand 30 deviations apart. It may be four and a half: no more than a
# measurement does by itself now and then.
LEAST_VARIANCE = 0.1


@dataclass(frozen=True)
class Encoded:
    """Columns of a matrix, dense or sparse, and what the owner of the table should know of them."""

    matrix: Any
    notes: tuple[str, ...] = ()


def one_hot_scale(shares: Array) -> float:
    """Return what one-hot columns are divided by, so that together they have variance 1.

    A column of zeros and a share p of ones has p (1 - p): together 1 less the sum of squares.
    """
    return float(np.sqrt(max(float(np.sum(shares * (1 - shares))), LEAST_VARIANCE)))


def indicator_scale(share: float) -> float:
    """Return what a column of zeros and a share of ones is divided by.

    It is one of the two columns that "missing or not" would have as a category: half the weight of a number.
    """
    return one_hot_scale(np.array([share, 1 - share]))
