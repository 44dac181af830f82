"""Maps of rows: how true to neighbourhoods, how fast, and whether they come out the same again.

.venv/bin/python benchmarks/everyday/maps.py

Every method runs in a process of its own, twice: the first time includes importing and, where a method has it,
compiling. Seconds are of a processor, with one thread, so that other work on the machine counts little. Methods whose
package is not installed are left out (they are in the dependency group ``bench``). Trustworthiness is that of 15
neighbours, by scikit-learn; of 20,000 rows, over a random 4,000.
"""

import csv
import json
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "maps.csv"
SEED, N_NEIGHBORS, MOST_JUDGED = 0, 15, 4_000
PACKAGES = {
    "principal components": "scikit-learn",
    "neighbor_map": "scikit-learn",
    "TSNE": "scikit-learn",
    "TSNE, 350 iterations": "scikit-learn",
    "openTSNE": "openTSNE",
    "UMAP": "umap-learn",
    "PaCMAP": "pacmap",
}
MODULES = {"umap-learn": "umap", "scikit-learn": "sklearn"}
FIELDS = (
    "data", "rows", "columns", "method", "package", "seconds_first", "seconds_again", "same_again", "trustworthiness",
    "nearest_5_right",
)  # fmt: skip


def load(name: str) -> tuple[Any, Any]:
    """Return rows and classes."""
    if name == "digits":
        from sklearn.datasets import load_digits

        return load_digits(return_X_y=True)
    # Twelve groups in four dimensions, bent into twenty columns.
    rng = np.random.default_rng(SEED)
    n = 20_000
    target = rng.integers(12, size=n)
    hidden = rng.normal(0, 3, (12, 4))[target] + rng.normal(size=(n, 4))
    X = np.tanh(0.4 * hidden @ rng.normal(size=(4, 20))) @ rng.normal(size=(20, 20)) + 0.2 * rng.normal(size=(n, 20))
    return X / X.std(axis=0), target


def embed(method: str, X: Any) -> Any:
    """Return two coordinates for every row, by a method with its default settings and a fixed seed."""
    if method == "principal components":
        from sklearn.decomposition import PCA

        return PCA(2, random_state=SEED).fit_transform(X)
    if method == "neighbor_map":
        from sskpca.plots import neighbor_map

        return neighbor_map(X, random_state=SEED)
    if method.startswith("TSNE"):
        from sklearn.manifold import TSNE

        return TSNE(init="pca", random_state=SEED, max_iter=350 if "350" in method else 1000).fit_transform(X)
    if method == "openTSNE":
        import openTSNE

        return np.asarray(openTSNE.TSNE(random_state=SEED, n_jobs=1).fit(X))
    if method == "UMAP":
        from umap import UMAP

        return UMAP(random_state=SEED, n_jobs=1).fit_transform(X)
    from pacmap import PaCMAP

    return PaCMAP(random_state=SEED).fit_transform(X)


def measure(data: str, method: str) -> dict[str, Any]:
    """Run a method twice in this process."""
    X, target = load(data)
    start = time.process_time()
    places = embed(method, X)
    middle = time.process_time()
    again = embed(method, X)
    end = time.process_time()

    from sklearn.manifold import trustworthiness
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    judged = np.random.default_rng(SEED).permutation(len(X))[:MOST_JUDGED]
    return {
        "data": data,
        "rows": len(X),
        "columns": X.shape[1],
        "method": method,
        "package": f"{PACKAGES[method]} {version(PACKAGES[method])}",
        "seconds_first": round(middle - start, 1),
        "seconds_again": round(end - middle, 1),
        "same_again": bool(np.array_equal(places, again)),
        "trustworthiness": round(trustworthiness(X[judged], places[judged], n_neighbors=N_NEIGHBORS), 3),
        "nearest_5_right": round(cross_val_score(KNeighborsClassifier(), places, target, cv=10).mean(), 3),
    }


def installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return find_spec(MODULES.get(package, package)) is not None


def main() -> None:
    rows = []
    for data in ("digits", "bent groups"):
        for method, package in PACKAGES.items():
            if not installed(package):
                print(f"{method}: {package} is not installed, left out.")
                continue
            run = subprocess.run([sys.executable, __file__, data, method], capture_output=True, text=True, check=True)
            rows.append(json.loads(run.stdout.splitlines()[-1]))
            print(rows[-1], flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main()
