"""
What a point costs: the losses behind the methods
=================================================

Left, a point without a label. The transductive support vector machine asks every such point to be on one side or the
other, no matter which: values of f near 0 cost most, and beyond -1 and +1 nothing more can be gained. The kink and
the two valleys make this hard to minimise. The methods here ask for the same with a plain parabola, in the form of a
variance that is fixed beforehand; with the parabola the best solution can be computed, although the problem is not
convex. Fixed, the variance also stops f from running away down the parabola's open ends.

Right, a point with a label t, which is -1 or +1. The squared loss of LS-KPCA minds a point that is too far on the
right side, too: at t f(x) = 3 it costs as much as at -1. The losses that LR-KPCA offers do not; the sigmoid does not
even insist on a point that is hopelessly wrong.
"""

import matplotlib.pyplot as plt
import numpy as np

from sskpca.solvers import HuberHinge, Logistic, Sigmoid

LOSSES = {"logistic": Logistic(), "sigmoid": Sigmoid(), "hinge, rounded": HuberHinge()}
# Okabe and Ito's colours, told apart by nearly everyone; dashes tell the curves apart without any colour.
SQUARED, OTHERS = "#D55E00", ["#0072B2", "#009E73", "#CC79A7"]
DASHES = ["--", "-.", ":"]

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
f = np.linspace(-2, 2, 401)
left.plot(f, np.maximum(1 - np.abs(f), 0), "--", color=OTHERS[0], lw=2, label=r"transductive SVM: $(1 - |f|)_+$")
left.plot(f, 1 - f**2, color=SQUARED, lw=2, label=r"here: $-f^2$, drawn 1 higher to compare")
left.set(title="A point without a label", xlabel="$f(x)$", ylabel="loss", xlim=(-2, 2), ylim=(-3.2, 2.4))

margin = np.linspace(-2, 4, 601)
right.plot(margin, (1 - margin) ** 2, color=SQUARED, lw=2, label="squared (LS-KPCA)")
for (name, loss), color, dashes in zip(LOSSES.items(), OTHERS, DASHES, strict=True):
    right.plot(margin, loss.value(margin), color=color, ls=dashes, lw=2, label=f"{name} (LR-KPCA)")
right.axvline(0, color="0.6", lw=0.8)
right.set(
    title="A point with a label $t$",
    xlabel="$t\\,f(x)$      (wrong side: below 0, right side: above)",
    ylabel="loss",
    xlim=(-2, 4),
    ylim=(-0.1, 5.2),
)
for ax in (left, right):
    ax.legend(loc="upper center", frameon=False)
    ax.grid(alpha=0.3)
plt.show()
