"""
On a cluster
============

An array of Dask is fitted where it lies: workers send sums, not rows. Here the workers are threads of this process;
with ``distributed.Client("address")`` they are those of a cluster, and nothing else changes.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from sskpca import LSKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

X, y, target = make_two_moons(40_000, noise=0.12)
rows = da.from_array(X, chunks=(5_000, 2))
print(rows)

# %%
# The labels are few: give them by row number. The answer is lazy, too.
labels = {int(row): int(y[row]) for row in np.flatnonzero(y >= 0)}
model = LSKPCA(Gaussian(factor=8.0), coordinates="nystrom", n_landmarks=200).fit(rows, labels)
predicted = model.predict(rows)
print(type(predicted).__name__, predicted.chunks[0])
print(f"{float((predicted != da.from_array(target, chunks=5_000)).mean().compute()):.2%} wrong")

# %%
# The same as in one process, up to rounding:
local = LSKPCA(Gaussian(factor=8.0), coordinates="nystrom", n_landmarks=200).fit(X, y)
difference = np.abs(local.decision_function(X[:1000]) - np.asarray(model.decision_function(rows[:1000])))
print(f"largest difference of 1,000 decisions: {difference.max():.1e}")

# %%
# How far each chunk is on which side: a picture that needs two numbers from each worker.
means = [np.asarray(model.decision_function(rows.blocks[k])) for k in range(rows.numblocks[0])]
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.violinplot(means, showextrema=False)
ax.axhline(0, color="0.6", linewidth=0.8)
ax.set(xlabel="chunk", ylabel="decision", title="both classes in every chunk")
plt.show()
