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
from sskpca.solvers import leave_one_out_plane, solve_ls_kpca

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
    K = Gaussian().fit_gram(X)
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


def plot(rows):
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    fig = Figure(figsize=(9, 6.2), layout="constrained")
    ax = fig.subplots()
    marks = "oX^sDvP*<>hp"
    limits, peers = (
        ("numpy.linalg.eigh", "product of two m x m matrices"),
        ("LabelSpreading(rbf).fit", "LabelSpreading(knn).fit"),
    )
    for k, name in enumerate(dict.fromkeys(row["what"] for row in rows)):
        points = [(int(r["rows"]), float(r["seconds"])) for r in rows if r["what"] == name]
        style, color = ("--", "0.25") if name in limits else (":", "#D55E00") if name in peers else ("-", None)
        ax.loglog(*zip(*points, strict=True), style, color=color, marker=marks[k], markersize=5, lw=1.4, label=name)
    ax.set(xlabel="rows", ylabel="seconds", title="Time against the number of rows: 100 labels, 2 cores")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.set_xticks(SIZES, minor=False)
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    fig.legend(loc="outside right upper", frameon=False, fontsize=9)
    fig.savefig(HERE.parents[1] / "docs" / "images" / "growth.png", dpi=110)


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
