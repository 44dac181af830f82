"""k-fold over the plane, against refits."""

import numpy as np
import pytest

from problems import KINDS, draw
from sskpca.solvers import solve_ls_kpca
from sskpca.solvers._plane import leave_fold_out_plane, leave_one_out_plane


@pytest.mark.parametrize("seed", range(12 * len(KINDS)))
def test_functions_without_a_fold_are_refits(seed):
    p = draw(seed, weights=((-3, 4), (4, 8))[seed % 2])
    folds = np.arange(len(p.t)) % min(3, len(p.t))
    weights, variances = p.c * np.array([0.1, 1.0]), p.s2 * np.array([0.5, 1.0])
    plane = leave_fold_out_plane(p.B, p.d, p.t, weights, variances, folds)
    for a, c in enumerate(weights):
        for b, variance in enumerate(variances):
            for fold in range(int(folds.max()) + 1):
                seen = folds != fold
                refit = solve_ls_kpca(p.B[seen], p.d, p.t[seen], c, variance)
                if refit.report.status == "hard case":  # its direction may be free
                    continue
                expected = p.B @ refit.coef
                scale = np.sqrt(np.mean(expected**2))
                np.testing.assert_allclose(plane.values[a, b, fold], expected, atol=1e-6 * scale)
    assert plane.residual < 1e-6
    np.testing.assert_array_equal(plane.predictions[0, 0], plane.values[0, 0, folds, np.arange(len(p.t))])


def test_one_label_a_fold_is_leave_one_out_and_a_large_problem_is_made_small():

    rng = np.random.default_rng(0)
    d = np.geomspace(100.0, 1e-3, 400)
    B = rng.standard_normal((12, 400)) * np.sqrt(d / 400)
    t = np.where(np.arange(12) % 2, 1.0, -1.0)
    weights, variances = np.array([0.1, 10.0]), np.array([20.0, 60.0])
    by_folds = leave_fold_out_plane(B, d, t, weights, variances, np.arange(12))
    one_by_one = leave_one_out_plane(B, d, t, weights, variances)
    assert one_by_one.rank < 400
    np.testing.assert_allclose(by_folds.values, one_by_one.values, atol=1e-8)


def test_several_functions_share_the_plane():
    p = draw(3, weights=(-1, 1))
    T = np.column_stack([p.t, -p.t, np.where(np.arange(len(p.t)) % 3, 1.0, -1.0)])
    weights, variances = p.c * np.array([0.1, 1.0]), p.s2 * np.array([0.5, 1.0])
    together = leave_one_out_plane(p.B, p.d, T, weights, variances)
    for k, t in enumerate(T.T):
        alone = leave_one_out_plane(p.B, p.d, t, weights, variances)
        np.testing.assert_allclose(together.predictions[k], alone.predictions, atol=1e-9 * np.abs(alone.values).max())


def test_folds_of_unequal_size_with_one_class_left_out_are_refits():
    rng = np.random.default_rng(1)
    d = np.geomspace(50.0, 1e-2, 60)
    B = rng.standard_normal((9, 60)) * np.sqrt(d / 60)
    t = np.array([1.0, 1, -1, -1, -1, -1, -1, -1, -1])
    folds = np.array([0, 0, 1, 1, 1, 1, 2, 2, 3])  # without the first fold, one class is left
    weights, variances = np.geomspace(1e-3, 1e4, 5), np.array([0.5, 10.0, 80.0])
    plane = leave_fold_out_plane(B, d, t, weights, variances, folds)
    assert plane.residual < 1e-9
    for (a, b, fold), _ in np.ndenumerate(plane.values[..., 0]):
        seen = folds != fold
        expected = B @ solve_ls_kpca(B[seen], d, t[seen], weights[a], variances[b]).coef
        np.testing.assert_allclose(plane.values[a, b, fold], expected, atol=1e-7 * np.abs(expected).max())


def test_a_fold_without_which_no_label_is_left_gives_the_first_component():
    rng = np.random.default_rng(2)
    d = np.linspace(5.0, 1.0, 12)
    B = rng.standard_normal((3, 12))
    t = np.array([1.0, -1.0, 1.0])
    plane = leave_fold_out_plane(B, d, t, np.array([1.0]), np.array([4.0]), np.zeros(3, dtype=np.intp))
    first = B[:, 0] * np.sqrt(4.0 / d[0])
    np.testing.assert_allclose(np.abs(plane.values[0, 0, 0]), np.abs(first), rtol=1e-9)


def test_rows_unlike_each_other_follow_the_convention_of_the_hard_case():
    # A leading eigenvalue that repeats: all directions are optimal, and rounding must not choose.
    rng = np.random.default_rng(0)
    d = np.full(30, 2.0)
    B = np.eye(30)[:6] * np.sqrt(2.0)
    t = np.where(rng.random(6) < 0.5, 1.0, -1.0)
    plane = leave_fold_out_plane(B, d, t, np.array([0.1]), np.array([60.0]), np.arange(6) % 3)
    for fold in range(3):
        seen = np.arange(6) % 3 != fold
        expected = B @ solve_ls_kpca(B[seen], d, t[seen], 0.1, 60.0).coef
        np.testing.assert_allclose(plane.values[0, 0, fold], expected, atol=1e-8)


def test_folds_must_be_numbers_of_folds():
    p = draw(3)
    with pytest.raises(ValueError, match="from 0 up"):
        leave_fold_out_plane(p.B, p.d, p.t, np.array([1.0]), np.array([1.0]), np.full(len(p.t), -1))
