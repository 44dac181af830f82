"""What each part of the rule is worth: the same candidates with parts left out, on the 22 tables.

    python benchmarks/tables/ablation.py            # about ten minutes
    python benchmarks/tables/ablation.py --book     # on the book's six sets, splits 1 to 4: five minutes
    python benchmarks/tables/ablation.py --balanced # the same number of labels of each class, three draws: five minutes
    python benchmarks/tables/ablation.py --churn    # ten of the simulated tables of mixed.py that are mostly noise: two

Error in % on the unlabelled rows, mean over tables; of at most five classes where labels are balanced. Written to
results/ablation.csv, ablation_book.csv, ablation_balanced.csv and ablation_churn.csv.
"""

import argparse
import copy
import csv
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
from keel import LABELS, NAMES, draws, load_table
from mixed import churn
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier
from sskpca._selection.averaging import (
    SLOPES,
    bootstrap_draws,
    bootstrap_weights,
    counts_likelihood,
    family_prior,
    log_likelihood,
    predicted_shares,
)
from sskpca._selection.candidates import METHODS
from sskpca._selection.forest import FOREST
from sskpca._selection.portfolio import kernel_family
from sskpca._transduction.held_out import alone
from sskpca.datasets import load_ssl_book
from sskpca.kernels._defaults import TABLE_FAMILIES

RESULTS = Path(__file__).parent / "results"
# Tables with more classes have too few rows of some for as many labels of each.
BALANCED_CLASSES = 5
SIX = ("g241c", "g241d", "Digit1", "USPS", "BCI", "Text")
ALL = ("ls", "ridge")
# Methods that take part, whether kernels for tables do, whether the forest does, how candidates are weighed.
RULES = {
    "LS-KPCA only, product of likelihoods": (("ls",), False, False, "product"),
    "LS-KPCA only": (("ls",), False, False, "bootstrap"),
    "ridge regression only, with kernels for tables": (("ridge",), True, False, "bootstrap"),
    "LS-KPCA and ridge regression": (("ls", "ridge"), False, False, "bootstrap"),
    "and kernels for tables": (ALL, True, False, "bootstrap"),
    "and a forest (the default)": (ALL, True, True, "bootstrap"),
    "the default and the uncentered method": (METHODS, True, True, "bootstrap"),
    "the default, class counts not compared": (ALL, True, True, "no counts"),
    "the default, all labels count in full": (ALL, True, True, "all evidence"),
    "the default, product of likelihoods": (ALL, True, True, "product"),
    "the default, one candidate": (ALL, True, True, "best"),
    "the default, probabilities averaged": (ALL, True, True, "probabilities"),
}


def shares(decisions, slope):
    """Return probabilities of shape (n_classes, n) for decisions of shape (n_functions, n)."""
    z = slope * decisions
    return softmax(np.vstack([np.zeros_like(z), z]) if len(z) == 1 else z, axis=0)


def decide(rule, found, codes):
    """Return the class of every row, from the held-out decisions and the decisions of all candidates."""
    methods, tables, forest, how = rule
    kept = np.isin(found["method"], methods) & (tables | ~np.isin(found["kind"], list(TABLE_FAMILIES)))
    kept |= forest & (found["method"] == FOREST)
    held_out, decisions, method = found["held_out"][kept], found["decisions"][kept], found["method"][kept]
    families = [f"{kind} {m}" for kind, m in zip(found["kind"][kept], method, strict=True)]
    known = ~alone(codes)
    prior = family_prior(families)
    counts = counts_likelihood(found["shares"][kept], codes) * (how != "no counts")
    if how in ("product", "all evidence"):
        likelihood = np.array([np.where(known, log_likelihood(held_out, codes, s), 0.0) for s in SLOPES])
        draws = np.ones((1, len(codes))) if how == "product" else bootstrap_draws(np.concatenate(likelihood))
        start = np.log(prior) + counts.sum(axis=1)
        weights = np.mean([softmax(likelihood @ draw + start) for draw in draws], axis=0)
        average = np.tensordot(np.array(SLOPES) @ weights, decisions, 1)
    elif how == "probabilities":
        weights = slope_weights(held_out, codes, prior, known, counts)
        average = sum(
            weights[a, k] * shares(decisions[k], slope)
            for a, slope in enumerate(SLOPES)
            for k in np.flatnonzero(weights[a] > 1e-4 * weights.max())
        )
    else:
        weights = bootstrap_weights(held_out, codes, prior, known, counts)
        factors = weights.factors
        if how == "best":
            factors = factors * (np.arange(len(factors)) == np.argmax(weights.weights))
        average = np.tensordot(factors, decisions, 1)
    return (average[0] > 0).astype(int) if len(average) == 1 else average.argmax(axis=0)


def slope_weights(held_out, codes, prior, known, counts):
    """Return the bootstrap's weights slope by slope: those of copies of the candidates, each with one slope."""
    weights = bootstrap_weights(held_out, codes, prior, known, counts)
    likelihood = np.array([(known * log_likelihood(held_out, codes, s)).sum(axis=1) for s in SLOPES])
    return softmax(likelihood, axis=0) * weights.weights


def candidates(model):
    """List all candidates of a model: kind of kernel, method, held-out decisions and decisions on all rows."""
    ensemble, parts = model.answer_.found, model.coordinates_
    on_rows = [part.decisions(where.values) for part, where in zip(ensemble.found, parts, strict=True)]
    kinds = [kernel_family(k) for k, part in zip(model.kernels_, ensemble.found, strict=True) for _ in part.methods]
    forest = ensemble.forest
    geometry = model.answer_.geometry
    decisions = np.concatenate([*on_rows, forest.decide(geometry.X).T[None]])
    counted = np.arange(decisions.shape[2]) if geometry.sample is None else geometry.sample
    return {
        "kind": np.array([*kinds, FOREST]),
        "method": model.candidates_["method"],
        "held_out": np.concatenate([*(part.held_out for part in ensemble.found), forest.held_out[None]]),
        "decisions": decisions,
        "shares": predicted_shares(decisions[:, :, counted]),
    }


def of_the_book():
    """Yield a name, the number of labels, a fitted model, y (-1 where unlabelled) and the true classes."""
    for name in SIX:
        empty = SSKPCAClassifier(methods=METHODS).fit(load_ssl_book(name, 10, 1).data)
        for n in (10, 100):
            for split in range(1, 5):
                data = load_ssl_book(name, n, split)
                target = np.unique(data.target, return_inverse=True)[1]
                y = np.full(len(target), -1)
                y[data.labeled] = target[data.labeled]
                labels = data.target[data.labeled]
                yield name, n, copy.copy(empty).update_labels(data.labeled, labels, new_classes=True), y, target


def of_the_tables():
    """Yield the same of the 22 tables, with the first two draws of `run.py`."""
    for name in NAMES:
        table = load_table(name)
        for n in LABELS:
            for draw in draws(table, n):
                yield name, n, SSKPCAClassifier(methods=METHODS).fit(table.X, draw.y), draw.y, table.target


def balanced():
    """Yield the same with as many labels of one class as of another, as people choose them who look for examples."""
    for name in NAMES:
        table = load_table(name)
        if table.n_classes > BALANCED_CLASSES:
            continue
        for n in (10, 30):
            for draw in range(3):
                order = np.random.default_rng((n, draw, 7)).permutation(len(table.target))
                y = np.full(len(order), -1)
                for k in range(table.n_classes):
                    y[order[table.target[order] == k][: n // table.n_classes]] = k
                yield name, n, SSKPCAClassifier(methods=METHODS).fit(table.X, y), y, table.target


def of_customers():
    """Yield the same of tables in which a rare class can hardly be told from the other."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame, names, _ = churn(rng)
        X = StandardScaler().fit_transform(pd.get_dummies(frame).to_numpy(dtype=float))
        target, order = (names == "yes").astype(int), rng.permutation(len(names))
        first = [order[target[order] == k][0] for k in (0, 1)]
        for n in LABELS:
            chosen = [*first, *(i for i in order if i not in first)][:n]
            y = np.full(len(target), -1)
            y[chosen] = target[chosen]
            yield seed, n, SSKPCAClassifier(methods=METHODS).fit(X, y), y, target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--book", action="store_true", help="on the book's sets")
    parser.add_argument("--balanced", action="store_true", help="as many labels of each class")
    parser.add_argument("--churn", action="store_true", help="where a rare class can hardly be told")
    chosen = vars(parser.parse_args())
    which = next((name for name, wanted in chosen.items() if wanted), "")
    problems = {"": of_the_tables, "book": of_the_book, "balanced": balanced, "churn": of_customers}[which]
    warnings.simplefilter("ignore")
    errors = defaultdict(lambda: defaultdict(list))
    with threadpool_limits(1):
        for name, n, model, y, target in problems():
            found, free = candidates(model), y < 0
            for rule, parts in RULES.items():
                called = decide(parts, found, y[y >= 0])
                errors[rule, n][name].append(100 * np.mean(called[free] != target[free]))
    numbers = sorted({n for _, n in errors})
    file = RESULTS / f"ablation{which and '_'}{which}.csv"
    with open(file, "w", newline="") as out:
        out.write(f"# python benchmarks/tables/ablation.py{which and ' --'}{which}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["rule", *(f"labels_{n}" for n in numbers)])
        for rule in RULES:
            means = [np.mean([np.mean(v) for v in errors[rule, n].values()]) for n in numbers]
            writer.writerow([rule, *(f"{mean:.2f}" for mean in means)])
            print(f"{rule:44s}", *(f"{mean:6.2f}" for mean in means))


if __name__ == "__main__":
    main()
