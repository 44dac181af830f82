"""
Leave-one-out against the true error
====================================

How wrong is it on the rows that nobody has labelled? Each label is held out in turn, exactly, without a new
decomposition. On a table whose truth is known, the estimate can be compared with the error itself.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from sskpca import LSKPCA

data = load_breast_cancer()
X, truth = StandardScaler().fit_transform(data.data), data.target
first = LSKPCA(rank=100).fit(X, np.where(np.arange(len(X)) < 40, truth, -1))

# %%
# Exact means: the decision on a row is that of a fit without its label.
rows, held_out = np.arange(40), first.leave_one_out()
without = np.where(np.arange(len(X)) < 40, truth, -1)
without[7] = -1
again = LSKPCA(rank=100, coordinates=first.coordinates_).fit(X, without)
print(f"held out {held_out.decisions[7]:+.6f}, fitted again {again.decision_[7]:+.6f}")

# %%
# Fifty draws of the labels for each number of labels; all fits share one decomposition.
rng = np.random.default_rng(0)
fig, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", sharex=True, sharey=True)
for ax, n_labels in zip(axes, (10, 30, 100), strict=True):
    estimates, errors = [], []
    for _ in range(50):
        known = rng.choice(len(X), n_labels, replace=False)
        if len(set(truth[known])) < 2:
            continue
        y = np.full(len(X), -1)
        y[known] = truth[known]
        model = LSKPCA(coordinates=first.coordinates_).fit(X, y)
        estimates.append(100 * model.leave_one_out().error)
        errors.append(100 * np.mean((model.transduction_ != truth)[y < 0]))
    ax.plot([0, 40], [0, 40], color="0.6", linestyle="--", linewidth=1)
    ax.scatter(estimates, errors, s=22, alpha=0.6)
    off = np.mean(np.abs(np.subtract(estimates, errors)))
    ax.set(
        title=f"{n_labels} labels: {off:.1f} points off",
        xlabel="leave-one-out error, in %",
        xlim=(-1, 41),
        ylim=(0, 30),
    )
axes[0].set_ylabel("error on the other rows, in %")
plt.show()
