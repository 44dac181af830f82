"""What all estimators share: a fitted state that changes as a whole, and functions of principal coordinates."""

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sskpca._estimators.routes import approximate_kernels, decompose
from sskpca._linalg.array import Array, Column, LandmarksLike, Matrix, RowsLike
from sskpca._linalg.threads import threads_for
from sskpca._parameters import check_count
from sskpca.coordinates import (
    Coordinates,
    IndefiniteKernelError,
    NoVarianceError,
)
from sskpca.kernels import Fitted
from sskpca.kernels._given import KernelLike, is_precomputed, make_kernel
from sskpca.rows import Rows
from sskpca.rows._source import as_rows

__all__ = ["KernelLike", "KernelSpaceEstimator", "RowsEstimator", "at_once", "become", "is_precomputed"]

Model = TypeVar("Model")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def become(model: Any, other: Any) -> None:
    """Give a model the state of another one: one assignment, which nothing can interrupt in the middle."""
    # As a dict of its own: Python 3.13.0 forgets attributes where one is shared with an object that is gone.
    model.__dict__ = dict(other.__dict__)


def at_once(
    fit: Callable[Concatenate[Model, Arguments], Result],
) -> Callable[Concatenate[Model, Arguments], Result]:
    """Let a method work on a copy of the model, whose state the model takes over when all is done.

    A refit that fails or is interrupted leaves the model as it was.
    """

    @wraps(fit)
    def whole(self: Model, /, *args: Arguments.args, **options: Arguments.kwargs) -> Result:
        trial = copy.copy(self)
        result = fit(trial, *args, **options)
        become(self, trial)
        return self if result is trial else result  # type: ignore[return-value]

    return whole


class RowsEstimator(BaseEstimator):
    """An estimator of rows: tables, arrays, sparse matrices, and rows in blocks."""

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what input is understood."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validated(self, X: RowsLike, *, reset: bool) -> Matrix | Rows:
        rows = as_rows(X)
        if rows is not None:
            return self._validated_rows(rows, reset)
        try:
            table = nw.from_native(X, pass_through=True)
        except nw.exceptions.DuplicateError:
            raise ValueError(
                f"{type(self).__name__}: the column {_first_twice(X)} comes more than once; give every column a name "
                "of its own."
            ) from None
        if isinstance(table, nw.LazyFrame):
            raise ValueError(f"{type(self).__name__}: X is a lazy table; collect() it first.")
        if isinstance(table, nw.DataFrame):
            strange = [
                name
                for name, kind in table.schema.items()
                if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown))
            ]
            if strange:
                names = ", ".join(repr(name) for name in strange)
                raise ValueError(
                    f"{type(self).__name__}: the columns {names} hold no numbers; drop or encode them."
                    if len(strange) > 1
                    else f"{type(self).__name__}: the column {names} holds no numbers; drop or encode it."
                )
            if type(X).__module__.startswith("pyarrow"):
                X = table.to_pandas() if _have_pandas() else table.to_numpy()
        try:
            return validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_min_samples=3 if reset else 1,
            )
        except ValueError as error:
            where = _first_missing(table) if "contains NaN" in str(error) else ""
            if not where:
                raise
            raise ValueError(
                f"{type(self).__name__}: Input X contains NaN: {where}; fill it in (sklearn.impute.SimpleImputer) or "
                "leave it out."
            ) from None

    def _validated_rows(self, rows: Rows, reset: bool) -> Rows:
        """See that rows in blocks have the right shape; their numbers are looked at as they come."""
        if reset:
            if rows.n_rows < 3:
                raise ValueError(f"{type(self).__name__}: a minimum of 3 rows is required, got {rows.n_rows}.")
            self.n_features_in_ = rows.n_columns
            self.__dict__.pop("feature_names_in_", None)
            if rows.names is not None:
                self.feature_names_in_ = np.array(rows.names, dtype=object)
        elif rows.n_columns != self.n_features_in_:
            raise ValueError(
                f"X has {rows.n_columns} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        elif rows.names is not None and list(getattr(self, "feature_names_in_", rows.names)) != rows.names:
            raise ValueError(
                f"{type(self).__name__}: the columns are {', '.join(rows.names)}, but those of the fit were "
                f"{', '.join(self.feature_names_in_)}; give them the same names and the same order."
            )
        return rows


class KernelSpaceEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RowsEstimator):
    """Find the principal coordinates, evaluate functions in them.

    Abstract: the methods differ in how they choose the functions. They have `coordinates_`, `coef_` (one function
    a column) and `offset_` (what to subtract from each).
    """

    kernel: KernelLike | None
    centered: bool
    coordinates: str | Coordinates
    n_landmarks: int | str
    landmarks: LandmarksLike
    random_state: int
    memory: int | str | None

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what input is understood."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _fit_coordinates(
        self, X: Matrix | Rows, rank: int | None, tol: float = 1e-3
    ) -> tuple[Fitted | None, Coordinates]:
        """Return the fitted kernel, None if coordinates were given, and the coordinates of validated data."""
        n = X.shape[0]
        if rank is not None:
            rank = check_count(self, "rank", rank, also="None or ")
        if not isinstance(self.centered, bool | np.bool_):
            raise ValueError(f"{type(self).__name__}: centered must be True or False, got {self.centered!r}.")
        if isinstance(self.coordinates, Coordinates):
            given = self.coordinates
            if given.n_samples != n or given.centered != bool(self.centered):
                raise ValueError(
                    f"{type(self).__name__}: the coordinates are those of {given.n_samples} "
                    f"{'centred' if given.centered else 'uncentred'} points, but X has {n} rows and "
                    f"centered={self.centered}; pass the data they were made from, or coordinates='exact'."
                )
            return None, given if rank is None or rank >= given.rank else given.leading(rank)
        if self.kernel is None:
            raise ValueError(
                f"{type(self).__name__}: kernel must be a name, a kernel object or a function of two matrices, got "
                "None."
            )
        (kernel,) = approximate_kernels([make_kernel(self.kernel)], X, self, rank=rank)
        try:
            with threads_for(X.shape[0]):
                return decompose(kernel, X, centered=bool(self.centered), rank=rank, tol=tol, memory=self.memory)
        except IndefiniteKernelError as error:
            raise ValueError(
                f"{type(self).__name__}: with kernel={self.kernel!r}, {error}; use a kernel that is, or clip "
                "the negative eigenvalues of a precomputed one."
            ) from None
        except NoVarianceError:
            raise self._all_alike(n, self.kernel) from None

    def _all_alike(self, n: int, kernel: KernelLike) -> ValueError:
        return ValueError(
            f"{type(self).__name__}: all {n} rows look the same to kernel={kernel!r} (are all features "
            "constant, or tiny beside their mean?); no function of them can have the wanted variance."
        )

    def transform(self, X: RowsLike) -> Column:
        """Evaluate the functions that were found.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_functions)
            The values of the functions.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        values: Column = self.coordinates_.evaluate(X, self.coef_) - self.offset_
        return values if isinstance(X, Rows) else values.astype(X.dtype, copy=False)

    def _in_sample(self) -> Array:
        """Evaluate the functions on the data they were found from."""
        return self.coordinates_.values @ self.coef_ - self.offset_  # type: ignore[no-any-return]

    @property
    def _n_features_out(self) -> int:
        return int(self.coef_.shape[1])


def _first_twice(X: RowsLike) -> str:
    """Name the first column of a table that has the name of an earlier one."""
    names = list(getattr(X, "column_names", X.columns))  # of Arrow, or of the others
    return repr(next(name for k, name in enumerate(names) if name in names[:k]))


def _first_missing(table: object) -> str:
    """Say where a table or an array first lacks a number; nothing if it is neither."""
    if isinstance(table, nw.DataFrame):
        names: list[object] = list(table.columns)
        values = table.to_numpy()
    elif isinstance(table, np.ndarray) and table.ndim == 2:
        names, values = list(range(table.shape[1])), table
    else:
        return ""
    missing = np.array([[value is None or value != value for value in row] for row in values.tolist()], dtype=bool)
    columns = np.flatnonzero(missing.any(axis=0))
    if len(columns) == 0:
        return ""
    first, number = columns[0], int(missing[:, columns[0]].sum())
    others = f", and {len(columns) - 1} other columns lack some" if len(columns) > 1 else ""
    return (
        f"the column {names[first]!r} lacks {number} value{'s' if number > 1 else ''}, the first in row "
        f"{int(np.argmax(missing[:, first]))}{others}"
    )


def _have_pandas() -> bool:
    try:
        import pandas  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True
