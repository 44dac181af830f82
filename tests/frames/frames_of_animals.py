"""Small data frames of cats and dogs."""

import numpy as np
import pandas as pd

N, N_LABELED = 60, 12
KIND = np.random.default_rng(0).integers(0, 2, N)
NAMES = np.array(["cat", "dog"])[KIND]
GIVEN = [name if row < N_LABELED else None for row, name in enumerate(NAMES)]


def animals(**more):
    """Draw a data frame in which the first rows are labelled, with further columns."""
    rng = np.random.default_rng(1)
    columns = {"length": rng.normal(5.0 * KIND), "weight": rng.normal(-4.0 * KIND), "species": GIVEN}
    return pd.DataFrame({**columns, **more})
