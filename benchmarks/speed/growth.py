"""How time grows with the number of rows, beside an eigendecomposition, a product of matrices, and the peers.

    python benchmarks/speed/growth.py           # ten minutes on a quiet machine; writes results/growth.csv and the plot
    python benchmarks/speed/growth.py --plot    # the plot alone: docs/images/growth.png

Rows of 50 features in 20 overlapping clusters, 100 of them labelled; all threads of the machine for everything. What
would take many minutes is left out: the largest sizes of what grows with the cube.
"""

import csv
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy
from fits import blobs, seconds
from sklearn.semi_supervised import LabelSpreading

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca.kernels import Diffusion, Gaussian
from sskpca.solvers import solve_ls_kpca
from sskpca.solvers._plane import leave_one_out_plane

HERE = Path(__file__).parent
SIZES = (500, 1000, 2000, 4000, 8000, 12000)
WEIGHTS, SHARES = np.geomspace(1e-2, 1e3, 8), np.linspace(0.2, 1.5, 12)
N_NEW = 1000


def tasks(m):
    """Yield a name, a function, and the largest size that it is run at."""
    X, y = blobs(m)
    new = blobs(m + N_NEW)[0][m:]
    labeled = np.flatnonzero(y >= 0)
    t = np.where(y[labeled] == 1, 1.0, -1.0)
    _, K = Gaussian().fit_gram(X)
    yield "numpy.linalg.eigh", lambda: np.linalg.eigh(K), 8000
    yield "product of two m x m matrices", lambda: K @ K, 12000
    yield "LSKPCA().fit", lambda: LSKPCA().fit(X, y), 4000
    model = LSKPCA(rank=200)
    yield "LSKPCA(rank=200).fit", lambda: model.fit(X, y), 12000
    graph = LSKPCA(Diffusion(10, n_eigenvectors=200))
    yield "LSKPCA(Diffusion(10)).fit", lambda: graph.fit(X, y), 12000
    yield "SSKPCAClassifier().fit", lambda: SSKPCAClassifier().fit(X, y), 4000
    B, d = model.coordinates_.values[labeled], model.coordinates_.variances
    yield "another label weight and variance", lambda: solve_ls_kpca(B, d, t, 10.0, 0.9 * m), 12000
    yield "8 x 12 grid, leave-one-out", lambda: leave_one_out_plane(B, d, t, WEIGHTS, m * SHARES), 12000
    row = np.flatnonzero(y < 0)[:1]

    def update():
        model.update_labels(row, [1])
        model.forget_labels(row)

    yield "a label given and taken back", update, 12000
    yield f"predict {N_NEW} new rows", lambda: model.predict(new), 12000
    yield "LabelSpreading(rbf).fit", lambda: LabelSpreading(kernel="rbf", gamma=0.02, alpha=0.99).fit(X, y), 12000
    yield "LabelSpreading(knn).fit", lambda: LabelSpreading(kernel="knn", alpha=0.99).fit(X, y), 12000


def measure():
    warnings.simplefilter("ignore")
    for m in SIZES:
        for name, function, largest in tasks(m):
            if m > largest:
                continue
            start = time.perf_counter()
            function()
            first = time.perf_counter() - start
            # The median of several where that is quick; the first of all includes what is loaded late.
            took = first if first > 5 else seconds(function, 3 if first > 0.3 else 7)
            print(f"m = {m:5d}   {name:36s} {took:9.4f} s", flush=True)
            yield name, m, took


# What each line is, where its name stands (after the last point if nowhere else), and how it is drawn.
LIMIT, PEER = {"color": "0.3", "ls": "--"}, {"color": "#D55E00", "ls": ":"}
FITS = {
    "numpy.linalg.eigh": (LIMIT, (2450, 70)),
    "product of two m x m matrices": (LIMIT | {"marker": "s"}, None),
    "SSKPCAClassifier().fit": ({"color": "#CC79A7"}, (560, 13)),
    "LSKPCA().fit": ({"color": "#0072B2"}, (980, 1.3)),
    "LSKPCA(rank=200).fit": ({"color": "#56B4E9"}, None),
    "LSKPCA(Diffusion(10)).fit": ({"color": "#009E73"}, None),
    "LabelSpreading(rbf).fit": (PEER, None),
    "LabelSpreading(knn).fit": (PEER | {"marker": "s"}, None),
}
AFTER = {
    "numpy.linalg.eigh": (LIMIT, None),
    "8 x 12 grid, leave-one-out": ({"color": "#CC79A7"}, None),
    f"predict {N_NEW} new rows": ({"color": "#56B4E9"}, None),
    "a label given and taken back": ({"color": "#009E73"}, None),
    "another label weight and variance": ({"color": "#0072B2"}, None),
}


def plot(rows):
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    fig = Figure(figsize=(13, 6), layout="constrained")
    panels = fig.subplots(1, 2, sharey=True)
    for ax, lines, title in zip(panels, (FITS, AFTER), ("a fit", "after the fit, rank 200"), strict=True):
        for name, (style, place) in lines.items():
            points = [(int(r["rows"]), float(r["seconds"])) for r in rows if r["what"] == name]
            ax.loglog(*zip(*points, strict=True), **{"marker": "o", "ms": 4, "lw": 1.6} | style)
            x, y = place or (points[-1][0] * 1.06, points[-1][1])
            text = name.replace("two m x m matrices", "two\nm x m matrices").replace(" weight and", "\nweight and")
            ax.text(x, y, text, color=style["color"], va="center", fontsize=9.5)
        ax.set(xlabel="rows", title=title, xlim=(450, 62_000))
        ax.set_xticks(SIZES, [f"{m:,}" for m in SIZES])
        ax.minorticks_off()
        ax.grid(alpha=0.3)
    panels[0].yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    panels[0].set_ylabel("seconds")
    fig.suptitle("Time against the number of rows: 100 labels, 2 cores (dashed: the limits, dotted: scikit-learn)")
    fig.savefig(HERE.parents[1] / "docs" / "images" / "growth.png", dpi=100)


def main():
    path = HERE / "results" / "growth.csv"
    if "--plot" not in sys.argv:
        found = list(measure())
        versions = f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}"
        with open(path, "w", newline="") as file:
            file.write(f"# python benchmarks/speed/growth.py; {versions}; 2 cores\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["what", "rows", "seconds"])
            writer.writerows((name, m, f"{took:.5g}") for name, m, took in found)
    with open(path, newline="") as file:
        plot(list(csv.DictReader(line for line in file if not line.startswith("#"))))


if __name__ == "__main__":
    main()
