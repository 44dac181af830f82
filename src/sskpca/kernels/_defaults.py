"""The kernels of the portfolio, which suit different data."""

import numpy as np
import scipy.sparse
from sklearn.base import clone

from sskpca._linalg.array import Matrix
from sskpca.kernels._base import Kernel
from sskpca.kernels._dot_product import Linear
from sskpca.kernels._nystrom import Nystrom
from sskpca.kernels._on_columns import OnColumns
from sskpca.kernels._sampled import Sampled
from sskpca.kernels._spectral import Diffusion, TransducerSpectrum
from sskpca.kernels._stationary import Gaussian, GaussianRanks, Laplacian
from sskpca.kernels._trees import RandomTrees

__all__ = [
    "GRAPH_ROWS",
    "MANY_ROWS",
    "N_EIGENVECTORS",
    "TABLE_FAMILIES",
    "VERY_MANY",
    "block_kernels",
    "default_kernels",
]

# Up to so many rows matrices of all pairs still fit into some gigabytes.
MANY_ROWS = 10_000
# Rows in the sample that a graph is made of, where not all rows are in memory.
GRAPH_ROWS = 5000
# Of the graph, and of the Gaussian kernel in units of one over the median squared distance: from fine to coarse.
NEIGHBORHOODS = (5, 20, 100)
SCALES = (0.5, 2.0)
# Kernels for tables: rough ones, and one that does not mind long tails.
FOR_TABLES: list[Kernel] = [Laplacian(), Laplacian(factor=4.0), GaussianRanks(factor=0.5), RandomTrees()]
TABLE_FAMILIES = {type(kernel).__name__ for kernel in FOR_TABLES}
# Beyond so many rows they are approximated by landmarks: ridge regression needs no more.
EXACT_ROWS, N_LANDMARKS = 1000, 300
# Up to MANY_ROWS graphs of coarse neighbourhoods take some minutes; beyond VERY_MANY fine ones do, too.
COARSE, VERY_MANY = 50, 50_000
# Distances in which neighbours are found, and the weights that suit them.
METRICS = ("euclidean", "gaussian"), ("cosine", "transducer")
# Beyond so many eigenvectors diffusion has died down: on coarse graphs sooner.
N_EIGENVECTORS, FEWEST_EIGENVECTORS = 200, 100


def default_kernels(
    n_samples: int, sparse: bool = False, n_columns: int = 2, landmarks: str = "sorted"
) -> list[Kernel]:
    """List kernels that suit different data: smooth ones, those for tables, and graphs of clusters and manifolds.

    Parameters
    ----------
    n_samples : int
        Neighbourhoods of more than a quarter of the data are left out; and, beyond 10,000 rows, those of more than
        50 neighbours, whose graphs would take longer than all the rest. Beyond 50,000 rows two graphs are left, made
        of a sample of the rows. Beyond 1,000 rows the kernels for tables are approximated by 300 landmarks.
    sparse : bool, default=False
        Leave out the kernels for tables, Laplacians, ranks and random trees: in thousands of columns that are mostly
        zero they are slow and of no use.
    n_columns : int, default=2
        Of one column angles tell no more than the sign: graphs in the cosine metric are left out.
    landmarks : str, default="sorted"
        How landmarks are chosen, see `Nystrom`.

    Returns
    -------
    list of Kernel
        The kernels that `SSKPCAClassifier` uses by default.

    Examples
    --------
    >>> from sskpca.kernels import default_kernels
    >>> len(default_kernels(1500)), len(default_kernels(50)), len(default_kernels(50_000)), len(default_kernels(10**6))
    (16, 10, 13, 9)
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
        number = max(FEWEST_EIGENVECTORS, N_EIGENVECTORS * NEIGHBORHOODS[0] // k)
        for metric, weights in METRICS[: 1 if n_columns == 1 else 2]:
            if metric == METRICS[0][0]:  # diffusion by angles adds nothing to the transducer's spectrum, measured
                kernels.append(Diffusion(k, 30.0, n_eigenvectors=number, metric=metric, weights=weights))
            kernels.append(TransducerSpectrum(k, metric=metric, weights=weights))
    return kernels


def block_kernels(X: Matrix, landmarks: str = "sorted") -> list[Kernel]:
    """List kernels of the numbers alone and of the words alone, where a sparse matrix has both.

    Columns that are not zero in at least half of the rows, and negative in some, are numbers, as standardized ones are;
    the others are words. Each may say nothing about the classes, and a kernel of both is blurred by the one that does
    not; held-out labels decide. Measured: benchmarks/everyday/results/text.csv.

    Examples
    --------
    >>> X = scipy.sparse.csr_matrix(np.hstack([np.eye(8), np.array([[-1.0], [1.0]] * 4)]))
    >>> [repr(kernel) for kernel in block_kernels(X)][:2]
    ['Gaussian(factor=2.0) of words', 'Linear() of words']
    """
    n = X.shape[0]
    matrix = scipy.sparse.csr_matrix(X)
    measured = (2 * matrix.getnnz(axis=0) >= n) & (matrix.min(axis=0).toarray().ravel() < 0)
    if measured.all() or not measured.any():
        return []
    numbers, words = np.flatnonzero(measured), np.flatnonzero(~measured)
    rough = [OnColumns(kernel, numbers, "numbers", True) for kernel in FOR_TABLES[:3:2]]
    smooth = [OnColumns(kernel, words, "words") for kernel in (Gaussian(factor=2.0), Linear())]
    smooth.append(OnColumns(Gaussian(factor=0.5), numbers, "numbers", True))
    metric, weights = METRICS[1]
    size = max(1, min(NEIGHBORHOODS[1], (n - 1) // 2))
    graph = Diffusion(size, 30.0, n_eigenvectors=N_EIGENVECTORS, metric=metric, weights=weights)
    of_words: Kernel = OnColumns(graph, words, "words")
    seen = rough if n <= EXACT_ROWS else [Nystrom(kernel, N_LANDMARKS, landmarks=landmarks) for kernel in rough]
    return [*smooth, *seen, of_words if n <= VERY_MANY else Sampled(of_words, GRAPH_ROWS)]
