"""The four methods of one kernel, as frozen values: how functions are found from labels, and where they are cut."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from sskpca._linalg.array import Array, Indices
from sskpca._linalg.threads import one_thread
from sskpca._parameters import callers_level
from sskpca._transduction.answer import Functions, Geometry, Method
from sskpca._transduction.held_out import held_out_thresholds, members, without_each
from sskpca._transduction.labels import Labels
from sskpca.solvers import Loss, Solution, solve_lr_kpca, solve_ls_kpca, solve_mv_kpca
from sskpca.solvers._plane import leave_one_out_plane
from sskpca.solvers._within_class import within_group_rows

__all__ = [
    "LeastSquares",
    "Reweighted",
    "Transducer",
    "WithinClass",
    "label_variance",
    "linear_margin",
    "middle_of_means",
    "solve_without_each",
    "threshold_between",
]

# Held-out answers are taken from the solution with all labels if they are as accurate as this.
ACCURATE = 1e-8
# What the rounding of the kernel may cost in the objective (docs/math/least_squares.md) before there is a warning.
BLIND = 0.1


def middle_of_means(scores: Array, targets: Array) -> float:
    """Find the middle between the mean scores of the two classes.

    The linear discriminant for classes that count the same, however unequal in number. Where the labels are fitted
    exactly it is 0, the maximum-margin threshold; where they are not, all of them decide, instead of the two that
    happen to be next to the cut.

    Parameters
    ----------
    scores : ndarray of shape (n_labeled,)
    targets : ndarray of shape (n_labeled,)
        -1 and +1, both present.

    Examples
    --------
    >>> middle_of_means(np.array([-1.0, 0.0, 3.0]), np.array([-1.0, -1.0, 1.0]))
    1.25
    """
    return float(scores[targets > 0].mean() + scores[targets <= 0].mean()) / 2


def threshold_between(scores: Array, targets: Array) -> float:
    r"""Find the threshold that parts the classes with the widest margin.

    The one-dimensional maximum-margin rule: among the thresholds with the least balanced error on the labelled
    points (each class counts one half, so that a rare class is not given up), the middle of the widest
    interval between two scores.

    Parameters
    ----------
    scores : ndarray of shape (n_labeled,)
    targets : ndarray of shape (n_labeled,)
        -1 and +1, both present; +1 is expected above.

    Examples
    --------
    >>> threshold_between(np.array([-1.0, 0.0, 3.0]), np.array([-1.0, -1.0, 1.0]))
    1.5
    """
    order = np.argsort(scores, kind="stable")
    s, t = scores[order], targets[order]
    # Cut k lies between s[k] and s[k + 1]: positives up to k and negatives beyond are wrong.
    positive, negative = t > 0, t <= 0
    wrong = np.cumsum(positive)[:-1] / positive.sum() + (negative.sum() - np.cumsum(negative)[:-1]) / negative.sum()
    width = np.diff(s)
    wrong = np.where(width > 0, wrong, np.inf)
    if not np.isfinite(wrong).any():
        return 0.0  # all scores alike: no threshold parts them
    least = wrong <= wrong.min() + 1e-12
    best = np.flatnonzero(least & (width >= width[least].max() * (1 - 1e-12)))
    middles = (s[best] + s[best + 1]) / 2
    return float(middles[np.argmin(np.abs(middles))])


def linear_margin(features: Array, targets: Array, C: float) -> tuple[Array, float]:
    """Fit a linear maximum-margin rule; return its weights and its threshold.

    With one feature the rule is `threshold_between`, with the sign that errs less; with more a support vector
    machine. All features are divided by one number, their common scale: that the leading ones are larger is what
    the machine should prefer them for.

    Parameters
    ----------
    features : ndarray of shape (n_labeled, n_features)
    targets : ndarray of shape (n_labeled,)
        -1 and +1, both present.
    C : float
        Price of the square of a point's way into the margin; large is the hard margin.
    """
    if features.shape[1] == 1:
        scores = features[:, 0]
        rules = [(sign, threshold_between(sign * scores, targets)) for sign in (1.0, -1.0)]
        sign, threshold = min(rules, key=lambda rule: _balanced_error(rule[0] * scores - rule[1], targets))
        return np.array([sign]), threshold
    middle = features.mean(axis=0)
    features = features - middle  # or an offset would set the scale
    scale = float(np.sqrt(np.mean(features**2))) or 1.0
    # The primal with squared hinges: smooth, so that Newton's method reaches the last digits, and the hard margin
    # for large C all the same. The intercept is penalised, but on a scale where that does not show.
    machine: Any = LinearSVC(C=C, dual=False, tol=1e-6, max_iter=10_000, intercept_scaling=100.0)
    machine.fit(features / scale, targets)
    weights = machine.coef_[0] / scale
    return weights, float(middle @ weights) - float(machine.intercept_[0])


def _balanced_error(decision: Array, targets: Array) -> float:
    wrong = (decision > 0) != (targets > 0)
    return float(wrong[targets > 0].mean() + wrong[targets <= 0].mean())


def label_variance(targets: Array) -> float:
    r"""Estimate the variance of a -1/+1 labelling.

    :math:`4p(1-p)` with the share :math:`p = (l_+ + 1)/(l + 2)` of positives.
    """
    p = (float(np.sum(targets > 0)) + 1) / (len(targets) + 2)
    return 4 * p * (1 - p)


def _constrained(
    owner: str,
    geometry: Geometry,
    labels: Labels,
    solutions: Sequence[Solution],
    threshold: Array | float | None,
    variance: Array,
) -> Functions:
    """Collect solutions, one function a decision, cut at the threshold; warn if one has not converged."""
    reports = tuple(solution.report for solution in solutions)
    worst = max(reports, key=lambda report: (not report.converged, report.kkt_residual))
    if not worst.converged:
        warnings.warn(
            f"{owner}: {worst.status} after {worst.n_iter} steps with a KKT residual of {worst.kkt_residual:.1e}; "
            "raise max_iter, loosen tol, or lower label_weight.",
            ConvergenceWarning,
            stacklevel=callers_level(),
        )
    coef = np.column_stack([solution.coef for solution in solutions])
    if threshold is None:
        seen = geometry.coordinates[0].values[labels.labeled] @ coef
        cut = np.array([middle_of_means(seen[:, j], t) for j, t in enumerate(labels.all_targets())])
    else:
        cut = np.broadcast_to(np.asarray(threshold, dtype=np.float64), len(solutions)).copy()
    return Functions(coef, np.zeros(len(solutions)), coef, cut, reports, variance)


def _warn_if_blind(owner: str, label_weight: float, largest: float) -> None:
    """Warn if the rounding of the kernel's largest eigenvalue matters at this label weight: the gap does not see it."""
    cost = label_weight * np.finfo(float).eps * largest
    if cost > BLIND:
        warnings.warn(
            f"{owner}: a label weight of {label_weight:.1e} magnifies the rounding of a kernel whose largest "
            f"eigenvalue is {largest:.1e} until it costs {cost:.1g} in the objective, which the gap does not see: "
            "lower label_weight, or divide the kernel.",
            ConvergenceWarning,
            stacklevel=callers_level(),
        )


class SingleMethod(Method, Protocol):
    """A method that finds functions of one kernel."""

    def solve(self, geometry: Geometry, labels: Labels) -> Functions:
        """Find the functions."""
        ...


def solve_without_each(method: "SingleMethod", geometry: Geometry, labels: Labels, rows: Indices) -> Array:
    """Leave out each label in turn and find the functions of the others: the definition of leave-one-out.

    On the same coordinates: the row itself stays in the data, unlabelled.
    """
    with one_thread():
        left_out = [np.array([row]) for row in rows.tolist()]
        return np.vstack([method.solve(geometry, labels.without(row)).at(geometry, row) for row in left_out])


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """LS-KPCA; see `sskpca.LSKPCA`.

    Attributes
    ----------
    label_weight : float
    variance : float or None
        None: `label_variance` of the labels.
    threshold : float or None
        None: the middle of the class means.
    invariances : ndarray of shape (n_pairs, rank)
        Differences of coordinates that should not matter.
    invariance_weight : float
    """

    label_weight: float
    variance: float | None
    threshold: float | None
    invariances: Array
    invariance_weight: float
    owner: ClassVar[str] = "LSKPCA"

    @property
    def solves_held_out(self) -> bool:
        """Whether held-out decisions cost little."""
        return len(self.invariances) == 0

    def _variance(self, targets: Array) -> float:
        return label_variance(targets) if self.variance is None else self.variance

    def solve(self, geometry: Geometry, labels: Labels) -> Functions:
        """Find one function a decision, each the global optimum of its problem."""
        coordinates, same, targets = geometry.coordinates[0], self.invariances, labels.all_targets()
        Z, d = coordinates.values, coordinates.variances
        variance = np.array([self._variance(t) for t in targets])
        rows = np.vstack([Z[labels.labeled], same])
        weights = np.repeat([self.label_weight, self.invariance_weight], [len(labels.labeled), len(same)])
        _warn_if_blind(self.owner, self.label_weight, float(d[0]))
        solutions = [
            solve_ls_kpca(rows, d, np.append(t, np.zeros(len(same))), weights, v * len(Z))
            for t, v in zip(targets, variance, strict=True)
        ]
        return _constrained(self.owner, geometry, labels, solutions, self.threshold, variance)

    def held_out(self, geometry: Geometry, labels: Labels, found: Functions, rows: Indices) -> Array:
        """Return held-out decisions, all from one small eigenproblem.

        Where that would lose digits (large weights, tiny variances, labels that hardly decide) problems are solved.
        """
        if not self.solves_held_out:
            return solve_without_each(self, geometry, labels, rows)
        coordinates, targets = geometry.coordinates[0], labels.all_targets()
        B, d, n = coordinates.values[labels.labeled], coordinates.variances, coordinates.n_samples
        decisions = np.empty((len(B), len(targets)))
        doubtful = np.zeros(len(B), dtype=bool)
        for j, t in enumerate(targets):
            own = without_each(self._variance, t)
            with one_thread():
                plane = leave_one_out_plane(
                    B, d, t, np.array([self.label_weight]), n * own[None], sums=members(t).astype(float)
                )
            if plane.residual > ACCURATE:
                return solve_without_each(self, geometry, labels, rows)
            doubtful |= plane.doubt[0, 0] > ACCURATE
            predictions, cut = plane.predictions[0, 0], found.threshold[j]
            if self.threshold is None:
                cut = held_out_thresholds(predictions, plane.values[0, 0], t)
            decisions[:, j] = predictions - cut
        again = np.intersect1d(labels.labeled[doubtful], rows)
        if len(again):
            decisions[np.isin(labels.labeled, again)] = solve_without_each(self, geometry, labels, again)
        return decisions[np.isin(labels.labeled, rows)]


@dataclass(frozen=True, eq=False)
class Reweighted:
    """LR-KPCA; see `sskpca.LRKPCA`.

    Each held-out problem is solved from scratch: to start from the solution with all labels would be quicker, and would
    let it remember the label where its problem is nearly flat.
    """

    label_weight: float
    variance: float | None
    threshold: float | None
    loss: Loss
    max_iter: int
    tol: float
    owner: ClassVar[str] = "LRKPCA"
    solves_held_out: ClassVar[bool] = False

    def solve(self, geometry: Geometry, labels: Labels) -> Functions:
        """Find one function a decision by a sequence of least-squares problems."""
        coordinates, targets = geometry.coordinates[0], labels.all_targets()
        variance = np.array([label_variance(t) if self.variance is None else self.variance for t in targets])
        B, d, n = coordinates.values[labels.labeled], coordinates.variances, coordinates.n_samples
        settings = {"weights": self.label_weight, "tol": self.tol, "max_iter": self.max_iter, "loss": self.loss}
        solutions = [
            solve_lr_kpca(B, d, t, variance=v * n, **settings)  # type: ignore[arg-type]
            for t, v in zip(targets, variance, strict=True)
        ]
        return _constrained(self.owner, geometry, labels, solutions, self.threshold, variance)

    def held_out(self, geometry: Geometry, labels: Labels, found: Functions, rows: Indices) -> Array:
        """Return held-out decisions by solving each problem."""
        return solve_without_each(self, geometry, labels, rows)


@dataclass(frozen=True, eq=False)
class WithinClass:
    """MV-KPCA and a linear maximum-margin rule; see `sskpca.MVKPCA`.

    Attributes
    ----------
    n_components : int or None
        None: one less than the number of classes.
    label_weight : float
    C : float
        Of the rule.
    groups : Labels or None
        Sets of similar rows; None: the classes.
    centered : bool
    """

    n_components: int | None
    label_weight: float
    C: float
    groups: Labels | None
    centered: bool
    solves_held_out: ClassVar[bool] = False

    def solve(self, geometry: Geometry, labels: Labels) -> Functions:
        """Find the components and the rule."""
        similar = labels if self.groups is None else self.groups
        sets = [np.flatnonzero(similar.codes == j) for j in range(len(similar.classes))]
        if self.label_weight > 0 and all(len(rows) < 2 for rows in sets):
            raise ValueError(
                "MVKPCA: no class has two labelled rows, so there is no variance within classes; label more rows, "
                "or use LSKPCA, for which one label a class is enough."
            )
        coordinates = geometry.coordinates[0]
        Z, d = coordinates.values, coordinates.variances
        number = self.n_components or max(1, len(labels.classes) - 1)
        found = solve_mv_kpca(within_group_rows(Z, sets), d, self.label_weight, number)
        coef = found.coef
        offset = coordinates.mean @ coef if self.centered else np.zeros(coef.shape[1])
        seen = Z[labels.labeled] @ coef - offset
        rules = [linear_margin(seen, t, self.C) for t in labels.all_targets()]
        weights = np.column_stack([rule[0] for rule in rules])
        threshold = np.array([rule[1] for rule in rules]) + offset @ weights
        return Functions(coef, offset, coef @ weights, threshold, (found,), np.empty(0))

    def held_out(self, geometry: Geometry, labels: Labels, found: Functions, rows: Indices) -> Array:
        """Return held-out decisions by solving each problem.

        Without one of the only two labels that share a class, there is no variance within classes to weigh: that is
        kernel PCA, and no error here, as the labels at hand have one.
        """
        sizes = np.bincount(labels.codes[labels.labeled])
        one_pair = self.groups is None and np.sum(np.maximum(sizes - 1, 0)) == 1
        method = replace(self, label_weight=0.0) if one_pair else self
        return solve_without_each(method, geometry, labels, rows)


@dataclass(frozen=True, eq=False)
class Transducer:
    """Joachims' targets, costs and threshold; see `sskpca.SpectralGraphTransducer`.

    Attributes
    ----------
    price : float
        The label weight, for a kernel of mean diagonal 1. (Joachims' is not scaled, and scaling a kernel scales the
        price of its norm.)
    """

    price: float
    owner: ClassVar[str] = "SpectralGraphTransducer"
    solves_held_out: ClassVar[bool] = False

    def solve(self, geometry: Geometry, labels: Labels) -> Functions:
        """Find one function a decision."""
        coordinates = geometry.coordinates[0]
        B, d, n = coordinates.values[labels.labeled], coordinates.variances, coordinates.n_samples
        solutions, thresholds = [], []
        for t in labels.all_targets():
            share = float(np.mean(t > 0))
            targets = np.where(t > 0, np.sqrt((1 - share) / share), -np.sqrt(share / (1 - share)))
            costs = np.where(t > 0, self.price / (2 * share), self.price / (2 * (1 - share)))
            solutions.append(solve_ls_kpca(B, d, targets, costs, float(n)))
            thresholds.append((targets.max() + targets.min()) / 2)
        return _constrained(self.owner, geometry, labels, solutions, np.array(thresholds), np.empty(0))

    def held_out(self, geometry: Geometry, labels: Labels, found: Functions, rows: Indices) -> Array:
        """Return held-out decisions by solving each problem."""
        return solve_without_each(self, geometry, labels, rows)
