r"""A kernel of some of the columns.

.. math:: k(x, y) = k'(x_C, y_C)

Numbers and words in one table say different things: where one of them says nothing, a kernel of both is blurred by it.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca.kernels._base import Kernel
from sskpca.kernels._fitted import Fitted, FittedFeatures, FittedKernel

__all__ = ["FeaturesOnColumns", "KernelOnColumns", "OnColumns"]


def _part(X: Matrix, columns: Indices, dense: bool) -> Matrix:
    part = X[:, columns]
    return part.toarray() if dense and scipy.sparse.issparse(part) else part


@dataclass(frozen=True, eq=False, repr=False)
class KernelOnColumns(FittedKernel):
    """A fitted kernel, of some of the columns."""

    fitted: FittedKernel
    columns: Indices
    dense: bool

    def cross(self, X: Matrix) -> Array:
        """Return kernel values of rows against the data."""
        return self.fitted.cross(_part(X, self.columns, self.dense))

    def diagonal(self, X: Matrix) -> Array:
        """Return the kernel values of rows with themselves."""
        return self.fitted.diagonal(_part(X, self.columns, self.dense))


@dataclass(frozen=True, eq=False, repr=False)
class FeaturesOnColumns(FittedFeatures):
    """A fitted kernel that is known by features, of some of the columns."""

    fitted: FittedFeatures
    columns: Indices
    dense: bool

    def features(self, X: Matrix) -> Array:
        """Return the features of rows."""
        return self.fitted.features(_part(X, self.columns, self.dense))

    def contracted(self, weights: Array) -> "FeaturesOnColumns | None":
        """Return functions as features."""
        fitted = self.fitted.functions(weights)
        return None if fitted is None else replace(self, fitted=fitted)

    def plus(self, other: FittedFeatures) -> "FeaturesOnColumns | None":
        """Return the sum of functions of the same columns."""
        if not isinstance(other, FeaturesOnColumns) or not np.array_equal(other.columns, self.columns):
            return None
        fitted = self.fitted.plus(other.fitted)
        return None if fitted is None else replace(self, fitted=fitted)


class OnColumns(Kernel):
    """A kernel that sees some of the columns only.

    Parameters
    ----------
    kernel : Kernel
        Of rows with these columns.
    columns : ndarray of int
        Their numbers.
    name : str, default=""
        What the columns are, to be shown.
    dense : bool, default=False
        Whether a sparse matrix is made dense for the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.kernels import Linear, OnColumns
    >>> OnColumns(Linear(), np.array([1])).fit_gram(np.array([[1.0, 2.0], [0.0, 3.0]]))[1]
    array([[4., 6.],
           [6., 9.]])
    """

    def __init__(self, kernel: Kernel, columns: Indices, name: str = "", dense: bool = False) -> None:
        self.kernel = kernel
        self.columns = columns
        self.name = name
        self.dense = dense

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Return the kernel and what it sees, not hundreds of column numbers."""
        return f"{self.kernel!r} of {self.name or f'{len(self.columns)} columns'}"

    @property
    def by_features(self) -> bool:
        """Whether the kernel is known by features."""
        return self.kernel.by_features

    @property
    def needs_all_rows(self) -> bool:
        """Whether the kernel is of a graph or a matrix of all rows."""
        return self.kernel.needs_all_rows

    def width(self, n_rows: int) -> int:
        """Return the largest number of features, or of kernel values, of a row."""
        return self.kernel.width(n_rows)

    def fit(self, X: Matrix) -> Fitted:
        """Learn from these columns of the data, and return what is learned; the kernel stays as it is."""
        return self.fit_features(X)[0] if self.by_features else self.fit_gram(X)[0]

    def fit_gram(self, X: Matrix) -> tuple[FittedKernel, Array]:
        """Learn from these columns, and return the kernel matrix, too."""
        fitted, K = self.kernel.fit_gram(_part(X, self.columns, self.dense))
        return KernelOnColumns(self, fitted, self.columns, self.dense), K

    def fit_features(self, X: Matrix) -> tuple[FittedFeatures, Array]:
        """Learn from these columns, and return the features of the data, too."""
        fitted, A = self.kernel.fit_features(_part(X, self.columns, self.dense))
        return FeaturesOnColumns(self, fitted, self.columns, self.dense), A
