"""k-fold over the plane, against refits."""

import numpy as np
import pytest

from problems import KINDS, draw
from sskpca.solvers import leave_fold_out_plane, leave_one_out_plane, solve_ls_kpca


@pytest.mark.parametrize("seed", range(8 * len(KINDS)))
def test_functions_without_a_fold_are_refits(seed):
    p = draw(seed, weights=(-3, 4))
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
