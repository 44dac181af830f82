"""
Which row to label next
=======================

A label costs somebody's time. ``next_rows`` names rows that are in doubt and would tell most about all others; here its
choice is compared with labels drawn at random, from the same four labels on. The model's own estimate, which does not
know the truth, is beside it.
"""

import matplotlib.pyplot as plt
import numpy as np

from sskpca import SSKPCAClassifier
from sskpca.kernels import Diffusion, Gaussian
from sskpca.plots import draw_error_curve

KERNELS = [Gaussian(), Gaussian(factor=4.0), Diffusion(10)]  # three kernels, to be quick

# Two classes in a pattern of 3 by 3 squares: nobody can guess it from four labels.
rng = np.random.default_rng(0)
cells = rng.integers(0, 3, (270, 2))
X = cells + rng.uniform(0.12, 0.88, (270, 2))
truth = cells.sum(axis=1) % 2
start = np.concatenate([np.flatnonzero(truth == kind)[:2] for kind in (0, 1)])
y = np.full(len(X), -1)
y[start] = truth[start]


def run(choose, steps=7, size=3):
    """Label `size` rows in each step; return counts, true errors, expected errors and their intervals."""
    model = SSKPCAClassifier(KERNELS, forest=False).fit(X, y)
    found = []
    for step in range(steps + 1):
        hidden = np.setdiff1d(np.arange(len(X)), model.labeled_rows_)
        wrong = np.mean(model.transduction_[hidden] != truth[hidden])
        found.append((len(model.labeled_rows_), wrong, model.expected_error_, model.expected_interval_))
        if step < steps:
            rows = choose(model, hidden, size)
            model.update_labels(rows, truth[rows])
    return model, *(np.array(column) for column in zip(*found, strict=True))


# %%
# New labels need no new decomposition: each step takes a fraction of a fit.
model, counts, chosen, expected, interval = run(lambda model, hidden, size: model.next_rows(size))
draws = [run(lambda model, hidden, size: rng.choice(hidden, size, replace=False))[2] for _ in range(5)]

# %%
# Left, the rows that were chosen (squares). Right, the errors. The rows that are chosen are those in doubt, so that the
# model is more often wrong on them than on the others: while they are few, what it expects is too dark.
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=[1, 1.5])
colors = np.array(["#0072b2", "#e69f00"])
left.scatter(*X.T, s=12, c=colors[truth])
given = model.labeled_rows_
left.scatter(*X[given].T, s=90, c=colors[truth[given]], marker="s", edgecolors="black")
left.set(xticks=[], yticks=[], aspect="equal")
draw_error_curve(right, counts, expected, interval=interval, name="expected by the model (95 % interval)")
draw_error_curve(right, counts, chosen, name="true error, chosen by next_rows")
draw_error_curve(right, counts, np.mean(draws, axis=0), name="true error, labels at random (mean of 5)")
right.set_ylim(0, 80)
plt.show()
