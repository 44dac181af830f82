"""The page about the methods of the book and today's packages."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
from scipy.stats import rankdata

from book.cells import LABELS, SETS, SIX, published
from markdown_table import BENCHMARKS, link, table
from paper.protocol import cells, read_csv
from single_cells import slowest

__all__ = ["OURS", "PEERS", "book_page", "ours", "rows_of", "standing"]

OURS = {
    "SSKPCAClassifier": "its defaults, nothing chosen",
    "LS-KPCA": "Gaussian kernel, 10-fold cross-validation (Table 1 of the paper)",
    "LR-KPCA": "the same",
    "MV-KPCA": "the same, one component",
    "G-LS": "LS-KPCA with graph diffusion, leave-one-out (Table 2)",
    "M-LS": "LS-KPCA with graph diffusion and a Gaussian mixed, leave-one-out (Table 2)",
    "SGT (ours)": "`SpectralGraphTransducer` with its published settings, the same for all sets",
}
PEERS = {
    "nearest": "1-NN",
    "eigenmaps": "SpectralEmbedding, then 1-NN",
    "svc": "SVC",
    "self_training": "SelfTrainingClassifier(SVC)",
    "propagation_rbf": "LabelPropagation, RBF",
    "spreading_rbf": "LabelSpreading, RBF",
    "spreading_knn": "LabelSpreading, kNN",
    "laplace": "graphlearning, Laplace",
    "poisson": "graphlearning, Poisson",
}

# The book's methods, but for two embeddings followed by 1-NN; how many of 14 cells it prints, where not all.
BOOK = (
    "1-NN (plain)",
    "SVM",
    "QC + CMN",
    "Discrete Reg.",
    "TSVM",
    "SGT",
    "Cluster-Kernel",
    "Data-Dep. Reg.",
    "LDS",
    "Laplacian RLS",
    "CHM (normed)",
)
PRINTED = {"SGT": 12, "Data-Dep. Reg.": 12, "CHM (normed)": 10}

Table = dict[tuple[str, str, int], float]


def rows_of(file: str) -> list[dict[str, str]]:
    return read_csv(BENCHMARKS / file)


def means(rows: Iterable[dict[str, str]]) -> Table:
    return {key: found[0] for key, found in cells(rows).items()}


def ours() -> Table:
    first = means(rows_of("paper/results/table1.csv"))
    found = {(f"{m}-KPCA", name, n): error for (m, name, n), error in first.items() if m in ("LS", "LR", "MV")}
    found |= means(rows_of("paper/results/table2.csv"))
    found |= means({**row, "method": "SSKPCAClassifier"} for row in rows_of("book/results/automatic.csv"))
    transducer = [row for row in rows_of("book/results/transducer.csv") if row["method"] == "SGT"]
    return found | {("SGT (ours)", row["set"], int(row["labels"])): float(row["error"]) for row in transducer}


def mean_ranks(found: Table, n_labeled: int) -> dict[str, float]:
    """Rank the methods that have a number for all six sets on each of them; return the mean ranks."""
    complete = [m for m in dict.fromkeys(key[0] for key in found) if all((m, s, n_labeled) in found for s in SIX)]
    ranks = [rankdata([found[method, name, n_labeled] for method in complete]) for name in SIX]
    return dict(zip(complete, np.mean(ranks, axis=0).tolist(), strict=True))


def error_table(groups: dict[str, dict[str, str]], found: Table, n_labeled: int) -> Iterator[str]:
    """Yield the table of errors: groups of methods, each with their titles."""
    ranks, rows = mean_ranks(found, n_labeled), []
    least = {name: min(error for (_, s, n), error in found.items() if (s, n) == (name, n_labeled)) for name in SETS}
    for group, methods in groups.items():
        rows.append([f"*{group}*", *[""] * (len(SETS) + 2)])
        for method, title in methods.items():
            errors = {name: found[key] for name in SETS if (key := (method, name, n_labeled)) in found}
            if not errors:
                continue
            shown = [f"{errors[name]:.1f}" if name in errors else "" for name in SETS]
            shown = [f"**{s}**" if errors.get(name) == least[name] else s for s, name in zip(shown, SETS, strict=True)]
            six = [errors[name] for name in SIX if name in errors]
            mean = f"{np.mean(six):.1f}" if len(six) == len(SIX) else ""
            rows.append([title, *shown, mean, f"{ranks[method]:.1f}" if method in ranks else ""])
    return table(["", *SETS, "mean of six", "mean rank"], rows)


def standing(method: str, n_labeled: int) -> list[str]:
    """Say where one of ours stands among the book's methods alone: set by set, and overall by the mean rank."""
    book, mine = published(), ours()
    places = []
    for name in SETS:
        own = mine.get((method, name, n_labeled))
        theirs = [error for (_, s, n), error in book.items() if (s, n) == (name, n_labeled)]
        places.append("" if own is None else f"{1 + sum(error < own for error in theirs)} of {len(theirs) + 1}")
    together = book | {key: error for key, error in mine.items() if key[0] == method}
    ranks = mean_ranks(together, n_labeled)
    place = 1 + sum(rank < ranks[method] for rank in ranks.values())
    return [*places, f"{ranks[method]:.1f}", f"{place} of {len(ranks)}"]


def missing() -> str:
    """List how many cells of each method of the book were not found in a source."""
    found = Counter(key[0] for key in published())
    lacking = {method: PRINTED.get(method, 14) - found[method] for method in BOOK}
    complete = [method for method, n in lacking.items() if not n]
    cells = "; ".join(f"{method} {n}" for method, n in lacking.items() if n)
    return f"complete: {', '.join(complete)}; missing: {cells}"


def book_page() -> Iterator[str]:
    yield "# Among the methods of the book, and today's packages\n"
    yield ("Written by `make results` from the files in `benchmarks/book` and `benchmarks/paper`.\n")
    yield (
        "Error in % on the unlabelled rows, mean of the 12 published splits; the least of a column is bold. *Mean of "
        "six* is without COIL, and so is *mean rank*, among the methods that have a number for each of the six.\n"
    )
    yield "- **Ours**: " + "; ".join(f"*{name}*: {what}" for name, what in OURS.items()) + "."
    yield (
        "- **The book**: chapter 21 of *Semi-Supervised Learning* (Chapelle, Schölkopf, Zien, 2006). Only numbers that "
        f"were checked against a source are shown ({link('book/published.csv')}): {len(published())} of the "
        f"{sum(PRINTED.get(method, 14) for method in BOOK)} that it prints for these eleven methods ({missing()}). "
        "Two more methods, embeddings followed by 1-NN, are not here at all. The book's methods were tuned by their "
        "authors, ours and the packages on the labels of each split alone; what is fixed is the same for all sets."
    )
    yield (
        f"- **Packages of today**: scikit-learn and graphlearning, run by {link('book/peers.py')}; for each split the "
        "setting with the fewest held-out errors, from the grids in "
        f"{link('book/packages.py')}. Their 1-NN is the book's, digit by digit, and stands there.\n"
    )
    book, mine = published(), ours()
    found = means(rows_of("book/results/peers.csv"))
    peers = {key: found[key] for key in product(PEERS, SETS, LABELS) if key[0] != "nearest"}  # one missing: no page
    groups = {
        "ours": {m: f"**{m}**" for m in OURS},
        "the book": {m: m for m in BOOK if m in {key[0] for key in book}},
        "packages of today": {m: title for m, title in PEERS.items() if m != "nearest"},
    }
    for n_labeled in LABELS:
        yield f"## {n_labeled} labels\n"
        yield from error_table(groups, book | mine | peers, n_labeled)
        yield (
            "Place of each of ours among the book's numbers above (1: better than all of them), and overall: by the "
            "mean rank on the six sets, among the methods of the book for which all six were found. The numbers that "
            "are missing could move a place down.\n"
        )
        yield from table(
            ["", *SETS, "mean rank", "overall"], ([f"**{method}**", *standing(method, n_labeled)] for method in OURS)
        )
    yield from (BENCHMARKS / "book" / "notes.md").read_text(encoding="utf-8").splitlines()
    yield ""
    yield from times()
    yield from one_cell()


def times() -> Iterator[str]:
    path = "book/results/fit_times.csv"
    yield "## Time of one fit\n"
    yield (
        "Settings given, 100 labels, sets of 1500 rows; processor time with one thread, in units of one "
        "`numpy.linalg.eigh` of a 1500 x 1500 matrix in the same process; medians over splits and sets. A fit of ours "
        f"decomposes the kernel, classifies all rows, and can be asked about new ones ({link(path)}, "
        f"{link('book/results/peers.csv')}).\n"
    )
    ratios = defaultdict(list)
    for row in [*rows_of(path), *rows_of("book/results/peers.csv")]:
        if row["labels"] == "100" and row["set"] not in ("BCI", "COIL"):
            title = PEERS.get(row["method"], f"**{row['method']}**")
            ratios[title].append(float(row["seconds"]) / float(row["eigh_seconds"]))
    found = sorted((float(np.median(ratio)), title) for title, ratio in ratios.items())
    yield from table(["", "times eigh"], ([title, f"{ratio:.2g}"] for ratio, title in found))


def one_cell() -> Iterator[str]:
    yield "## One cell, anew\n"
    yield (
        "In the checkout, with `.venv/bin/python` (any `make` command sets it up; the packages need "
        "`.venv/bin/python -m pip install --group bench` too). Nothing is written; what comes out are the errors of "
        "the twelve splits (of the transducer their mean), and how many of them are those in the file. Where there is "
        "something to choose, `--chosen` takes it from the file; `--split 3` does one of the twelve splits.\n"
    )
    yield from table(
        ["row", "command"],
        (
            ["SSKPCAClassifier", "`python benchmarks/book/automatic.py --set USPS --labels 100`"],
            ["SGT (ours)", "`python benchmarks/book/transducer.py --set USPS --labels 100`"],
            ["LS-, LR-, MV-KPCA", "`python benchmarks/paper/table1.py --method LS --set USPS --labels 100 --chosen`"],
            ["G-LS, M-LS", "`python benchmarks/paper/table2.py --method G-LS --set USPS --labels 100 --chosen`"],
            ["a package", "`python benchmarks/book/peers.py --method laplace --set USPS --labels 100 --chosen`"],
        ),
    )
    yield from slowest("book")
