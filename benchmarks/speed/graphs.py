"""Cost of a diffusion fit with 300 eigenvectors as the data grow, beside scikit-learn's graph method.

    python benchmarks/speed/graphs.py       # some minutes; writes benchmarks/speed/results/graphs.csv

Same data, same run; each fit in a process of its own for its peak memory (resident, of the whole process).
"""

import csv
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelSpreading

SIZES = (5_000, 10_000, 20_000)


def data(m):
    """Make m rows of 20 features near a surface of dimension 3, two classes, 100 labels."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((m, 3))
    X = np.tanh(latent @ rng.standard_normal((3, 20))) + 0.05 * rng.standard_normal((m, 20))
    target = (latent[:, 0] > 0).astype(int)
    y = np.full(m, -1)
    labeled = rng.permutation(m)[:100]
    y[labeled] = target[labeled]
    return X, y, target


def ours(X, y):
    from sskpca import LSKPCA
    from sskpca.kernels import Diffusion

    return LSKPCA(Diffusion(7, 30.0, n_eigenvectors=300), label_weight=1.0).fit(X, y).transduction_


def spreading(X, y):
    return LabelSpreading(kernel="knn").fit(X, y).transduction_


def neighbours(X, y):
    NearestNeighbors(n_neighbors=7).fit(X).kneighbors()
    return y


METHODS = {"LSKPCA(Diffusion)": ours, "LabelSpreading(knn)": spreading, "NearestNeighbors": neighbours}


def once(name, m):
    import resource

    warnings.simplefilter("ignore")
    X, y, target = data(m)
    start = time.perf_counter()
    found = METHODS[name](X, y)
    took = time.perf_counter() - start
    error = np.mean(found[y < 0] != target[y < 0])
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, error)


def main():
    if sys.argv[1:2] == ["--one"]:
        once(sys.argv[2], int(sys.argv[3]))
        return
    rows = []
    for m in SIZES:
        seconds = {}
        for name in METHODS:
            out = subprocess.run(
                [sys.executable, __file__, "--one", name, str(m)], check=True, capture_output=True, text=True
            )
            took, memory, error = (float(word) for word in out.stdout.split())
            seconds[name] = took
            rows.append(
                [name, m, f"{took:.3g}", f"{memory:.2f}", f"{100 * error:.2f}" if name != "NearestNeighbors" else ""]
            )
        peers = seconds["LabelSpreading(knn)"] + seconds["NearestNeighbors"]
        rows.append(["ratio to both peers together", m, f"{seconds['LSKPCA(Diffusion)'] / peers:.3g}", "", ""])
    ours_by_size = [float(row[2]) for row in rows if row[0] == "LSKPCA(Diffusion)"]
    growth = np.log(ours_by_size[-1] / ours_by_size[0]) / np.log(SIZES[-1] / SIZES[0])
    rows.append([f"growth of LSKPCA(Diffusion), exponent of m from {SIZES[0]}", SIZES[-1], f"{growth:.2f}", "", ""])
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    with open(results / "graphs.csv", "w", newline="") as file:
        file.write("# python benchmarks/speed/graphs.py; 300 eigenvectors, 100 labels, 2 cores\n")
        writer = csv.writer(file)
        writer.writerow(["what", "m", "seconds or amount", "peak GB", "error %"])
        writer.writerows(rows)
    for row in rows:
        print(f"{row[0]:60s} m={row[1]:6d} {row[2]:>8s} {row[3]:>6s} {row[4]:>6s}")


if __name__ == "__main__":
    main()
