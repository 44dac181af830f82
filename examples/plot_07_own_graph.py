"""
A graph of your own
===================

Who knows whom is a graph already: no features are needed to make one. 150 people in three groups, with more ties
inside a group than between; one person of each group is labelled.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from scipy.sparse import csr_array

from sskpca import LSKPCA
from sskpca.kernels import Diffusion

rng = np.random.default_rng(3)
truth = np.repeat([0, 1, 2], 50)
share = np.where(truth[:, None] == truth, 0.15, 0.012)
ties = np.triu(rng.random((150, 150)) < share, 1)
graph = csr_array((ties | ties.T).astype(float))
print(f"{int(ties.sum())} ties; each person has {graph.sum(axis=1).mean():.1f} on average")

# %%
# Rows of X are only used for people who come later and have no ties yet; here they are placeholders.
y = np.full(150, -1)
y[[5, 60, 120]] = truth[[5, 60, 120]]
people = np.arange(150.0)[:, None]
model = LSKPCA(Diffusion(n_neighbors=1, time=5.0, graph=graph)).fit(people, y)
wrong = model.transduction_ != truth
print(f"{wrong.sum()} of 147 people are put into the wrong group")

# %%
# The groups drawn as discs; squares are the labels, crosses are wrong.
angle = 2 * np.pi * truth / 3 + np.pi / 2
radius, turn = np.sqrt(rng.random(150)), 2 * np.pi * rng.random(150)
place = np.column_stack([np.cos(angle), np.sin(angle)]) * 1.6 + np.column_stack(
    [radius * np.cos(turn), radius * np.sin(turn)]
)
fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
ax.add_collection(LineCollection(place[np.argwhere(ties)], colors="0.8", linewidths=0.5, zorder=1))
colors = np.array(["#0072b2", "#e69f00", "#009e73"])[model.transduction_]
ax.scatter(*place.T, s=30, c=colors, edgecolors="white", linewidths=0.5, zorder=2)
ax.scatter(*place[y >= 0].T, s=140, c=colors[y >= 0], marker="s", edgecolors="black", zorder=3)
ax.scatter(*place[wrong].T, s=60, c="black", marker="x", zorder=3)
ax.set(xticks=[], yticks=[], aspect="equal")
ax.autoscale_view()
plt.show()
