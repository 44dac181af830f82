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
        None keeps all above rounding.
    kernel : str, kernel object or callable, default="rbf"
        "rbf", "laplacian", "linear", "poly", "cosine", "precomputed"; an object from `sskpca.kernels`; or a
        function of two matrices of rows.
    centered : bool, default=True
        Is variance taken around the mean? If not, :math:`\sum_i f(x_i)^2` is maximised.
    coordinates, n_landmarks, landmarks, random_state, memory
        As for `LSKPCA`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The variances (sums over the data), descending.
    coordinates_ : Coordinates
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where X has string column names.

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
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        """
        self._fit(X)
        return self

    @at_once
    def fit_transform(self, X: RowsLike, y: LabelsLike = None) -> Column:
        """Find the components and evaluate them on the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
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
