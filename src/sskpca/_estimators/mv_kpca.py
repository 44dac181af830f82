"""MV-KPCA."""

from typing import Self

from sskpca._estimators.classifier import SingleMethodClassifier
from sskpca._estimators.space import KernelLike, at_once
from sskpca._linalg.array import LabelsLike, LandmarksLike, RowsLike
from sskpca._parameters import check_count, check_number
from sskpca._transduction.labels import read_labels
from sskpca._transduction.methods import WithinClass
from sskpca.coordinates import Coordinates

__all__ = ["MVKPCA"]


class MVKPCA(SingleMethodClassifier):
    r"""Minimum-variance kernel PCA: components along which points of a class stay together.

    .. math::

        \max_f\; \frac{\sum_i (f(x_i) - \bar f)^2}{\|f\|^2 + c \sum_j \sum_{i \in G_j} (f(x_i) - \bar f_j)^2}

    where the groups :math:`G_j` are the labelled points of each class, or any sets of points said to be similar.
    Classes are told apart by a linear maximum-margin rule on the components, each class against the rest.

    Parameters
    ----------
    n_components : int or None, default=None
        None is one less than the number of classes. The paper's MV-KPCA has 1, its MV-KPCA-10 has 10.
    kernel, centered, rank, unlabeled, coordinates, n_landmarks, landmarks, random_state, memory
        As for `LSKPCA`.
    label_weight : float, default=100.0
        c; zero is kernel PCA.
    C : float, default=10000.0
        Price of the square of a labelled point's way into the margin of the linear rule; large is the hard margin,
        for features whose common scale is 1. One component needs no price: the threshold of least balanced error is
        found.

    Attributes
    ----------
    classes_, transduction_, decision_, coordinates_, coef_, threshold_, n_features_in_
        As for `LSKPCA`.
    reports_ : list of Components
        One: variance ratios and KKT residuals of the components.

    Examples
    --------
    >>> from sskpca import MVKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import Gaussian
    >>> X, y, target = make_two_moons(200)
    >>> MVKPCA(3, kernel=Gaussian(gamma=4.0)).fit(X, y).transform(X).shape
    (200, 3)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: KernelLike = "rbf",
        label_weight: float = 100.0,
        centered: bool = True,
        rank: int | None = None,
        C: float = 1e4,
        unlabeled: object = "auto",
        coordinates: str | Coordinates = "exact",
        n_landmarks: int | str = 500,
        landmarks: LandmarksLike = "uniform",
        random_state: int = 0,
        memory: int | str | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.label_weight = label_weight
        self.centered = centered
        self.rank = rank
        self.C = C
        self.unlabeled = unlabeled
        self.coordinates = coordinates
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state
        self.memory = memory

    @at_once
    def fit(self, X: RowsLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Find the components and the rule.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,), or mapping
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.
        groups : array-like of shape (n_samples,), optional
            A group's name for each row, marked like `y` where there is none: rows of a group are similar. The classes
            by default.
        """
        weight, C, number = self._parameters()
        X = self._validated(X, reset=True)
        labels = self._read_labels(X, y)
        similar = None if groups is None else read_labels(groups, self.unlabeled)
        if similar is not None and len(similar.codes) != len(labels.codes):
            raise ValueError(
                f"MVKPCA: groups has {len(similar.codes)} entries, y has {len(labels.codes)}; there must be one "
                "for each row."
            )
        method = WithinClass(number, weight, C, similar, bool(self.centered))
        self._fit_answer(X, labels, self._fit_coordinates(X, self.rank), method)
        return self

    def _parameters(self) -> tuple[float, float, int | None]:
        weight = check_number(self, "label_weight", self.label_weight, zero=True)
        C = check_number(self, "C", self.C, limited=False)
        if self.n_components is None:
            return weight, C, None
        return weight, C, check_count(self, "n_components", self.n_components, also="None or ")
