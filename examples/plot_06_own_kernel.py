"""
A kernel of your own
====================

Any function of two matrices of rows that is symmetric and positive semi-definite is a kernel. Here the rows are DNA
sequences of 30 letters, coded as numbers; each family has a word of its own, somewhere in the sequence. Letters in the
same place say nothing, so a Gaussian of the codes is lost. A kernel that counts the words that two sequences share,
wherever they are, is not.
"""

import matplotlib.pyplot as plt
import numpy as np

from sskpca import KPCA, LSKPCA
from sskpca.kernels import FunctionKernel, Gaussian

rng = np.random.default_rng(0)
LETTERS = np.array(list("ACGT"))
WORDS = {"promoter": "TTGACATA", "terminator": "GCCGCCAG"}
truth = rng.choice(list(WORDS), 200)
codes = rng.integers(0, 4, (200, 30))
for row, family in enumerate(truth):
    first = rng.integers(0, 23)
    codes[row, first : first + 8] = [list(LETTERS).index(letter) for letter in WORDS[family]]
for row in (0, 1):
    print(truth[row], "".join(LETTERS[codes[row]]))


def counts(X):
    """Count the words of four letters in every sequence."""
    words = sum(np.asarray(X)[:, k : 27 + k].astype(int) * 4**k for k in range(4))
    found = np.zeros((len(words), 256))
    np.add.at(found, (np.arange(len(words))[:, None], words), 1.0)
    return found


def shared_words(X, Y):
    """Return inner products of the counts: symmetric, and positive semi-definite."""
    return counts(X) @ counts(Y).T


# %%
# It is used like any kernel; ``LSKPCA(shared_words)`` would do as well. Five sequences of each family are labelled.
y = np.full(200, "", dtype=object)
for family in WORDS:
    y[np.flatnonzero(truth == family)[:5]] = family
kernels = {"Gaussian of the codes": Gaussian(), "shared words": FunctionKernel(shared_words)}
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    model = LSKPCA(kernel).fit(codes, y)
    wrong = np.mean((model.transduction_ != truth)[y == ""])
    places = KPCA(2, kernel=kernel).fit_transform(codes)
    for family, color in zip(WORDS, ("#0072b2", "#e69f00"), strict=True):
        ax.scatter(*places[truth == family].T, s=12, color=color, label=family)
        ax.scatter(*places[y == family].T, s=80, color=color, marker="s", edgecolors="black")
    ax.set(title=f"{name}: {wrong:.0%} wrong", xticks=[], yticks=[])
axes[0].set(xlabel="first kernel principal component", ylabel="second")
axes[1].legend(frameon=False)
plt.show()
