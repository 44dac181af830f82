"""By which route principal coordinates are found, and what that takes."""

import warnings
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs

from sskpca.coordinates import (
    Coordinates,
    coordinates_from_features,
    coordinates_from_moments,
    exact_coordinates,
    far_from_origin,
    feature_moments,
    linear_coordinates,
)
from sskpca.estimators.caller import callers_level
from sskpca.estimators.parameters import check_count
from sskpca.graphs.laplacian import DENSE_SIZE
from sskpca.kernels import Approximation, Linear, explicit, streamable
from sskpca.kernels.nystrom import Nystrom, needs_all_rows, parts_of
from sskpca.kernels.spectral import MANY
from sskpca.linalg.array import Array
from sskpca.linalg.eigen import uncut
from sskpca.linalg.threads import n_threads
from sskpca.rows import ArrayRows, Rows, bytes_of, in_bytes
from sskpca.rows.canonical import canonical_order

__all__ = ["MANY_ROWS", "ROUTES", "approximated", "automatic_landmarks", "kernel_coordinates"]

ROUTES = ("exact", "nystrom", "fourier", "auto")
# Up to so many rows matrices of all pairs still fit into some gigabytes.
MANY_ROWS = 10_000
# Matrices of all pairs of rows at a time: a kernel, its decomposition, and the work space of either.
PAIRS = 3
# Matrices of all rows and features at a time: features, coordinates, and the work space of either.
COPIES = 3
# Matrices of features by features, beside one for each thread.
SQUARES = 6
# Matrices of all rows and eigenvectors at a time, in the search for the eigenvectors of a graph.
SUBSPACES = 20
# A forecast beyond this share of the budget is refused.
REFUSED = 1.2
# Share of the budget for the coordinates of all rows: if they need more, they are found when they are asked for.
SHARE = 0.25
# Features found at a time: enough for the product to be fast, few enough for the cache.
BLOCK, LEAST_ROWS = 2_000_000, 64
# Rows from which the mean of the features is guessed.
N_GUESS = 200
# More landmarks than these are to be asked for: an eigenproblem of their number takes half a minute.
MOST_LANDMARKS = 2000
# Rows in the sample that a graph is made of, where not all rows are in memory.
GRAPH_ROWS = 5000


def approximated(kernel: Any, X: Any, options: Any, others: Sequence[Any] = ()) -> Any:
    """Return the kernel as it is, or by features, as the parameters of an estimator say.

    `options` is the estimator: it has `coordinates`, `n_landmarks`, `landmarks`, `random_state` and `memory`, which is
    for this kernel and the `others`.
    """
    owner, how, streamed, n = type(options).__name__, options.coordinates, isinstance(X, Rows), X.shape[0]
    number = options.n_landmarks
    if not (isinstance(number, str) and number == "auto"):
        check_count(options, "n_landmarks", number, also='"auto" or ')
    if how not in ROUTES:
        listed = ", ".join(f'"{route}"' for route in ROUTES)
        raise ValueError(f"{owner}: coordinates must be {listed} or a Coordinates object, got {how!r}.")
    budget, together = bytes_of(options.memory), [kernel, *others]
    if how == "exact" and streamed and not streamable(kernel):
        raise ValueError(
            f'{owner}: exact coordinates need all rows in memory, and these come in blocks; use coordinates="nystrom".'
        )
    needed = exact_bytes(together, X, options)
    if how == "exact" or (how == "auto" and not streamed and n <= MANY_ROWS and needed <= budget):
        if needed > REFUSED * budget:
            raise ValueError(
                f"{owner}: exact coordinates of {n} rows need {in_bytes(needed)} of memory, and {in_bytes(budget)} can "
                'be used; use coordinates="nystrom".'
            )
        return kernel
    sample = streamed or graph_bytes(together, X, options) > budget
    if number == "auto":
        number = automatic_landmarks(n, budget // len(together))
    if how == "auto" or options.n_landmarks == "auto":
        warnings.warn(
            f"{owner}: {n} rows are seen "
            + (f"through {number} random features" if how == "fourier" else f"from {number} landmarks (Nyström)")
            + ", an approximation"
            + ('; coordinates="exact" does without it.' if not streamed else "."),
            UserWarning,
            stacklevel=callers_level(),
        )
    if sample and any(of_a_graph(part) for part in parts_of(kernel)):
        number_of_rows = min(GRAPH_ROWS, n)
        least = 8 * _graph_work([kernel], number_of_rows) * _at_a_time(options)
        if least > REFUSED * budget:
            raise ValueError(
                f"{owner}: a graph of {number_of_rows} rows needs {in_bytes(least)} of memory, and {in_bytes(budget)} "
                "can be used; give more, or leave out the kernels of graphs."
            )
        reason = "not all are in memory" if streamed else f"those of all need more than {in_bytes(budget)} of memory"
        warnings.warn(
            f"{owner}: graphs are made of a sample of {number_of_rows} rows, since {reason}.",
            UserWarning,
            stacklevel=callers_level(),
        )
    return Approximation(
        "nystrom" if how == "auto" else how,
        number,
        options.landmarks,
        options.random_state,
        GRAPH_ROWS if sample else None,
    ).of(kernel)


def of_a_graph(kernel: Any) -> bool:
    """Return whether a part of a kernel is of a graph of all rows."""
    return explicit(kernel) and not streamable(kernel)


def exact_bytes(kernels: Sequence[Any], X: Any, options: Any) -> float:
    """Forecast the memory that exact coordinates take: those of all kernels, and the work on one at a time."""
    n = X.shape[0]
    rank = _rank(options, n)
    whole = [kernel for kernel in kernels if not explicit(kernel)]
    # Values and map to them, and the rows themselves.
    kept = 8.0 * n * len(whole) * (2 * rank * (len(kernels) > 1) + _stored(X) / n)
    work = 8.0 * PAIRS * n**2 if whole else 0.0
    return float(kept + max(work * _at_a_time(options), graph_bytes(kernels, X, options)))


def graph_bytes(kernels: Sequence[Any], X: Any, options: Any) -> float:
    """Forecast the memory that graphs of all rows take: features and coordinates of all, and the work on one."""
    n = X.shape[0]
    rank = _rank(options, n)
    wanted = _n_eigenvectors(kernels, n)
    # Two kernels of a graph share it.
    kept = sum(n * (2 * number + min(number, rank)) for number in wanted) + len(wanted) * _stored(X) / 2
    return float(8 * (kept + _graph_work(kernels, n) * _at_a_time(options)))


def _graph_work(kernels: Sequence[Any], n: int) -> int:
    """Return how many numbers the search for the eigenvectors of a graph works on."""
    wanted = _n_eigenvectors(kernels, n)
    if not wanted:
        return 0
    return 4 * n**2 if n <= DENSE_SIZE else SUBSPACES * n * max(wanted)


def _n_eigenvectors(kernels: Sequence[Any], n: int) -> list[int]:
    """Return how many eigenvectors of each graph are wanted."""
    graphs = [part for kernel in kernels for part in parts_of(kernel) if of_a_graph(part)]
    most = n if n <= DENSE_SIZE else MANY
    numbers = (getattr(graph, "n_eigenvectors", None) for graph in graphs)
    return [min(int(number), n) if isinstance(number, Integral) and int(number) > 0 else most for number in numbers]


def _rank(options: Any, n: int) -> int:
    rank = getattr(options, "rank", None)
    return min(n, max(int(rank), 1)) if isinstance(rank, Integral) else n


def _stored(X: Any) -> int:
    """Return the numbers in the rows."""
    return int(X.nnz) if scipy.sparse.issparse(X) else int(np.prod(X.shape))


def _at_a_time(options: Any) -> int:
    return int(effective_n_jobs(getattr(options, "n_jobs", None)))


def automatic_landmarks(n: int, budget: int) -> int:
    """Choose as many landmarks as half of the budget has room for: at most 2,000, and no more than rows."""
    return int(min(n, MOST_LANDMARKS, max(1, np.sqrt(budget / 2 / (8 * (SQUARES + n_threads()))))))


def kernel_coordinates(
    kernel: Any,
    X: Any,
    centered: bool,
    rank: int | None,
    tol: float,
    memory: Any = None,
    *,
    kept: int | None = None,
    whole_groups: bool = False,
) -> Coordinates:
    """Find the principal coordinates by the route that the kernel and the memory allow.

    Parameters
    ----------
    kernel : Kernel
        Unfitted.
    X : ndarray, sparse matrix or Rows
    centered : bool
    rank : int, optional
    tol : float
        Of `exact_coordinates`.
    memory
        Budget, see `bytes_of`.
    kept : int, optional
        Bytes of which a quarter may be taken by the coordinates of all rows, if not all of the budget is for this
        kernel.
    whole_groups : bool, default=False
        Keep fewer than `rank` coordinates rather than some of several of the same variance.
    """
    order = None if explicit(kernel) or needs_all_rows(kernel) else canonical_order(X)
    if isinstance(kernel, Linear) and centered and isinstance(X, np.ndarray) and far_from_origin(X):
        # The matrix would have lost digits that the rows still have.
        return linear_coordinates(kernel.fit_rows(X), kernel.features, rank=rank, tol=tol, order=order)
    if not explicit(kernel):
        K = kernel.fit_gram(X)
        return exact_coordinates(
            K, kernel.cross, centered=centered, rank=rank, tol=tol, order=order, whole_groups=whole_groups
        )
    if streamable(kernel):
        budget = bytes_of(memory)
        width, kept = sum(_width(part) for part in parts_of(kernel)), budget if kept is None else kept
        if isinstance(X, Rows) or 8 * COPIES * X.shape[0] * width > SHARE * kept:
            return _leading(_streamed(kernel, X, centered, budget, width), rank, kept)
    by_features: Any = kernel
    A = by_features.fit_features(X)
    spread = float(np.sum((A - A.mean(axis=0) * centered) ** 2))
    whole = coordinates_from_features(
        A, by_features.features, np.eye(A.shape[1]), centered=centered, total_variance=spread
    )
    if rank is None or rank >= whole.rank:
        return whole
    return whole.leading(uncut(whole.variances, rank) if whole_groups else rank)


def _width(kernel: Any) -> int:
    """Say how many features a part of a kernel has, at most."""
    if isinstance(kernel, Nystrom):
        return kernel.n_landmarks if isinstance(kernel.landmarks, str) else len(kernel.landmarks)
    return int(getattr(kernel, "n_features", 0) or getattr(getattr(kernel, "kernel", None), "n_eigenvectors", 0) or 300)


def _streamed(kernel: Any, X: Any, centered: bool, budget: int, width: int) -> Coordinates:
    """Find the principal coordinates in one pass over the data."""
    rows = X if isinstance(X, Rows) else ArrayRows(X)
    squares = 8 * (SQUARES + n_threads()) * width**2
    if squares > budget:
        raise ValueError(
            f"{width} features need {in_bytes(squares)} of memory, and {in_bytes(budget)} can be used; use fewer: at "
            f"most {automatic_landmarks(rows.n_rows, 2 * budget)}."
        )
    room = (budget - squares) / (8 * COPIES * 2 * n_threads() * (width + rows.n_columns))
    size = int(np.clip(room, LEAST_ROWS, max(LEAST_ROWS, BLOCK // width)))
    kernel.fit_map(rows)
    features: Callable[[Any], Array] = kernel.features
    whitening, condition = None, 1.0
    if isinstance(kernel, Nystrom):
        features, whitening, condition = kernel.kernel_values, kernel.whitening_, kernel.condition_
    some = np.sort(np.random.default_rng(0).permutation(rows.n_rows)[:N_GUESS])
    guess = np.asarray(features(rows.take(some)), dtype=np.float64).mean(axis=0)
    moments = feature_moments(rows, features, whitening, guess, size, condition=condition)
    dual = np.eye(len(guess)) if whitening is None else whitening
    return coordinates_from_moments(moments, rows, features, dual, centered=centered, size=size)


def _leading(whole: Coordinates, rank: int | None, budget: int) -> Coordinates:
    """Keep the leading coordinates, and their values if there is room for them."""
    found = whole if rank is None or rank >= whole.rank else whole.leading(rank)
    return found.held() if 8 * found.n_samples * found.rank <= SHARE * budget else found
