"""
Digits from 10 labels
=====================

400 handwritten digits, 0 to 4; two of each are labelled, and the classifier labels the other 390. Nothing is chosen
by hand. (``make demo`` does it with all ten digits and writes a report.)
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sskpca import SSKPCAClassifier
from sskpca.plots import draw_map, neighbor_map

digits = load_digits(n_class=5)
X, truth = digits.data[:400], digits.target[:400]
known = np.concatenate([np.flatnonzero(truth == digit)[:2] for digit in range(5)])
y = np.full(400, -1)
y[known] = truth[known]

# %%
# The ten labels:
fig, axes = plt.subplots(1, 10, figsize=(9, 1.2))
for ax, row in zip(axes, known, strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    ax.set(title=str(truth[row]), xticks=[], yticks=[])
plt.show()

# %%
# Fit, and compare with the truth, which the model does not know. Its own estimate, from ten labels, is beside it.
model = SSKPCAClassifier().fit(X, y)
wrong = np.mean((model.transduction_ != truth)[y < 0])
print(f"{wrong:.1%} of the other 390 are wrong; expected: {model.expected_error_:.1%}")

# %%
# Four labels more, chosen by the model:
rows = model.next_rows(4)
model.update_labels(rows, truth[rows])
hidden = np.setdiff1d(np.arange(400), model.labeled_rows_)
wrong = np.mean(model.transduction_[hidden] != truth[hidden])
print(f"{wrong:.1%} of the other {len(hidden)} are wrong; expected: {model.expected_error_:.1%}")

# %%
# All digits on a map. Marks with a dark rim are the labels; faded ones are less than 75 % sure.
classes = [str(digit) for digit in model.classes_]
codes = np.searchsorted(model.classes_, model.transduction_)
given = np.isin(np.arange(len(X)), model.labeled_rows_)
sure = model.label_distributions_.max(axis=1) >= 0.75
fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
draw_map(ax, neighbor_map(X), codes, classes, given=given, sure=sure)
plt.show()

# sphinx_gallery_thumbnail_number = 2
