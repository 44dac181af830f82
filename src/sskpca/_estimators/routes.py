"""From a kernel and rows to principal coordinates: what fits into the memory, and one `decompose`."""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs

from sskpca._graphs.laplacian import DENSE_SIZE
from sskpca._linalg.array import Array, LandmarksLike, Matrix
from sskpca._linalg.eigen import uncut
from sskpca._linalg.threads import n_threads
from sskpca._parameters import callers_level, check_count
from sskpca.coordinates import Coordinates, exact_coordinates
from sskpca.coordinates._exact import far_from_origin, linear_coordinates
from sskpca.coordinates._principal import coordinates_from_features, coordinates_from_moments
from sskpca.coordinates._values import feature_moments
from sskpca.kernels import Fitted, FittedFeatures, Kernel, Nystrom, Sampled
from sskpca.kernels._defaults import GRAPH_ROWS, MANY_ROWS
from sskpca.kernels._fitted import FittedKernel
from sskpca.rows import Rows
from sskpca.rows._arrays import canonical_order, rows_of
from sskpca.rows._memory import bytes_of, in_bytes
from sskpca.rows._source import block_size

__all__ = [
    "ROUTES",
    "Decomposition",
    "approximate_kernels",
    "automatic_landmarks",
    "decompose",
    "feature_decomposition",
    "n_at_a_time",
]

ROUTES = ("exact", "nystrom", "auto")
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
# Share of the budget for the coordinates of all rows: if they need more, they are computed when they are asked for.
SHARE = 0.25
# Rows in a block, at least.
LEAST_ROWS = 64
# Rows from which the mean of the features is guessed.
N_GUESS = 200
# "auto" chooses no more landmarks: an eigenproblem of their number takes half a minute.
MOST_LANDMARKS = 2000


class Options(Protocol):
    """The parameters of an estimator that say how coordinates are found."""

    coordinates: str | Coordinates
    n_landmarks: int | str
    landmarks: LandmarksLike
    random_state: int
    memory: int | str | None


class Decomposition(NamedTuple):
    """A kernel fitted to data, and the principal coordinates of the data."""

    kernel: Fitted
    coordinates: Coordinates


def approximate_kernels(
    kernels: Sequence[Kernel],
    X: Matrix | Rows,
    options: Options,
    *,
    rank: int | None = None,
    n_jobs: int | None = None,
) -> list[Kernel]:
    """Return the kernels as they are, or approximated, as an estimator's parameters and the memory demand.

    Parameters
    ----------
    kernels : sequence of Kernel
        All that are decomposed; the budget is for all together.
    X : ndarray, sparse matrix or Rows
    options : estimator
    rank : int, optional
        Components that are kept of each.
    n_jobs : int, optional
        Kernels that are decomposed at a time; one, or more if they fit into the memory besides, by default.
    """
    owner, how, streamed, n = type(options).__name__, options.coordinates, isinstance(X, Rows), X.shape[0]
    number = options.n_landmarks
    if not (isinstance(number, str) and number == "auto"):
        number = check_count(options, "n_landmarks", number, also='"auto" or ')
    if not isinstance(how, str) or how not in ROUTES:
        listed = ", ".join(f'"{route}"' for route in ROUTES)
        raise ValueError(f"{owner}: coordinates must be {listed} or a Coordinates object, got {how!r}.")
    if how == "exact" and streamed and not all(kernel.from_some_rows for kernel in kernels):
        raise ValueError(
            f'{owner}: exact coordinates need all rows in memory, and these come in blocks; use coordinates="nystrom".'
        )
    budget, jobs = bytes_of(options.memory), 1 if n_jobs is None else int(effective_n_jobs(n_jobs))
    needed = _exact_bytes(kernels, X, rank, jobs)
    if how == "exact" or (how == "auto" and not streamed and n <= MANY_ROWS and needed <= budget):
        if needed > REFUSED * budget:
            raise ValueError(
                f"{owner}: exact coordinates of {n} rows need {in_bytes(needed)} of memory, and {in_bytes(budget)} can "
                'be used; use coordinates="nystrom".'
            )
        return list(kernels)
    if not isinstance(number, int):
        number = automatic_landmarks(n, budget // len(kernels))
    if how == "auto" or options.n_landmarks == "auto":
        warnings.warn(
            f"{owner}: the {n} rows are approximated by {number} landmarks (Nyström)"
            + ('; pass coordinates="exact" for exact coordinates.' if not streamed else "."),
            UserWarning,
            stacklevel=callers_level(),
        )
    sample = streamed or _graph_bytes(kernels, X, rank, jobs) > budget
    if sample and any(_of_a_graph(part) for kernel in kernels for part in kernel.parts):
        _announce_sample(kernels, n, owner, budget, jobs, streamed)
    landmarks, seed = options.landmarks, options.random_state

    def approximate(part: Kernel) -> Kernel:
        if part.from_some_rows or (part.by_features and not sample):
            return part
        if part.by_features:
            return Sampled(part, GRAPH_ROWS, random_state=seed)
        return Nystrom(part, number, landmarks=landmarks, random_state=seed)

    return [kernel.map_parts(approximate) for kernel in kernels]


def n_at_a_time(kernels: Sequence[Kernel], X: Matrix | Rows, rank: int | None, n_jobs: int | None, budget: int) -> int:
    """Return how many kernels are decomposed at a time, each in one thread.

    By default as many as there are processors and as fit into the memory. That takes half of the processor time of one
    after the other in all threads, which wait for each other. Only if the rows are very many, one has all threads.
    """
    if n_jobs is not None:
        return int(effective_n_jobs(n_jobs))
    if isinstance(X, Rows) or X.shape[0] > MANY_ROWS:
        return 1
    fitting = (jobs for jobs in range(n_threads(), 1, -1) if _exact_bytes(kernels, X, rank, jobs) <= budget)
    return next(fitting, 1)


def _announce_sample(kernels: Sequence[Kernel], n: int, owner: str, budget: int, jobs: int, streamed: bool) -> None:
    """Warn that graphs are made of a sample of the rows, or raise if not even that fits."""
    size = min(GRAPH_ROWS, n)
    least = 8 * max(_graph_work([kernel], size) for kernel in kernels) * jobs
    if least > REFUSED * budget:
        raise ValueError(
            f"{owner}: a graph of {size} rows needs {in_bytes(least)} of memory, and {in_bytes(budget)} can be used; "
            "give more, or leave out the kernels of graphs."
        )
    reason = "not all are in memory" if streamed else f"those of all need more than {in_bytes(budget)} of memory"
    warnings.warn(
        f"{owner}: graphs are made of a sample of {size} rows, since {reason}.",
        UserWarning,
        stacklevel=callers_level(),
    )


def _of_a_graph(part: Kernel) -> bool:
    """Return whether a part of a kernel has features that are found from all rows at once."""
    return part.by_features and not part.from_some_rows


def _exact_bytes(kernels: Sequence[Kernel], X: Matrix | Rows, rank: int | None, jobs: int) -> float:
    """Return the memory that exact coordinates take: those of all kernels, and the work on some at a time."""
    n = X.shape[0]
    whole = [kernel for kernel in kernels if not kernel.by_features]
    # Values and map to them, and the rows themselves.
    kept = 8.0 * n * len(whole) * (2 * _kept(rank, n) * (len(kernels) > 1) + _stored(X) / n)
    work = 8.0 * PAIRS * n**2 if whole else 0.0
    return float(kept + max(work * jobs, _graph_bytes(kernels, X, rank, jobs)))


def _graph_bytes(kernels: Sequence[Kernel], X: Matrix | Rows, rank: int | None, jobs: int) -> float:
    """Return the memory that graphs of all rows take: features and coordinates of all, and the work on some."""
    n = X.shape[0]
    wanted = _n_eigenvectors(kernels, n)
    # Two kernels of a graph share it.
    kept = sum(n * (2 * number + min(number, _kept(rank, n))) for number in wanted) + len(wanted) * _stored(X) / 2
    return float(8 * (kept + _graph_work(kernels, n) * jobs))


def _graph_work(kernels: Sequence[Kernel], n: int) -> int:
    """Return how many numbers the search for the eigenvectors of a graph works on."""
    wanted = _n_eigenvectors(kernels, n)
    if not wanted:
        return 0
    return 4 * n**2 if n <= DENSE_SIZE else SUBSPACES * n * max(wanted)


def _n_eigenvectors(kernels: Sequence[Kernel], n: int) -> list[int]:
    """Return how many eigenvectors of each graph are wanted."""
    return [part.width(n) for kernel in kernels for part in kernel.parts if _of_a_graph(part)]


def _kept(rank: int | None, n: int) -> int:
    return min(n, max(int(rank), 1)) if isinstance(rank, Integral) else n


def _stored(X: Matrix | Rows) -> int:
    """Return the number of numbers in the rows."""
    return int(np.prod(X.shape)) if isinstance(X, Rows) or not scipy.sparse.issparse(X) else int(X.nnz)


def automatic_landmarks(n: int, budget: int) -> int:
    """Return as many landmarks as fit into half of the budget: at most 2,000, and no more than rows."""
    return int(min(n, MOST_LANDMARKS, max(1, np.sqrt(budget / 2 / (8 * (SQUARES + n_threads()))))))


def decompose(
    kernel: Kernel,
    X: Matrix | Rows,
    *,
    centered: bool = True,
    rank: int | None = None,
    tol: float = 1e-3,
    memory: int | str | None = None,
    kept: int | None = None,
    whole_groups: bool = False,
    gram: tuple[FittedKernel, Array] | None = None,
) -> Decomposition:
    """Fit a kernel and find the principal coordinates of the data.

    From the kernel matrix, from features, or in one pass over rows that need not be in memory: whatever the kernel
    declares, and the memory allows.

    Parameters
    ----------
    kernel : Kernel
        Stays as it is.
    X : ndarray, sparse matrix or Rows
    centered : bool, default=True
    rank : int, optional
        Leading components to keep; all by default.
    tol : float, default=1e-3
        See `exact_coordinates`.
    memory : int, str or None, default=None
        Memory budget, see `bytes_of`.
    kept : int, optional
        Bytes of which a quarter may be taken by the coordinates of all rows, if not all of the budget is for this
        kernel.
    whole_groups : bool, default=False
        Keep fewer than `rank` coordinates rather than some of several of the same variance.
    gram : tuple of FittedKernel and ndarray, optional
        What `kernel.fit_gram` returns, if it is known. The matrix is destroyed.
    """
    if kernel.by_features:
        if kernel.from_some_rows:
            budget, width = bytes_of(memory), kernel.width(X.shape[0])
            kept = budget if kept is None else kept
            if isinstance(X, Rows) or 8 * COPIES * X.shape[0] * width > SHARE * kept:
                return _streamed(kernel, rows_of(X), centered, rank, width, budget, kept)
        features, A = kernel.fit_features(X)
        return feature_decomposition(features, A, centered=centered, rank=rank, whole_groups=whole_groups)
    order = None if kernel.pairwise else canonical_order(X)
    if kernel.rows_are_features and centered and isinstance(X, np.ndarray) and far_from_origin(X):
        # The matrix would have lost digits that the rows still have.
        features, A = kernel.fit_features(X)
        return Decomposition(features, linear_coordinates(A, features.features, rank=rank, tol=tol, order=order))
    if kernel.rows_are_features and rank is not None and isinstance(X, np.ndarray) and 2 * X.shape[1] <= X.shape[0]:
        features, A = kernel.fit_features(X)
        return feature_decomposition(features, A, centered=centered, rank=rank, whole_groups=whole_groups)
    fitted, K = kernel.fit_gram(X) if gram is None else gram
    coordinates = exact_coordinates(
        K, fitted.cross, centered=centered, rank=rank, tol=tol, order=order, whole_groups=whole_groups
    )
    return Decomposition(fitted, coordinates)


def feature_decomposition(
    fitted: FittedFeatures,
    A: Array,
    *,
    centered: bool = True,
    rank: int | None = None,
    whole_groups: bool = False,
) -> Decomposition:
    """Find the principal coordinates of data with the features A; the other parameters are those of `decompose`."""
    spread = float(np.sum((A - A.mean(axis=0) * centered) ** 2))
    found = coordinates_from_features(A, fitted.features, np.eye(A.shape[1]), centered=centered, total_variance=spread)
    if rank is not None and rank < found.rank:
        found = found.leading(uncut(found.variances, rank) if whole_groups else rank)
    return Decomposition(fitted, found)


def _streamed(
    kernel: Kernel, rows: Rows, centered: bool, rank: int | None, width: int, budget: int, kept: int
) -> Decomposition:
    """Find the principal coordinates in one pass over the data, and their values if there is room for them."""
    squares = 8 * (SQUARES + n_threads()) * width**2
    if squares > budget:
        raise ValueError(
            f"{width} features need {in_bytes(squares)} of memory, and {in_bytes(budget)} can be used; use fewer: at "
            f"most {automatic_landmarks(rows.n_rows, 2 * budget)}."
        )
    room = (budget - squares) / (8 * COPIES * 2 * n_threads() * (width + rows.n_columns))
    size = int(np.clip(room, LEAST_ROWS, max(LEAST_ROWS, block_size(width))))
    fitted = kernel.fit(rows)
    assert isinstance(fitted, FittedFeatures)
    values, matrix, condition = fitted.factors
    some = np.sort(np.random.default_rng(0).permutation(rows.n_rows)[:N_GUESS])
    guess = np.asarray(values(rows.take(some)), dtype=np.float64).mean(axis=0)
    moments = feature_moments(rows, values, matrix, guess, size, condition=condition)
    dual = np.eye(len(guess)) if matrix is None else matrix
    found = coordinates_from_moments(moments, rows, values, dual, centered=centered, size=size)
    if rank is not None and rank < found.rank:
        found = found.leading(rank)
    return Decomposition(fitted, found.held() if 8 * found.n_samples * found.rank <= SHARE * kept else found)
