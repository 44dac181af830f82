"""Kernel PCA."""

from typing import Self

import numpy as np

from sskpca._estimators.space import KernelLike, KernelSpaceEstimator, at_once
from sskpca._linalg.array import Column, LabelsLike, LandmarksLike, Matrix, RowsLike
from sskpca._parameters import check_count
from sskpca.coordinates import Coordinates
from sskpca.rows import Rows

__all__ = ["KPCA"]


class KPCA(KernelSpaceEstimator):
    r"""Kernel principal components: the functions of largest variance.

    .. math:: \max_f\; \sum_i \left( f(x_i) - \bar f \right)^2 \quad\text{subject to}\quad \|f\| = 1

    and orthogonal to the ones before.

    Parameters
    ----------
    n_components : int or None, default=2
        Number of components; None keeps all above rounding.
    kernel : str, kernel object or callable, default="rbf"
        "rbf", "laplacian", "linear", "poly", "cosine", "precomputed"; an object from `sskpca.kernels`; or a
        function of two matrices of rows.
    centered : bool, default=True
        Whether variance is taken around the mean. If not, :math:`\sum_i f(x_i)^2` is maximised.
    coordinates : {"exact", "nystrom", "auto"} or Coordinates, default="exact"
        How the principal coordinates are found. "nystrom" approximates the kernel by its values against some landmarks:
        time grows with the rows, not with their cube, and they may come in blocks. "auto" is exact up to 10,000 rows if
        the memory allows, and "nystrom" otherwise, with a warning. Or the coordinates of an earlier fit to the same
        rows: then nothing is decomposed, `kernel` is not used, and a fit with other components costs little.
    n_landmarks : int or "auto", default=500
        Number of landmarks. "auto": as many as fit into half of the memory budget, at most 2,000; a warning reports the
        number.
    landmarks : {"uniform", "sorted"} or array of shape (n_landmarks, n_features), default="uniform"
        How landmarks are chosen: "uniform" draws row numbers; "sorted" draws from the sorted rows, which must be in
        memory, so that permuted rows have the same landmarks. Or the landmarks themselves.
    random_state : int, default=0
        Random seed for the choice of landmarks.
    memory : str, int or None, default=None
        Memory budget, as text such as "2GB" or in bytes; None: 80 % of what is available. Blocks are made to fit, and
        coordinates of all rows are kept only if they fit into a quarter of it.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The variances (sums over the data), descending.
    coordinates_ : Coordinates
        The principal coordinates of the data.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray
        Names of the columns, if X has them.

    See Also
    --------
    sklearn.decomposition.KernelPCA : Gives the same components, up to their signs.

    Examples
    --------
    >>> from sskpca import KPCA
    >>> KPCA(1, kernel="linear").fit_transform([[0.0, 0.0], [3.0, 4.0], [9.0, 12.0]]).ravel().round(6)
    array([-6.666667, -1.666667,  8.333333])
    """

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        kernel: KernelLike = "rbf",
        centered: bool = True,
        coordinates: str | Coordinates = "exact",
        n_landmarks: int | str = 500,
        landmarks: LandmarksLike = "uniform",
        random_state: int = 0,
        memory: int | str | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.centered = centered
        self.coordinates = coordinates
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state
        self.memory = memory

    @at_once
    def fit(self, X: RowsLike, y: LabelsLike = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : None, default=None
            Ignored; present for API consistency.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X)
        return self

    @at_once
    def fit_transform(self, X: RowsLike, y: LabelsLike = None) -> Column:
        """Find the components and evaluate them on the data.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : None, default=None
            Ignored; present for API consistency.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The values of the components.
        """
        data = self._fit(X)
        values = self._in_sample()
        return values if isinstance(data, Rows) else values.astype(data.dtype, copy=False)

    def _fit(self, X: RowsLike) -> Matrix | Rows:
        k = None if self.n_components is None else check_count(self, "n_components", self.n_components, also="None or ")
        # Single eigenvectors are asked for here, not only a good subspace: to rounding.
        X = self._validated(X, reset=True)
        kernel, given = self._fit_coordinates(X, k, tol=1e-12)
        moving = int(np.sum(given.variances > 0))
        partial = given.discarded_variance > 1e-9 * given.total_variance
        if isinstance(self.coordinates, Coordinates) and partial and (k is None or k >= given.rank):
            raise ValueError(
                f"KPCA: the coordinates hold {given.rank - given.centered} components, fewer than n_components={k}; "
                "pass coordinates of higher rank."
            )
        self.__dict__.pop("kernel_", None)  # of an earlier fit
        if kernel is not None:
            self.kernel_ = kernel
        self.coordinates_ = given.components(moving if k is None else min(k, moving))
        self.eigenvalues_ = self.coordinates_.variances
        self.coef_ = np.eye(self.coordinates_.rank)
        self.offset_ = self.coordinates_.mean if self.centered else np.zeros(self.coordinates_.rank)
        return X
