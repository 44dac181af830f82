import numpy as np
import pytest

from oracles import reweighted as oracle
from problems import draw, feasible_points
from sskpca.solvers import _reweighted as reweighted
from sskpca.solvers import solve_lr_kpca, solve_ls_kpca
from sskpca.solvers._losses import LOSSES


@pytest.mark.parametrize("name", ["logistic", "sigmoid"])
@pytest.mark.parametrize("seed", range(300))
def test_random_problems_end_at_a_kkt_point_that_no_neighbour_beats(seed, name):
    p, loss = draw(seed), LOSSES[name]
    solution = solve_lr_kpca(p.B, p.d, p.t, p.c, p.s2, loss=loss)
    report = solution.report
    assert report.kkt_residual <= 1e-8
    assert report.variance == pytest.approx(p.s2, rel=1e-9)
    assert np.all(np.diff(report.history) <= 1e-14 * np.abs(report.history[:-1]))
    assert report.bound <= report.objective * (1 + 1e-9)
    rng = np.random.default_rng(seed)
    nearby = oracle.best_nearby(p.B, p.d, p.t, p.c, p.s2, loss, solution.coef)
    assert report.objective <= nearby * (1 + 1e-7)
    if report.gap <= 1e-9:  # proved to be global
        points = feasible_points(p, solution.coef, rng, 200)
        others = (points**2).sum(0) + p.c * loss.value(p.t[:, None] * (p.B @ points)).sum(0)
        assert others.min() >= report.objective * (1 - 1e-9)


def test_most_logistic_problems_are_proved_global():
    gaps = [solve_lr_kpca(*draw(seed)[:5]).report.gap for seed in range(300)]
    assert np.mean(np.array(gaps) < 1e-8) > 0.6


def test_hinge_problems_are_solved_or_say_that_they_are_not():
    """Its curvature jumps: with label weights beyond 1e5 a step can stall at the last digits of the objective."""
    loss, solved = LOSSES["hinge"], []
    for seed in range(300):
        p = draw(seed)
        solution = solve_lr_kpca(p.B, p.d, p.t, p.c, p.s2, loss=loss)
        report = solution.report
        assert report.converged == (report.kkt_residual <= 1e-9)
        assert np.all(np.diff(report.history) <= 1e-14 * np.abs(report.history[:-1]))
        nearby = oracle.best_nearby(p.B, p.d, p.t, p.c, p.s2, loss, solution.coef)
        assert report.objective <= nearby * (1 + 1e-7)
        solved.append(report.kkt_residual <= 1e-8)
    assert sum(solved) >= 297


@pytest.mark.parametrize("seed", range(20))
def test_starts_at_least_squares_and_never_rises(seed):
    p = draw(seed)
    loss = LOSSES["logistic"]
    first = solve_ls_kpca(p.B, p.d, p.t, p.c, p.s2).coef
    report = solve_lr_kpca(p.B, p.d, p.t, p.c, p.s2).report
    assert report.history[0] == pytest.approx(first @ first + p.c * loss.value(p.t * (p.B @ first)).sum(), rel=1e-9)
    assert report.history[-1] == pytest.approx(report.objective)


@pytest.mark.parametrize("seed", range(30))
def test_global_optimum_is_proved_exactly_where_the_lagrangian_is_convex(seed):
    p = draw(seed)
    report = solve_lr_kpca(p.B, p.d, p.t, p.c, p.s2).report
    if report.multiplier * p.d[0] < 1 - 1e-6:
        assert report.gap < 1e-8


@pytest.mark.parametrize("seed", range(20))
def test_weight_two_is_a_label_given_twice(seed):
    p = draw(seed, weights=(-3, 1))
    weights = np.full(len(p.t), p.c)
    weights[0] *= 2
    weighted = solve_lr_kpca(p.B, p.d, p.t, weights, p.s2).report
    repeated = solve_lr_kpca(np.vstack([p.B, p.B[:1]]), p.d, np.append(p.t, p.t[0]), p.c, p.s2).report
    if weighted.gap < 1e-9:
        assert weighted.objective == pytest.approx(repeated.objective, rel=1e-8)


def test_too_few_steps_are_reported():
    p = draw(3)
    report = solve_lr_kpca(p.B, p.d, p.t, 1e3, p.s2, max_iter=1, tol=1e-14).report
    assert not report.converged


def test_route_does_not_matter():
    rng = np.random.default_rng(0)
    d = np.sort(rng.random(200))[::-1]
    B, t = rng.standard_normal((15, 200)) * np.sqrt(d / 20), rng.choice([-1.0, 1.0], 15)
    by_labels = solve_lr_kpca(B, d, t, 10.0, 30.0, route="label space")
    by_basis = solve_lr_kpca(B, d, t, 10.0, 30.0, route="eigenbasis")
    np.testing.assert_allclose(by_labels.coef, by_basis.coef, atol=1e-6 * np.abs(by_basis.coef).max())


@pytest.mark.parametrize("name", ["logistic", "sigmoid"])
def test_newtons_step_by_the_smaller_of_two_matrices(name):
    """More labels than coordinates, and the same problem with as many coordinates more that no label sees."""
    rng = np.random.default_rng(0)
    loss, d, t = LOSSES[name], np.linspace(3.0, 0.5, 6), rng.choice([-1.0, 1.0], 40)
    B, coef = rng.standard_normal((40, 6)), rng.standard_normal(6)
    narrow = reweighted._newton_kkt(reweighted._Point(B, d, t, 0.3, loss, coef))
    wide = reweighted._newton_kkt(
        reweighted._Point(np.hstack([B, np.zeros((40, 40))]), np.pad(d, (0, 40)), t, 0.3, loss, np.pad(coef, (0, 40)))
    )
    np.testing.assert_allclose(narrow, wide[:6], rtol=1e-9)
    np.testing.assert_allclose(wide[6:], 0, atol=1e-12)
