"""Table 2 of the paper: LS-KPCA with a graph diffusion kernel (G-LS), and with that and a Gaussian kernel mixed (M-LS).

    make table2                                                             # all 28 cells; resumes where it stopped
    python benchmarks/paper/table2.py --method M-LS --set USPS --labels 100     # one cell, anew; nothing is written
    ... --split 3      # one split of it        ... --chosen         # with the settings in the file, choosing none anew
    python benchmarks/paper/table2.py --summary                             # what is in results/table2.csv

As in the paper, in two stages, by leave-one-out on the labels of each split: first the number of neighbours, the time
of diffusion, the label weight and the variance; then, with the graph kept as chosen, the share of the Gaussian kernel,
its bandwidth, and again label weight and variance. A share of zero, the first stage's answer, takes part. What counts
is the squared loss on held-out labels. Both kernels are scaled to mean variance 1 before they are mixed: a share then
means the same for all of them.

The graph is the paper's: nearest neighbours, Gaussian weights of the mean squared edge length, S = Q^-1/2 W Q^-1/2 and
L = diag(S 1) - S. COIL has six classes: one function each against the rest, and the largest margin decides.

Seconds in the file are those of the processor (up to split 6 of COIL with 100 labels: of the clock, on a busy machine).
"""

import time
from functools import lru_cache

import numpy as np
import scipy.sparse
from protocol import Problem, Results, Table, load, main

from sskpca._graphs import NeighborGraph
from sskpca._linalg.eigen import symmetric_eigen
from sskpca._transduction.methods import middle_of_means, threshold_between
from sskpca.coordinates import Coordinates, NoVarianceError, exact_coordinates
from sskpca.coordinates._principal import coordinates_from_features
from sskpca.kernels import Gaussian
from sskpca.solvers import solve_ls_kpca
from sskpca.solvers._plane import leave_one_out_plane

SETS = ("Digit1", "USPS", "BCI", "g241c", "COIL", "g241d", "Text")
METHODS = ("G-LS", "M-LS")
NEIGHBORS = (5, 10, 20, 50, 100)
TIMES = (3.0, 10.0, 30.0, 100.0)
SHARES = (0.25, 0.5, 0.75, 1.0)
FACTORS = (0.25, 1.0, 4.0)  # of one over the median squared distance
VARIANCES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
LABEL_WEIGHTS = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3)
TOL = 1e-6
FILE = Results(
    "table2.csv",
    (*("error", "loo_loss", "n_neighbors", "time", "share", "factor", "label_weight", "variance"), "seconds"),
    [
        "make table2; error in % on the unlabelled rows; no randomness",
        f"neighbours {NEIGHBORS}; times {TIMES}; shares {SHARES}; bandwidth factors {FACTORS}",
        f"variances {VARIANCES}; label weights {LABEL_WEIGHTS}",
    ],
)


@lru_cache(maxsize=len(NEIGHBORS))
def spectrum(name: str, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
    """Decompose the Laplacian of the paper, once for all times and splits."""
    W = NeighborGraph(n_neighbors).fit(load(name, 10, 1).data).weights_
    root = scipy.sparse.diags_array(1 / np.sqrt(np.asarray(W.sum(axis=1)).ravel()))
    S = (root @ W @ root).toarray()
    values, vectors = symmetric_eigen(np.diag(S.sum(axis=1)) - S, overwrite=True)
    return np.maximum(values, 0.0), vectors


def unseen(X: object) -> np.ndarray:
    raise NotImplementedError("the tables are about the rows of the data")


def unit(coordinates: Coordinates) -> Coordinates:
    return coordinates.scaled(coordinates.n_samples / coordinates.total_variance)


@lru_cache(maxsize=len(NEIGHBORS) * len(TIMES))
def graph(name: str, n_neighbors: int, diffusion_time: float) -> Coordinates:
    values, vectors = spectrum(name, n_neighbors)
    heat = diffusion_time * (values - values.min())
    kept = heat < 27  # below 1e-12 of the largest there is only rounding
    A = vectors[:, kept] * np.exp(-heat[kept] / 2)
    total = float(np.sum((A - A.mean(axis=0)) ** 2))
    return unit(coordinates_from_features(A, unseen, np.eye(A.shape[1]), centered=True, total_variance=total))


@lru_cache(maxsize=len(FACTORS))
def gaussian(name: str, factor: float) -> np.ndarray:
    """Give the kernel matrix, of mean variance 1."""
    _, K = Gaussian(factor=factor).fit_gram(load(name, 10, 1).data)
    return K / (np.trace(K) / len(K) - K.mean())


@lru_cache(maxsize=2 * len(SHARES) * len(FACTORS))
def mixture(name: str, n_neighbors: int, diffusion_time: float, share: float, factor: float) -> Coordinates:
    if share == 0:
        return graph(name, n_neighbors, diffusion_time)
    K = share * gaussian(name, factor)
    if share < 1:
        Z = graph(name, n_neighbors, diffusion_time).values
        K += (1 - share) * (Z @ Z.T)
    return exact_coordinates(K, unseen, centered=True, rank=None)


def targets(problem: Problem) -> np.ndarray:
    """One column for two classes, one a class for more."""
    classes = np.unique(problem.target)
    wanted = classes[1:] if len(classes) == 2 else classes
    return np.where(problem.classes[:, None] == wanted, 1.0, -1.0)


def best(coordinates: Coordinates, problem: Problem) -> tuple[float, float, float]:
    """Find label weight and variance of the least held-out squared loss."""
    Z, T = coordinates.values, targets(problem)
    plane = leave_one_out_plane(
        Z[problem.labeled], coordinates.variances, T, np.array(LABEL_WEIGHTS), len(Z) * np.array(VARIANCES), tol=TOL
    )
    loss = np.mean((plane.predictions - T.T[:, None, None]) ** 2, axis=(0, 3))
    a, b = np.unravel_index(np.argmin(loss), loss.shape)
    return float(loss[a, b]), LABEL_WEIGHTS[a], VARIANCES[b]


def call(coordinates: Coordinates, problem: Problem, weight: float, variance: float) -> np.ndarray:
    Z, T = coordinates.values, targets(problem)
    found = [solve_ls_kpca(Z[problem.labeled], coordinates.variances, t, weight, len(Z) * variance).coef for t in T.T]
    f = Z @ np.array(found).T
    cut = threshold_between if T.shape[1] == 1 else middle_of_means
    decision = f - [cut(f[problem.labeled, k], t) for k, t in enumerate(T.T)]
    return (decision[:, 0] > 0).astype(int) if T.shape[1] == 1 else np.argmax(decision, axis=1)


def solve(method: str, name: str, n_labeled: int, split: int) -> list[tuple]:
    """Choose and solve, in two stages: rows of the file."""
    problem, rows, start = load(name, n_labeled, split), [], time.process_time()

    def finish(method: str, loss: float, setting: tuple, weight: float, variance: float) -> None:
        error = problem.error(call(mixture(name, *setting), problem, weight, variance))
        numbers = (f"{x:g}" for x in (*setting, weight, variance))
        seconds = f"{time.process_time() - start:.2f}"
        rows.append((method, name, n_labeled, split, f"{error:.3f}", f"{loss:.4f}", *numbers, seconds))

    def choose(settings: list[tuple]) -> tuple:
        scored = []
        for setting in settings:
            try:
                scored.append((*best(mixture(name, *setting), problem), setting))
            except NoVarianceError:  # so much time has passed that all rows have the same temperature
                continue
        loss, weight, variance, setting = min(scored, key=lambda found: found[0])
        return loss, setting, weight, variance

    first = choose([(k, tau, 0.0, 0.0) for k in NEIGHBORS for tau in TIMES])
    finish("G-LS", *first)
    if method == "M-LS":
        k, tau = first[1][:2]
        start = time.process_time()
        # With a share of 1 the graph does not matter; said so, the decomposition is shared by all splits.
        others = [(k, tau, w, g) if w < 1 else (0, 0.0, w, g) for w in SHARES for g in FACTORS]
        finish("M-LS", *min(first, choose(others), key=lambda found: found[0]))
    return rows


def again(method: str, name: str, n_labeled: int, split: int, row: dict[str, str]) -> list[tuple]:
    """Solve with the setting that was chosen before."""
    problem, setting = load(name, n_labeled, split), [float(row[key]) for key in ("time", "share", "factor")]
    co = mixture(name, int(row["n_neighbors"]), *setting)
    error = problem.error(call(co, problem, float(row["label_weight"]), float(row["variance"])))
    return [tuple((row | {"error": f"{error:.3f}"}).values())]


def problems(methods, sets, labels):
    last = methods[-1]  # M-LS comes with G-LS
    return [(last, name, n_labeled, split) for name in sets for n_labeled in labels for split in range(1, 13)]


if __name__ == "__main__":
    main(__doc__, FILE, METHODS, SETS, Table(problems, solve, again))
