import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from sskpca.solvers._report import Status
from sskpca.solvers._secular import solve_secular, solve_secular_each

exponent = st.floats(-8, 8)


@settings(max_examples=400, deadline=None)
@given(
    theta=st.lists(exponent, min_size=1, max_size=12),
    linear=st.lists(st.floats(-1, 1), min_size=12, max_size=12),
    scale=exponent,
    variance=exponent,
    copies=st.integers(0, 3),
    silent=st.booleans(),
)
def test_root_is_stationary_feasible_and_left_of_the_pole(theta, linear, scale, variance, copies, silent):
    theta = np.sort(10.0 ** np.array(theta))[::-1]
    theta = np.concatenate([np.full(copies, theta[0]), theta])
    e = 10**scale * np.resize(np.array(linear), len(theta))
    if silent:
        e[theta == theta[0]] = 0.0
    s2 = 10.0**variance
    root = solve_secular(theta, e, s2)
    assert root.status is not Status.MAX_ITER
    assert root.gap >= 0
    assert theta @ root.coords**2 == pytest.approx(s2, rel=1e-9)
    size = np.linalg.norm(e) + np.linalg.norm(root.denominators * root.coords)
    least = 1e-149 * np.sqrt(s2 / theta[0])  # what would make the gap underflow counts as zero
    assert np.linalg.norm(root.denominators * root.coords - e) <= 1e-9 * size + least


def test_multiplier_is_the_smallest_real_eigenvalue_of_gander_golub_and_von_matt():
    rng = np.random.default_rng(0)
    for _ in range(50):
        theta = np.sort(rng.random(6) + 0.1)[::-1]
        e = rng.standard_normal(6)
        root = solve_secular(theta, e, 2.0)
        D, eye = np.diag(theta), np.eye(6)
        zeta = scipy.linalg.eigvals(
            np.block([[eye, -D], [-np.outer(e, e) / 2.0, eye]]), np.block([[D, 0 * D], [0 * D, D]])
        )
        real = zeta[np.abs(zeta.imag) < 1e-7].real
        assert (1 - root.gap) / theta[0] == pytest.approx(real.min(), abs=1e-6)


@pytest.mark.parametrize("distance", [1e-13, 1e-12, 1e-10, 1e-8])
def test_next_to_the_leading_eigenvalue_another_takes_nothing_away_from_it(distance):
    """What counted as a leak from the second coordinate was a quarter of the linear term, and got lost."""
    theta, e = np.array([1 + distance, 1.0]), np.array([0.25, 1.0])
    root = solve_secular(theta, e, 1.0)
    np.testing.assert_allclose(root.denominators * root.coords, e, rtol=1e-9)
    gaps, middle = solve_secular_each(theta, e[None], np.array([1.0]))
    np.testing.assert_allclose(middle[0], root.coords, rtol=1e-9)
    assert gaps[0] == pytest.approx(root.gap)


def test_zero_linear_term_is_the_hard_case():
    root = solve_secular(np.array([2.0, 1.0]), np.zeros(2), 8.0)
    assert root.status is Status.HARD_CASE
    np.testing.assert_allclose(root.coords, [2.0, 0.0])


def test_the_middle_of_all_optima_has_nothing_that_labels_do_not_reach():
    hard = solve_secular(np.array([4.0, 4.0, 1.0]), np.array([0.0, 0.0, 0.5]), 9.0)
    assert hard.status == Status.HARD_CASE
    np.testing.assert_allclose(hard.middle, [0.0, 0.0, hard.coords[2]])
    easy = solve_secular(np.array([4.0, 1.0]), np.array([0.1, 0.5]), 9.0)
    np.testing.assert_array_equal(easy.middle, easy.coords)


def test_several_problems_at_once_are_those_one_by_one():
    rng = np.random.default_rng(0)
    for seed in range(60):
        theta = np.sort(10.0 ** rng.uniform(-6, 2, 8))[::-1]
        if seed % 3 == 0:
            theta[1] = theta[0]
        if seed % 4 == 0:
            theta[-1] = 0.0
        linear = rng.standard_normal((5, 8)) * 10.0 ** rng.uniform(-3, 3, (5, 1))
        linear[0, theta == theta[0]] = 0.0  # perhaps a hard case
        linear[1] = 0.0
        variances = 10.0 ** rng.uniform(-3, 3, 5)
        gaps, middle = solve_secular_each(theta, linear, variances)
        for e, s2, gap, x in zip(linear, variances, gaps, middle, strict=True):
            root = solve_secular(theta, e, s2)
            assert gap == pytest.approx(root.gap, rel=1e-9, abs=1e-300)
            np.testing.assert_allclose(x, root.middle, rtol=1e-8, atol=1e-12 * np.sqrt(s2 / theta[0]))
