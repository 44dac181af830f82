"""What each part of the rule is worth: the same candidates with parts left out, on the 22 tables.

    python benchmarks/tables/ablation.py            # about ten minutes
    python benchmarks/tables/ablation.py --book     # on the book's six sets, splits 1 to 4: ten minutes

Error in % on the unlabelled rows, mean over tables. Written to results/ablation.csv and results/ablation_book.csv.
"""

import argparse
import csv
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from keel import LABELS, NAMES, draws, load_table
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier
from sskpca.datasets import load_ssl_book
from sskpca.estimators.held_out import alone
from sskpca.selection.averaging import SLOPES, bootstrap_weights, family_prior, log_likelihood
from sskpca.selection.portfolio import kernel_family

RESULTS = Path(__file__).parent / "results"
SIX = ("g241c", "g241d", "Digit1", "USPS", "BCI", "Text")
ROUGH = ("Laplacian", "RandomTrees")
# Methods that take part, whether rough kernels do, and how candidates are weighed.
RULES = {
    "constrained only, product of likelihoods": (("ls",), False, "product"),
    "constrained only": (("ls",), False, "bootstrap"),
    "ridge only": (("ridge",), True, "bootstrap"),
    "constrained and ridge": (("ls", "ridge"), False, "bootstrap"),
    "and the uncentered method": (("ls", "uncentered", "ridge"), False, "bootstrap"),
    "and rough kernels (the default)": (("ls", "uncentered", "ridge"), True, "bootstrap"),
    "the default, product of likelihoods": (("ls", "uncentered", "ridge"), True, "product"),
    "the default, one candidate": (("ls", "uncentered", "ridge"), True, "best"),
    "the default, probabilities averaged": (("ls", "uncentered", "ridge"), True, "probabilities"),
}


def shares(decisions, slope):
    """Return probabilities of shape (n_classes, n) for decisions of shape (n_functions, n)."""
    z = slope * decisions
    return softmax(np.vstack([np.zeros_like(z), z]) if len(z) == 1 else z, axis=0)


def decide(rule, found, kinds, on_rows, codes):
    """Return the class of every row; `on_rows` are the decisions of all candidates, kernel by kernel."""
    methods, rough, how = rule
    kept = [
        np.isin(part.methods, methods) & (rough or kind not in ROUGH) for part, kind in zip(found, kinds, strict=True)
    ]
    held_out = np.concatenate([part.held_out[keep] for part, keep in zip(found, kept, strict=True)])
    decisions = np.concatenate([f[keep] for f, keep in zip(on_rows, kept, strict=True)])
    families = [f"{k} {m}" for part, k, keep in zip(found, kinds, kept, strict=True) for m in part.methods[keep]]
    known = ~alone(codes)
    prior = family_prior(families)
    if how == "product":
        likelihood = np.array([(known * log_likelihood(held_out, codes, s)).sum(axis=1) for s in SLOPES])
        weights = softmax(likelihood + np.log(prior))
        average = np.tensordot(np.array(SLOPES) @ weights, decisions, 1)
    elif how == "probabilities":
        weights = slope_weights(held_out, codes, prior, known)
        average = sum(
            weights[a, k] * shares(decisions[k], slope)
            for a, slope in enumerate(SLOPES)
            for k in np.flatnonzero(weights[a] > 1e-4 * weights.max())
        )
    else:
        weights = bootstrap_weights(held_out, codes, prior, known)
        factors = weights.factors
        if how == "best":
            factors = factors * (np.arange(len(factors)) == np.argmax(weights.weights))
        average = np.tensordot(factors, decisions, 1)
    return (average[0] > 0).astype(int) if len(average) == 1 else average.argmax(axis=0)


def slope_weights(held_out, codes, prior, known):
    """Return the bootstrap's weights slope by slope: those of copies of the candidates, each with one slope."""
    weights = bootstrap_weights(held_out, codes, prior, known)
    likelihood = np.array([(known * log_likelihood(held_out, codes, s)).sum(axis=1) for s in SLOPES])
    return softmax(likelihood, axis=0) * weights.weights


def fit(X, y):
    """Return all candidates, the kinds of their kernels and their decisions on all rows."""
    model = SSKPCAClassifier().fit(X, y)
    found, parts = model._ensemble.found, model.coordinates_
    on_rows = [
        np.einsum("cfr,nr->cfn", part.coef, where.values) - part.thresholds[:, :, None]
        for part, where in zip(found, parts, strict=True)
    ]
    return found, [kernel_family(kernel) for kernel in model.kernels_], on_rows


def problems(book):
    """Yield a name, the number of labels, X, y (-1 where unlabelled) and the true classes."""
    if book:
        for name in SIX:
            for n in (10, 100):
                for split in range(1, 5):
                    data = load_ssl_book(name, n, split)
                    target = np.unique(data.target, return_inverse=True)[1]
                    y = np.full(len(target), -1)
                    y[data.labeled] = target[data.labeled]
                    yield name, n, data.data, y, target
        return
    for name in NAMES:
        table = load_table(name)
        for n in LABELS:
            for draw in draws(table, n):
                yield name, n, table.X, draw.y, table.target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--book", action="store_true", help="on the book's sets")
    book = parser.parse_args().book
    warnings.simplefilter("ignore")
    errors = defaultdict(lambda: defaultdict(list))
    with threadpool_limits(1):
        for name, n, X, y, target in problems(book):
            found, kinds, on_rows = fit(X, y)
            free = y < 0
            for rule, parts in RULES.items():
                called = decide(parts, found, kinds, on_rows, y[y >= 0])
                errors[rule, n][name].append(100 * np.mean(called[free] != target[free]))
    numbers = sorted({n for _, n in errors})
    file = RESULTS / ("ablation_book.csv" if book else "ablation.csv")
    with open(file, "w", newline="") as out:
        out.write(f"# python benchmarks/tables/ablation.py{' --book' if book else ''}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["rule", *(f"labels_{n}" for n in numbers)])
        for rule in RULES:
            means = [np.mean([np.mean(v) for v in errors[rule, n].values()]) for n in numbers]
            writer.writerow([rule, *(f"{mean:.2f}" for mean in means)])
            print(f"{rule:44s}", *(f"{mean:6.2f}" for mean in means))


if __name__ == "__main__":
    main()
