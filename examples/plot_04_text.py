"""
Text
====

Which part of SciPy does a function belong to, by its one-line description? Columns of sentences are used by their
words. Four descriptions of each part are labelled.
"""

import inspect
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sskpca
from sskpca.plots import draw_map, neighbor_map

PARTS = ("linalg", "signal", "stats", "special")
rows = []
for part in PARTS:
    module = import_module(f"scipy.{part}")
    for name in sorted(module.__all__):
        lines = (inspect.getdoc(getattr(module, name)) or "").split("\n\n")
        summary = " ".join(lines[0 if part != "special" else 1 : 2][:1]).replace("\n", " ")
        if len(summary.split()) >= 4:
            rows.append((name, summary, part))
table = pd.DataFrame(rows, columns=["name", "description", "part"]).groupby("part").head(80).reset_index(drop=True)
truth = table["part"].to_numpy()
print(table["part"].value_counts().to_string())

# %%
# Four labels of each part; the others are hidden.
rng = np.random.default_rng(0)
known = np.concatenate([rng.choice(np.flatnonzero(truth == part), 4, replace=False) for part in PARTS])
table["part"] = None
table.loc[known, "part"] = truth[known]
found = sskpca.label(table, label="part", ignore="name")
guess = found.table["sskpca_guess"].to_numpy()
hidden = np.setdiff1d(np.arange(len(table)), known)
print(f"expected error {found.expected_error:.0%}, true error {np.mean(guess[hidden] != truth[hidden]):.0%}")
print("chance: 75%")

# %%
# Sure rows are labelled, the others left blank.
sure = found.table["sskpca_label"].notna().to_numpy()
right = (guess == truth)[hidden]
print(f"{np.mean(sure[hidden]):.0%} of the rows are labelled; {np.mean(right[sure[hidden]]):.0%} of these are right")

# %%
# The words on a map, made from the features that were used.
features = sskpca.TableEncoder().fit_transform(table[["description"]])
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
codes = np.searchsorted(np.sort(PARTS), guess)
draw_map(ax, neighbor_map(features), codes, sorted(PARTS), given=np.isin(np.arange(len(table)), known), sure=sure)
plt.show()
