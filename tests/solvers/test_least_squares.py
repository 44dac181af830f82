from itertools import permutations

import numpy as np
import pytest

from oracles import least_squares as oracle
from problems import KINDS, draw, feasible_points
from sskpca.solvers import Status, solve_ls_kpca
from sskpca.solvers._label_space import solve_in_label_space
from sskpca.solvers._pencil import pencil_of, solve_in_eigenbasis
from sskpca.solvers._quadratic import VarianceConstrainedLeastSquares

ROUTES = ("eigenbasis", "label space")


def check(p, solution):
    report = solution.report
    assert report.converged
    assert report.kkt_residual <= 1e-8
    assert abs(report.gap) <= 1e-8
    assert report.variance == pytest.approx(p.s2, rel=1e-10)
    assert report.objective == pytest.approx(oracle.objective(solution.coef, p.B, p.t, p.c), rel=1e-10)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("seed", range(420))
def test_random_problems_are_solved_to_the_global_optimum(seed, route):
    p = draw(seed)
    solution = solve_ls_kpca(p.B, p.d, p.t, p.c, p.s2, route=route)
    check(p, solution)
    value = solution.report.objective
    assert value == pytest.approx(oracle.by_bisection(p.B, p.d, p.t, p.c, p.s2), rel=1e-7)
    points = feasible_points(p, solution.coef, np.random.default_rng(seed), 200)
    others = (points**2).sum(0) + p.c * ((p.B @ points - p.t[:, None]) ** 2).sum(0)
    assert others.min() >= value * (1 - 1e-9)


def test_the_kinds_are_all_drawn():
    kinds = [draw(seed).kind for seed in range(420)]
    assert all(kinds.count(kind) == 60 for kind in KINDS)
    statuses = [solve_ls_kpca(*draw(seed)[:5]).report.status for seed in range(420)]
    assert statuses.count(Status.HARD_CASE) >= 30


@pytest.mark.parametrize("seed", [s for s in range(400) if len(draw(s).d) <= 9])
def test_objective_agrees_with_sixty_digits(seed):
    p = draw(seed)
    solution = solve_ls_kpca(p.B, p.d, p.t, p.c, p.s2)
    assert solution.report.objective == pytest.approx(oracle.in_sixty_digits(p.B, p.d, p.t, p.c, p.s2), rel=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_the_papers_pencil(seed):
    from sskpca.coordinates import exact_coordinates

    rng = np.random.default_rng(seed)
    m = int(rng.integers(8, 30))
    X = rng.standard_normal((m, 3))
    K = np.exp(-np.abs(X[:, None] - X[None]).sum(-1))  # Laplacian: well conditioned, as the pencil needs
    labeled = rng.permutation(m)[:6]
    t = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    c, s2 = 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-1, 1)
    coordinates = exact_coordinates(K.copy(), lambda X: X)
    solution = solve_ls_kpca(coordinates.values[labeled], coordinates.variances, t, c, s2)
    f = oracle.by_the_papers_pencil(K, labeled, t, c, s2)
    np.testing.assert_allclose(coordinates.values @ solution.coef, f, atol=1e-6 * np.abs(f).max())


@pytest.mark.parametrize("seed", range(60))
def test_large_problems_take_label_space_and_agree_with_the_eigenbasis(seed):
    rng = np.random.default_rng(seed)
    d = np.append(np.sort(10 ** rng.uniform(-3, 1, 300))[::-1], 0.0)
    B = rng.standard_normal((20, 301)) * np.sqrt(np.maximum(d, 1e-3) / 30)
    t, c, s2 = rng.choice([-1.0, 1.0], 20), 10 ** rng.uniform(-4, 5), 10 ** rng.uniform(-2, 3)
    auto = solve_ls_kpca(B, d, t, c, s2)
    basis = solve_ls_kpca(B, d, t, c, s2, route="eigenbasis")
    np.testing.assert_allclose(auto.coef, basis.coef, atol=1e-7 * np.abs(basis.coef).max())
    assert auto.report.objective == pytest.approx(basis.report.objective, rel=1e-11)


def test_label_space_answers_most_large_problems_itself():
    routes = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        d = np.sort(10 ** rng.uniform(-3, 1, 300))[::-1]
        B = rng.standard_normal((20, 300)) * np.sqrt(d / 30)
        t, c, s2 = rng.choice([-1.0, 1.0], 20), 10 ** rng.uniform(-1, 4), 10 ** rng.uniform(-1, 3)
        routes.append(solve_ls_kpca(B, d, t, c, s2).report.route)
    assert routes.count("label space") >= 54


@pytest.mark.parametrize("route", ROUTES)
def test_no_labels_is_the_first_component(route):
    d = np.array([4.0, 1.0, 0.0])
    solution = solve_ls_kpca(np.empty((0, 3)), d, np.empty(0), 1.0, 9.0, route=route)
    np.testing.assert_allclose(solution.coef, [1.5, 0, 0], atol=1e-12)
    assert solution.report.status is Status.HARD_CASE
    assert abs(solution.report.gap) < 1e-12


def test_zero_weight_is_no_label():
    p = draw(0)
    silent = solve_ls_kpca(p.B, p.d, p.t, 0.0, p.s2)
    np.testing.assert_allclose(np.abs(silent.coef), np.sqrt(p.s2 / p.d[0]) * np.eye(len(p.d))[0], atol=1e-7)


@pytest.mark.parametrize("seed", range(0, 70, 7))
def test_vanishing_weight_tends_to_kernel_pca(seed):
    p = draw(seed)  # plain: the leading variance is simple
    distances = []
    for c in (1e-2, 1e-4, 1e-6):
        coef = solve_ls_kpca(p.B, p.d, p.t, c, p.s2).coef
        distances.append(np.linalg.norm(coef[1:]) / np.linalg.norm(coef))
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 1e-2 * distances[0] + 1e-6


@pytest.mark.parametrize("seed", range(30))
def test_weight_two_is_a_label_given_twice(seed):
    p = draw(seed)
    weights = np.full(len(p.t), p.c)
    weights[0] *= 2
    weighted = solve_ls_kpca(p.B, p.d, p.t, weights, p.s2)
    repeated = solve_ls_kpca(np.vstack([p.B, p.B[:1]]), p.d, np.append(p.t, p.t[0]), p.c, p.s2)
    assert weighted.report.objective == pytest.approx(repeated.report.objective, rel=1e-9)
    if weighted.report.status is Status.CONVERGED and p.kind not in ("hard", "nearly hard", "repeated"):
        np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-6 * np.abs(repeated.coef).max())


def test_hard_case_takes_the_positive_sign():
    d, B = np.array([4.0, 1.0]), np.array([[0.0, 1.0]])
    for target in (1.0, -1.0):
        solution = solve_ls_kpca(B, d, np.array([target]), 3.0, 4.0)
        assert solution.report.status is Status.HARD_CASE
        assert solution.coef[0] > 0


@pytest.mark.parametrize("tiny", 10.0 ** -np.arange(2, 18))
def test_nearly_hard_cases_converge_in_few_steps(tiny):
    d = np.array([4.0, 1.0, 0.5])
    B = np.array([[tiny, 1.0, 0.3], [-tiny, 0.2, 1.0]])
    solution = solve_ls_kpca(B, d, np.array([1.0, -1.0]), 3.0, 4.0)
    assert solution.report.kkt_residual < 1e-12
    assert abs(solution.report.gap) < 1e-12
    assert solution.report.n_iter <= 12
    assert solution.coef[0] > 0


@pytest.mark.parametrize("seed", range(40))
def test_bound_holds_for_wrong_answers_too(seed):
    """The certificate must not depend on the answer being right."""
    p = draw(seed)
    rows, targets = np.sqrt(p.c) * p.B, np.sqrt(p.c) * p.t
    problem = VarianceConstrainedLeastSquares(rows, targets, p.d, p.s2, np.zeros(len(p.d)))
    best = solve_in_eigenbasis(problem).report
    theta = pencil_of(rows, p.d).theta[0]
    rng = np.random.default_rng(seed)
    for gap in (0.9, 0.1, 1e-3):
        wrong = problem.scaled(rng.standard_normal(len(p.d)))
        judged = problem.report(wrong, (1 - gap) / theta, gap, status=Status.CONVERGED, n_iter=0, route="none").report
        assert judged.bound <= best.objective * (1 + 1e-9)
        assert judged.objective >= best.objective * (1 - 1e-9)


def test_hard_case_of_vanishing_variance_has_a_bound():
    B = np.array([[0, 1.3], [0, 0.7]])
    report = solve_ls_kpca(B, np.array([4.0, 0]), np.array([1.0, -1.0]), 1e8 / 3, 1e-30).report
    assert report.bound <= report.objective
    assert abs(report.gap) < 1e-8


def test_label_space_steps_back_from_a_removable_pole():
    """Start exactly on 1/d_1, where M is singular although the problem is harmless."""
    rng = np.random.default_rng(0)
    d = np.sort(rng.random(200))[::-1] + 0.1
    B = rng.standard_normal((10, 200)) * np.sqrt(d / 200)
    problem = VarianceConstrainedLeastSquares(10 * B, 10 * rng.choice([-1.0, 1.0], 10), d, 50.0, np.zeros(200))
    plain = solve_in_label_space(problem)
    on_pole = solve_in_label_space(problem, 1 / d[0])
    assert plain is not None
    assert on_pole is not None
    np.testing.assert_allclose(on_pole.coef, plain.coef, atol=1e-8)


def test_pull_alone_is_solved_as_well_as_by_sampling():
    rng = np.random.default_rng(1)
    d = np.array([3.0, 2.0, 1.0, 0.5])
    pull = rng.standard_normal(4)
    problem = VarianceConstrainedLeastSquares(np.empty((0, 4)), np.empty(0), d, 2.0, pull)
    solution = solve_in_eigenbasis(problem)
    points = rng.standard_normal((4, 200_000))
    points *= np.sqrt(2.0 / (d @ points**2))
    sampled = ((points**2).sum(0) - 2 * pull @ points).min()
    assert solution.report.objective <= sampled
    assert solution.report.objective == pytest.approx(sampled, rel=0.05)


def test_large_unequal_weights_do_not_fool_the_certificate():
    """The linear term in the eigenbasis must not be formed from B't, which is 1e12 times larger."""
    B = np.array([[-5.0, -7, 5], [7, 5, -2], [0, -1, -8]])
    d, t, c = np.array([100.0, 1, 0.001]), np.array([1.0, -1, -1]), np.array([1e-8, 1e-3, 1e12])
    values = [solve_ls_kpca(B, d, t, c, 1000.0, route=route).report for route in ROUTES]
    assert values[0].objective == pytest.approx(values[1].objective, rel=1e-8)
    assert values[0].bound <= values[1].objective * (1 + 1e-8)


@pytest.mark.parametrize("seed", range(200))
def test_conflicting_duplicates_on_equal_variances_are_not_polished_away(seed):
    rng = np.random.default_rng(seed)
    r = int(rng.integers(3, 13))
    B = rng.standard_normal((int(rng.integers(2, 9)), r))
    t = rng.choice([-1.0, 1.0], len(B))
    c, s2 = 10 ** rng.uniform(2, 6), 10 ** rng.uniform(-1, 2)
    report = solve_ls_kpca(np.vstack([B, B]), np.full(r, 1000.0), np.append(t, -t), c, s2).report
    assert report.kkt_residual < 1e-8
    assert abs(report.gap) < 1e-8


def test_a_bad_residual_is_never_called_converged():
    p = draw(0)
    problem = VarianceConstrainedLeastSquares(p.B, p.t, p.d, p.s2, np.zeros(len(p.d)))
    wrong = problem.scaled(np.ones(len(p.d)))
    assert not problem.report(wrong, 0.0, 1.0, status=Status.CONVERGED, n_iter=1, route="none").report.converged


def test_labels_that_cancel_are_a_hard_case_in_whatever_order():
    """Each of three points has both labels: nothing pulls, and the sign is the convention's, not that of rounding."""
    b = np.random.default_rng(0).standard_normal((3, 10))
    B, d, t = np.vstack([b, b]), np.linspace(5, 1, 10), np.array([1.0, 1, -1, -1, -1, 1])
    found = [solve_ls_kpca(B[list(p)], d, t[list(p)], 0.5, 3.0) for p in permutations(range(6))]
    assert {solution.report.status for solution in found} == {Status.HARD_CASE}
    np.testing.assert_allclose([solution.coef for solution in found], np.tile(found[0].coef, (720, 1)), atol=1e-8)


@pytest.mark.parametrize("shape", [(2, 3), (4, 3)])
def test_twins_so_large_that_one_is_lost_beside_them(shape):
    B = np.tile([1e8, 2e8, 3e8], (shape[0], 1))
    t = np.resize([1.0, -1.0], shape[0])
    report = solve_ls_kpca(B, np.array([3.0, 2, 1]), t, 1.0, 1.0).report
    assert np.isfinite([report.objective, report.bound, report.gap]).all()
    assert report.bound <= report.objective
    assert report.kkt_residual <= 1e-6


def unscaled(seed):
    """Draw six labels of linear coordinates of features as large as 3e6."""
    X = 3e6 * np.random.default_rng(seed).standard_normal((60, 8))
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return (U * s)[:6], s**2, np.array([1.0, -1, 1, -1, 1, -1]), 100.0, 60.0


def test_label_space_takes_over_where_the_eigenbasis_stalls():
    stalled = 0
    for seed in range(20):
        problem = unscaled(seed)
        found, alone = (solve_ls_kpca(*problem, route=route).report for route in ("auto", "eigenbasis"))
        stalled += not alone.converged
        assert found.kkt_residual <= alone.kkt_residual
        assert found.route == ("eigenbasis" if alone.converged else found.route)
        other = solve_ls_kpca(*problem, route="label space").report
        assert found.converged >= other.converged
    assert stalled >= 5


def test_an_answer_that_is_not_proved_has_not_converged():
    """Where the bound says nothing, a small residual is not enough."""
    void = 0
    for seed in range(20):
        problem = unscaled(seed)
        report = solve_ls_kpca(*problem, route="eigenbasis").report
        void += report.gap > 1e-3
        assert report.gap <= 1e-3 or not report.converged
    assert void
