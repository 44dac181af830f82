r"""Principal coordinates of the linear kernel, from the rows about their mean.

The kernel matrix of rows far from the origin has lost what distinguishes them: its entries are of the size of
:math:`\|\mu\|^2`, and their digits end there. Rows are at hand here, and so is their mean :math:`\mu`. With
:math:`v_j` the principal directions of :math:`x - \mu`,

.. math:: z_j = v_j^\top (x - \mu) + v_j^\top \mu, \qquad
          z_0 = u^\top x / \|u\|, \quad u = \mu - \textstyle\sum_j v_j v_j^\top \mu                        \tag{P2}

is (P1), and nothing cancels. Nearer to the origin the matrix is as good.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sskpca.coordinates.exact import exact_coordinates
from sskpca.coordinates.principal import Coordinates, coordinates_from_features
from sskpca.linalg.array import Array, Indices

__all__ = ["far_from_origin", "linear_coordinates"]

# Square of the mean in units of the variance: here the kernel matrix begins to lose more than four of sixteen digits.
FAR = 1e4
# What is left of the mean beside the directions is rounding below this share of it.
ROUNDING = 1e-12


def far_from_origin(X: Array) -> bool:
    """Say whether the mean of rows is so large beside their spread that inner products would lose digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance = X.mean(axis=0, dtype=np.float64), X.var(axis=0, dtype=np.float64)
        return bool(mean @ mean > FAR * variance.sum())


def linear_coordinates(
    X: Array,
    features: Callable[[Any], Array],
    *,
    rank: int | None = None,
    tol: float = 1e-3,
    order: Indices | None = None,
) -> Coordinates:
    """Find the centred principal coordinates (P2) of rows under the linear kernel.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
    features : callable
        Gives the rows themselves.
    rank, tol, order
        As for `exact_coordinates`.
    """
    X = np.asarray(X, dtype=np.float64)
    mean = X.mean(axis=0)
    about = X - mean
    about -= about.mean(axis=0)  # of the mean's own rounding
    with np.errstate(over="ignore", invalid="ignore"):
        K = about @ about.T
    found = exact_coordinates(K, features, rank=rank, tol=tol, order=order)
    dual = about.T @ found.dual
    A = about @ dual + mean @ dual
    rest = mean - dual @ (mean @ dual)
    rest -= dual @ (rest @ dual)
    size = float(np.linalg.norm(rest))
    if size <= ROUNDING * float(np.linalg.norm(mean)):
        return replace(found, values=A, dual=dual)
    dual = np.column_stack([dual, rest / size])
    varying = about @ dual[:, -1]
    A = np.column_stack([A, varying + mean @ dual[:, -1]])
    if rank is None:  # the directions are all there are: what is left of the mean is a constant
        return replace(found, values=A, dual=dual, variances=np.append(found.variances, 0.0))
    return coordinates_from_features(A, features, dual, centered=True, total_variance=found.total_variance)
