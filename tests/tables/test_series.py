"""Numbered columns: one series, or not."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_digits

from sskpca._tables import decide_columns, fit_features

N = 150
RNG = np.random.default_rng(0)


def scaled_together(columns):
    table = pa.table({"label": ["a", "b", ""] * (len(next(iter(columns.values()))) // 3), **columns})
    return any("scaled together" in note for note in fit_features(table, decide_columns(table, "label"))[2])


def normal(names, scales=None, shifts=None):
    scales, shifts = scales or [1.0] * len(names), shifts or [0.0] * len(names)
    return {name: RNG.normal(shift, scale, N) for name, scale, shift in zip(names, scales, shifts, strict=True)}


SERIES = {
    "channels": normal([f"channel {i}" for i in range(1, 13)]),
    "channels in another order": normal([f"channel {i}" for i in (7, 3, 1, 2, 8, 6, 5, 4)]),
    "a spectrum that rises": normal([f"nm{i}" for i in range(400, 420)], shifts=[0.5 * i for i in range(20)]),
    "counts an hour": {f"hour_{i}": RNG.poisson(30 + 10 * (i % 3), N) for i in range(24)},
    "scores on one scale": {f"item{i}": RNG.integers(1, 6, N) for i in range(1, 11)},
    "pixels": {name: column[:N] for name, column in load_digits(as_frame=True).data.items()},
}
NO_SERIES = {
    "genes": normal(["BRCA1", "BRCA2", "TP53", "RPL3", "RPL5", "RPL11", "RPL27", "RPL36", "RPL41", "RPL10", "RPL23"]),
    "genes by number": normal([f"ENSG{i:011d}" for i in RNG.choice(10**6, 40, replace=False)]),
    "in different places": normal([f"x{i}" for i in range(10)], shifts=[100.0 * (i % 2) for i in range(10)]),
    "of different spread": normal([f"x{i}" for i in range(10)], scales=[1.0] * 9 + [50.0]),
    "scores on two scales": {f"item{i}": RNG.integers(1, 6 if i % 2 else 11, N) for i in range(10)},
    "scores from 0 and from 1": {f"item{i}": RNG.integers(i % 2, 6, N) for i in range(10)},
    "few": normal([f"x{i}" for i in range(7)]),
    "no names in common": normal([f"{letter}1" for letter in "abcdefghij"]),
}


@pytest.mark.parametrize("columns", SERIES.values(), ids=SERIES)
def test_a_series_is_scaled_together(columns):
    assert scaled_together(columns)


@pytest.mark.parametrize("columns", NO_SERIES.values(), ids=NO_SERIES)
def test_what_is_no_series_is_standardised_one_by_one(columns):
    assert not scaled_together(columns)
