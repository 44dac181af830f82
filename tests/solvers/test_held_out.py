import numpy as np
import pytest

from problems import KINDS, draw
from sskpca.solvers import Status, leave_one_out, solve_ls_kpca
from sskpca.solvers import _held_out as held_out
from sskpca.solvers import _pencil as pencil
from sskpca.solvers._pencil import PencilFamily, pencil_of
from sskpca.solvers._quadratic import VarianceConstrainedLeastSquares

SEEDS = range(210)


def leave_out(B, d, t, weights, variances):
    """Return what the library finds, with the coefficients: the values at the unit vectors."""
    root = np.sqrt(np.broadcast_to(weights, t.shape))
    found = leave_one_out(pencil_of(root[:, None] * B, d), root, t, variances, points=np.vstack([B, np.eye(len(d))]))
    return found, found.values[:, :, : len(t)], found.values[:, :, len(t) :]


def refit(B, d, t, weights, variances):
    """Solve without each label in turn, the long way: one solution for each variance and label."""
    n = len(t)
    weights = np.broadcast_to(weights, t.shape)
    variances = np.broadcast_to(np.reshape(variances, (len(variances), -1)), (len(variances), n))
    return [
        [
            solve_ls_kpca(np.delete(B, i, 0), d, np.delete(t, i), np.delete(weights, i), s2[i], route="eigenbasis")
            for i in range(n)
        ]
        for s2 in variances
    ]


def free_direction(rows, d, report):
    """Is the answer one of many, in a leading eigenspace of several dimensions?"""
    if report.status is not Status.HARD_CASE:
        return False
    theta = pencil_of(rows, d).theta
    return len(theta) > 1 and theta[1] > theta[0] * (1 - 1e-9)


def check(B, d, t, weights, variances, *, atol=1e-6):
    """Compare with refits, function by function; return both."""
    found, values, coefs = leave_out(B, d, t, weights, variances)
    solutions = refit(B, d, t, weights, variances)
    root = np.sqrt(np.broadcast_to(weights, t.shape))[:, None]
    assert found.residual.max() <= 1e-7
    for v, row in enumerate(solutions):
        size = np.sqrt(np.mean([(B @ solution.coef) ** 2 for solution in row]))
        for i, solution in enumerate(row):
            report, coef = solution.report, coefs[v, i]
            rows, targets = np.delete(root * B, i, 0), np.delete(root[:, 0] * t, i)
            problem = VarianceConstrainedLeastSquares(rows, targets, d, report.variance, np.zeros(len(d)))
            assert problem.attained(coef) == pytest.approx(report.variance, rel=1e-7)
            residual, scale = problem.stationarity(coef, found.multipliers[v, i])
            assert np.linalg.norm(residual) <= 1e-7 * scale
            assert problem.objective(coef) == pytest.approx(report.objective, rel=1e-9)
            np.testing.assert_allclose(B @ coef, values[v, i], atol=1e-9 * (size + np.abs(values[v, i]).max()))
            assert found.predictions[v, i] == pytest.approx(values[v, i, i], abs=1e-9 * (size + abs(values[v, i, i])))
            if not free_direction(rows, d, report):
                np.testing.assert_allclose(values[v, i], B @ solution.coef, rtol=0, atol=atol * size)
    return found, solutions


@pytest.mark.parametrize("seed", SEEDS)
def test_random_problems_agree_with_refits(seed):
    p = draw(seed, weights=(-3, 4))
    found, solutions = check(p.B, p.d, p.t, p.c, p.s2 * np.array([0.1, 1.0, 10.0]))
    if p.kind == "plain":
        multipliers = np.array([[solution.report.multiplier for solution in row] for row in solutions])
        np.testing.assert_allclose(found.multipliers, multipliers, rtol=1e-8, atol=1e-8 / p.d[0])
        assert found.residual.max() <= 1e-12
        assert not found.hard.any()


def test_the_kinds_are_all_drawn():
    kinds = [draw(seed).kind for seed in SEEDS]
    assert all(kinds.count(kind) == 30 for kind in KINDS)
    hard = [leave_out(*draw(seed, weights=(-3, 4))[:4], [100.0])[0].hard for seed in SEEDS]
    assert sum(bool(h.any()) for h in hard) >= 15
    assert sum(bool(h.any() and not h.all()) for h in hard) >= 3


@pytest.mark.parametrize("seed", [s for s in range(2, 210, 7) if draw(s).d[0] > draw(s).d[1]])
def test_simple_hard_cases_follow_the_same_sign(seed):
    """The kind "hard", with one leading coordinate that no label sees."""
    p = draw(seed, weights=(-3, 4))
    s2 = np.array([1e4])
    found, _, coefs = leave_out(p.B, p.d, p.t, p.c, s2)
    for i, solution in enumerate(refit(p.B, p.d, p.t, p.c, s2)[0]):
        if solution.report.status is Status.HARD_CASE:
            assert found.hard[0, i]
            np.testing.assert_allclose(coefs[0, i], solution.coef, atol=1e-9 * np.abs(solution.coef).max())


@pytest.mark.parametrize("seed", [36, 169, 253])
def test_a_leading_eigenvalue_that_repeats_without_a_label(seed):
    """More equal variances than labels: each label left out frees one more direction."""
    p = draw(seed, weights=(-3, 4))
    found, solutions = check(p.B, p.d, p.t, p.c, p.s2 * np.array([0.1, 1.0, 10.0]))
    hard = [[solution.report.status is Status.HARD_CASE for solution in row] for row in solutions]
    np.testing.assert_array_equal(found.hard, hard)
    assert found.hard.any()
    assert found.residual.max() <= 1e-12


def test_a_hard_case_that_rounding_hides():
    """The pole moves by 7e-6 only; which side is taken is rounding, but what is found is optimal."""
    p = draw(1226, weights=(-3, 4))
    found, _, coefs = leave_out(p.B, p.d, p.t, p.c, [10 * p.s2])
    assert found.residual.max() <= 1e-12
    for coef, solution in zip(coefs[0], refit(p.B, p.d, p.t, p.c, [10 * p.s2])[0], strict=True):
        assert solution.report.status is Status.HARD_CASE
        assert p.d @ coef**2 == pytest.approx(10 * p.s2, rel=1e-12)
        assert coef @ coef == pytest.approx(solution.coef @ solution.coef, rel=1e-9)


def plain(n_labeled=8, rank=20, seed=0):
    rng = np.random.default_rng(seed)
    d = np.sort(10 ** rng.uniform(-2, 1, rank))[::-1].copy()
    B = rng.standard_normal((n_labeled, rank)) * np.sqrt(d / rank)
    t = rng.choice([-1.0, 1.0], n_labeled)
    t[:2] = (1.0, -1.0)[: len(t)]
    return B, d, t


VARIANCES = np.array([0.3, 3.0, 30.0])


def test_two_labels_leave_one():
    found, _ = check(*plain(2), 10.0, VARIANCES, atol=1e-10)
    assert found.values.shape == (3, 2, 2 + 20)


def test_a_single_label_leaves_the_first_component():
    B, d, t = plain(1)
    found, _ = check(B, d, t, 10.0, VARIANCES, atol=1e-10)
    assert found.hard.all()
    np.testing.assert_allclose(found.predictions[:, 0], B[0, 0] * np.sqrt(VARIANCES / d[0]), rtol=1e-10)
    np.testing.assert_allclose(found.multipliers, 1 / d[0], rtol=1e-12)


def test_duplicates_that_agree_and_that_contradict():
    B, d, t = plain()
    for sign in (1.0, -1.0):
        check(np.vstack([B, B]), d, np.append(t, sign * t), 10.0, VARIANCES, atol=1e-9)


def test_a_label_given_twice_and_left_out_once_is_a_label():
    B, d, t = plain()
    twice, values, _ = leave_out(np.vstack([B, B[:1]]), d, np.append(t, t[0]), 10.0, VARIANCES)
    for v, s2 in enumerate(VARIANCES):
        f = B @ solve_ls_kpca(B, d, t, 10.0, s2).coef
        np.testing.assert_allclose(values[v, 0, :-1], f, atol=1e-10)
        np.testing.assert_allclose(values[v, -1, :-1], f, atol=1e-10)
    np.testing.assert_allclose(twice.predictions[:, 0], twice.predictions[:, -1], atol=1e-10)


@pytest.mark.parametrize("seed", range(7))
def test_weights_that_differ_by_label(seed):
    B, d, t = plain(seed=seed)
    weights = 10 ** np.random.default_rng(seed).uniform(-4, 4, len(t))
    check(B, d, t, weights, VARIANCES, atol=1e-8)


def test_variances_that_differ_by_label():
    B, d, t = plain()
    variances = VARIANCES[:, None] * np.linspace(0.5, 2.0, len(t))
    each, _ = check(B, d, t, 10.0, variances, atol=1e-10)
    for i, column in enumerate(variances.T):
        alone, _, _ = leave_out(B, d, t, 10.0, column)
        np.testing.assert_allclose(each.values[:, i], alone.values[:, i], atol=1e-12)


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e4])
def test_constant_coordinate(weight):
    B, d, t = plain()
    d[-1], B[:, -1] = 0.0, 0.7
    check(B, d, t, weight, VARIANCES, atol=1e-8)


@pytest.mark.parametrize("weight", [0.1, 1.0, 1e4])
def test_a_label_at_the_origin_changes_nothing(weight):
    B, d, t = plain()
    B[3] = 0.0
    found, _ = check(B, d, t, weight, VARIANCES, atol=1e-8)
    assert np.abs(found.predictions[:, 3]).max() <= 1e-14
    for v, s2 in enumerate(VARIANCES):
        f = B @ solve_ls_kpca(B, d, t, weight, s2).coef
        np.testing.assert_allclose(found.values[v, 3, : len(t)], f, atol=1e-9)


@pytest.mark.parametrize(("n_labeled", "rank"), [(8, 20), (8, 9), (8, 8), (8, 7), (12, 4)])
def test_equal_variances(n_labeled, rank):
    B, _, t = plain(n_labeled, rank)
    check(B, np.full(rank, 2.0), t, 3.0, VARIANCES, atol=1e-8)


def test_one_coordinate():
    B, t = np.array([[1.0], [-0.5], [2.0]]), np.array([1.0, -1.0, 1.0])
    found, _ = check(B, np.array([4.0]), t, 3.0, VARIANCES, atol=1e-12)
    np.testing.assert_allclose(found.predictions, np.sqrt(VARIANCES / 4.0)[:, None] * B[:, 0])


def test_hard_only_without_the_one_label_that_sees_the_leading_coordinate():
    B = np.array([[1.0, 0.3, 0.2], [0.0, 1.0, 0.5], [0.0, -0.4, 1.0]])
    d, t = np.array([4.0, 1.0, 0.5]), np.array([1.0, -1.0, 1.0])
    assert solve_ls_kpca(B, d, t, 0.1, 30.0).report.status is Status.CONVERGED
    found, _ = check(B, d, t, 0.1, np.array([30.0]), atol=1e-12)
    np.testing.assert_array_equal(found.hard, [[True, False, False]])
    assert found.predictions[0, 0] > 0


@pytest.mark.parametrize("seed", range(30))
def test_hard_only_without_the_label_that_breaks_a_tie(seed):
    """Three labels at one place: without either of the two that agree, the others cancel, and the pole has moved."""
    rng = np.random.default_rng(seed)
    others, d, t = plain(6, 12, seed)
    d[0], others[:, 0] = 50.0, 0.0
    place = np.append(rng.uniform(0.1, 3.0), np.zeros(11))
    sign = rng.choice([-1.0, 1.0])
    B, targets = np.vstack([others, [place] * 3]), np.append(t, sign * np.array([1.0, -1.0, 1.0]))
    assert solve_ls_kpca(B, d, targets, 0.3, 500.0).report.status is Status.CONVERGED
    found, _, coefs = leave_out(B, d, targets, 0.3, np.array([500.0]))
    np.testing.assert_array_equal(found.hard[0], [False] * 6 + [True, False, True])
    # By hand: the leading coordinate is on its own, and takes what the others leave of the variance.
    multiplier = (1 + 2 * 0.3 * place[0] ** 2) / d[0]
    rest = others[:, 1:]
    coef = np.linalg.solve(np.diag(1 - multiplier * d[1:]) + 0.3 * rest.T @ rest, 0.3 * rest.T @ t)
    coef = np.append(np.sqrt((500.0 - d[1:] @ coef**2) / d[0]), coef)
    for i in (-3, -1):
        np.testing.assert_allclose(coefs[0, i], coef, atol=1e-10)
        assert found.multipliers[0, i] == pytest.approx(multiplier, rel=1e-12)
        assert found.predictions[0, i] > 0
    assert sign * found.predictions[0, -2] > 0


def test_hard_only_with_all_labels():
    """Two labels at one place cancel; without one of them, the other takes the side."""
    B = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, -0.4, 1.0]])
    d, t = np.array([4.0, 1.0, 0.5]), np.array([1.0, -1.0, -1.0, 1.0])
    assert solve_ls_kpca(B, d, t, 0.1, 30.0).report.status is Status.HARD_CASE
    found, _ = check(B, d, t, 0.1, np.array([30.0]), atol=1e-12)
    np.testing.assert_array_equal(found.hard, [[False, False, True, True]])
    assert found.predictions[0, 0] < 0 < found.predictions[0, 1]  # the wrong side, as it must be


@pytest.mark.parametrize("tiny", 10.0 ** -np.arange(2, 18))
def test_nearly_hard_cases(tiny):
    B = np.array([[tiny, 1.0, 0.3], [-tiny, 0.2, 1.0], [tiny, -0.5, 0.1]])
    d, t = np.array([4.0, 1.0, 0.5]), np.array([1.0, -1.0, 1.0])
    found, _ = check(B, d, t, 3.0, VARIANCES, atol=1e-9)
    assert found.residual.max() <= 1e-12


@pytest.mark.parametrize("variance", [1e-12, 1e-6, 1e6, 1e12])
def test_variances_far_off(variance):
    check(*plain(), 10.0, np.array([variance]))


def test_the_prediction_takes_the_place_of_the_label():
    """(H2): a function that has not seen a label is the one that has seen its own prediction there."""
    B, d, t = plain()
    found, values, _ = leave_out(B, d, t, 10.0, VARIANCES)
    for v, s2 in enumerate(VARIANCES):
        for i in range(len(t)):
            replaced = t.copy()
            replaced[i] = found.predictions[v, i]
            f = B @ solve_ls_kpca(B, d, replaced, 10.0, s2).coef
            np.testing.assert_allclose(values[v, i], f, atol=1e-9)


def test_batches_do_not_matter(monkeypatch):
    B, d, t = plain(30, 40)
    whole, _, _ = leave_out(B, d, t, 10.0, VARIANCES)
    monkeypatch.setattr(held_out, "CHUNK", 1)
    single, _, _ = leave_out(B, d, t, 10.0, VARIANCES)
    np.testing.assert_allclose(single.values, whole.values, atol=1e-12)
    np.testing.assert_allclose(single.multipliers, whole.multipliers, rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 5), (3, 5), (5, 5), (9, 5)])
def test_a_family_of_pencils_is_a_pencil_for_each_weight(shape):
    rng = np.random.default_rng(0)
    B, d = rng.standard_normal(shape), np.array([5.0, 3.0, 2.0, 1.0, 0.0])
    family = PencilFamily(B, d)
    for c in (1e-3, 1.0, 1e3):
        pencil, C = family.at(c), np.eye(5) + c * B.T @ B
        V = np.eye(5) if pencil.vectors is None else pencil.vectors
        np.testing.assert_allclose(V.T @ C @ V, np.eye(5), atol=1e-11)
        np.testing.assert_allclose((V.T * d) @ V, np.diag(pencil.theta), atol=1e-11)
        if len(B):
            np.testing.assert_allclose(pencil.reach, V.T @ (np.sqrt(c) * B).T, atol=1e-11)


def many_labels(n_labeled=90, rank=12, seed=0):
    rng = np.random.default_rng(seed)
    d = np.append(np.geomspace(50, 0.1, rank - 1), 0.0)
    B = rng.standard_normal((n_labeled, rank)) * np.sqrt(np.maximum(d, 0.1) / n_labeled)
    return B, d, np.where(rng.random(n_labeled) < 0.4, 1.0, -1.0)


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1e4])
def test_more_labels_than_coordinates(weight):
    B, d, t = many_labels()
    found, _ = check(B, d, t, weight, VARIANCES, atol=1e-8)
    assert found.predictions.shape == (3, 90)


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e5, 1e12, 1e20])
def test_more_labels_than_coordinates_by_both_ways_to_the_pencil(weight, monkeypatch):
    B, d, _ = many_labels()
    found, accuracy = PencilFamily(B, d).at(weight), pencil.BENIGN
    monkeypatch.setattr(pencil, "BENIGN", 0.0)
    expected = PencilFamily(B, d).at(weight)
    np.testing.assert_allclose(found.theta, expected.theta, rtol=accuracy, atol=1e-12 * expected.theta[0])
    np.testing.assert_allclose(found.reach, expected.reach, atol=10 * accuracy)
    np.testing.assert_allclose(found.reach @ found.reach.T + found.vectors.T @ found.vectors, np.eye(12), atol=accuracy)


def test_a_sum_of_points_gives_the_sum_of_the_values():
    B, d, t = many_labels()
    basis = pencil_of(B, d)
    each = leave_one_out(basis, np.ones(90), t, VARIANCES, B)
    total = leave_one_out(basis, np.ones(90), t, VARIANCES, B[t > 0].sum(axis=0)[None])
    np.testing.assert_allclose(total.values[:, :, 0], each.values[:, :, t > 0].sum(axis=2), atol=1e-10)
    alone = leave_one_out(basis, np.ones(90), t, VARIANCES)
    assert alone.values.shape == (3, 90, 0)
    np.testing.assert_array_equal(alone.predictions, each.predictions)


def test_hard_cases_are_found_from_any_start():
    """Without the only label that reaches the leading coordinate nothing pulls along it."""
    B, d, t = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([4.0, 1.0]), np.array([1.0, -1.0])
    pencil, variances = pencil_of(B, d), np.array([50.0])
    expected = leave_one_out(pencil, np.ones(2), t, variances)
    assert expected.hard[0, 0]
    for start in (-100.0, 0.0, 0.2, 10.0):
        task = held_out.HeldOutTask(t, variances, None, np.array([start]))
        (found,) = held_out.leave_one_out_each(pencil, np.ones(2), [task])
        np.testing.assert_array_equal(found.hard, expected.hard)
        np.testing.assert_allclose(found.predictions, expected.predictions, atol=1e-10)
    nothing = held_out.HeldOutTask(np.zeros(2), variances, None, np.array([0.1]))
    (found,) = held_out.leave_one_out_each(pencil, np.ones(2), [nothing], middle=True)
    assert found.hard.all()
    assert np.isfinite(found.residual).all()


@pytest.mark.parametrize("seed", range(0, 210, 7))
def test_several_targets_at_once_from_any_start_are_those_one_by_one(seed, monkeypatch):
    """In blocks of one label, with targets that differ, whatever multipliers the search starts from."""
    p = draw(seed, weights=(-3, 4))
    root = np.sqrt(np.broadcast_to(p.c, p.t.shape))
    pencil = pencil_of(root[:, None] * p.B, p.d)
    variances = p.s2 * np.array([0.1, 1.0])
    rng = np.random.default_rng(seed)
    targets = [p.t, -p.t, rng.permutation(p.t)]
    single = [leave_one_out(pencil, root, t, variances, p.B[:1]) for t in targets]
    for chunk, start in ((1, 0.0), (10**6, 0.9), (10**6, -50.0)):
        monkeypatch.setattr(held_out, "CHUNK", chunk)
        near = np.full(2, start / pencil.theta[0])
        tasks = [held_out.HeldOutTask(t, variances, p.B[:1], near) for t in targets]
        for one, other in zip(single, held_out.leave_one_out_each(pencil, root, tasks), strict=True):
            same = ~one.hard
            scale = np.abs(one.predictions).max() + 1e-300
            np.testing.assert_array_equal(one.hard, other.hard)
            np.testing.assert_allclose(one.predictions[same], other.predictions[same], atol=1e-6 * scale)
            assert other.residual.max() <= max(1e-7, 10 * one.residual.max())


@pytest.mark.parametrize("weight", [1.0, 1e3, 1e5])
def test_the_middle_of_held_out_optima_does_not_depend_on_the_basis_of_equal_variances(weight):
    # Components of a graph that is not connected: one with two labels alike, one with a single one, one with two that
    # contradict each other, two with none. Large label weights blur which eigenvalues of the pencil are equal.
    component, t = np.array([0, 0, 1, 2, 2, 1]), np.array([1.0, 1.0, -1.0, 1.0, -1.0, -1.0])
    d, variances = np.full(5, 10.0), np.array([[5.0], [60.0]]) * np.ones(6)
    answers = []
    for seed in range(20):
        Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((5, 5)))[0]
        for labels in (component, np.where(np.arange(6) == 5, 3, component)):
            B = np.eye(5)[labels] @ Q
            root = np.full(6, np.sqrt(weight))
            found = leave_one_out(
                PencilFamily(B, d).at(weight), root, t, variances, points=np.eye(5)[labels] @ Q, middle=True
            )
            answers.append(np.concatenate([found.predictions[:, :, None], found.values], axis=2))
    for number, answer in enumerate(answers):
        np.testing.assert_allclose(answer, answers[number % 2], atol=1e-6)
    alone = answers[1]  # label 2 is the only one of its component: without it nothing is known there
    np.testing.assert_allclose(alone[:, 2, 0], 0.0, atol=1e-6)
