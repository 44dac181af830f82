"""How should candidates be chosen or combined? Six rules on data that are not in the book.

    python benchmarks/book/selection_rules.py           # a quarter of an hour; writes results/selection_rules.csv
    python benchmarks/book/selection_rules.py --book    # the same rules on the book's six sets, to compare with

The candidates of `SSKPCAClassifier()`, weighed by the labels only, on twelve random sets of 10 and of 100 labels each
(seeds in the code). Mean error in % on the unlabelled rows. Rules were compared on the book's sets first; these sets
confirm that averages by held-out losses are alike, and better than any choice.
"""

import sys

import numpy as np
from cells import LABELS, SIX, SPLITS, write
from scipy.special import softmax
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from sskpca.datasets import load_ssl_book
from sskpca.estimators.labels import read_labels
from sskpca.selection.automatic import LABEL_WEIGHTS, VARIANCES
from sskpca.selection.averaging import log_likelihood
from sskpca.selection.candidates import Grid, evaluate
from sskpca.selection.portfolio import default_kernels, portfolio_coordinates

GRID = Grid(np.array(LABEL_WEIGHTS), np.array(VARIANCES))


def scaled(bunch):
    return StandardScaler().fit_transform(bunch.data), bunch.target


def digits(*positive, among=range(10)):
    X, y = datasets.load_digits(return_X_y=True)
    kept = np.isin(y, among)
    return X[kept], np.isin(y[kept], positive).astype(int)


def moons():
    rng = np.random.default_rng(5)
    X, y = datasets.make_moons(1000, noise=0.15, random_state=5)
    return np.hstack([3 * X, 0.5 * rng.standard_normal((1000, 18))]), y


def rare():
    rng = np.random.default_rng(9)
    y = (rng.random(1000) < 0.15).astype(int)
    X = rng.standard_normal((1000, 30))
    X[:, :3] += 2.0 * y[:, None]
    return X, y


OTHERS = {
    "digits, odd or even": lambda: digits(1, 3, 5, 7, 9),
    "digits, 3 5 or 8 9": lambda: digits(8, 9, among=(3, 5, 8, 9)),
    "breast cancer": lambda: scaled(datasets.load_breast_cancer()),
    "wine (3 classes)": lambda: scaled(datasets.load_wine()),
    "clusters": lambda: datasets.make_classification(
        1000, 20, n_informative=6, n_redundant=4, n_clusters_per_class=2, flip_y=0.02, random_state=3
    ),
    "moons in 20 dimensions": moons,
    "rare class, 15 %": rare,
}


def splits(name, X, y, n_labeled):
    """Yield twelve sets of labelled rows: drawn with all classes present, or the published ones."""
    for split in SPLITS:
        if name in SIX:
            yield load_ssl_book(name, n_labeled, split).labeled
            continue
        rng = np.random.default_rng(1000 * n_labeled + split)
        while True:
            rows = np.sort(rng.permutation(len(y))[:n_labeled])
            if len(np.unique(y[rows])) == len(np.unique(y)):
                yield rows
                break


def rules(held_out, codes):
    """Yield weights of the candidates by each rule."""
    likelihood = log_likelihood(held_out, codes).sum(axis=1)
    if held_out.shape[1] == 1:
        targets, decided = np.where(codes == 1, 1.0, -1.0)[None], (held_out[:, 0] > 0).astype(int)
    else:
        targets, decided = np.where(codes == np.arange(held_out.shape[1])[:, None], 1.0, -1.0), held_out.argmax(axis=1)
    squares = np.minimum((held_out - targets) ** 2, 9.0).mean(axis=1).sum(axis=1)
    one = np.eye(len(held_out))
    yield "average by held-out likelihood", softmax(likelihood)
    yield "the same, likelihood squared", softmax(2 * likelihood)
    yield "average by held-out squared loss", softmax(-squares / 2)
    yield "plain average", np.full(len(held_out), 1 / len(held_out))
    yield "the most likely one", one[np.argmax(likelihood)]
    yield "the one with the fewest held-out errors", one[np.argmin(np.sum(decided != codes, axis=1))]


def errors(name, X, y, coordinates, n_labeled):
    found = {}
    for labeled in splits(name, X, y, n_labeled):
        given = np.full(len(y), None, dtype=object)
        given[labeled] = y[labeled].tolist()
        labels = read_labels(given)
        parts = [evaluate(part, labels, GRID) for part in coordinates]
        held_out = np.concatenate([part.held_out for part in parts])
        rest = np.setdiff1d(np.arange(len(y)), labeled)
        for rule, weights in rules(held_out, labels.codes[labeled]):
            decision, start = 0.0, 0
            for part, z in zip(parts, coordinates, strict=True):
                w = weights[start : start + len(part.coef)]
                decision = decision + z.values @ np.tensordot(w, part.coef, 1).T - w @ part.thresholds
                start += len(w)
            codes = (decision[:, 0] > 0).astype(int) if decision.shape[1] == 1 else decision.argmax(axis=1)
            found.setdefault(rule, []).append(100 * np.mean(labels.classes[codes][rest] != y[rest]))
    return {rule: float(np.mean(values)) for rule, values in found.items()}


def main():
    book = "--book" in sys.argv
    table = {}
    for name in SIX if book else OTHERS:
        if book:
            X, y = load_ssl_book(name, 10, 1).data, load_ssl_book(name, 10, 1).target
        else:
            X, y = OTHERS[name]()
        _, coordinates = portfolio_coordinates(default_kernels(X.shape[0]), X, 200)
        for n_labeled in LABELS:
            if n_labeled < len(y) / 2:
                table[name, n_labeled] = errors(name, X, y, coordinates, n_labeled)
                print(name, n_labeled, {rule: round(e, 2) for rule, e in table[name, n_labeled].items()}, flush=True)
    names, kept = list(dict.fromkeys(name for name, _ in table)), []
    for n_labeled in LABELS:
        cells = {name: found for (name, number), found in table.items() if number == n_labeled}
        for rule in next(iter(cells.values())):
            row = [cells[name][rule] if name in cells else np.nan for name in names]
            mean = float(np.nanmean(row))
            kept.append([n_labeled, rule, *("" if np.isnan(x) else f"{x:.2f}" for x in row), f"{mean:.2f}"])
            print(f"{n_labeled:4d} labels   {rule:42s} {mean:6.2f}")
    about = f"python benchmarks/book/selection_rules.py{' --book' if book else ''}; mean of 12 label sets"
    file = "selection_rules_book.csv" if book else "selection_rules.csv"
    write(file, about, ("labels", "rule", *names, "mean"), kept)


if __name__ == "__main__":
    main()
