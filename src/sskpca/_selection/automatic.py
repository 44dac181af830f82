"""The classifier with nothing to choose."""

from collections.abc import Sequence
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sskpca._estimators.classifier import SemiSupervisedClassifier
from sskpca._estimators.space import KernelLike, at_once, is_precomputed
from sskpca._linalg.array import Column, LabelsLike, LandmarksLike, Matrix, RowsLike
from sskpca._parameters import check_count, check_number
from sskpca._selection.baselines import Baseline, baselines
from sskpca._selection.candidates import METHODS, Grid
from sskpca._selection.ensemble import Portfolio
from sskpca._selection.explanation import Explanation, explain
from sskpca._selection.forest import FOREST
from sskpca._selection.portfolio import kernel_family, kernel_names, methods_of, portfolio_geometry
from sskpca._selection.query import next_rows
from sskpca._selection.relevance import Relevance, column_relevance
from sskpca._selection.suspects import Suspect, find_suspects
from sskpca._transduction import Geometry, Labels, Transduction, transduce
from sskpca._transduction.answer import Method, Unanswered
from sskpca._transduction.held_out import HeldOutDecisions
from sskpca._transduction.labels import check_row_numbers, no_labels
from sskpca._transduction.odd_labels import warn_of_odd_labels
from sskpca.coordinates import Coordinates
from sskpca.kernels import Fitted, Kernel
from sskpca.rows import Rows

__all__ = ["SSKPCAClassifier"]

LABEL_WEIGHTS = (0.1, 1.0, 10.0, 1000.0)
# Shares of the variance of a labelling.
VARIANCES = (0.25, 0.72, 1.44)
# Mean squares of the uncentered method; a labelling has 1.
MEAN_SQUARES = (1.0,)
# The uncentered method would take as long as LS-KPCA itself and gains nothing on tables or on the book's sets.
DEFAULT_METHODS = ("ls", "ridge")


class SSKPCAClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SemiSupervisedClassifier):
    r"""Semi-supervised classification with nothing to choose: LS-KPCA in a portfolio of kernels.

    LS-KPCA, with and without its constraint, is solved in every kernel, for a grid of label weights and variances, with
    all labels and exactly without each of them. The candidates are averaged, weighted by the likelihood of the labels
    that they have not seen; only labelled rows have a say in the weights. One decomposition a kernel serves all of it,
    and all labels that come later. A random forest takes part as one more candidate.

    Parameters
    ----------
    kernels : "auto" or list of kernels, default="auto"
        "auto" is `default_kernels`: Gaussians of two scales, a linear one, Laplacians, ranks and random trees for
        tables, diffusion and the transducer's spectrum on graphs of fine to coarse neighbourhoods in two metrics.
    label_weights : sequence of float, default=(0.1, 1.0, 10.0, 1000.0)
        c of `LSKPCA`, for kernels of mean variance 1.
    variances : sequence of float, default=(0.25, 0.72, 1.44)
        Shares of :math:`4p(1-p)`, the variance of a labelling with a share p of positives.
    methods : sequence of {"ls", "uncentered", "ridge"}, default=("ls", "ridge")
        LS-KPCA with the variance fixed, with the mean square fixed, and without a constraint, which is kernel ridge
        regression and does not look at unlabelled rows. In the kernels for tables only the last is used, unless it is
        left out here.
    combine : {"average", "best"}, default="average"
        "best" takes the single candidate of largest weight instead of the average.
    forest : {"auto", True, False}, default="auto"
        Whether a random forest on the labelled rows is one more candidate, weighted by its out-of-bag decisions. It
        helps where many columns say nothing. "auto": if `kernels` is "auto", candidates are averaged, the rows are in
        memory, and the labelled ones hold at most 20 million numbers.
    rank : int, default=200
        Leading components of each kernel. Fewer are smoother, and faster.
    coordinates : {"exact", "nystrom", "auto"}, default="exact"
        "nystrom" approximates every kernel that is not of a graph by `n_landmarks` landmarks: time and memory then grow
        with the rows, not with their square. "auto" is that beyond 10,000 rows, with a warning.
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
    n_jobs : int or None, default=None
        Kernels at a time, each in one thread. None: as many as the BLAS has threads and as fit into the memory; beyond
        10,000 rows, one after the other in all threads. -1: as many as there are processors. The results differ by
        rounding at most.
    verbose : bool, default=False
        Show progress on the error stream.
    unlabeled : "auto", None, a mark or a list of marks, default="auto"
        What marks an unlabelled row besides None, NaN and null. "auto": blank text, and -1 if two other classes remain.
        One mark or several, such as -1 or ["todo", "skip"]: these, and blank text. None: nothing else, so that even
        blank text is a class. Text that looks like a mark and is none is refused, except by None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    transduction_ : ndarray of shape (n_samples,)
        The class of every row; given labels stand.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the classes for every row.
    decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        `decision_function` of the data.
    loo_decision_ : ndarray of shape (n_labeled,) or (n_labeled, n_classes)
        Decisions on the labelled rows, `labeled_rows_`: by candidates that have not seen their label, averaged with
        weights by the decisions on the other labels, which have. (If `combine` is "best", by one candidate that was
        chosen with all labels in sight.)
    loo_error_ : float
        Share of the labels on which these are wrong.
    loo_interval_ : tuple of float
        95 % confidence interval of the error by these labels alone, as if they had no say in the weights.
    expected_error_ : float
        Expected share of wrong classes among the unlabelled rows: the mean of the leave-one-out error and of the doubt
        of the probabilities, see `expected_error`.
    expected_interval_ : tuple of float
        95 % interval of that error, which allows for the say that the labels have in the weights.
    labeled_rows_ : ndarray of shape (n_labeled,)
        Numbers of the labelled rows, ascending.
    best_params_ : dict
        Kernel, method, label weight and variance of the candidate of a kernel that counts most.
    candidates_ : dict of ndarray
        The table of candidates, a column each: kernel, method, label_weight, variance, weight, loo_loss, loo_error.
        Ready for ``pandas.DataFrame``.
    kernel_weights_ : dict
        How much each kernel counts in all; and the forest, as "forest".
    reports_ : list of Report
        Of the candidate of a kernel that counts most, for each function: evidence that it is a global optimum.
    kernels_, coordinates_ : list
        Fitted, parallel to each other.
    slope_ : float
        Log-odds for a decision of 1, by which decisions become probabilities.

    Examples
    --------
    >>> from sskpca import SSKPCAClassifier
    >>> from sskpca.datasets import make_two_moons
    >>> X, y, target = make_two_moons(200)
    >>> model = SSKPCAClassifier().fit(X, y)
    >>> float((model.transduction_ == target).mean())
    1.0
    """

    _without_labels = "fit(X) without y, then next_rows and update_labels"

    def __init__(
        self,
        kernels: str | Sequence[KernelLike] = "auto",
        *,
        label_weights: Sequence[float] = LABEL_WEIGHTS,
        variances: Sequence[float] = VARIANCES,
        methods: Sequence[str] = DEFAULT_METHODS,
        combine: str = "average",
        forest: bool | str = "auto",
        rank: int = 200,
        coordinates: str = "exact",
        n_landmarks: int | str = 500,
        landmarks: LandmarksLike = "uniform",
        random_state: int = 0,
        memory: int | str | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        unlabeled: object = "auto",
    ) -> None:
        self.kernels = kernels
        self.label_weights = label_weights
        self.variances = variances
        self.methods = methods
        self.combine = combine
        self.forest = forest
        self.rank = rank
        self.coordinates = coordinates
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state
        self.memory = memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.unlabeled = unlabeled

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what input is understood."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        listed = self.kernels if isinstance(self.kernels, list | tuple) else ()
        tags.input_tags.pairwise = any(is_precomputed(kernel) for kernel in listed)
        return tags

    @at_once
    def fit(self, X: RowsLike, y: LabelsLike = None) -> Self:
        """Decompose every kernel, evaluate every candidate, and average.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,), mapping or None, default=None
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.
            Without y the model can only tell which rows to label first (`next_rows`), until `update_labels` gives it
            some.

        Returns
        -------
        self : SSKPCAClassifier
            The fitted classifier.
        """
        grid, rank = self._grid(), check_count(self, "rank", self.rank)
        X = self._validated(X, reset=True)
        labels = no_labels(X.shape[0]) if y is None else self._read_labels(X, y)
        forest = self._with_forest(X)
        geometry = portfolio_geometry(self, X, rank)
        method = Portfolio(
            grid,
            tuple(methods_of(kernel, self.methods) for kernel in geometry.kernels),
            tuple(kernel_family(kernel) for kernel in geometry.kernels),
            self.combine == "best",
            forest,
        )
        self.answer_ = self._transduce(geometry, labels, method)
        return self

    def _grid(self) -> Grid:
        parts = []
        for name in ("label_weights", "variances"):
            values = getattr(self, name)
            if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
                raise ValueError(f"SSKPCAClassifier: {name} must be a list of positive numbers, got {values!r}.")
            parts.append(np.array([check_number(self, name, value) for value in values]))
        wanted = () if isinstance(self.methods, str) or not hasattr(self.methods, "__len__") else self.methods
        if len(wanted) == 0 or not set(wanted) <= set(METHODS):
            listed = ", ".join(f'"{name}"' for name in METHODS)
            raise ValueError(f"SSKPCAClassifier: methods must be a list of some of {listed}, got {self.methods!r}.")
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise ValueError(f"SSKPCAClassifier: n_jobs must be None or a whole number, not 0, got {self.n_jobs!r}.")
        if self.combine not in ("average", "best"):
            raise ValueError(f'SSKPCAClassifier: combine must be "average" or "best", got {self.combine!r}.')
        if not isinstance(self.forest, bool) and self.forest != "auto":
            raise ValueError(f'SSKPCAClassifier: forest must be "auto", True or False, got {self.forest!r}.')
        return Grid(parts[0], parts[1], np.array(MEAN_SQUARES))

    def _with_forest(self, X: RowsLike) -> bool:
        """Return whether a random forest takes part."""
        if self.forest == "auto":
            return isinstance(self.kernels, str) and self.combine == "average" and not isinstance(X, Rows)
        if self.forest and (
            self.combine == "best" or isinstance(X, Rows) or self.__sklearn_tags__().input_tags.pairwise
        ):
            raise ValueError(
                "SSKPCAClassifier: forest=True needs rows of features in memory, and the average of candidates; use "
                'forest="auto".'
            )
        return bool(self.forest)

    def _transduce(self, geometry: Geometry, labels: Labels, method: Method) -> Transduction:
        if len(labels.classes) < 2:  # labels are still to come
            return Unanswered(geometry, labels, method)  # type: ignore[return-value]
        warn_of_odd_labels(labels, geometry.row_ids)
        return transduce(geometry, labels, method, n_jobs=self.n_jobs, verbose=self.verbose)

    @property
    def kernels_(self) -> list[Fitted]:
        """The fitted kernels."""
        return list(self.answer_.geometry.kernels)

    @property
    def coordinates_(self) -> list[Coordinates]:
        """The coordinates of the data in each of them."""
        return list(self.answer_.geometry.coordinates)

    @property
    def candidates_(self) -> dict[str, Column]:
        """The table of candidates, a column each."""
        table = self.answer_.found.table
        return {**table, "kernel": self._names()[table["kernel"]]}

    @property
    def kernel_weights_(self) -> dict[str, float]:
        """How much each kernel counts in all."""
        table = self.answer_.found.table
        names = self._names().tolist()
        totals = np.zeros(len(names))
        np.add.at(totals, table["kernel"], table["weight"])
        return dict(zip(names, totals.tolist(), strict=True))

    @property
    def best_params_(self) -> dict[str, Kernel | str | float]:
        """Kernel, method, label weight and variance of the candidate of a kernel that counts most."""
        found = self.answer_.found
        table, best = found.table, found.best
        return {
            "kernel": self.answer_.geometry.kernels[int(table["kernel"][best])].spec,
            "method": str(table["method"][best]),
            "label_weight": float(table["label_weight"][best]),
            "variance": float(table["variance"][best]),
        }

    def _names(self) -> Column:
        """Return the names of the kernels, and of the forest if there is one."""
        answer = self.answer_
        others = [] if answer.found.forest is None else [FOREST]
        return np.array([*kernel_names(list(answer.geometry.kernels)), *others], dtype=object)

    def _check_ready(self) -> None:
        check_is_fitted(self)
        if isinstance(self.answer_, Unanswered):
            so_far = "no row is" if len(self.labeled_rows_) == 0 else "one class only is"
            raise ValueError(
                f"SSKPCAClassifier: {so_far} labelled so far; label some of next_rows() and pass them to update_labels."
            )

    def _ready_answer(self) -> Transduction:
        self._check_ready()
        return self._whole_answer()

    def transform(self, X: RowsLike) -> Column:
        """Return the decisions as columns, one for two classes and one for each of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_functions)
            The decisions.
        """
        self._check_ready()
        X = self._validated(X, reset=False)
        values = self.answer_.decide(X)
        return values if isinstance(X, Rows) else values.astype(X.dtype, copy=False)

    def leave_one_out(self) -> HeldOutDecisions:
        """Return the held-out decisions `loo_decision_` with their error; the only label of a class counts as wrong.

        Returns
        -------
        HeldOutDecisions
            With the `error` and its `interval`.
        """
        return self._ready_answer().held_out

    def next_rows(self, n: int = 1) -> NDArray[np.intp]:
        """Return the rows to label next.

        Rows whose label would tell most about all rows, times the doubt about their class; no two of them alike. Before
        there are labels of two classes, doubt is everywhere.

        Parameters
        ----------
        n : int, default=1
            How many.

        Returns
        -------
        ndarray of shape (n,)
            Row numbers, the most useful first; fewer if fewer are unlabelled.
        """
        return next_rows(self._whole_answer(), check_count(self, "n", n))

    def suspects(self, n: int | None = None) -> list[Suspect]:
        """Return the labels that look wrong: they are more probably wrong than right, by held-out decisions.

        Each with what would be if it were changed: the leave-one-out error and the number of rows that would be called
        something else. That takes as long as an update of a label for each of them.

        Parameters
        ----------
        n : int or None, default=None
            At most this many, the least probable labels first; all by default.

        Returns
        -------
        list of Suspect
            Each with its `row`, `label`, `suggestion` and the `probability` of the given label.
        """
        return find_suspects(self._ready_answer(), n if n is None else check_count(self, "n", n))

    def baselines(self, X: RowsLike) -> tuple[Baseline, ...]:
        """Return the errors of simple methods on the labels, held out likewise: compare them with `loo_error_`.

        The most frequent class, the nearest neighbour, and a random forest with its out-of-bag decisions.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            The data of the fit.

        Returns
        -------
        tuple of Baseline
            Each with its `name`, `error` and `interval`.
        """
        rows, codes = self._labeled_data(X)
        return baselines(rows, codes, [str(name) for name in self.classes_])

    def column_relevance(self, X: RowsLike) -> tuple[Relevance, ...]:
        """Return how much worse held-out labels are predicted without each column, the most relevant one first.

        By kernel ridge regression on the labelled rows, see `sskpca._selection.relevance`.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            The data of the fit.

        Returns
        -------
        tuple of Relevance
            Each with the `column`, its `gain` and the `standard_error` of that.
        """
        rows, codes = self._labeled_data(X)
        number = rows.shape[1]
        names = getattr(self, "feature_names_in_", [f"column {j}" for j in range(number)])
        return column_relevance(rows, codes, [slice(j, j + 1) for j in range(number)], [str(name) for name in names])

    def _labeled_data(self, X: RowsLike) -> tuple[Matrix, NDArray[np.intp]]:
        """Return the labelled rows of the data of the fit, and their class numbers."""
        labels = self._ready_answer().labels
        X = self._validated(X, reset=False)
        if X.shape[0] != len(labels.codes):
            raise ValueError(
                f"SSKPCAClassifier: X has {X.shape[0]} rows, but the data of the fit had {len(labels.codes)}; pass the "
                "same data."
            )
        rows = labels.labeled
        return X.take(rows) if isinstance(X, Rows) else X[rows], labels.codes[rows]

    def explain(self, row: int) -> Explanation:
        """Return the share of every labelled row in the decision on a row, exactly.

        Parameters
        ----------
        row : int
            Row number in the data of the fit, from 0.

        Returns
        -------
        Explanation
            `rows`, `labels` and `contributions`, the largest first; with the `offset` they add up to the `decision`.
        """
        answer = self._ready_answer()
        if not isinstance(row, Integral):
            raise ValueError(f"SSKPCAClassifier: explain takes one row number, got {row!r}.")
        return explain(answer, int(check_row_numbers("SSKPCAClassifier", row, len(answer.labels.codes))[0]))

    @property
    def _n_features_out(self) -> int:
        return len(self.threshold_)
