"""Kernel ridge regression with a constant: one decomposition against refits."""

import numpy as np
import pytest

from oracles import ridge as oracle
from sskpca.solvers._ridge import ridge_family

WEIGHTS = (0.01, 1.0, 100.0)


def problem(n, rank, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, rank)) + 3.0, np.where(rng.random(n) < 0.4, 1.0, -1.0)


@pytest.mark.parametrize(("n", "rank"), [(2, 5), (12, 30), (12, 12), (12, 11), (12, 4), (60, 7), (30, 1)])
@pytest.mark.parametrize("c", WEIGHTS)
def test_coefficients_and_held_out_predictions_are_those_of_refits(n, rank, c):
    rows, t = problem(n, rank, n + rank)
    found = ridge_family(rows).solve(c, t[:, None])
    u, b = oracle.fit(rows @ rows.T, t, c)
    np.testing.assert_allclose(rows @ found.coef[:, 0] + found.offset[0], rows @ rows.T @ u + b, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.held_out[:, 0], oracle.held_out(rows @ rows.T, t, c), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("case", ["duplicates", "rank-deficient", "all rows alike", "one class"])
def test_degenerate_rows_have_the_answer_of_refits(case):
    rows, t = problem(14, 20, 3)
    if case == "duplicates":
        rows[7:] = rows[:7]
    elif case == "rank-deficient":
        rows = rows[:, :2] @ np.ones((2, 20))
    elif case == "all rows alike":
        rows[:] = rows[0]
    else:
        t[:] = 1.0
    found = ridge_family(rows).solve(10.0, t[:, None])
    np.testing.assert_allclose(found.held_out[:, 0], oracle.held_out(rows @ rows.T, t, 10.0), rtol=1e-6, atol=1e-7)


def test_the_gradient_vanishes_at_the_solution():
    rows, t = problem(40, 9, 0)
    found = ridge_family(rows).solve(3.0, t[:, None])
    residual = rows @ found.coef[:, 0] + found.offset[0] - t
    np.testing.assert_allclose(found.coef[:, 0] + 3.0 * rows.T @ residual, 0.0, atol=1e-10)
    np.testing.assert_allclose(residual.sum(), 0.0, atol=1e-10)


def test_a_small_weight_predicts_the_mean_of_the_labels_and_a_large_one_the_labels():
    rows, t = problem(10, 30, 1)
    family = ridge_family(rows)
    small, large = family.solve(1e-12, t[:, None]), family.solve(1e12, t[:, None])
    np.testing.assert_allclose(rows @ small.coef + small.offset, t.mean(), atol=1e-8)
    np.testing.assert_allclose((rows @ large.coef + large.offset)[:, 0], t, atol=1e-8)


def test_several_targets_are_solved_at_once():
    rows, t = problem(15, 6, 2)
    both = ridge_family(rows).solve(2.0, np.column_stack([t, -t]))
    np.testing.assert_allclose(both.held_out[:, 0], -both.held_out[:, 1], atol=1e-12)
