"""
A million rows
==============

Rows that are never all in memory: a function makes them block by block, and LS-KPCA works from 300 landmarks. Time
grows with the rows, not with their cube. The constant at the top is smaller than a million, so that this page is
quick to build; change it to 1_000_000.
"""

import os
import time

import matplotlib.pyplot as plt
import numpy as np

from sskpca import LSKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian
from sskpca.plots import draw_function
from sskpca.rows import BlockRows

N_ROWS = int(os.environ.get("SSKPCA_EXAMPLE_ROWS", "100_000"))
BLOCK = 20_000


def moons():
    """Make the rows anew for every pass, block by block; only the first eight are labelled."""
    for first in range(0, N_ROWS, BLOCK):
        yield make_two_moons(min(BLOCK, N_ROWS - first), noise=0.12, random_state=first)[0]


_, y, target = make_two_moons(BLOCK, noise=0.12, random_state=0)
labels = {int(row): int(y[row]) for row in np.flatnonzero(y >= 0)}  # classes by row number

# %%
# One pass counts the rows, another gathers sums over them; all that is kept is a matrix of landmarks by landmarks.
started = time.perf_counter()
rows = BlockRows(moons, n_rows=N_ROWS)
model = LSKPCA(Gaussian(factor=8.0), coordinates="nystrom", n_landmarks=300, memory="1GB").fit(rows, labels)
seconds = time.perf_counter() - started
print(f"{N_ROWS:,} rows, {len(labels)} labels: {seconds:.1f} s, {1e6 * seconds / N_ROWS:.0f} µs a row")
missed = model.kernel_.missed_
print(f"share of the variance that the landmarks miss: {missed:.2g}")

# %%
new, _, truth = make_two_moons(2000, noise=0.12, random_state=12345)
print(f"{np.mean(model.predict(new) != truth):.2%} of 2,000 new rows are wrong")
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
shown = np.full(2000, -1)
spread = float(np.abs(model.decision_function(new)).max()) * 1.3
draw_function(ax, model.decision_function, new, shown, np.linspace(-spread, spread, 21))
ax.set_title(f"learned from {N_ROWS:,} rows and {len(labels)} labels; 2,000 new rows drawn")
plt.show()
