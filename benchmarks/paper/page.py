"""The page about the paper's tables and figures."""

from collections import Counter
from collections.abc import Iterator

from markdown_table import BENCHMARKS, head, link, table
from paper.protocol import cells, published, read_csv
from single_cells import slowest

__all__ = ["TABLES", "paper_page", "verdict", "verdicts"]

HERE = BENCHMARKS / "paper"
MARKS = {"better": "▲", "agrees": "", "worse": "▼"}
TABLES = {
    1: {
        "title": "Table 1: Gaussian kernel, 10-fold cross-validation",
        "sets": ("g241c", "g241d", "Digit1", "USPS", "BCI", "Text"),
        "methods": {
            "LR": "LR-KPCA",
            "LS": "LS-KPCA",
            "MV": "MV-KPCA",
            "MV-10": "MV-KPCA-10",
            "KPCA-10": "KPCA-10",
        },
        "cell": "--method LS --set USPS --labels 100",
    },
    2: {
        "title": "Table 2: graph diffusion (G-LS), and mixed with a Gaussian (M-LS), leave-one-out",
        "sets": ("Digit1", "USPS", "BCI", "g241c", "COIL", "g241d", "Text"),
        "methods": {"G-LS": "G-LS", "M-LS": "M-LS"},
        "cell": "--method M-LS --set USPS --labels 100",
    },
}
FIGURES = (
    ("two_moons", "Kernel PCA's first components on two moons, and LS-KPCA as the labels count more and more"),
    ("large_variance", "A variance that is too large spoils LS-KPCA, and LR-KPCA bears it"),
    ("tsvm_loss", "The losses of labelled and unlabelled points, beside those of the transductive SVM"),
)


def verdict(ours: float, mean: float, std: float) -> str:
    """Say how a cell of ours stands to the paper's: one of its standard deviations is the measure."""
    return "better" if ours < mean - std else "agrees" if ours <= mean + std else "worse"


def verdicts(number: int) -> dict[tuple[str, str, int], str]:
    """Say it for all cells of a table; a `KeyError` where one is missing."""
    found, about = cells(read_csv(HERE / "results" / f"table{number}.csv")), TABLES[number]
    keys = [(m, name, n) for n in (10, 100) for m in about["methods"] for name in about["sets"]]
    return {key: verdict(found[key][0], *published()[key]) for key in keys}


def paper_table(number: int) -> Iterator[str]:
    """Yield the lines of one of the paper's tables, ours above theirs."""
    about, path = TABLES[number], f"paper/results/table{number}.csv"
    ours, theirs, what = cells(read_csv(BENCHMARKS / path)), published(), verdicts(number)
    for n_labeled in (10, 100):
        rows = []
        for method, title in about["methods"].items():
            keys = [(method, name, n_labeled) for name in about["sets"]]
            mine = (f"{ours[key][0]:.2f} ({ours[key][1]:.2f}) {MARKS[what[key]]}".strip() for key in keys)
            rows.append([f"**{title}**", *mine])
            rows.append(["the paper", *(f"{theirs[key][0]:.2f} ({theirs[key][1]:.2f})" for key in keys)])
        yield f"### {n_labeled} labels\n"
        yield from table(["", *about["sets"]], rows)
    counts = Counter(what.values())
    yield (
        f"**{counts['agrees'] + counts['better']} of {len(what)} cells are within one of the paper's standard "
        f"deviations of its mean, or better**: {counts['agrees']} agree, {counts['better']} are better (▲), "
        f"{counts['worse']} worse (▼).\n"
    )
    yield from (HERE / f"table{number}_notes.md").read_text(encoding="utf-8").splitlines()
    yield ""
    if number == 1:
        yield from experiments()
    yield from timing(number)


def experiments() -> Iterator[str]:
    """Yield the table of what other choices would have given in the cells that are worse."""
    path = "paper/results/explain.csv"
    titles = {
        "paper": "the paper",
        "by_loss": "least held-out loss (the table)",
        "by_error": "least held-out error",
        "by_loss_other_folds": "least loss, other folds",
        "median_fixed": "median of the grid's settings",
        "best_fixed": "best of the grid's settings †",
        "best_each": "best setting for each split †",
    }
    yield (
        f"The experiments ({link('paper/explain.py')}, {link(path)}): mean error when the setting of each split is "
        "chosen in other ways, and when one setting of the grid serves all splits. Columns with † are chosen by test "
        "errors: no results, but what a perfect choice could have had. LR is solved here to the accuracy of the folds, "
        "which moves its errors by a tenth of a point.\n"
    )
    rows = read_csv(BENCHMARKS / path)
    yield from table(
        ["", *titles.values()],
        [[f"{r['method']} {r['set']} {r['labels']}", *(r[key] for key in titles)] for r in rows],
    )
    chosen = [float(r["variance"]) for r in read_csv(HERE / "results" / "table1.csv") if r["method"] == "LR"]
    wider = {f"{r['set']} {r['labels']}": r["error"] for r in read_csv(HERE / "results" / "wider.csv")}
    n_largest = sum(variance == max(chosen) for variance in chosen)
    yield (
        f"LR chose the largest variance of its grid in {n_largest} of {len(chosen)} splits. "
        f"That is not what its cells lack: with variances up to 64 ({link('paper/results/wider.csv')}) they have "
        + ", ".join(f"{error} ({cell})" for cell, error in wider.items())
        + ".\n"
    )


def timing(number: int) -> Iterator[str]:
    path = f"paper/results/table{number}.csv"
    seconds = sum(float(row["seconds"]) for row in read_csv(BENCHMARKS / path))
    yield (
        f"**Time.** `make table{number}` fills the table and resumes where it was stopped: "
        f"{seconds / 60:.0f} minutes of one processor in all, {seconds / 120:.0f} minutes on two. "
        f"One cell: `python benchmarks/paper/table{number}.py {TABLES[number]['cell']}`.\n"
    )
    yield f"**Settings**, from the head of {link(path)}:\n"
    yield from (f"- {line}" for line in head(path))
    yield ""


def one_cell() -> Iterator[str]:
    yield "## One cell, anew\n"
    yield (
        "The commands run in the checkout with `.venv/bin/python` (any `make` command sets it up). Nothing is written; "
        "what comes out is the cell beside the paper's, and how many of its errors are those in the file here. "
        "`--chosen` takes the settings from the file; `--split 3` does one of the twelve splits.\n"
    )
    yield from slowest("paper")


def paper_page() -> Iterator[str]:
    yield "# The paper's tables and figures\n"
    yield "Written by `make results` from the files in `benchmarks/paper`.\n"
    yield (
        "*Semi-Supervised Kernel PCA* (Walder, Henao, Mørup, Hansen, "
        "[arXiv:1008.1398](https://arxiv.org/abs/1008.1398)) on the original data and splits of the book "
        "*Semi-Supervised Learning* (Chapelle, Schölkopf, Zien, 2006): error in % on the unlabelled rows, mean "
        "(standard deviation) over the 12 splits. Nothing was chosen by the errors shown: all settings come from the "
        "labelled rows of each split.\n"
    )
    for number, about in TABLES.items():
        yield f"## {about['title']}\n"
        yield from paper_table(number)
    yield from one_cell()
    yield "## Figures\n"
    yield "The paper's three, on two moons drawn anew (`make figures`).\n"
    for image, text in FIGURES:
        yield f"![{text}](../images/{image}.png)\n"
        yield f"*{text}*\n"
    yield "## Misprints\n"
    yield "What is printed, and what is right: see [misprints](../math/misprints.md). They concern\n"
    text = (BENCHMARKS.parent / "docs" / "math" / "misprints.md").read_text(encoding="utf-8")
    named = (line.split("**")[1].rstrip(".") for line in text.splitlines() if line.startswith("**"))
    yield from (f"- {name[0].lower()}{name[1:]}" for name in named)
