"""The fitted answer: what a classifier knows after a fit, as frozen values.

`Geometry` is what a fit knows of the rows before any label. A `Method` finds functions from geometry and labels;
`transduce` calls it and gives a `Transduction`, from which everything else follows: classes, probabilities, held-out
decisions, errors. New labels make another `Transduction` of the same geometry. `Predictor` is the part of it that new
rows need.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from sskpca._linalg.array import Array, Column, Indices, Matrix
from sskpca._linalg.threads import one_thread
from sskpca._transduction.calibration import Novelty, expected_error, fit_slope, probabilities, with_doubt
from sskpca._transduction.held_out import HeldOutDecisions, alone, decided_codes, flat
from sskpca._transduction.labels import Labels, named
from sskpca._transduction.odd_labels import row_ids
from sskpca.coordinates import Coordinates
from sskpca.coordinates._principal import evaluate_features
from sskpca.kernels import Fitted, FittedFeatures
from sskpca.rows import Rows
from sskpca.solvers import Components, Report

__all__ = [
    "NO_ROWS",
    "Decider",
    "Functions",
    "Geometry",
    "KernelPart",
    "Method",
    "Part",
    "Predictor",
    "Transduction",
    "Unanswered",
    "transduce",
]

# Log-odds for a decision of 1 where no label can tell.
PLAIN_SLOPE = 1.0
# Labels that are left out for calibration, at most, where each of them takes a solve of its own.
MOST_REFITS = 100
# New rows that are judged at a time, if they come in blocks.
BLOCK = 4096
NO_ROWS = (
    "the model was saved without the rows it was fitted to: it predicts new rows, and nothing else; fit it again, or "
    "save it with full=True, to change labels or to ask about its rows."
)


@dataclass(frozen=True, eq=False)
class Geometry:
    """The rows of a fit before any label: their principal coordinates in one kernel or several.

    Attributes
    ----------
    X : ndarray, sparse matrix or Rows
        The data.
    kernels : tuple of Kernel
        Parallel to `coordinates`; empty if the coordinates were given.
    coordinates : tuple of Coordinates
    ids : ndarray of shape (n_rows,), optional
        `row_ids`, if they are known.
    sample : ndarray, optional
        Numbers of rows that stand for all, where some are enough.
    """

    X: Matrix | Rows
    kernels: tuple[Fitted, ...]
    coordinates: tuple[Coordinates, ...]
    ids: Indices | None = None
    sample: Indices | None = None

    def rows(self, numbers: Indices) -> Matrix:
        """Return some rows of the data."""
        return self.X.take(numbers) if isinstance(self.X, Rows) else self.X[numbers]

    @cached_property
    def row_ids(self) -> Indices:
        """Numbers of the different rows; equal rows have the same."""
        return row_ids(self.X) if self.ids is None else self.ids

    @cached_property
    def novelty(self) -> Novelty:
        """Distances to the data."""
        return Novelty.of(self.X, self.row_ids)


class Part(Protocol):
    """A sum of decisions has parts."""

    def evaluate(self, X: Matrix | Rows) -> Array:
        """Return values at new rows, shape (n_rows, n_functions)."""
        ...


@dataclass(frozen=True, eq=False)
class KernelPart:
    """Functions in a kernel's space, at new rows.

    Attributes
    ----------
    features : callable
        Of `Coordinates`.
    weights : ndarray of shape (n_features, n_functions)
    """

    features: Callable[[Matrix], Array]
    weights: Array

    @classmethod
    def sum_of(cls, terms: Iterable[tuple[Coordinates, Array]]) -> "list[KernelPart]":
        """Return parts that add up to functions in several kernels, those that are interpolated alike in one."""
        parts: list[KernelPart] = []
        for part in (cls.of(*term) for term in terms):
            for i, other in enumerate(parts):
                if (both := other.plus(part)) is not None:
                    parts[i] = both
                    break
            else:
                parts.append(part)
        return parts

    def plus(self, other: "KernelPart") -> "KernelPart | None":
        """Return the sum of two parts if it costs no more than one of them, otherwise None."""
        first, second = getattr(self.features, "__self__", None), getattr(other.features, "__self__", None)
        if not isinstance(first, FittedFeatures) or not isinstance(second, FittedFeatures):
            return None
        if not all(np.array_equal(part.weights, np.eye(len(part.weights))) for part in (self, other)):
            return None
        both = first.plus(second)
        return None if both is None else replace(self, features=both.features)

    @classmethod
    def of(cls, coordinates: Coordinates, coef: Array) -> "KernelPart":
        """Return functions of principal coordinates, with no more of the kernel than they need."""
        features, weights = coordinates.features, coordinates.dual @ coef
        owner = getattr(features, "__self__", None)
        if not isinstance(owner, FittedFeatures):
            return cls(features, weights)
        if features == owner.features:
            small = owner.functions(weights)
        else:
            small = owner.contracted(weights) if features == owner.factors.values else None
        return cls(features, weights) if small is None else cls(small.features, np.eye(weights.shape[1]))

    def evaluate(self, X: Matrix | Rows) -> Array:
        """Return values at new rows."""
        return evaluate_features(self.features, self.weights, X)  # type: ignore[no-any-return]


class Decider(Protocol):
    """What a method finds: functions whose signs or sizes decide."""

    @property
    def threshold(self) -> Array:
        """What is subtracted from the sum of the parts."""
        ...

    @property
    def reports(self) -> Sequence[Report | Components]:
        """The evidence for the functions."""
        ...

    def on_data(self, geometry: Geometry) -> Array:
        """Return the decisions on all rows of the data, shape (n_rows, n_functions)."""
        ...

    def parts(self, geometry: Geometry) -> tuple[Part, ...]:
        """Return what decides on new rows: the sum of the parts less the threshold."""
        ...


class Method(Protocol):
    """How functions are found from labels: a frozen value of parameters."""

    @property
    def solves_held_out(self) -> bool:
        """Whether all held-out decisions together cost little; if not, each takes a solve."""
        ...

    def solve(self, geometry: Geometry, labels: Labels) -> "Decider":
        """Find the functions."""
        ...

    def held_out(self, geometry: Geometry, labels: Labels, found: Any, rows: Indices) -> Array:
        """Return decisions on labelled rows without their label, shape (len(rows), n_functions).

        `rows` are labelled, and their classes have other labels.
        """
        ...


@dataclass(frozen=True, eq=False)
class Functions:
    """The functions of a single method, on the coordinates of one kernel.

    Attributes
    ----------
    coef : ndarray of shape (rank, n_functions)
        Of the functions, or components, that `transform` evaluates.
    offset : ndarray of shape (n_functions,)
        Subtracted from them.
    decision_coef : ndarray of shape (rank, n_decisions)
    threshold : ndarray of shape (n_decisions,)
    reports : tuple of Report or Components
    variance : ndarray of shape (n_functions,)
        That was asked for; empty where the method has none.
    """

    coef: Array
    offset: Array
    decision_coef: Array
    threshold: Array
    reports: tuple[Report | Components, ...]
    variance: Array

    def on_data(self, geometry: Geometry) -> Array:
        """Return the decisions on all rows of the data."""
        return geometry.coordinates[0].values @ self.decision_coef - self.threshold  # type: ignore[no-any-return]

    def at(self, geometry: Geometry, rows: Indices) -> Array:
        """Return the decisions on some rows of the data."""
        return np.asarray(geometry.coordinates[0].values[rows] @ self.decision_coef - self.threshold)

    def parts(self, geometry: Geometry) -> tuple[Part, ...]:
        """Return what decides on new rows."""
        coordinates = geometry.coordinates[0]
        return (KernelPart.of(coordinates, self.decision_coef),)


@dataclass(frozen=True, eq=False)
class Predictor:
    """What new rows need, and no more.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    parts : tuple of Part
    threshold : ndarray of shape (n_functions,)
    slope : float
        Log-odds for a decision of 1.
    novelty : Novelty
    """

    classes: Column
    parts: tuple[Part, ...]
    threshold: Array
    slope: float
    novelty: Novelty

    @property
    def predictor(self) -> "Predictor":
        """Itself, as a `Transduction` has one."""
        return self

    def __getattr__(self, name: str) -> Any:
        """Say why what a `Transduction` has besides is not there."""
        raise AttributeError(name if name.startswith("__") else NO_ROWS)

    def decide(self, X: Matrix | Rows) -> Array:
        """Return decisions on new rows, shape (n_rows, n_functions)."""
        return decide(self.parts, self.threshold, X)

    def judge(self, X: Matrix | Rows) -> tuple[Array, Array]:
        """Return the probabilities of the classes and the novelty of new rows in memory."""
        novelty = self.novelty.of_rows(X)
        return with_doubt(probabilities(self.decide(X), self.slope), novelty), novelty

    def probabilities(self, X: Matrix | Rows) -> Array:
        """Return the probabilities of the classes, uniform for rows unlike all data."""
        return in_blocks(lambda block: self.judge(block)[0], X)


def decide(parts: Sequence[Part], threshold: Array, X: Matrix | Rows) -> Array:
    """Return the sum of the parts less the threshold, at new rows."""
    if len(parts) == 1:
        return parts[0].evaluate(X) - threshold
    return in_blocks(lambda block: np.asarray(sum(part.evaluate(block) for part in parts) - threshold), X)


def in_blocks(function: Callable[[Matrix], Array], X: Matrix | Rows) -> Array:
    """Apply a function to rows: to each block of them, if they come in blocks."""
    if isinstance(X, Rows):
        return X.each(lambda block, _: function(block), BLOCK)  # type: ignore[no-any-return]
    return function(X)


@dataclass(frozen=True, eq=False)
class Transduction:
    """The answer for given labels. Everything that is expensive and not always wanted is computed when asked for.

    Attributes
    ----------
    geometry : Geometry
    labels : Labels
    method : Method
    found : Decider
        The functions.
    decision : ndarray of shape (n_rows, n_functions)
        On all rows of the data.
    """

    geometry: Geometry
    labels: Labels
    method: Method
    found: Any
    decision: Array

    @property
    def classes(self) -> Column:
        """The classes, sorted."""
        return self.labels.classes

    @cached_property
    def called(self) -> Column:
        """The class of every row; given labels stand."""
        return self.labels.completed(decided_codes(flat(self.decision)))

    @cached_property
    def held_out(self) -> HeldOutDecisions:
        """Decisions on all labels by functions that have not seen them; the only label of a class counts as wrong."""
        rows = self.labels.labeled
        codes = self.labels.codes[rows]
        known = ~alone(codes)
        decisions = np.zeros((len(rows), len(self.found.threshold)))
        if known.any():
            decisions[known] = self.method.held_out(self.geometry, self.labels, self.found, rows[known])
        wrong = (decided_codes(flat(decisions)) != codes) | ~known
        return HeldOutDecisions(rows, flat(decisions), wrong)

    @cached_property
    def slope(self) -> float:
        """The log-odds for a decision of 1, fitted to held-out labels."""
        rows = self.labels.labeled
        known = rows[~alone(self.labels.codes[rows])]
        if len(known) == 0:
            return PLAIN_SLOPE
        if self.method.solves_held_out or len(known) <= MOST_REFITS:
            decisions = self.held_out.decisions.reshape(len(rows), -1)[np.isin(rows, known)]
        else:
            known = np.sort(np.random.default_rng(0).permutation(known)[:MOST_REFITS])
            decisions = self.method.held_out(self.geometry, self.labels, self.found, known)
        return fit_slope(decisions.T, self.labels.codes[known])

    @cached_property
    def distributions(self) -> Array:
        """Probabilities of the classes for every row of the data."""
        return probabilities(self.decision, self.slope)

    @cached_property
    def expected(self) -> tuple[float, tuple[float, float]]:
        """The expected error on the unlabelled rows, and its 95 % interval."""
        known = ~alone(self.labels.codes[self.labels.labeled])
        return expected_error(self.held_out.wrong[known], self.distributions, self.labels)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What decides on new rows."""
        return self.found.parts(self.geometry)  # type: ignore[no-any-return]

    def decide(self, X: Matrix | Rows) -> Array:
        """Return decisions on new rows, shape (n_rows, n_functions)."""
        return decide(self.parts, self.found.threshold, X)

    @cached_property
    def predictor(self) -> Predictor:
        """What new rows need: to be sent to workers, or saved."""
        return Predictor(self.classes, self.parts, self.found.threshold, self.slope, self.geometry.novelty)

    def name(self, decision: Array) -> Column:
        """Return the classes that decisions on rows stand for."""
        return named(self.classes, decided_codes(decision))


@dataclass(frozen=True, eq=False)
class Unanswered:
    """What is known before there are labels of two classes."""

    geometry: Geometry
    labels: Labels
    method: Method

    @property
    def classes(self) -> Column:
        """The class that is labelled so far, if any."""
        return self.labels.classes


def transduce(geometry: Geometry, labels: Labels, method: Method, **effort: Any) -> Transduction:
    """Find the answer for labels.

    Parameters
    ----------
    geometry : Geometry
    labels : Labels
        Of at least two classes.
    method : Method
    **effort
        Passed to the method's `solve`: what changes the time, not the answer.
    """
    with one_thread():  # small problems: threads would wait for each other
        found = method.solve(geometry, labels, **effort)
        return Transduction(geometry, labels, method, found, found.on_data(geometry))
