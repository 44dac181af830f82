"""Today's packages for semi-supervised classification: their grids, their held-out classes, their fits.

Protocol and command line are in peers.py. What all splits share is computed once for the selection, never for the fit
that is scored and timed. LabelSpreading and LabelPropagation select on disjoint copies of the graph, one for each fold
of each split: scikit-learn's iteration, once for all folds. Self-training takes gamma and C from the plain SVC and
selects its threshold alone, from every other fold if there are 100 labels. Poisson learning has no solution on a graph
in several parts: settings with such graphs are left out. The rows of Text have unit length: Euclidean and cosine
neighbours are the same. Its SVC may be linear, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import graphlearning
import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator
from sklearn.manifold import SpectralEmbedding
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from sskpca.datasets import load_ssl_book

__all__ = ["GRIDS", "PEERS", "SEED", "Fold", "Peer", "Problem", "load"]

SEED = 0
GAMMAS = (1 / 16, 1 / 4, 1, 4, 16, 64)  # over the median of the squared distances
ALPHAS = (0.999, 0.99, 0.9, 0.5)
NEIGHBORS = (100, 50, 20, 10, 5)
DIMENSIONS = (2, 5, 10, 20, 50)
COSTS = (1e-2, 1e-1, 1, 10, 100, 1000)
THRESHOLDS = (0.9, 0.75, 0.6)
WEIGHTS = ("wnll", "none")
SELECTION_MAX_ITER, MAX_ITER, TOL = 200, 1000, 1e-3
GRIDS = f"""\
# gamma * median squared distance: {", ".join(f"{g:g}" for g in GAMMAS)}
# alpha: {ALPHAS}; neighbours: {NEIGHBORS}; C: {COSTS}; threshold: {THRESHOLDS}; Laplace weights: {WEIGHTS}
# dimensions of eigenmaps: {DIMENSIONS}
# max_iter: {SELECTION_MAX_ITER} in selection, {MAX_ITER} in the scored fit; tol {TOL:g}; folds and SVC: seed {SEED}
"""


@dataclass(frozen=True, eq=False)
class Problem:
    """A set, with what its splits share."""

    name: str
    X: object
    target: np.ndarray
    distances: np.ndarray  # squared, over their median
    median: float
    neighbors: tuple[np.ndarray, np.ndarray]  # rows and distances, from the row itself on


@dataclass(frozen=True, eq=False)
class Fold:
    """Labels to train with, -1 elsewhere, and the rows that were held out."""

    split: int
    y: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class Peer:
    """A method: its grid, smoothest first; held-out classes of all folds; classes of the unlabelled rows."""

    grid: Callable  # problem -> settings; with `after`: problem, the setting chosen for that method -> settings
    held_out: Callable | None  # problem, folds, **setting -> (list of classes, stopped)
    fit: Callable  # problem, book, **setting -> (classes, stopped)
    all_splits_at_once: bool = False
    thin: bool = False  # select from every other fold, if folds have several rows
    after: str | None = None  # the method whose choice this one starts from


@lru_cache(maxsize=1)
def load(name):
    book = load_ssl_book(name, 10, 1)
    D = euclidean_distances(book.data, squared=True)
    median = np.median(D[np.triu_indices(len(D), 1)])
    distances, rows = NearestNeighbors(n_neighbors=max(NEIGHBORS) + 1).fit(book.data).kneighbors(book.data)
    return Problem(name, book.data, book.target, D / median, float(median), (rows, distances))


def grid_of(**axes):
    """Cross the axes, the first one slowest: smoothest settings first."""
    grid = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return lambda problem: grid


def one_by_one(predict):
    """Serve folds one after another."""

    def held_out(problem, folds, **setting):
        return [predict(problem, fold.y, fold.rows, **setting) for fold in folds], False

    return held_out


# Nearest neighbour, of the labelled rows alone and on Laplacian eigenmaps of all; SVC


def fit_nearest(problem, book):
    # In the split's own order, which decides between rows at the same distance: Text has many.
    model = KNeighborsClassifier(1).fit(problem.X[book.labeled], book.y[book.labeled])
    return model.predict(problem.X[book.unlabeled]), False


def eigenmaps(problem, n_neighbors, n_components):
    return SpectralEmbedding(
        n_components, affinity="nearest_neighbors", n_neighbors=n_neighbors + 1, random_state=SEED
    ).fit_transform(problem.X)


@lru_cache(maxsize=len(NEIGHBORS))
def all_eigenmaps(problem, n_neighbors):
    return eigenmaps(problem, n_neighbors, max(DIMENSIONS))


def predict_embedded(problem, y, rows, n_neighbors, n_components):
    Z, known = all_eigenmaps(problem, n_neighbors)[:, :n_components], np.flatnonzero(y >= 0)
    return KNeighborsClassifier(1).fit(Z[known], y[known]).predict(Z[rows])


def fit_embedded(problem, book, **setting):
    Z = eigenmaps(problem, **setting)
    return KNeighborsClassifier(1).fit(Z[book.labeled], book.y[book.labeled]).predict(Z[book.unlabeled]), False


def svc_grid(problem):
    linear = [{"gamma": 0, "C": C} for C in COSTS] if problem.name == "Text" else []  # gamma to 0 is linear
    return linear + [{"gamma": gamma, "C": C} for gamma, C in product(GAMMAS, COSTS)]


def svc(problem, gamma, C, **more):
    kernel = {"kernel": "rbf", "gamma": gamma / problem.median} if gamma else {"kernel": "linear"}
    return SVC(**kernel, C=C, **more)


def fit_svc(problem, book, **setting):
    known = book.y >= 0
    return svc(problem, **setting).fit(problem.X[known], book.y[known]).predict(problem.X[~known]), False


@lru_cache(maxsize=20)
def svc_kernel(problem, gamma):
    if gamma:
        return np.exp(-gamma * problem.distances)
    return linear_kernel(problem.X, problem.X, dense_output=True)


def predict_svc(problem, y, rows, gamma, C):
    K, known = svc_kernel(problem, gamma), np.flatnonzero(y >= 0)
    return SVC(kernel="precomputed", C=C).fit(K[np.ix_(known, known)], y[known]).predict(K[np.ix_(rows, known)])


# Self-training


def self_training_grid(problem, best):
    return [dict(threshold=threshold, **best) for threshold in THRESHOLDS]


def self_training(base, threshold):
    return SelfTrainingClassifier(base.set_params(probability=True, random_state=SEED), threshold=threshold)


def fit_self_training(problem, book, threshold, **setting):
    model = self_training(svc(problem, **setting), threshold).fit(problem.X, book.y)
    return model.predict(problem.X[book.y < 0]), False


def predict_self_training(problem, y, rows, threshold, gamma, C):
    K = svc_kernel(problem, gamma)
    numbers = np.arange(len(y))[:, None]  # instead of rows: a precomputed kernel cannot be cut by rows alone

    def kernel(a, b):
        return K[np.ix_(a[:, 0].astype(int), b[:, 0].astype(int))]

    return self_training(SVC(kernel=kernel, C=C), threshold).fit(numbers, y).predict(numbers[rows])


# LabelSpreading and LabelPropagation


def spreading(problem, max_iter, alpha, gamma=None, n_neighbors=None, cls=LabelSpreading):
    if gamma is None:
        return cls(kernel="knn", n_neighbors=n_neighbors, alpha=alpha, max_iter=max_iter, tol=TOL)
    return cls(kernel="rbf", gamma=gamma / problem.median, alpha=alpha, max_iter=max_iter, tol=TOL)


def propagation(problem, max_iter, gamma, cls=LabelPropagation):
    return cls(kernel="rbf", gamma=gamma / problem.median, max_iter=max_iter, tol=TOL)


class SpreadingOnCopies(LabelSpreading):
    """LabelSpreading on copies of a graph that is given."""

    def _build_graph(self):
        return self.copies


class PropagationOnCopies(LabelPropagation):
    """LabelPropagation on copies of a graph that is given."""

    def _build_graph(self):
        return self.copies


@lru_cache(maxsize=1)
def graph_of(problem, make, gamma=None, n_neighbors=None):
    """Build the graph as scikit-learn does."""
    reach = {"n_neighbors": n_neighbors} if gamma is None else {"gamma": gamma}
    model = make(problem, 1, **reach, **({"alpha": 0.5} if make is spreading else {}))
    model.X_ = problem.X
    graph = model._build_graph()
    return graph.tocsr() if hasattr(graph, "tocsr") else graph


def on_copies(graph, n_copies):
    """Turn a graph into that many disjoint copies of it."""
    n = graph.shape[0]

    def matmat(L):
        side_by_side = L.reshape(n_copies, n, -1).transpose(1, 0, 2).reshape(n, -1)
        return (graph @ side_by_side).reshape(n, n_copies, -1).transpose(1, 0, 2).reshape(n_copies * n, -1)

    return LinearOperator((n_copies * n, n_copies * n), matvec=matmat, matmat=matmat, dtype=graph.dtype)


def peer_on_copies(make, cls, **axes):
    def held_out(problem, folds, **setting):
        model = make(problem, SELECTION_MAX_ITER, cls=cls, **setting)
        model.set_params(tol=TOL * len(folds))  # scikit-learn sums the change over all rows
        reach = {key: setting[key] for key in ("gamma", "n_neighbors") if key in setting}
        model.copies = on_copies(graph_of(problem, make, **reach), len(folds))
        y = np.concatenate([fold.y for fold in folds])
        found = model.fit(np.zeros((len(y), 1)), y).transduction_.reshape(len(folds), -1)
        stopped = model.n_iter_ == SELECTION_MAX_ITER
        return [classes[fold.rows] for classes, fold in zip(found, folds, strict=True)], stopped

    def fit(problem, book, **setting):
        model = make(problem, MAX_ITER, **setting).fit(problem.X, book.y)
        return model.transduction_[book.unlabeled], model.n_iter_ == MAX_ITER

    return Peer(grid_of(**axes), held_out, fit, all_splits_at_once=True)


# graphlearning


@lru_cache(maxsize=len(NEIGHBORS))
def weights(problem, n_neighbors):
    return graphlearning.weightmatrix.knn(None, n_neighbors, knn_data=problem.neighbors)


def fit_graph(model, y):
    known = np.flatnonzero(y >= 0)
    classes, codes = np.unique(y[known], return_inverse=True)
    found = classes[model.fit_predict(known, codes)]
    # A solver that broke down gives no classes at all: all rows count as wrong.
    return found if np.isfinite(model.prob).all() else np.full(len(y), -1)


def graph_peer(make, grid):
    def predict(problem, y, rows, n_neighbors, **setting):
        return fit_graph(make(weights(problem, n_neighbors), **setting), y)[rows]

    def fit(problem, book, n_neighbors, **setting):
        # Exact neighbours: the package's own search is approximate, and needs one package more.
        distances, rows = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(problem.X).kneighbors(problem.X)
        W = graphlearning.weightmatrix.knn(None, n_neighbors, knn_data=(rows, distances))
        found = fit_graph(make(W, **setting), book.y)[book.unlabeled]
        return found, bool((found < 0).any())

    return Peer(grid, one_by_one(predict), fit)


def poisson_grid(problem):
    return [{"n_neighbors": k} for k in NEIGHBORS if connected_components(weights(problem, k))[0] == 1]


PEERS = {
    "nearest": Peer(grid_of(), None, fit_nearest),
    "eigenmaps": Peer(
        grid_of(n_neighbors=NEIGHBORS, n_components=DIMENSIONS), one_by_one(predict_embedded), fit_embedded
    ),
    "svc": Peer(svc_grid, one_by_one(predict_svc), fit_svc),
    "spreading_knn": peer_on_copies(spreading, SpreadingOnCopies, n_neighbors=NEIGHBORS, alpha=ALPHAS),
    "poisson": graph_peer(graphlearning.ssl.poisson, poisson_grid),
    "laplace": graph_peer(graphlearning.ssl.laplace, grid_of(n_neighbors=NEIGHBORS, reweighting=WEIGHTS)),
    "spreading_rbf": peer_on_copies(spreading, SpreadingOnCopies, gamma=GAMMAS, alpha=ALPHAS),
    "self_training": Peer(
        self_training_grid, one_by_one(predict_self_training), fit_self_training, thin=True, after="svc"
    ),
    "propagation_rbf": peer_on_copies(propagation, PropagationOnCopies, gamma=GAMMAS),
}
