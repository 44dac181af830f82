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
        Number of components; None: one less than the number of classes. The paper has 1, and 10 in its MV-KPCA-10.
    kernel : str, kernel object or callable, default="rbf"
        "rbf", "laplacian", "linear", "poly", "cosine", "precomputed"; an object from `sskpca.kernels`; or a
        function of two matrices of rows.
    label_weight : float, default=100.0
        c, how much the groups count; zero is kernel PCA.
    centered : bool, default=True
        Whether variance is taken around the mean. If not, it is the mean of :math:`f^2`.
    rank : int or None, default=None
        Number of leading principal coordinates to work in; None: all above rounding. Lower is faster and smoother.
    C : float, default=10000.0
        Price of the square of a labelled point's way into the margin of the linear rule; large is the hard margin,
        for features whose common scale is 1. One component needs no price: the threshold of least balanced error is
        found.
    unlabeled : "auto", None, a mark or a list of marks, default="auto"
        What marks an unlabelled row besides None, NaN and null. "auto": blank text, and -1 if two other classes remain.
        One mark or several, such as -1 or ["todo", "skip"]: these, and blank text. None: nothing else, so that even
        blank text is a class. Text that looks like a mark and is none is refused, except by None.
    coordinates : {"exact", "nystrom", "auto"} or Coordinates, default="exact"
        How the principal coordinates are found. "nystrom" approximates the kernel by its values against some landmarks:
        time grows with the rows, not with their cube, and they may come in blocks. "auto" is exact up to 10,000 rows if
        the memory allows, and "nystrom" otherwise, with a warning. Or the coordinates of an earlier fit to the same
        rows: then nothing is decomposed, `kernel` is not used, and a fit with other labels or parameters costs little.
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
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    transduction_ : ndarray of shape (n_samples,)
        A class for each row of the data: the given one, or the predicted one.
    decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        `decision_function` of the data.
    coordinates_ : Coordinates
        The principal coordinates of the data.
    coef_ : ndarray of shape (rank, n_functions)
        The functions, on the coordinates.
    threshold_ : ndarray of shape (n_functions,)
        Where each function is cut.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray
        Names of the columns, if X has them.
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
        groups : array-like of shape (n_samples,) or None, default=None
            A group's name for each row, marked like `y` where there is none: rows of a group are similar. The classes
            by default.

        Returns
        -------
        self : object
            The fitted estimator.
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
