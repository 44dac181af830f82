"""The kernels to choose from, and the coordinates of the data in each of them."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs
from sklearn.base import clone

from sskpca.coordinates import Coordinates, IndefiniteKernelError, NoVarianceError
from sskpca.estimators.caller import callers_level
from sskpca.estimators.routes import GRAPH_ROWS, MANY_ROWS, ROUTES, approximated, kernel_coordinates
from sskpca.kernels import (
    Diffusion,
    Gaussian,
    GaussianRanks,
    Kernel,
    Laplacian,
    Linear,
    Nystrom,
    Precomputed,
    RandomTrees,
    Sampled,
    TransducerSpectrum,
    make_kernel,
)
from sskpca.kernels.spectral import GraphBasis, SpectralKernel
from sskpca.linalg.array import Array
from sskpca.rows import Rows, bytes_of
from sskpca.selection.threads import in_threads

__all__ = [
    "MANY_ROWS",
    "default_kernels",
    "kernel_family",
    "kernel_names",
    "listed_kernels",
    "methods_of",
    "portfolio_coordinates",
    "seen_by",
]

# Of the graph, and of the Gaussian kernel in units of one over the median squared distance: from fine to coarse.
NEIGHBORHOODS = (5, 20, 100)
SCALES = (0.5, 2.0, 4.0)
# Kernels for tables: rough ones, and one that does not mind long tails.
FOR_TABLES: list[Kernel] = [Laplacian(), Laplacian(factor=4.0), GaussianRanks(factor=0.5), RandomTrees()]
TABLE_FAMILIES = {type(kernel).__name__ for kernel in FOR_TABLES}
# Beyond so many rows they are seen from landmarks: ridge regression needs no more.
EXACT_ROWS, N_LANDMARKS = 1000, 500
# Up to MANY_ROWS graphs of coarse neighbourhoods take some minutes; beyond VERY_MANY fine ones do, too.
COARSE, VERY_MANY = 50, 50_000
# Distances in which neighbours are found, and the weights that suit them.
METRICS = ("euclidean", "gaussian"), ("cosine", "transducer")
# Beyond so many eigenvectors diffusion has died down.
N_EIGENVECTORS = 200


def default_kernels(
    n_samples: int, sparse: bool = False, n_columns: int = 2, landmarks: str = "sorted"
) -> list[Kernel]:
    """List kernels that suit different data: smooth ones, those for tables, and graphs of clusters and manifolds.

    Parameters
    ----------
    n_samples : int
        Neighbourhoods of more than a quarter of the data are left out; and, beyond 10,000 rows, those of more than
        50 neighbours, whose graphs would take longer than all the rest. Beyond 50,000 rows two graphs are left, made
        of a sample of the rows. Beyond 1,000 rows the kernels for tables are seen from 500 landmarks.
    sparse : bool, default=False
        Leave out the kernels for tables, Laplacians, ranks and random trees: in thousands of columns that are mostly
        zero they are slow and of no use.
    n_columns : int, default=2
        Of one column angles tell no more than the sign: graphs in the cosine metric are left out.
    landmarks : str, default="sorted"
        Of the kernels that are seen from them, see `Nystrom`.

    Examples
    --------
    >>> len(default_kernels(1500)), len(default_kernels(50)), len(default_kernels(50_000)), len(default_kernels(10**6))
    (20, 12, 16, 10)
    """
    kernels: list[Kernel] = [Gaussian(factor=factor) for factor in SCALES]
    kernels.append(Linear())
    if not sparse:
        few = n_samples <= EXACT_ROWS
        kernels += [k if few else Nystrom(k, N_LANDMARKS, landmarks=landmarks) for k in clone(FOR_TABLES)]
    if n_samples > VERY_MANY:
        k = NEIGHBORHOODS[1]
        kernels.append(Sampled(Diffusion(k, 30.0, n_eigenvectors=N_EIGENVECTORS), GRAPH_ROWS))
        metric, weights = METRICS[0 if n_columns == 1 else 1]
        kernels.append(Sampled(TransducerSpectrum(k, metric=metric, weights=weights), GRAPH_ROWS))
        return kernels
    most = n_samples // 4 if n_samples <= MANY_ROWS else COARSE
    sizes = [k for k in NEIGHBORHOODS if k <= most] or [max(1, min(NEIGHBORHOODS[0], (n_samples - 1) // 2))]
    for k in sizes:
        for metric, weights in METRICS[: 1 if n_columns == 1 else 2]:
            kernels.append(Diffusion(k, 30.0, n_eigenvectors=N_EIGENVECTORS, metric=metric, weights=weights))
            kernels.append(TransducerSpectrum(k, metric=metric, weights=weights))
    return kernels


def kernel_family(kernel: Kernel) -> str:
    """Return the kind of a kernel; all kinds have the same prior weight in the average."""
    return type(kernel.kernel if isinstance(kernel, Nystrom | Sampled) else kernel).__name__


def methods_of(kernel: Kernel, methods: Sequence[str]) -> tuple[str, ...]:
    """Return what is solved in a kernel: in those for tables only ridge regression, if that is among the methods.

    Their leading components say little about classes, so that a fixed variance gains nothing there: measured on
    ordinary tables and on the book's sets, see docs/results/tables.md.
    """
    if kernel_family(kernel) in TABLE_FAMILIES and "ridge" in methods:
        return ("ridge",)
    return tuple(methods)


def listed_kernels(kernels: Any, X: Any, coordinates: Any = "exact") -> list[Kernel]:
    """Return fresh kernels for what a user lists, or for "auto".

    Landmarks are drawn from sorted rows, so that their order does not matter; or by row number where `coordinates` are
    those of landmarks, so that rows in blocks have the same ones.
    """
    landmarks = "uniform" if isinstance(X, Rows) or coordinates not in ("exact", "auto") else "sorted"
    if isinstance(kernels, str) and kernels == "auto":
        return default_kernels(X.shape[0], scipy.sparse.issparse(X), X.shape[1], landmarks)
    if not isinstance(kernels, list | tuple):
        raise ValueError(f'SSKPCAClassifier: kernels must be "auto" or a list of kernels, got {kernels!r}.')
    listed = [make_kernel(kernel) for kernel in kernels]
    if not listed:
        raise ValueError("SSKPCAClassifier: the list of kernels is empty; give at least one.")
    given = sum(isinstance(kernel, Precomputed) for kernel in listed)
    if 0 < given < len(listed):
        raise ValueError(
            "SSKPCAClassifier: 'precomputed' cannot be combined with other kernels: X is a kernel matrix or a table."
        )
    return listed


def seen_by(kernels: list[Kernel], X: Any, options: Any) -> list[Kernel]:
    """Return the kernels as they are, or by features, if that is wanted or the rows are many.

    `options` are the parameters of the classifier, see `approximated`.
    """
    how = options.coordinates
    if not isinstance(how, str) or how not in ROUTES:
        listed = ", ".join(f'"{route}"' for route in ROUTES)
        raise ValueError(f"SSKPCAClassifier: coordinates must be {listed}, got {how!r}.")
    if how not in ("exact", "auto") and any(isinstance(kernel, Precomputed) for kernel in kernels):
        raise ValueError(
            "SSKPCAClassifier: a precomputed kernel matrix is whole already, and landmarks would save nothing; "
            'use coordinates="exact".'
        )
    found = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        found = [approximated(kernel, X, options, [k for k in kernels if k is not kernel]) for kernel in kernels]
    for message in dict.fromkeys(str(warning.message) for warning in told):  # once, not for every kernel
        warnings.warn(message, UserWarning, stacklevel=callers_level())
    return found


def kernel_names(kernels: list[Kernel]) -> list[str]:
    """Name each kernel, in one line and differently."""
    names: list[str] = []
    for kernel in kernels:
        name = " ".join(repr(kernel).split())
        number = sum(other == name or other.startswith(f"{name} #") for other in names)
        names.append(name if number == 0 else f"{name} #{number + 1}")
    return names


def portfolio_coordinates(
    kernels: list[Kernel],
    X: Any,
    rank: int,
    n_jobs: int | None = None,
    tick: Callable[[], None] = lambda: None,
    memory: Any = None,
) -> tuple[list[Kernel], list[Coordinates]]:
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
        Kernels at a time.
    tick : callable
        Called after each, kernels of one graph counting as one.
    memory
        Budget of all together, see `sskpca.rows.bytes_of`.

    Returns
    -------
    kernels : list of Kernel
        Fitted.
    coordinates : list of Coordinates
    """
    groups = list(_groups([clone(kernel) for kernel in kernels]))
    budget = bytes_of(memory)
    # One half for the work on some at a time, and from the other one each may keep its coordinates.
    work, each = budget // 2 // effective_n_jobs(n_jobs), budget // len(kernels)
    results = in_threads(lambda group: _shared(group, X, rank, work, each), groups, n_jobs, tick)
    found = [pair for result in results for pair in result]
    alike = [kernel for kernel, coordinates in found if coordinates is None]
    if len(alike) == len(found):
        raise NoVarianceError
    if alike:
        names = ", ".join(repr(kernel) for kernel in alike)
        warnings.warn(
            f"all rows look the same to {names}: left out of the portfolio.",
            UserWarning,
            stacklevel=callers_level(),
        )
    kept = [(kernel, coordinates) for kernel, coordinates in found if coordinates is not None]
    return [kernel for kernel, _ in kept], [coordinates for _, coordinates in kept]


def _groups(kernels: list[Kernel]) -> Iterator[list[Kernel]]:
    """Yield kernels with a graph in common together, the others alone."""
    by_graph: dict[Any, list[Kernel]] = {}
    for k in kernels:
        if isinstance(k, SpectralKernel):
            own = None if k.graph is None else id(k.graph)
            key: Any = (k.n_neighbors, k.metric, k.weights, k.laplacian, k.search, own)
        else:
            key = id(k)
        by_graph.setdefault(key, []).append(k)
    yield from by_graph.values()


def _shared(group: list[Kernel], X: Any, rank: int, memory: int, kept: int) -> list[tuple[Kernel, Coordinates | None]]:
    """Find the coordinates of kernels that share a graph, or of a single one."""
    largest = max(group, key=_n_eigenvectors)
    basis = largest.find_basis(X) if len(group) > 1 and isinstance(largest, SpectralKernel) else None
    found: list[tuple[Kernel, Coordinates | None]] = []
    for kernel in group:
        try:
            seen = _Shared(kernel, basis) if basis else kernel
            coordinates = kernel_coordinates(seen, X, True, rank, 1e-3, memory, kept=kept, whole_groups=True)
        except NoVarianceError:
            found.append((kernel, None))
            continue
        except IndefiniteKernelError as error:
            raise IndefiniteKernelError(f"with the kernel {kernel!r}, {error}") from None
        found.append((kernel, coordinates.scaled(coordinates.n_samples / coordinates.total_variance)))
    return found


def _n_eigenvectors(kernel: Kernel) -> float:
    number = getattr(kernel, "n_eigenvectors", None)
    return np.inf if number is None else float(number)


class _Shared:
    """A kernel whose graph has been decomposed already."""

    def __init__(self, kernel: Any, basis: GraphBasis) -> None:
        self.kernel, self.basis = kernel, basis

    def fit_features(self, X: Any) -> Array:
        return np.asarray(self.kernel.fit_basis(self.basis))

    @property
    def features(self) -> Callable[[Any], Array]:
        return self.kernel.features  # type: ignore[no-any-return]
