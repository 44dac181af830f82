"""From kernel PCA to a classifier: two moons, eight labels.

Two hundred points lie on two interleaved half circles; four points of each moon are labelled. Every panel shows a
function f over the plane in colour, red above zero and blue below; the black line is where it is zero.

Top: the first three kernel principal components. They know nothing of the labels. The first one parts the left half of
the cloud from the right, and so cuts through both moons.

Bottom: LS-KPCA with a growing label weight c. With a small c it is the first kernel principal component (whose sign is
arbitrary, in LS-KPCA it is the one that suits the labels). As c grows the zero line bends, step by step, until it runs
between the moons.

All six functions have the same variance, 1, over the 200 points and share one colour scale. The kernel is
Gaussian, exp(-|x - y|^2).

Run it with ``--save FOLDER`` to write two_moons.png there, or without to see it in a window.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

from sskpca import KPCA, LSKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

GAMMA, NOISE, N_SAMPLES = 1.0, 0.1, 200
LABEL_WEIGHTS = {"small": 0.001, "medium": 1.0, "large": 100.0}
# Wide enough for all six functions; as many shades on either side of zero.
LEVELS = np.linspace(-1.8, 1.8, 25)


def figure() -> Figure:
    """Draw three kernel principal components above three solutions of LS-KPCA."""
    X, y, target = make_two_moons(N_SAMPLES, noise=NOISE, n_labeled=4)
    kernel = Gaussian(gamma=GAMMA)
    fig, (top, bottom) = plt.subplots(2, 3, figsize=(11, 5.8), layout="constrained", sharex=True, sharey=True)

    kpca = KPCA(n_components=3, kernel=kernel).fit(X)
    # Bring each component to the variance that LS-KPCA's functions have.
    scale = kpca.transform(X).std(axis=0)
    for j, (ax, name) in enumerate(zip(top, ["first", "second", "third"], strict=True)):
        draw(ax, lambda points, j=j: kpca.transform(points)[:, j] / scale[j], X, y)
        ax.set_title(f"KPCA, {name} component")

    for ax, (name, weight) in zip(bottom, LABEL_WEIGHTS.items(), strict=True):
        # With the threshold at 0, the decision function is f itself.
        model = LSKPCA(kernel, label_weight=weight, variance=1.0, threshold=0.0).fit(X, y)
        shades = draw(ax, model.decision_function, X, y)
        wrong = int(np.sum(model.transduction_ != target))
        ax.set_title(f"LS-KPCA, {name} c = {weight:g}")
        ax.set_xlabel(f"{wrong} of {np.sum(y < 0)} unlabelled points wrong")

    fig.colorbar(shades, ax=[*top, *bottom], label="f(x)", ticks=np.arange(-1.5, 2, 0.5), pad=0.02)
    fig.legend(*bottom[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return fig


def draw(ax: Axes, f: Callable, X: np.ndarray, y: np.ndarray) -> ContourSet:
    """Draw a function over the plane, its zero line, and the points."""
    low, high = X.min(axis=0) - 0.35, X.max(axis=0) + 0.35
    across, up = np.meshgrid(np.linspace(low[0], high[0], 180), np.linspace(low[1], high[1], 120))
    values = f(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    shades = ax.contourf(across, up, values, levels=LEVELS, cmap="RdBu_r")
    ax.contour(across, up, values, levels=[0.0], colors="black", linewidths=1.5)
    points = [
        ("unlabelled", -1, "o", "white", 14),
        ("labelled, class 1", 1, "s", "#b2000f", 75),
        ("labelled, class 0", 0, "o", "#0b3c8c", 85),
    ]
    for name, code, marker, color, size in points:
        edge, width = ("black", 0.5) if code < 0 else ("white", 1.5)
        ax.scatter(
            *X[y == code].T, s=size, c=color, marker=marker, edgecolors=edge, linewidths=width, label=name, zorder=3
        )
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[], aspect="equal")
    return shades


def main(argv: list[str] | None = None) -> None:
    """Show the figure, or save it."""
    parser = argparse.ArgumentParser(description="Draw KPCA and LS-KPCA on two moons.")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="write two_moons.png there; no window")
    folder = parser.parse_args(argv).save
    if folder is None:
        figure()
        plt.show()
        return
    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    fig = figure()
    fig.savefig(folder / "two_moons.png", dpi=110)
    plt.close(fig)
    print(f"wrote {folder / 'two_moons.png'}")


if __name__ == "__main__":
    main()
