"""
Which row to label next
=======================

A label costs somebody's time. ``next_rows`` names rows that are in doubt and would tell most about all others; here
its choice is compared with labels drawn at random, from the same eight labels on. The model's own estimate, which
does not know the truth, is beside it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sskpca import SSKPCAClassifier
from sskpca.kernels import Diffusion, Gaussian
from sskpca.plots import draw_error_curve

KERNELS = [Gaussian(), Gaussian(factor=4.0), Diffusion(10)]

digits = load_digits(n_class=4)
X, truth = digits.data[:300], digits.target[:300]
start = np.concatenate([np.flatnonzero(truth == digit)[:2] for digit in range(4)])
y = np.full(len(X), -1)
y[start] = truth[start]


def run(choose, steps=5, size=4):
    """Label `size` rows in each step; return counts, true errors, expected errors and their intervals."""
    model = SSKPCAClassifier(KERNELS, forest=False).fit(X, y)  # three kernels, to be quick
    found = []
    for step in range(steps + 1):
        hidden = np.setdiff1d(np.arange(len(X)), model.labeled_rows_)
        wrong = np.mean(model.transduction_[hidden] != truth[hidden])
        found.append((len(model.labeled_rows_), wrong, model.expected_error_, model.expected_interval_))
        if step < steps:
            rows = choose(model, hidden, size)
            model.update_labels(rows, truth[rows])
    return [np.array(column) for column in zip(*found, strict=True)]


# %%
# New labels need no new decomposition: each step takes a fraction of a fit.
rng = np.random.default_rng(0)
counts, chosen, expected, interval = run(lambda model, hidden, size: model.next_rows(size))
at_random = np.mean(
    [run(lambda model, hidden, size: rng.choice(hidden, size, replace=False))[1] for _ in range(3)], axis=0
)

# %%
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
draw_error_curve(ax, counts, expected, interval=interval, name="expected by the model (95 % interval)")
draw_error_curve(ax, counts, chosen, name="true error, chosen by next_rows")
draw_error_curve(ax, counts, at_random, name="true error, labels at random (mean of 3)")
ax.set_ylim(0, 60)
plt.show()
