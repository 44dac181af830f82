"""Label a table of 1797 handwritten digits from 50 labels: what ``make demo`` runs.

The demo takes the way a person with a half-labelled table would take:

1. digits.csv: a column of labels, empty but for five rows of each class, and 64 columns of pixels;
2. one fit of SSKPCAClassifier, with nothing to choose, which gives every row a class and the probability of each class;
3. what a person does next: how wrong is it probably, which rows to label next, which labels look wrong;
4. digits.labelled.csv: the same table with three more columns. ``sskpca_label`` is the class, ``sskpca_source`` says if
   it was given or comes from the model, ``sskpca_margin`` how clear the decision was (the probability of the most
   probable class minus that of the second);
5. digits.png: two maps of all rows.

Since this is a demo the true classes are known, and the error is printed. They are used for nothing else: no setting
was chosen by looking at it.
"""

import argparse
import csv
import os
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from sskpca import KPCA, SSKPCAClassifier

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
LABELS_PER_CLASS, SEED = 5, 0
TABLE, LABELED, MAP = "digits.csv", "digits.labelled.csv", "digits.png"
STEPS = [0.0, 0.5, 0.8, 0.9, 0.95, 1.001]
# Okabe and Ito's eight colours, told apart by nearly everyone, and two more; the maps have numerals besides.
COLORS = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999", "#7B3F00"]


def main(argv: list[str] | None = None) -> None:
    """Write the table, label it, say what came out."""
    parser = argparse.ArgumentParser(description="Label 1797 handwritten digits from 50 labels.")
    parser.add_argument("--out", type=Path, default=Path("demo-output"), metavar="FOLDER", help="default: demo-output")
    out = parser.parse_args(argv).out
    if out.exists() and not out.is_dir():
        parser.error(f"--out: {out} is a file; name a folder.")
    if old := [name for name in (TABLE, LABELED, MAP) if (out / name).exists()]:
        print(f"{out}/ is there from an earlier demo: replacing {', '.join(old)} and nothing else.\n")
    out.mkdir(parents=True, exist_ok=True)

    truth = write_table(out / TABLE)
    header, labels, X = read_table(out / TABLE)

    start = time.perf_counter()
    model = SSKPCAClassifier(verbose=sys.stderr.isatty()).fit(X, labels)
    fitted = time.perf_counter()

    given = np.array([label is not None for label in labels])
    ranked = np.sort(model.label_distributions_, axis=1)
    write_labeled(out / LABELED, header, labels, X, model.transduction_, ranked[:, -1] - ranked[:, -2])
    figure(model, X, given).savefig(out / MAP, dpi=110)

    print(
        f"The table   {len(X)} rows, {X.shape[1]} columns of pixels; {given.sum()} rows are labelled, {sum(~given)} not"
    )
    print(f"The model   {model.__class__.__name__}(), fitted in {fitted - start:.0f} s")
    print(f"            {len(model.candidates_['weight'])} candidates in {len(model.kernels_)} kernels, averaged")
    print(f"            {proof(model)}")
    print_classes(model, given)
    print_errors(model, X, truth, given)
    print_probabilities(model, truth, given)
    print_advice(model, truth)
    print(f"""
Written
  {out / TABLE}: the half-labelled table
  {out / LABELED}: the same, and columns sskpca_label, sskpca_source, sskpca_margin
  {out / MAP}: two maps of all rows, the labelled ones ringed

To try next: {os.path.relpath(sys.executable)} examples/plot_two_moons.py --save {out}
             draws what the method does, in two dimensions.
With a table of your own, X holds the numbers (no ids) and y the labels, None or "" where there is none:
  from sklearn.preprocessing import StandardScaler
  from sskpca import SSKPCAClassifier
  X = StandardScaler().fit_transform(X)  # columns in different units must be made comparable
  model = SSKPCAClassifier().fit(X, y)
  model.transduction_         # a class for each row
  model.label_distributions_  # how probable each class is, for each row
  model.predict(X_new)        # a class for rows that come later""")


def print_classes(model: SSKPCAClassifier, given: np.ndarray) -> None:
    """Count the rows of each class."""
    print("\nRows of each class, given + found")
    for name in NAMES:
        same = model.transduction_ == name
        found = int(np.sum(same & ~given))
        print(f"  {name:6} {int(np.sum(same & given))} + {found:3}  {'#' * round(found / 5)}")


def print_errors(model: SSKPCAClassifier, X: np.ndarray, truth: np.ndarray, given: np.ndarray) -> None:
    """Compare what the model expects to be wrong with what is."""
    low, high = model.loo_interval_
    n_wrong = round(model.loo_error_ * given.sum())
    wrong = (model.transduction_ != truth)[~given]
    nearest = KNeighborsClassifier(1).fit(X[given], truth[given])
    naive = 1 - nearest.score(X[~given], truth[~given])
    print(f"\nHow wrong is it? The model did not see the truth, and expects {model.loo_error_:.1%}: with each label")
    print(f"held out in turn, {n_wrong} of {given.sum()} come out wrong (95 % interval {low:.1%} to {high:.1%}).")
    print(f"The truth is known here: {wrong.sum()} of {len(wrong)} found labels are wrong, {wrong.mean():.1%}", end=" ")
    print(f"(with the class\nof the nearest labelled row: {naive:.1%}).")


def print_probabilities(model: SSKPCAClassifier, truth: np.ndarray, given: np.ndarray) -> None:
    """Compare probabilities with shares, and list the rows that are least certain."""
    probability, right = model.label_distributions_.max(axis=1), model.transduction_ == truth
    print("\nHow sure is it? Found labels by their probability")
    print("  probability  rows  right, expected  right, in truth")
    for low, high in pairwise(STEPS):
        inside = ~given & (low <= probability) & (probability < high)
        if inside.any():
            expected, true = probability[inside].mean(), right[inside].mean()
            print(f"  {low:4.0%} - {high:4.0%}  {inside.sum():4}  {expected:15.0%}  {true:15.0%}")

    unsure = np.flatnonzero(~given)[np.argsort(probability[~given], kind="stable")]
    print("\nThe five least certain rows (line of the file; the header is line 1)")
    print("  line  label          or else        truth")
    for row in unsure[:5]:
        second, first = np.argsort(model.label_distributions_[row])[-2:]
        parts = [f"{model.classes_[k]:6} {model.label_distributions_[row, k]:4.0%}" for k in (first, second)]
        print(f"  {row + 2:4}  {parts[0]}    {parts[1]}    {truth[row]}")


def print_advice(model: SSKPCAClassifier, truth: np.ndarray) -> None:
    """Say which rows to label next, and which label looks wrong."""
    print("\nTo make it better, label these rows next (in doubt, and telling most about the others)")
    for row in model.next_rows(5):
        print(f"  line {row + 2:4}, called {model.transduction_[row]}, in truth {truth[row]}")
    print("\nDoes a given label look wrong?")
    suspects = model.suspects(1)
    if not suspects:
        print("  No: each is what the others say.")
    for suspect in suspects:
        print(f"  Line {suspect.row + 2} is labelled {suspect.label}; the others say {suspect.suggestion}.", end=" ")
        print(f"Were it {suspect.suggestion}, {suspect.n_changed} rows would be called")
        print(f"  otherwise, and the held-out error would be {suspect.loo_error_if_changed:.1%}.", end=" ")
        print(f"(It is {truth[suspect.row]}: a person decides.)")


def write_table(path: Path) -> np.ndarray:
    """Write the digits with few of their labels; return the true classes of all."""
    digits = load_digits()
    truth = np.array(NAMES)[digits.target]
    rng = np.random.default_rng(SEED)
    kept = [rng.choice(np.flatnonzero(truth == name), LABELS_PER_CLASS, replace=False) for name in NAMES]
    labels = np.full(len(truth), None, dtype=object)
    labels[np.concatenate(kept)] = truth[np.concatenate(kept)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["label", *digits.feature_names])
        # None is written as an empty cell.
        writer.writerows([label, *pixels] for label, pixels in zip(labels, digits.data.astype(int), strict=True))
    return truth


def read_table(path: Path) -> tuple[list[str], list[str | None], np.ndarray]:
    """Read a table whose first column holds labels, or nothing, and whose others hold numbers."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, [row[0] or None for row in rows], np.array([row[1:] for row in rows], dtype=float)


def write_labeled(
    path: Path,
    header: list[str],
    labels: list[str | None],
    X: np.ndarray,
    found: np.ndarray,
    margin: np.ndarray,
) -> None:
    """Write the table with a class, where it comes from and how clear it is, for each row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*header, "sskpca_label", "sskpca_source", "sskpca_margin"])
        for label, pixels, name, clear in zip(labels, X.astype(int), found, margin, strict=True):
            source = "model" if label is None else "given"
            writer.writerow([label, *pixels, name, source, f"{clear:.4f}"])


def proof(model: SSKPCAClassifier) -> str:
    """Say how close to the global optimum the functions of the candidate that counts most provably are."""
    # Rounding is all that is left: no claim is made below it.
    gap = max(1e-15, *(abs(report.gap) for report in model.reports_))
    exponent = int(np.ceil(np.log10(gap)))
    return f"the one that counts most is the global optimum of its problem, proved to 1e{exponent}"


def figure(model: SSKPCAClassifier, X: np.ndarray, given: np.ndarray) -> Figure:
    """Draw two maps of the rows, coloured by class: where they lie, and how clear their classes are."""
    fig = Figure(figsize=(13, 6.6), layout="constrained")
    left, right = fig.subplots(1, 2)

    lie = KPCA(2, coordinates=model.coordinates_[0]).fit_transform(X)
    middles = np.array([np.median(lie[model.transduction_ == name], axis=0) for name in NAMES])
    draw(left, lie, middles, model.transduction_, given)
    left.set(title="Where the rows lie", xlabel="first kernel principal component", ylabel="second")

    # A place on the circle for each class; a row is drawn at the mean of the places, weighted by their probabilities.
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(NAMES)) / len(NAMES)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    # Their fourth roots: most are so sure that they would lie on the numerals.
    votes = model.label_distributions_[:, [list(model.classes_).index(name) for name in NAMES]] ** 0.25
    draw(right, votes @ places / votes.sum(axis=1, keepdims=True), 1.12 * places, model.transduction_, given)
    right.set(title="How clear their classes are", xlabel="near a numeral: clear; in between: doubtful")
    right.set(aspect="equal", xticks=[], yticks=[], xlim=(-1.25, 1.25), ylim=(-1.25, 1.25))

    fig.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=11, frameon=False, markerscale=1.5)
    return fig


def draw(ax: Axes, place: np.ndarray, numerals: np.ndarray, found: np.ndarray, given: np.ndarray) -> None:
    """Draw the rows in the colours of their classes, the labelled ones ringed, and a numeral for each class."""
    halo = [patheffects.withStroke(linewidth=4, foreground="white")]
    for digit, (name, color) in enumerate(zip(NAMES, COLORS, strict=True)):
        same = found == name
        ax.scatter(*place[same].T, s=14, color=color, alpha=0.7, linewidths=0, label=name)
        ax.scatter(*place[same & given].T, s=60, color=color, edgecolors="black", linewidths=1.5, zorder=3)
        ax.text(
            *numerals[digit], str(digit), size=20, weight="bold", ha="center", va="center", path_effects=halo, zorder=4
        )
    ringed = ax.scatter([], [], s=60, color="white", edgecolors="black", linewidths=1.5)
    ringed.set_label("ringed: label given")


if __name__ == "__main__":
    main()
