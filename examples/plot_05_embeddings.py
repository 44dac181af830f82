"""
Embeddings
==========

A column whose cells are lists of numbers is taken for embeddings: of images, sentences or molecules. Here they are 16
numbers of each digit, by a principal component analysis; an embedding of a neural network is used the same way.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import sskpca
from sskpca.plots import draw_map, neighbor_map

digits = load_digits(n_class=5)
images, truth = digits.data[:400], digits.target[:400]
vectors = PCA(16, random_state=0).fit_transform(images)
table = pd.DataFrame({"embedding": list(vectors), "kind": truth.astype(str)}, dtype=object)
table.loc[25:, "kind"] = None
print(table.head(2).to_string(max_colwidth=60))

# %%
found = sskpca.label(table, label="kind")
guess = found.table["sskpca_guess"].to_numpy().astype(str)
wrong = np.mean(guess[25:] != truth[25:].astype(str))
print(f"25 labels: expected error {found.expected_error:.1%}, true error {wrong:.1%}")

# %%
# The least sure rows, which are worth a look:
order = np.argsort(found.table["sskpca_confidence"].to_numpy())
fig, axes = plt.subplots(1, 8, figsize=(9, 1.6))
for ax, row in zip(axes, order[:8], strict=True):
    ax.imshow(images[row].reshape(8, 8), cmap="gray_r")
    ax.set(title=f"{guess[row]} or {found.table['sskpca_second'].iloc[row]}", xticks=[], yticks=[])
plt.show()

# %%
fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
draw_map(ax, neighbor_map(vectors), guess.astype(int), [str(k) for k in range(5)], given=np.arange(400) < 25)
plt.show()

# sphinx_gallery_thumbnail_number = 2
