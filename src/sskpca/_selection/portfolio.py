"""The kernels to choose from, and the coordinates of the data in each of them."""

import warnings
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import scipy.sparse

from sskpca._estimators.routes import (
    ROUTES,
    Decomposition,
    Options,
    approximate_kernels,
    decompose,
    feature_decomposition,
    n_at_a_time,
)
from sskpca._graphs import NearestRows, nearest_rows
from sskpca._graphs.neighbors import EXACT_SIZE
from sskpca._linalg.array import Indices, Matrix
from sskpca._linalg.eigen import uncut
from sskpca._linalg.threads import threads_for
from sskpca._parameters import callers_level
from sskpca._selection.progress import progress
from sskpca._selection.threads import in_threads
from sskpca._transduction.answer import Geometry
from sskpca._transduction.odd_labels import row_ids
from sskpca.coordinates import Coordinates, IndefiniteKernelError, NoVarianceError
from sskpca.kernels import (
    Fitted,
    Gaussian,
    Kernel,
    Nystrom,
    OnColumns,
    Sampled,
)
from sskpca.kernels._defaults import TABLE_FAMILIES, block_kernels, default_kernels
from sskpca.kernels._given import KernelLike, make_kernel
from sskpca.kernels._spectral import SpectralKernel
from sskpca.rows import Rows
from sskpca.rows._arrays import canonical_order
from sskpca.rows._memory import bytes_of

__all__ = [
    "kernel_family",
    "kernel_names",
    "listed_kernels",
    "methods_of",
    "portfolio_coordinates",
    "portfolio_geometry",
    "sample_rows",
]

# Accepted residual of the leading components. It decides which subspace is found; within it all answers are exact.
TOLERANCE = 1e-2
# Rows in which the classes that candidates predict are counted: more say no more about a share.
SAMPLED = 300
# Up to so many rows there is room for one kernel matrix more, from which others of the same distances are made.
SHARED_ROWS = 3000
# Share of the variance below which a coordinate is left out. The largest label weight is 1,000: a label moves it by
# less than a thousandth.
NEGLIGIBLE = 1e-6


def kernel_family(kernel: Fitted) -> str:
    """Return the kind of a kernel; all kinds have the same prior weight in the average."""
    spec = kernel.spec
    while isinstance(spec, Nystrom | Sampled | OnColumns):
        spec = spec.kernel
    return type(spec).__name__


def methods_of(kernel: Fitted, methods: Sequence[str]) -> tuple[str, ...]:
    """Return what is solved in a kernel: in those for tables only ridge regression, if that is among the methods.

    Their leading components say little about classes, so that a fixed variance gains nothing there: measured on
    ordinary tables and on the book's sets, see docs/results/tables.md.
    """
    if kernel_family(kernel) in TABLE_FAMILIES and "ridge" in methods:
        return ("ridge",)
    return tuple(methods)


def listed_kernels(
    kernels: str | Sequence[KernelLike], X: Matrix | Rows, coordinates: object = "exact"
) -> list[Kernel]:
    """Return the kernels for what a user lists, or for "auto".

    Landmarks are drawn from sorted rows, so that their order does not matter; or by row number where `coordinates` are
    those of landmarks, so that rows in blocks have the same ones.
    """
    if not isinstance(coordinates, str) or coordinates not in ROUTES:
        routes = ", ".join(f'"{route}"' for route in ROUTES)
        raise ValueError(f"SSKPCAClassifier: coordinates must be {routes}, got {coordinates!r}.")
    by_number = isinstance(X, Rows) or coordinates == "nystrom"
    if isinstance(kernels, str) and kernels == "auto":
        landmarks, sparse = "uniform" if by_number else "sorted", scipy.sparse.issparse(X)
        blocks = block_kernels(X, landmarks) if sparse else []
        return [*default_kernels(X.shape[0], sparse, X.shape[1], landmarks), *blocks]
    if not isinstance(kernels, list | tuple):
        raise ValueError(f'SSKPCAClassifier: kernels must be "auto" or a list of kernels, got {kernels!r}.')
    if not kernels:
        raise ValueError("SSKPCAClassifier: the list of kernels is empty; give at least one.")
    return _without_mixed_input([make_kernel(kernel) for kernel in kernels], coordinates)


def _without_mixed_input(kernels: list[Kernel], coordinates: str) -> list[Kernel]:
    """Return the kernels if all, or none, take a matrix of similarities."""
    pairwise = [kernel.pairwise for kernel in kernels]
    if any(pairwise) and not all(pairwise):
        raise ValueError(
            "SSKPCAClassifier: 'precomputed' cannot be combined with other kernels: X is a kernel matrix or a table."
        )
    if any(pairwise) and coordinates == "nystrom":
        raise ValueError(
            "SSKPCAClassifier: a precomputed kernel matrix is whole already, and landmarks would save nothing; "
            'use coordinates="exact".'
        )
    return kernels


def kernel_names(kernels: Sequence[Fitted]) -> list[str]:
    """Return a name for each kernel, in one line and different from the others."""
    names: list[str] = []
    for kernel in kernels:
        name = " ".join(repr(kernel.spec).split())
        number = sum(other == name or other.startswith(f"{name} #") for other in names)
        names.append(name if number == 0 else f"{name} #{number + 1}")
    return names


class PortfolioOptions(Options, Protocol):
    """The parameters of `SSKPCAClassifier` that say in which kernels coordinates are found, and how."""

    kernels: str | Sequence[KernelLike]
    n_jobs: int | None
    verbose: bool


def portfolio_geometry(options: PortfolioOptions, X: Matrix | Rows, rank: int) -> Geometry:
    """Find the coordinates of the data in every kernel of a portfolio.

    Parameters
    ----------
    options : SSKPCAClassifier
    X : ndarray, sparse matrix or Rows
        Validated.
    rank : int
        Leading components to keep.
    """
    listed = listed_kernels(options.kernels, X, options.coordinates)
    kernels = approximate_kernels(listed, X, options, rank=rank, n_jobs=options.n_jobs)
    ids = row_ids(X)
    try:
        if ids.max() == 0:
            raise NoVarianceError
        with progress("kernels", len(kernels), options.verbose) as tick:
            fitted, coordinates = portfolio_coordinates(kernels, X, rank, options.n_jobs, tick, options.memory)
    except NoVarianceError:
        raise ValueError(
            f"SSKPCAClassifier: all {X.shape[0]} rows look the same to every kernel (are all features constant, or "
            "tiny beside their mean?); there is nothing to tell them apart by."
        ) from None
    except IndefiniteKernelError as error:
        raise ValueError(
            f"SSKPCAClassifier: {error}; leave it out, or clip the negative eigenvalues of a precomputed one."
        ) from None
    sample = sample_rows(X, options.coordinates, any(kernel.pairwise for kernel in listed))
    return Geometry(X, tuple(fitted), tuple(coordinates), ids, sample)


def sample_rows(X: Matrix | Rows, coordinates: object, pairwise: bool = False) -> Indices | None:
    """Return the numbers of 300 rows that stand for all; None if there are not more, or X is a kernel matrix.

    They do not depend on the order of the rows; by number where landmarks are, see `listed_kernels`.
    """
    n = X.shape[0]
    if n <= SAMPLED or pairwise:
        return None
    order = np.arange(n) if isinstance(X, Rows) or coordinates == "nystrom" else canonical_order(X)
    return order[np.linspace(0, n - 1, SAMPLED).astype(np.intp)]


def portfolio_coordinates(
    kernels: list[Kernel],
    X: Matrix | Rows,
    rank: int,
    n_jobs: int | None = None,
    tick: Callable[[], None] = lambda: None,
    memory: int | str | None = None,
) -> tuple[list[Fitted], list[Coordinates]]:
    """Find the principal coordinates of the data in each kernel, scaled to mean variance 1.

    On that scale a label weight means the same for every kernel. Kernels of the same graph share its eigenvectors.
    Kernels under which all rows are alike are left out, with a warning.

    Parameters
    ----------
    kernels : list of Kernel
    X : ndarray, sparse matrix or Rows
    rank : int
        Leading components to keep.
    n_jobs : int, optional
        Kernels at a time, see `n_at_a_time`.
    tick : callable
        Called after each, kernels of one graph counting as one.
    memory : int, str or None, default=None
        Memory budget of all together, see `sskpca.rows.bytes_of`.

    Returns
    -------
    kernels : list of Fitted
    coordinates : list of Coordinates
    """
    groups = _groups(kernels, X.shape[0])
    budget = bytes_of(memory)
    jobs = n_at_a_time(kernels, X, rank, n_jobs, budget)
    # One half for the work on some at a time, and from the other one each may keep its coordinates.
    work, each = budget // 2 // jobs, budget // len(kernels)
    with threads_for(X.shape[0]):
        nearest = {} if isinstance(X, Rows) else _nearest_rows(kernels, X, work)
        results = in_threads(lambda group: _decomposed(group, X, rank, work, each, nearest), groups, jobs, tick)
    kept = [found for result in results for found in result if isinstance(found, Decomposition)]
    alike = [found for result in results for found in result if not isinstance(found, Decomposition)]
    if not kept:
        raise NoVarianceError
    if alike:
        warnings.warn(
            f"all rows look the same to {', '.join(map(repr, alike))}: left out of the portfolio.",
            UserWarning,
            stacklevel=callers_level(),
        )
    return [found.kernel for found in kept], [found.coordinates for found in kept]


def _groups(kernels: list[Kernel], n_samples: int) -> list[list[Kernel]]:
    """Return kernels together that have a graph in common, or distances; the others alone."""
    groups: dict[object, list[Kernel]] = {}
    for kernel in kernels:
        key: object = id(kernel)
        if isinstance(kernel, SpectralKernel):
            key = kernel.graph_parameters
        elif isinstance(kernel, Gaussian) and n_samples <= SHARED_ROWS:
            key = "Gaussian", kernel.gamma
        groups.setdefault(key, []).append(kernel)
    return list(groups.values())


def _nearest_rows(kernels: list[Kernel], X: Matrix, memory: int) -> dict[str, NearestRows]:
    """Find the nearest rows by each metric in which there are several graphs, so that all of them share the search."""
    sizes: dict[str, set[int]] = {}
    for kernel in kernels:
        if isinstance(kernel, SpectralKernel) and kernel.graph is None and kernel.search != "approximate":
            sizes.setdefault(kernel.metric, set()).add(kernel.n_neighbors)
    n = X.shape[0]
    found = {}
    for metric, asked in sizes.items():
        width = max(asked) + 1
        if len(asked) > 1 and width < n <= EXACT_SIZE and 16 * n * width <= memory // 10:
            found[metric] = nearest_rows(X, width, metric)
    return found


def _decomposed(
    group: list[Kernel], X: Matrix | Rows, rank: int, memory: int, kept: int, nearest: dict[str, NearestRows]
) -> list[Decomposition | Kernel]:
    """Decompose kernels that share a graph or distances; a kernel to which all rows look the same is returned."""
    graphs = [kernel for kernel in group if isinstance(kernel, SpectralKernel)]
    widest = max(graphs, key=lambda kernel: kernel.width(X.shape[0]), default=None)
    basis = None if widest is None or isinstance(X, Rows) else widest.find_basis(X, nearest.get(widest.metric))
    shared = group[0].fit_gram(X) if len(group) > 1 and isinstance(group[0], Gaussian) else None
    found: list[Decomposition | Kernel] = []
    for kernel in group:
        try:
            if basis is not None and isinstance(kernel, SpectralKernel):
                fitted = kernel.fit_basis(basis)
                one = feature_decomposition(fitted, fitted.data, rank=rank, whole_groups=True)
            else:
                gram = None if shared is None or not isinstance(kernel, Gaussian) else kernel.from_other(*shared)
                one = decompose(
                    kernel, X, rank=rank, tol=TOLERANCE, memory=memory, kept=kept, whole_groups=True, gram=gram
                )
        except NoVarianceError:
            found.append(kernel)
            continue
        except IndefiniteKernelError as error:
            raise IndefiniteKernelError(f"with the kernel {kernel!r}, {error}") from None
        scale = one.coordinates.n_samples / one.coordinates.total_variance
        found.append(Decomposition(one.kernel, _without_negligible(one.coordinates.scaled(scale))))
    return found


def _without_negligible(coordinates: Coordinates) -> Coordinates:
    """Leave out coordinates of next to no variance, of mean variance 1: they would cost time at every solve."""
    above = int(np.sum(coordinates.variances > NEGLIGIBLE * coordinates.n_samples))
    kept = uncut(coordinates.variances, above)
    # Of the others, `leading` keeps what they hold of the mean, as one coordinate.
    return coordinates.leading(kept) if 0 < kept < coordinates.rank - 1 else coordinates
