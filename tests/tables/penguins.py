"""The Palmer penguins, half-labelled."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from sskpca._tables import read_table

FILE = Path(__file__).parents[1] / "data" / "penguins.csv"
FULL = read_table(FILE)
SPECIES = np.array(FULL["species"].to_pylist())
N = len(SPECIES)


def drawn(n_labeled, seed=0):
    """Draw rows to label, at random, until they are of two species."""
    rng = np.random.default_rng(seed)
    while True:
        labeled = np.isin(np.arange(N), rng.choice(N, n_labeled, replace=False))
        if len(set(SPECIES[labeled])) > 1:
            return labeled


def half_labelled(labeled, **more):
    """Empty the species of the other rows, and append columns."""
    table = FULL.set_column(0, "species", pa.array(np.where(labeled, SPECIES, "").tolist()))
    for name, cells in more.items():
        table = table.append_column(name, pa.array(cells))
    return table
