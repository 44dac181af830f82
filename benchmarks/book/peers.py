"""Today's packages on the book's data, their settings chosen from the labels alone.

    python benchmarks/book/peers.py                                       # all: about an hour; resumes where it stopped
    python benchmarks/book/peers.py --method svc --set USPS --labels 100  # one cell; each option may be given alone
    python benchmarks/book/peers.py --summary                             # the table; writes results/peers_summary.csv

Results: benchmarks/book/results/peers.csv, one row for a method and a published split. Needs graphlearning.

Selection. Labelled rows are held out in turn: one at a time if there are 10, in ten stratified folds if there are 100,
the same for all methods. They stay among the data, unlabelled. The setting with the fewest held-out errors is taken; of
several, the smoothest, which is the first in the order of the grid: wide kernels and many neighbours first, then large
alpha, small C, high threshold. Folds that leave labels of one class only are left out. Then the package's own class is
fitted to the data with all labels of the split: the error is that fit's, in % on the unlabelled rows.

What all splits share is computed once for the selection, never for the fit that is scored and timed. LabelSpreading and
LabelPropagation select on disjoint copies of the graph, one for each fold of each split: scikit-learn's iteration, once
for all folds. Self-training takes gamma and C from the plain SVC and selects its threshold alone, from every other fold
if there are 100 labels. Poisson learning has no solution on a graph in several parts: settings with such graphs are
left out. The rows of Text have unit length, so that Euclidean and cosine neighbours are the same; its SVC may be
linear, too.

Columns: ties (settings with as few held-out errors), selection_stopped (settings that reached max_iter, in percent),
stopped (the scored fit did), seconds (CPU time of the scored fit, one thread, graph and prediction included) and
eigh_seconds (that of numpy.linalg.eigh of a 1500 x 1500 matrix, at most a minute earlier in the same process).
"""

import argparse
import csv
import io
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import product
from pathlib import Path

import graphlearning
import numpy as np
from rich.console import Console
from rich.progress import Progress
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from sskpca.datasets import load_ssl_book

SETS = ("g241c", "g241d", "Digit1", "USPS", "BCI", "Text", "COIL")
LABELS = (10, 100)
SPLITS = range(1, 13)
SEED = 0
GAMMAS = (1 / 16, 1 / 4, 1, 4, 16, 64)  # over the median of the squared distances
ALPHAS = (0.999, 0.99, 0.9, 0.5)
NEIGHBORS = (100, 50, 20, 10, 5)
COSTS = (1e-2, 1e-1, 1, 10, 100, 1000)
THRESHOLDS = (0.9, 0.75, 0.6)
WEIGHTS = ("wnll", "none")
SELECTION_MAX_ITER, MAX_ITER, TOL = 200, 1000, 1e-3
RESULTS = Path(__file__).parent / "results"
PACKAGES = ("scikit-learn", "graphlearning", "numpy", "scipy")
COLUMNS = (
    "method", "set", "labels", "split", "error", "setting", "held_out_error", "ties", "selection_stopped", "stopped",
    "seconds", "eigh_seconds",
)  # fmt: skip
HEADER = f"""\
# python benchmarks/book/peers.py; {", ".join(f"{name} {version(name)}" for name in PACKAGES)}
# gamma * median squared distance: {", ".join(f"{g:g}" for g in GAMMAS)}
# alpha: {ALPHAS}; neighbours: {NEIGHBORS}; C: {COSTS}; threshold: {THRESHOLDS}; Laplace weights: {WEIGHTS}
# max_iter: {SELECTION_MAX_ITER} in selection, {MAX_ITER} in the scored fit; tol {TOL:g}; folds and SVC: seed {SEED}
# folds: leave-one-out (10 labels), 10 stratified (100 labels); ties: the first of the grid, which is the smoothest
# Text: the SVC may be linear (gamma=0); self-training: gamma and C of svc, threshold from every other fold (100 labels)
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

    grid: Callable  # problem, folds -> settings
    held_out: Callable | None  # problem, folds, **setting -> (list of classes, stopped)
    fit: Callable  # problem, book, **setting -> (classes, stopped)
    all_splits_at_once: bool = False
    thin: bool = False  # select from every other fold, if folds have several rows


@lru_cache(maxsize=1)
def load(name):
    book = load_ssl_book(name, 10, 1)
    D = euclidean_distances(book.data, squared=True)
    median = np.median(D[np.triu_indices(len(D), 1)])
    distances, rows = NearestNeighbors(n_neighbors=max(NEIGHBORS) + 1).fit(book.data).kneighbors(book.data)
    return Problem(name, book.data, book.target, D / median, float(median), (rows, distances))


def folds_of(y, n_labeled, split):
    rows = np.flatnonzero(y >= 0)
    splitter = LeaveOneOut() if n_labeled == 10 else StratifiedKFold(10, shuffle=True, random_state=SEED)
    for train, test in splitter.split(rows, y[rows]):
        if len(np.unique(y[rows[train]])) > 1:
            held = y.copy()
            held[rows[test]] = -1
            yield Fold(split, held, rows[test])


def grid_of(**axes):
    """Cross the axes, the first one slowest: smoothest settings first."""
    grid = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return lambda problem, folds: grid


def one_by_one(predict):
    """Serve folds one after another."""

    def held_out(problem, folds, **setting):
        return [predict(problem, fold.y, fold.rows, **setting) for fold in folds], False

    return held_out


# Nearest neighbour and SVC, of the labelled rows alone


def fit_nearest(problem, book):
    # In the split's own order, which decides between rows at the same distance: Text has many.
    model = KNeighborsClassifier(1).fit(problem.X[book.labeled], book.y[book.labeled])
    return model.predict(problem.X[book.unlabeled]), False


def svc_grid(problem, folds):
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


def self_training_grid(problem, folds):
    n_labeled = len(folds[0].rows) + np.count_nonzero(folds[0].y >= 0)
    wanted = "svc", problem.name, str(n_labeled), str(folds[0].split)
    rows = [row for row in read() if tuple(row[key] for key in COLUMNS[:4]) == wanted]
    if rows:  # selected already, from the same folds
        best = {key: float(value) for key, value in (part.split("=") for part in rows[0]["setting"].split())}
    else:
        best = select(PEERS["svc"], problem, folds)[folds[0].split].setting
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


def poisson_grid(problem, folds):
    return [{"n_neighbors": k} for k in NEIGHBORS if connected_components(weights(problem, k))[0] == 1]


PEERS = {
    "nearest": Peer(grid_of(), None, fit_nearest),
    "svc": Peer(svc_grid, one_by_one(predict_svc), fit_svc),
    "spreading_knn": peer_on_copies(spreading, SpreadingOnCopies, n_neighbors=NEIGHBORS, alpha=ALPHAS),
    "poisson": graph_peer(graphlearning.ssl.poisson, poisson_grid),
    "laplace": graph_peer(graphlearning.ssl.laplace, grid_of(n_neighbors=NEIGHBORS, reweighting=WEIGHTS)),
    "spreading_rbf": peer_on_copies(spreading, SpreadingOnCopies, gamma=GAMMAS, alpha=ALPHAS),
    "self_training": Peer(self_training_grid, one_by_one(predict_self_training), fit_self_training, thin=True),
    "propagation_rbf": peer_on_copies(propagation, PropagationOnCopies, gamma=GAMMAS),
}


@dataclass(frozen=True)
class Choice:
    """The setting of a split, with its held-out error in %, the number of its equals, and iterations cut short in %."""

    setting: dict
    error: float
    ties: int
    stopped: float


def select(peer, problem, folds):
    """Choose a setting for each split: the first of those with the fewest held-out errors."""
    grid = peer.grid(problem, folds)
    if peer.thin and len(folds[0].rows) > 1:
        folds = folds[::2]
    if len(grid) == 1:
        return {fold.split: Choice(grid[0], np.nan, 1, 0.0) for fold in folds}
    wrong, cut = defaultdict(list), []
    for setting in grid:
        found, stopped = peer.held_out(problem, folds, **setting)
        cut.append(stopped)
        count = defaultdict(int)
        for fold, classes in zip(folds, found, strict=True):
            count[fold.split] += int(np.sum(classes != problem.target[fold.rows]))
        for split, errors in count.items():
            wrong[split].append(errors)
    held = defaultdict(int)
    for fold in folds:
        held[fold.split] += len(fold.rows)
    return {
        split: Choice(
            grid[int(np.argmin(errors))],
            100 * min(errors) / held[split],
            errors.count(min(errors)),
            100 * float(np.mean(cut)),
        )
        for split, errors in wrong.items()
    }


@lru_cache(maxsize=1)
def time_of_eigh(moment):
    A = np.random.default_rng(SEED).standard_normal((1500, 1500))
    start = time.process_time()
    np.linalg.eigh(A + A.T)
    return time.process_time() - start


def run(method, name, n_labeled, splits):
    """Select and fit for some splits; yields rows of the table."""
    peer, problem = PEERS[method], load(name)
    books = {split: load_ssl_book(name, n_labeled, split) for split in splits}
    folds = [fold for split in splits for fold in folds_of(books[split].y, n_labeled, split)]
    for split, choice in select(peer, problem, folds).items():
        book = books[split]
        eigh = time_of_eigh(time.monotonic() // 60)
        start = time.process_time()
        found, stopped = peer.fit(problem, book, **choice.setting)
        seconds = time.process_time() - start
        error = 100 * np.mean(found != problem.target[book.unlabeled])
        setting = " ".join(f"{key}={value}" for key, value in choice.setting.items())
        held_out = "" if np.isnan(choice.error) else f"{choice.error:.2f}"
        numbers = [choice.ties, f"{choice.stopped:.0f}", int(stopped), f"{seconds:.4f}", f"{eigh:.4f}"]
        yield [method, name, n_labeled, split, f"{error:.4f}", setting, held_out, *numbers]


def read():
    path = RESULTS / "peers.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def append(rows):
    """Write rows in one call, so that a run may be killed at any moment."""
    path, text = RESULTS / "peers.csv", io.StringIO()
    if not path.exists():
        text.write(HEADER)
        csv.writer(text, lineterminator="\n").writerow(COLUMNS)
    elif not path.read_text().startswith(HEADER):
        sys.exit(f"{path} comes from other versions or grids: move it away, or restore them.")
    csv.writer(text, lineterminator="\n").writerows(rows)
    with open(path, "a", newline="") as out:
        out.write(text.getvalue())


def summary():
    cells = defaultdict(list)
    for row in read():
        cells[row["method"], int(row["labels"]), row["set"]].append(row)
    lines = []
    for n_labeled, method in product(LABELS, PEERS):
        means = {}
        for name in SETS:
            rows = cells[method, n_labeled, name]
            if len(rows) < 2:
                continue
            error, seconds, eigh, stopped = (
                np.array([float(row[key]) for row in rows]) for key in ("error", "seconds", "eigh_seconds", "stopped")
            )
            means[name] = error.mean()
            numbers = [error.mean(), error.std(ddof=1), np.median(seconds), np.median(seconds / eigh)]
            lines.append([method, n_labeled, name, len(rows), *(f"{x:.3f}" for x in numbers), int(stopped.sum())])
            print(
                f"{method:16s} {n_labeled:4d} {name:7s} {len(rows):3d} {numbers[0]:6.2f} ({numbers[1]:5.2f})   "
                f"{numbers[2]:7.3f} s, {numbers[3]:6.3f} eigh   stopped {int(stopped.sum())}"
            )
        six = [means[name] for name in SETS[:6] if name in means]
        if len(six) == 6:
            print(f"{method:16s} {n_labeled:4d} mean of six sets, without COIL: {np.mean(six):.2f}\n")
            lines.append([method, n_labeled, "six", "", f"{np.mean(six):.3f}", "", "", "", ""])
    with open(RESULTS / "peers_summary.csv", "w", newline="") as file:
        file.write("# python benchmarks/book/peers.py --summary; from peers.csv; six: the mean without COIL\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", "labels", "set", "splits", "error", "std", "seconds", "seconds/eigh", "stopped"])
        writer.writerows(lines)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", choices=PEERS)
    parser.add_argument("--set", choices=SETS, dest="name")
    parser.add_argument("--labels", type=int, choices=LABELS)
    parser.add_argument("--summary", action="store_true", help="print the table of what is there, run nothing")
    return parser.parse_args()


def main():
    wanted = parse()
    RESULTS.mkdir(exist_ok=True)
    if wanted.summary:
        summary()
        return
    done = {(row["method"], row["set"], int(row["labels"]), int(row["split"])) for row in read()}
    cells = [
        (method, name, n_labeled)
        # Cheap methods first, and COIL after all: it has six classes, and is in no mean.
        for names in (SETS[:6], SETS[6:])
        for method, name, n_labeled in product(PEERS, names, LABELS)
        if wanted.method in (None, method) and wanted.name in (None, name) and wanted.labels in (None, n_labeled)
    ]
    console = Console(stderr=True)
    warnings.simplefilter("ignore", ConvergenceWarning)  # counted instead
    warnings.filterwarnings("ignore", message="The least populated class")  # COIL has classes of fewer than ten labels
    warnings.filterwarnings("ignore", message=".*probability.*", category=FutureWarning)  # what self-training needs
    with threadpool_limits(1), Progress(console=console, transient=console.is_terminal) as progress:
        bar = progress.add_task("", total=len(cells) * len(SPLITS))
        for method, name, n_labeled in cells:
            progress.update(bar, description=f"{method} {name} {n_labeled}")
            missing = [split for split in SPLITS if (method, name, n_labeled, split) not in done]
            progress.advance(bar, len(SPLITS) - len(missing))
            start = time.monotonic()
            for part in [missing] if PEERS[method].all_splits_at_once else [[split] for split in missing]:
                rows = list(run(method, name, n_labeled, part)) if part else []
                if rows:
                    append(rows)
                progress.advance(bar, len(part))
            if missing and not console.is_terminal:
                print(f"{method} {name} {n_labeled}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
