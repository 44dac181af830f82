"""
Why this class?
===============

A decision is a sum of shares, one for each label. They are exact: with the offset they add up to the decision. So one
can see which labels a row owes its class to, and look at them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sskpca import SSKPCAClassifier
from sskpca.plots import draw_explanation

digits = load_digits(n_class=4)
X, truth = digits.data[:250], digits.target[:250]
y = np.where(np.arange(250) < 20, truth, -1)
model = SSKPCAClassifier().fit(X, y)

# %%
# The least sure row among those without a label:
confidence = model.label_distributions_.max(axis=1)
row = int(20 + np.argmin(confidence[20:]))
why = model.explain(row)
print(f"row {row} is called {why.label}, with {confidence[row]:.0%} confidence; it is a {truth[row]}")
print(f"shares and offset add up: {why.contributions.sum() + why.offset:.6f} = {why.decision:.6f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", width_ratios=[1, 2.4])
left.imshow(X[row].reshape(8, 8), cmap="gray_r")
left.set(title=f"row {row}", xticks=[], yticks=[])
draw_explanation(right, why, n_rows=8)
plt.show()

# %%
# The labels that pull hardest, for and against:
fig, axes = plt.subplots(1, 8, figsize=(9, 1.5))
for ax, other, share in zip(axes, why.rows[:8], why.contributions[:8], strict=True):
    ax.imshow(X[other].reshape(8, 8), cmap="gray_r")
    ax.set(title=f"{share:+.2f}", xticks=[], yticks=[])
plt.show()
