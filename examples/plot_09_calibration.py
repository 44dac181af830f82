"""
Can the confidence be believed?
===============================

Where the model says 80 %, eight of ten should be right. Probabilities are calibrated on held-out labels; here they
are compared with the truth on the rows without a label.
"""

import matplotlib.pyplot as plt
import numpy as np

from sskpca import SSKPCAClassifier
from sskpca.datasets import make_two_moons
from sskpca.plots import draw_calibration, draw_map

# Moons with so much noise that they overlap.
X, y, target = make_two_moons(600, noise=0.35, n_labeled=30, random_state=1)
model = SSKPCAClassifier().fit(X, y)
hidden = y < 0
right = (model.transduction_ == target)[hidden]
print(f"expected error {model.expected_error_:.1%}, true error {1 - right.mean():.1%}")

# %%
# Rows in bins of like confidence. Dots on the dashed line are perfect; their area goes with the number of rows, and the
# lines are 95 % intervals.
confidence = model.label_distributions_[hidden].max(axis=1)
bins = np.clip(np.digitize(confidence, np.linspace(0.5, 1, 6)) - 1, 0, 4)
count = np.bincount(bins, minlength=5)
mean = np.bincount(bins, confidence, 5) / np.maximum(count, 1)
share = np.bincount(bins, right, 5) / np.maximum(count, 1)

fig, (left, ax) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=[1.6, 1])
sure = model.label_distributions_.max(axis=1) >= 0.75
draw_map(left, X, model.transduction_, ["upper moon", "lower moon"], given=~hidden, sure=sure)
draw_calibration(ax, mean, share, count)
ax.set(xlim=(45, 102), ylim=(30, 102))
plt.show()
