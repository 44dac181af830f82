"""
Labels that look wrong
======================

People make mistakes. Here 6 of 60 labels are changed on purpose; the labels that the others contradict are listed,
each with a suggestion. Nothing is changed for you.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sskpca import SSKPCAClassifier

digits = load_digits(n_class=3)
X, truth = digits.data[:200], digits.target[:200]
y = np.where(np.arange(200) < 60, truth, -1)
rng = np.random.default_rng(0)
changed = rng.choice(60, 6, replace=False)
y[changed] = (truth[changed] + rng.integers(1, 3, 6)) % 3

# %%
model = SSKPCAClassifier().fit(X, y)
suspects = model.suspects()
for suspect in suspects:
    real = "changed by us" if suspect.row in changed else "as it was"
    print(
        f"row {suspect.row:2d}: labelled {suspect.label} ({suspect.probability:.1%} probable), "
        f"rather {suspect.suggestion}; is {truth[suspect.row]} ({real})"
    )
found = {suspect.row for suspect in suspects}
print(
    f"{len(found & set(changed.tolist()))} of 6 wrong labels found, {len(found - set(changed.tolist()))} false alarms"
)

# %%
# The pictures say who is right.
fig, axes = plt.subplots(1, max(len(suspects), 2), figsize=(1.5 * max(len(suspects), 2), 1.9))
for ax in axes:
    ax.set_axis_off()
for ax, suspect in zip(axes, suspects, strict=False):
    ax.imshow(X[suspect.row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{suspect.label}? or {suspect.suggestion}?", fontsize=9)
plt.show()
