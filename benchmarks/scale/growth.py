"""How time and memory grow with the rows, at 1,000 landmarks: fit, and prediction of as many new rows in blocks.

    python benchmarks/scale/growth.py           # three minutes on a quiet machine; writes results/growth.csv
    python benchmarks/scale/growth.py --plot    # docs/images/scaling.png from this and results/approximation.csv

Rows of SecStr, the first so many of its 1,273,151; each size in a process of its own, for its peak of memory. The new
rows are read from a file of 1,260 bytes a row, one block at a time.
"""

import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from measured import IMAGES, alone, peak_gigabytes, read, timed, write

SIZES = (10_000, 100_000, 1_000_000)
N_LANDMARKS, BLOCK = 1000, 10_000


def once(n):
    from sskpca import LSKPCA
    from sskpca.datasets import load_ssl_book
    from sskpca.kernels import Gaussian
    from sskpca.rows import ArrayRows, BlockRows

    book = load_ssl_book("SecStr", 100, 1, extra=True)
    X = book.data[:n].astype(np.float32)
    labels = {int(row): int(book.y[row]) for row in book.labeled[book.labeled < n]}
    del book
    model = LSKPCA(Gaussian(), coordinates="nystrom", n_landmarks=N_LANDMARKS, memory="1GB")
    _, fit = timed(model.fit, ArrayRows(X), labels)
    held = peak_gigabytes()
    with tempfile.TemporaryDirectory() as folder:
        path, width = Path(folder) / "new", X.shape[1]
        with open(path, "wb") as file:
            for first in range(0, n, BLOCK):
                X[first : first + BLOCK].toarray().tofile(file)

        def start():
            with open(path, "rb") as file:
                while (block := np.fromfile(file, dtype=np.float32, count=BLOCK * width)).size:
                    yield block.reshape(-1, width)

        _, predict = timed(model.predict, BlockRows(start, n))
    print(f"{n},{fit:.2f},{held:.2f},{predict:.2f},{peak_gigabytes():.2f}")


def plot():
    from matplotlib.figure import Figure

    fig = Figure(figsize=(13, 4.5), layout="constrained")
    time, memory, error = fig.subplots(1, 3)
    rows = read("growth.csv")
    n = np.array([int(r["rows"]) for r in rows])
    for column, name in (("fit_seconds", "fit"), ("predict_seconds", "prediction of as many rows")):
        took = np.array([float(r[column]) for r in rows])
        time.loglog(n, took, "o-", label=name)
    time.loglog(n, took[-1] * n / n[-1], "--", color="0.5", label="in proportion to the rows")
    time.set(xlabel="rows", ylabel="seconds", title="time, 1,000 landmarks")
    memory.semilogx(n, [float(r["fit_gigabytes"]) for r in rows], "o-", label="fit")
    memory.semilogx(n, [float(r["predict_gigabytes"]) for r in rows], "o-", label="fit and prediction")
    memory.set(xlabel="rows", ylabel="GB", title="peak of memory, data included", ylim=(0, None))
    found = read("approximation.csv")
    for data, style in (("clusters", "-"), ("SecStr", "--")):
        points = [(int(r["p"]), float(r["difference"])) for r in found if r["data"] == data]
        error.loglog(*zip(*points, strict=True), style, color="#0072B2", marker="o", ms=3, label=data)
    error.set(xlabel="landmarks", title="difference from exact decisions, 5,000 rows", ylabel="relative")
    for ax in (time, memory, error):
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    fig.savefig(IMAGES / "scaling.png", dpi=100)


def main():
    if "--plot" in sys.argv:
        return plot()
    if len(sys.argv) == 2:
        return once(int(sys.argv[1]))
    rows = []
    for n in SIZES:
        rows.append(alone(__file__, n).split(","))
        print(dict(zip(COLUMNS, rows[-1], strict=True)), flush=True)
    write("growth.csv", COLUMNS, rows, "python benchmarks/scale/growth.py")
    print(
        "times of a fit, each against the one before:",
        [f"{float(b[1]) / float(a[1]):.1f}" for a, b in pairwise(rows)],
    )


COLUMNS = ("rows", "fit_seconds", "fit_gigabytes", "predict_seconds", "predict_gigabytes")

if __name__ == "__main__":
    main()
