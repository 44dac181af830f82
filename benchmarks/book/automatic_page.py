"""The page about the classifier with nothing to choose."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from book.cells import LABELS, SETS, SIX, published
from book.page import rows_of
from markdown_table import link, table

__all__ = ["automatic_page"]

Rows = list[dict[str, str]]


def by_cell(rows: Rows, *keys: str) -> dict[tuple[str, ...], Rows]:
    cells = defaultdict(list)
    for row in rows:
        cells[tuple(row[key] for key in ("labels", "set", *keys))].append(row)
    return cells


def numbers(rows: Iterable[dict[str, str]], key: str) -> np.ndarray:
    return np.array([float(row[key]) for row in rows])


def line(title: str, errors: dict[str, float]) -> list[str]:
    shown = [f"{errors[name]:.2f}" if name in errors else "" for name in SETS]
    return [title, *shown, f"{np.mean([errors[name] for name in SIX]):.2f}"]


def mean_errors(title: str, parts: list[Rows]) -> list[str]:
    return line(title, {name: float(numbers(part, "error").mean()) for name, part in zip(SETS, parts, strict=True)})


def beside_the_book(parts: list[Rows], n_labeled: int) -> Iterator[list[str]]:
    book = {key[:2]: error for key, error in published().items() if key[2] == n_labeled}
    yield mean_errors("**`SSKPCAClassifier()`**", parts)
    for method in dict.fromkeys(method for method, _ in book):
        if all((method, name) in book for name in SIX):
            yield line(f"{method}, the book", {name: book[key] for name in SETS if (key := (method, name)) in book})


def own_estimates(parts: list[Rows]) -> Iterator[list[str]]:
    yield ["standard deviation of the error", *(f"{numbers(part, 'error').std(ddof=1):.2f}" for part in parts)]
    off = (np.abs(numbers(part, "error") - numbers(part, "loo_error")).mean() for part in parts)
    yield ["distance of the leave-one-out error from the error", *(f"{x:.1f}" for x in off)]
    yield ["expected calibration error", *(f"{numbers(part, 'calibration_error').mean():.3f}" for part in parts)]
    timed = ([row for row in part if row["seconds"]] for part in parts)
    cost = (np.median(numbers(part, "seconds") / numbers(part, "eigh")) for part in timed)
    yield ["time of a fit to split 1, in units of one `eigh` of 1500 rows", *(f"{x:.1f}" for x in cost)]


def each_kernel(n_labeled: int) -> Iterator[list[str]]:
    rows = rows_of("book/results/kernels.csv")
    cells = by_cell(rows, "kernel")
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        found = [cells.get((str(n_labeled), name, kernel), []) for name in SETS]
        if all(found):
            yield mean_errors(f"`{kernel}`", found)


def queries(sets: tuple[str, ...]) -> Iterator[list[str]]:
    found = rows_of("book/results/next_rows.csv")
    for key, title in (("start", "10 labels"), ("next_rows", "30, by `next_rows`"), ("random", "30, at random")):
        means = (numbers((row for row in found if row["set"] == name), key).mean() for name in sets)
        yield [title, *(f"{x:.2f}" for x in means)]


def automatic_page() -> Iterator[str]:
    cells = by_cell(rows_of("book/results/automatic.csv"))
    yield "# The automatic classifier on the book's data\n"
    yield (
        "Written by `make results` from the files in `benchmarks/book/results`, which "
        f"{link('book/automatic.py')} and {link('book/next_rows.py')} have made.\n"
    )
    yield (
        "`SSKPCAClassifier()` with its defaults on the published splits of the data sets of the book *Semi-Supervised "
        "Learning*; error in % on the unlabelled rows, mean of 12 splits. Nothing is chosen by hand for a set; the "
        "rule of averaging, one for all, was found with errors on these sets and on [ordinary tables](tables.md) in "
        "sight. Of the book, the methods are shown for which all six numbers of chapter 21 were found in a source; the "
        "others, as far as they were found, and today's packages are on [a page of their own](book.md).\n"
    )
    for n_labeled in LABELS:
        parts = [cells[str(n_labeled), name] for name in SETS]
        yield f"## {n_labeled} labels\n"
        yield from table(["", *SETS, "mean of six"], beside_the_book(parts, n_labeled))
        yield "How good its own estimates are, and what a fit costs (means of 12 splits; one thread):\n"
        yield from table(["", *SETS], own_estimates(parts))
        yield "Each kernel alone, its candidates averaged by the same rule:\n"
        yield from table(["", *SETS, "mean of six"], each_kernel(n_labeled))
    yield "## Which row next\n"
    yield "Error in % after 20 labels more than the 10 of each split, mean of the 12 splits:\n"
    sets = ("USPS", "Digit1", "g241c")
    yield from table(["", *sets], queries(sets))
