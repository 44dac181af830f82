"""The classifier with nothing to choose."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sskpca.coordinates import Coordinates, IndefiniteKernelError, NoVarianceError
from sskpca.estimators.at_once import at_once
from sskpca.estimators.classifier import SemiSupervisedClassifier
from sskpca.estimators.held_out import HeldOutDecisions, alone, judged
from sskpca.estimators.labels import Labels
from sskpca.estimators.parameters import check_count, check_number
from sskpca.estimators.space import KernelLike, is_precomputed
from sskpca.linalg.array import Array
from sskpca.linalg.threads import one_thread
from sskpca.rows import Rows
from sskpca.selection.baselines import Baseline, baselines
from sskpca.selection.calibration import fit_slope, probabilities
from sskpca.selection.candidates import METHODS, Grid
from sskpca.selection.ensemble import Ensemble
from sskpca.selection.expected_error import expected_error
from sskpca.selection.explanation import Explanation, explain
from sskpca.selection.forest import FOREST
from sskpca.selection.novelty import Novelty, with_doubt
from sskpca.selection.odd_labels import twins, warn_of_odd_labels
from sskpca.selection.portfolio import (
    kernel_family,
    kernel_names,
    listed_kernels,
    methods_of,
    portfolio_coordinates,
    seen_by,
)
from sskpca.selection.progress import progress
from sskpca.selection.query import next_rows
from sskpca.selection.relevance import Relevance, column_relevance
from sskpca.selection.suspects import Suspect, find_suspects
from sskpca.selection.weighing import certify, fit_portfolio

__all__ = ["SSKPCAClassifier"]

LABEL_WEIGHTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
# Shares of the variance of a labelling.
VARIANCES = (0.25, 0.72, 1.44)
# Mean squares of the uncentered method; a labelling has 1.
MEAN_SQUARES = (0.5, 1.0)
# Log-odds for a decision of 1 where no label can tell.
PLAIN_SLOPE = 1.0
# Labels times columns: beyond, a forest would take longer than all kernels.
MOST_FOREST_CELLS = 20_000_000
# New rows that are judged at a time, if they come in blocks.
BLOCK = 4096
# What a model without labels of two classes does not have.
ANSWER = (
    *("_ensemble", "threshold_", "decision_", "transduction_", "label_distributions_", "slope_"),
    *("loo_decision_", "loo_error_", "loo_interval_", "expected_error_", "expected_interval_"),
    *("candidates_", "kernel_weights_", "best_params_", "reports_"),
)


class SSKPCAClassifier(SemiSupervisedClassifier):
    r"""Semi-supervised classification with nothing to choose: LS-KPCA in a portfolio of kernels.

    LS-KPCA, with and without its constraint, is solved in every kernel, for a grid of label weights and variances, with
    all labels and exactly without each of them. The candidates are averaged, weighted by the likelihood of the labels
    that they have not seen; only labelled rows have a say in the weights. One decomposition a kernel serves all of it,
    and all labels that come later. A random forest takes part as one more candidate.

    Parameters
    ----------
    kernels : "auto" or list of kernels, default="auto"
        "auto" is `default_kernels`: Gaussians of three scales, a linear one, Laplacians, ranks and random trees for
        tables, diffusion and the transducer's spectrum on graphs of fine to coarse neighbourhoods in two metrics.
    label_weights : sequence of float, default=(0.01, 0.1, 1, 10, 100, 1000)
        c of `LSKPCA`, for kernels of mean variance 1.
    variances : sequence of float, default=(0.25, 0.72, 1.44)
        Shares of :math:`4p(1-p)`, the variance of a labelling with a share p of positives.
    methods : sequence of {"ls", "uncentered", "ridge"}, default=("ls", "uncentered", "ridge")
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
    coordinates : {"exact", "nystrom", "fourier", "auto"}, default="exact"
        "nystrom" sees every kernel that is not of a graph from `n_landmarks` rows: time and memory then grow with the
        rows, not with their square. "auto" is that beyond 10,000 rows, and says so. "fourier" is for lists of Gaussian
        and Laplacian kernels.
    n_landmarks, landmarks, random_state, memory
        As for `LSKPCA`.
    n_jobs : int or None, default=None
        Kernels at a time, in threads. None is one, with all threads of the BLAS; -1 is as many as there are
        processors. The results differ by rounding at most.
    verbose : bool, default=False
        Show progress on the error stream.
    unlabeled
        As for `LSKPCA`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    transduction_ : ndarray of shape (n_samples,)
        The class of every row; given labels stand.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the classes for every row.
    decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
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

    kernel = None
    _without_labels = "fit(X) without y, then next_rows and update_labels"
    coordinates_: list[Coordinates]  # type: ignore[assignment]

    def __init__(
        self,
        kernels: str | Sequence[KernelLike] = "auto",
        *,
        label_weights: Sequence[float] = LABEL_WEIGHTS,
        variances: Sequence[float] = VARIANCES,
        methods: Sequence[str] = METHODS,
        combine: str = "average",
        forest: bool | str = "auto",
        rank: int = 200,
        coordinates: str = "exact",
        n_landmarks: int | str = 500,
        landmarks: Any = "uniform",
        random_state: int = 0,
        memory: int | str | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        unlabeled: Any = "auto",
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
        listed = self.kernels if isinstance(self.kernels, list | tuple) else ()
        tags.input_tags.pairwise = any(is_precomputed(kernel) for kernel in listed)
        return tags

    @at_once
    def fit(self, X: Any, y: Any = None) -> Self:
        """Decompose every kernel, evaluate every candidate, and average.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            All rows, labelled and not; in blocks (`sskpca.rows`, or an array of Dask) if they are many.
        y : array-like of shape (n_samples,) or mapping, optional
            Classes, and -1, None, NaN, NA, null or "" where there is none; or the classes of some rows by row number.
            Without y the model can only tell which rows to label first (`next_rows`), until `update_labels` gives it
            some.
        """
        self._parameters()
        rank = check_count(self, "rank", self.rank)
        X = self._validated(X, reset=True)
        labels = self._read_labels(X, y)
        kernels = seen_by(listed_kernels(self.kernels, X, self.coordinates), X, self)
        self._twins = twins(X)
        try:
            if self._twins.max() == 0:
                raise NoVarianceError
            with progress("kernels", len(kernels), self.verbose) as tick:
                self.kernels_, self.coordinates_ = portfolio_coordinates(
                    kernels, X, rank, self.n_jobs, tick, self.memory
                )
        except NoVarianceError:
            raise ValueError(
                f"SSKPCAClassifier: all {X.shape[0]} rows look the same to every kernel (are all features "
                "constant, or tiny beside their mean?); there is nothing to tell them apart by."
            ) from None
        except IndefiniteKernelError as error:
            raise ValueError(
                f"SSKPCAClassifier: {error}; leave it out, or clip the negative eigenvalues of a precomputed one."
            ) from None
        self._novelty = Novelty.of(X, self._twins)
        self._table = X if self._with_forest(X) else None
        with one_thread():
            self._learn(labels)
        return self

    def _read_labels(self, X: Any, y: Any) -> Labels:
        if y is None:
            return Labels(np.empty(0, dtype=object), np.full(X.shape[0], -1, dtype=np.intp))
        return super()._read_labels(X, y)

    def _parameters(self) -> Grid:
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

    def _with_forest(self, X: Any) -> bool:
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

    def _forest_rows(self, labels: Labels) -> Any:
        """Return the labelled rows for a forest; None if there is none, or if they are too many numbers for it."""
        if self._table is None or len(labels.labeled) * self._table.shape[1] > MOST_FOREST_CELLS:
            return None
        return self._table[labels.labeled]

    def _learn(self, labels: Labels) -> None:
        if len(labels.classes) < 2:  # labels are still to come; nothing is left of an earlier answer
            for name in ANSWER:
                self.__dict__.pop(name, None)
            self._labels, self.classes_ = labels, labels.classes
            self.labeled_rows_ = labels.labeled
            return
        warn_of_odd_labels(labels, self._twins)
        ensemble = fit_portfolio(
            self.coordinates_,
            labels,
            self._parameters(),
            [methods_of(kernel, self.methods) for kernel in self.kernels_],
            [kernel_family(kernel) for kernel in self.kernels_],
            single=self.combine == "best",
            forest_rows=self._forest_rows(labels),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self._set(labels, ensemble)

    def _set(self, labels: Labels, ensemble: Ensemble) -> None:
        """Set what follows from the average."""
        self._labels, self._ensemble = labels, ensemble
        self.labeled_rows_, self.classes_ = labels.labeled, labels.classes
        self.threshold_ = ensemble.threshold
        decision = ensemble.in_sample(self.coordinates_, self._table)
        self.decision_ = self._flat(decision)
        self.transduction_ = labels.completed(self._codes(self.decision_))
        self.loo_decision_ = self._flat(ensemble.held_out.T)
        held_out = self.leave_one_out()
        self.loo_error_, self.loo_interval_ = held_out.error, held_out.interval
        codes = labels.codes[labels.labeled]
        known = ~alone(codes)
        self.slope_ = fit_slope(ensemble.held_out[:, known], codes[known]) if known.any() else PLAIN_SLOPE
        self.label_distributions_ = probabilities(decision, self.slope_)
        self.expected_error_, self.expected_interval_ = expected_error(
            held_out.wrong[known], self.label_distributions_, labels
        )
        names = np.array([*kernel_names(self.kernels_), *([] if ensemble.forest is None else [FOREST])], dtype=object)
        self.candidates_ = {**ensemble.table, "kernel": names[ensemble.table["kernel"]]}
        counts = np.bincount(ensemble.table["kernel"], ensemble.table["weight"])
        self.kernel_weights_ = dict(zip(names.tolist(), counts.tolist(), strict=True))
        best, which = ensemble.best, int(ensemble.table["kernel"][ensemble.best])
        weight, share = (float(self.candidates_[name][best]) for name in ("label_weight", "variance"))
        method = str(self.candidates_["method"][best])
        self.best_params_ = {
            "kernel": self.kernels_[which],
            "method": method,
            "label_weight": weight,
            "variance": share,
        }
        self.reports_ = certify(self.coordinates_[which], labels, method, weight, share)

    def _check_ready(self) -> None:
        check_is_fitted(self)
        if len(self.classes_) < 2:
            so_far = "no row is" if len(self.labeled_rows_) == 0 else "one class only is"
            raise ValueError(
                f"SSKPCAClassifier: {so_far} labelled so far; label some of next_rows() and pass them to update_labels."
            )

    def _decisions(self, X: Any) -> Array:
        ensemble, coordinates = self._ensemble, self.coordinates_
        return self._in_blocks(lambda block: ensemble.evaluate(coordinates, block), X)  # type: ignore[no-any-return]

    def _functions(self, X: Any) -> Array:
        self._check_ready()
        return self._decisions(X)

    def predict_proba(self, X: Any) -> Array:
        """Give the probability of each class.

        Calibrated on held-out decisions. A row farther from all data than 99 % of these are from their next is not
        known: its probabilities go to equal ones, which they reach at twice that distance, see `novelty`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        self._check_ready()
        lean = copy.copy(self)  # may be sent to workers: without what has a number for each row of the data
        for name in ("_labels", "_twins", "decision_", "transduction_", "label_distributions_"):
            lean.__dict__.pop(name, None)
        return self._in_blocks(lean._probabilities, self._validated(X, reset=False))  # type: ignore[no-any-return]

    def _probabilities(self, X: Any) -> Array:
        return self._judged(X)[0]

    def _judged(self, X: Any) -> tuple[Array, Array]:
        """Give the probabilities of the classes and the novelty of validated rows, which the former need."""
        self._check_ready()
        novelty = self._novelty.of_rows(X)
        known = probabilities(self._ensemble.evaluate(self.coordinates_, X), self.slope_)
        return with_doubt(known, novelty), novelty

    def _in_blocks(self, function: Callable[[Any], Array], X: Any) -> Any:
        """Apply a function to validated rows: to each block of them, if they come in blocks."""
        return X.each(lambda block, _: function(block), BLOCK) if isinstance(X, Rows) else function(X)

    def novelty(self, X: Any) -> Array:
        """Say how far new rows are from the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Distance to the next row of the data, in units of the largest such distance that is usual within the data
            (99 % of the rows are nearer): above 1 there is nothing like it.
        """
        check_is_fitted(self)
        return self._in_blocks(self._novelty.of_rows, self._validated(X, reset=False))  # type: ignore[no-any-return]

    def leave_one_out(self) -> HeldOutDecisions:
        """Return `loo_decision_` with what follows from it; the only label of a class counts as wrong."""
        self._check_ready()
        found = judged(self, self._labels, self.labeled_rows_, self.loo_decision_)
        return replace(found, wrong=found.wrong | alone(self._labels.codes[self.labeled_rows_]))

    def next_rows(self, n: int = 1) -> NDArray[np.intp]:
        """Return the rows to label next.

        Rows whose label would tell most about all rows, times the doubt about their class; no two of them alike. Before
        there are labels of two classes, doubt is everywhere.

        Parameters
        ----------
        n : int, default=1

        Returns
        -------
        ndarray of shape (n,)
            Row numbers, the most useful first; fewer if fewer are unlabelled.
        """
        check_is_fitted(self)
        return next_rows(self, check_count(self, "n", n))

    def suspects(self, n: int | None = None) -> list[Suspect]:
        """Return the labels that look wrong: they are more probably wrong than right, by held-out decisions.

        Each with what would be if it were changed: the leave-one-out error and the number of rows that would be called
        something else. That takes as long as an update of a label for each of them.

        Parameters
        ----------
        n : int, optional
            So many at most, the least probable labels first; all by default.
        """
        self._check_ready()
        return find_suspects(self, n if n is None else check_count(self, "n", n))

    def baselines(self, X: Any) -> tuple[Baseline, ...]:
        """Return the errors of simple methods on the labels, held out likewise: compare them with `loo_error_`.

        The most frequent class, the nearest neighbour, and a random forest with its out-of-bag decisions.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            The data of the fit.
        """
        rows, codes = self._labeled_data(X)
        return baselines(rows, codes, [str(name) for name in self.classes_])

    def column_relevance(self, X: Any) -> tuple[Relevance, ...]:
        """Return how much worse held-out labels are predicted without each column, the most relevant one first.

        By kernel ridge regression on the labelled rows, see `sskpca.selection.relevance`.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            The data of the fit.
        """
        rows, codes = self._labeled_data(X)
        number = rows.shape[1]
        names = getattr(self, "feature_names_in_", [f"column {j}" for j in range(number)])
        return column_relevance(rows, codes, [slice(j, j + 1) for j in range(number)], [str(name) for name in names])

    def _labeled_data(self, X: Any) -> tuple[Any, NDArray[np.intp]]:
        """Return the labelled rows of the data of the fit, and their class numbers."""
        self._check_ready()
        X = self._validated(X, reset=False)
        if X.shape[0] != len(self._labels.codes):
            raise ValueError(
                f"SSKPCAClassifier: X has {X.shape[0]} rows, but the data of the fit had {len(self._labels.codes)}; "
                "pass the same data."
            )
        rows = self._labels.labeled
        return X.take(rows) if isinstance(X, Rows) else X[rows], self._labels.codes[rows]

    def explain(self, row: int) -> Explanation:
        """Say which labelled rows are responsible for the decision on a row, exactly.

        Parameters
        ----------
        row : int
            Row number in the data of the fit, from 0.
        """
        self._check_ready()
        if not isinstance(row, Integral):
            raise ValueError(f"SSKPCAClassifier: explain takes one row number, got {row!r}.")
        return explain(self, int(self._row_numbers(row)[0]))

    @property
    def _n_features_out(self) -> int:
        return len(self.threshold_)
