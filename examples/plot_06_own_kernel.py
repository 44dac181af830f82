r"""
A kernel of your own
====================

Any function of two matrices of rows that is symmetric and positive semi-definite is a kernel. Here the rows are times
of day, and 23:50 is close to 0:10. The kernel :math:`\exp(-\sin^2(\pi (x - y) / 24) / w)` knows that; a Gaussian of
the hours does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from sskpca import LSKPCA
from sskpca.kernels import FunctionKernel, Gaussian

rng = np.random.default_rng(0)
night = rng.random(200) < 0.5
hours = np.where(night, rng.normal(1, 1.6, 200), rng.normal(12, 2.4, 200)) % 24
X = hours[:, None]
y = np.full(200, "", dtype=object)
for row in np.flatnonzero(night & (hours > 12))[:3]:  # night shifts are labelled before midnight only
    y[row] = "night"
for row in np.flatnonzero(~night)[:3]:
    y[row] = "day"


def daily(X, Y, width=0.3):
    """Compare times of day: periodic, and positive semi-definite."""
    return np.exp(-(np.sin(np.pi * (X - Y.T) / 24) ** 2) / width)


# %%
# Both are used like any kernel; ``LSKPCA(daily)`` would do as well.
models = {
    "Gaussian": LSKPCA(Gaussian(factor=2.0), label_weight=10.0),
    "periodic": LSKPCA(FunctionKernel(daily), label_weight=10.0),
}
truth = np.where(night, "night", "day")
fig, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained", sharey=True)
times = np.linspace(0, 24, 481)[:, None]
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, y)
    wrong = np.mean(model.transduction_ != truth)
    ax.plot(times, model.decision_function(times), color="black")
    ax.axhline(0, color="0.6", linewidth=0.8)
    for kind, color in (("day", "#e69f00"), ("night", "#0072b2")):
        chosen = truth == kind
        ax.scatter(hours[chosen], model.decision_[chosen], s=8, color=color, label=kind)
        labelled = y == kind
        ax.scatter(hours[labelled], model.decision_[labelled], s=90, color=color, edgecolors="black", marker="s")
    ax.set(title=f"{name}: {wrong:.0%} wrong", xlabel="hour", xticks=range(0, 25, 6))
axes[0].set_ylabel("decision (above 0: night)")
axes[0].legend(frameon=False)
plt.show()
