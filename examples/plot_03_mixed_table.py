"""
A mixed table
=============

Numbers, categories, dates and missing cells, as tables have them: ``sskpca.label`` takes a data frame as it is. The
table here is simulated, 300 subscriptions of which 30 are labelled, so that the truth is known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sskpca
from sskpca.plots import draw_candidates, draw_errors, draw_relevance

rng = np.random.default_rng(0)
n = 300
truth = np.where(rng.random(n) < 0.4, "leaves", "stays")
leaves = truth == "leaves"
table = pd.DataFrame(
    {
        "customer": [f"C{k:04d}" for k in range(n)],
        "calls": rng.poisson(np.where(leaves, 6, 2)),
        "spend": np.where(rng.random(n) < 0.1, np.nan, rng.normal(np.where(leaves, 18, 30), 8)).round(2),
        "plan": np.where(rng.random(n) < np.where(leaves, 0.7, 0.3), "basic", "plus"),
        "since": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n) - 250 * ~leaves, unit="D"),
        "shoe size": rng.integers(36, 47, n),
    }
)
table["outcome"] = np.where(np.arange(n) < 30, truth, None)
print(table.tail(3).to_string())

# %%
# What would be done with it? Nothing is changed by this.
print(sskpca.check(table, label="outcome"))

# %%
# Label it. The id is left out by itself.
found = sskpca.label(table, label="outcome")
print(found.table[["customer", "sskpca_label", "sskpca_confidence", "sskpca_guess"]].tail(3).to_string())
guess = found.table["sskpca_guess"].to_numpy()[30:]
print(f"expected error {found.expected_error:.1%}, true error {np.mean(guess != truth[30:]):.1%}")

# %%
# Is it better than simple methods, on labels that none of them has seen? Which columns matter?
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
draw_errors(left, found.model.loo_error_, found.model.loo_interval_, found.baselines)
draw_relevance(right, found.relevance)
plt.show()

# %%
# Which kernels were averaged, and with what weight?
fig, ax = plt.subplots(figsize=(10, 4), layout="constrained")
draw_candidates(ax, found.model.candidates_, n_kernels=8)
plt.show()
