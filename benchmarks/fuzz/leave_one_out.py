"""Exact leave-one-out against refits.

    python benchmarks/fuzz/leave_one_out.py               # 5,000 models, some minutes; resumes
    python benchmarks/fuzz/leave_one_out.py --summary

Each model is a problem of LS-KPCA of some nasty kind, with every label left out in turn. A difference to a new solution
that is larger than a millionth of the largest value must be flagged: a residual or a doubt above 1e-8, for which the
estimators fit anew.
"""

import sys
from pathlib import Path

import numpy as np
from shared.counting import count_cases

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from problems import draw
from sskpca._linalg.threads import one_thread
from sskpca._transduction.methods import ACCURATE
from sskpca.coordinates import exact_coordinates
from sskpca.solvers import solve_ls_kpca
from sskpca.solvers._plane import leave_one_out_plane

CASES = 5_000
DIFFERENT = 1e-6
MOST_LABELS = 12


def problem(number):
    """Draw one of the kinds of the tests or, every third time, a nearly degenerate kernel."""
    if number % 3:
        found = draw(number, weights=(-4, 4))
        few = slice(0, MOST_LABELS)
        return found.B[few], found.d, found.t[few], found.c, found.s2
    rng = np.random.default_rng(number)
    n = int(rng.integers(8, 30))
    noise = rng.standard_normal((n, n)) / np.sqrt(n)
    K = np.eye(n) + 10 ** rng.uniform(-14, -2) * (np.ones((n, n)) if number % 2 else noise @ noise.T)
    coordinates = exact_coordinates(K, np.asarray, centered=bool(rng.integers(2)))
    n_labeled = int(rng.integers(3, min(n, MOST_LABELS)))
    t = np.where(np.arange(n_labeled) % 2, 1.0, -1.0)
    return coordinates.values[:n_labeled], coordinates.variances, t, 10 ** rng.uniform(-3, 4), 10 ** rng.uniform(-2, 2)


def case(number):
    B, d, t, c, s2 = problem(number)
    plane = leave_one_out_plane(B, d, t, np.array([c]), np.array([s2]), sums=np.ones((1, len(t))))
    found = plane.predictions[0, 0]
    flagged = (plane.doubt[0, 0] > ACCURATE) | (plane.residual > ACCURATE)
    alone, size = np.empty(len(t)), np.empty(len(t))
    for i in range(len(t)):
        coef = solve_ls_kpca(np.delete(B, i, 0), d, np.delete(t, i), c, s2).coef
        alone[i], size[i] = B[i] @ coef, np.abs(B @ coef).max()
    difference = np.abs(found - alone) / np.maximum(size, np.finfo(float).tiny)
    missed = (difference > DIFFERENT) & ~flagged
    if missed.any():
        return number, f"failed: off by {difference[missed].max():.1e}, not flagged", float(difference.max()), True
    largest = float(np.max(difference[~flagged], initial=0.0))
    return number, "some flagged" if flagged.any() else "exact", largest, False


def run(numbers):
    with one_thread():
        for number in numbers:
            yield case(number)


def main():
    count_cases("leave_one_out", run, CASES, "difference that is not flagged")


if __name__ == "__main__":
    main()
