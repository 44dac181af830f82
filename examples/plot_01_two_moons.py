r"""
From kernel PCA to a classifier: two moons
==========================================

Two hundred points lie on two interleaved half circles; four points of each moon are labelled. Every panel shows a
function f over the plane in colour, red above zero and blue below; the black line is where it is zero.

Top: the first three kernel principal components. They know nothing of the labels. The first one parts the left half
of the cloud from the right, and so cuts through both moons.

Bottom: LS-KPCA with a growing label weight c. With a small c it is the first kernel principal component (whose sign
is arbitrary, in LS-KPCA it is the one that suits the labels). As c grows the zero line bends, step by step, until it
runs between the moons.

All six functions have the same variance, 1, over the 200 points and share one colour scale. The kernel is Gaussian,
:math:`\exp(-|x - y|^2)`.
"""

import matplotlib.pyplot as plt
import numpy as np

from sskpca import KPCA, LSKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian
from sskpca.plots import draw_function

LABEL_WEIGHTS = {"small": 0.001, "medium": 1.0, "large": 100.0}
# Wide enough for all six functions; as many shades on either side of zero.
LEVELS = np.linspace(-1.8, 1.8, 25)

X, y, target = make_two_moons(200, noise=0.1, n_labeled=4)
kernel = Gaussian(gamma=1.0)
fig, (top, bottom) = plt.subplots(2, 3, figsize=(11, 5.8), layout="constrained", sharex=True, sharey=True)

kpca = KPCA(n_components=3, kernel=kernel).fit(X)
scale = kpca.transform(X).std(axis=0)  # to bring each component to the variance that LS-KPCA's functions have
for j, (ax, name) in enumerate(zip(top, ["first", "second", "third"], strict=True)):
    draw_function(ax, lambda points, j=j: kpca.transform(points)[:, j] / scale[j], X, y, LEVELS)
    ax.set_title(f"KPCA, {name} component")

for ax, (name, weight) in zip(bottom, LABEL_WEIGHTS.items(), strict=True):
    # With the threshold at 0, the decision function is f itself.
    model = LSKPCA(kernel, label_weight=weight, variance=1.0, threshold=0.0).fit(X, y)
    shades = draw_function(ax, model.decision_function, X, y, LEVELS)
    wrong = int(np.sum(model.transduction_ != target))
    ax.set_title(f"LS-KPCA, {name} c = {weight:g}")
    ax.set_xlabel(f"{wrong} of {np.sum(y < 0)} unlabelled points wrong")

fig.colorbar(shades, ax=[*top, *bottom], label="f(x)", ticks=np.arange(-1.5, 2, 0.5), pad=0.02)
fig.legend(*bottom[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
plt.show()
