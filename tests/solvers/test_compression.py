"""A smaller problem with the same solutions, and the plane of label weights and variances that is solved on it."""

import numpy as np
import pytest

from sskpca import LSKPCA
from sskpca.datasets import load_ssl_book
from sskpca.solvers import _plane as plane
from sskpca.solvers import solve_ls_kpca
from sskpca.solvers._compression import Compressed, _nodes, _sizes, compress
from sskpca.solvers._plane import leave_fold_out_plane, leave_one_out_plane

RANK, N_LABELED = 400, 20
DECAYS = {
    "exponential": lambda k: 100 * np.exp(-k / 25),
    "fast": lambda k: 100 * np.exp(-k / 5),
    "power": lambda k: 100 / (1 + k) ** 1.5,
    "slow": lambda k: 100 / np.sqrt(1 + k),
}
WEIGHTS, VARIANCES = np.array([0.01, 1.0, 100.0]), np.array([10.0, 100.0, 300.0])


def problem(seed, decay="power"):
    """Draw labelled points with a decaying spectrum; the last coordinate is constant."""
    rng = np.random.default_rng(seed)
    d = DECAYS[decay](np.arange(RANK))
    d[-1] = 0.0
    B = rng.standard_normal((N_LABELED, RANK)) * np.sqrt(np.maximum(d, 1e-3) / 100)
    return B, d, rng.choice([-1.0, 1.0], N_LABELED)


def in_full(B, d, t, weights=WEIGHTS, variances=VARIANCES):
    """Return the values of the plane without compression."""
    found = plane._solve(Compressed(B, d, 0.0), t, weights, variances)
    return np.array([part.values for part in found[0]])


def seen(rows, spectrum, zeta):
    return (rows / (1 - zeta * spectrum)) @ rows.T


@pytest.mark.parametrize("decay", DECAYS)
@pytest.mark.parametrize("seed", range(4))
def test_the_plane_is_the_same_with_and_without(seed, decay):
    B, d, t = problem(seed, decay)
    found, expected = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES), in_full(B, d, t)
    assert found.rank <= 0.75 * RANK
    assert 0 < found.error <= 1e-11
    assert found.residual <= 1e-9
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8 * np.sqrt(np.mean(expected**2)))
    own = np.diagonal(found.values, axis1=2, axis2=3)
    np.testing.assert_allclose(found.predictions, own, rtol=0, atol=1e-9 * np.sqrt(np.mean(expected**2)))
    assert found.hard.shape == found.predictions.shape == (3, 3, N_LABELED)


@pytest.mark.parametrize("decay", DECAYS)
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6, 1e-8, 1e-11])
def test_the_error_is_honest_and_as_small_as_wanted(decay, tol):
    B, d, _ = problem(0, decay)
    low, high = -1.0, 1.05 / d[0]
    small = compress(B, d, low, high, tol)
    assert small.error <= tol
    rng = np.random.default_rng(0)
    # Half of them evenly spread, half as the nodes are; what was kept has its poles here, where T is large.
    even = rng.uniform(low, high, 25)
    uneven = (1 - np.exp(rng.uniform(np.log(0.05), np.log1p(-low * d[0]), 25))) / d[0]
    errors = []
    for zeta in np.append(even, uneven[uneven <= high]):
        T = seen(B, d, zeta)
        errors.append(np.linalg.norm(T - seen(small.rows, small.spectrum, zeta)) / np.linalg.norm(T))
    assert max(errors) <= 1.5 * small.error + 1e-13


def test_looser_is_smaller():
    B, d, _ = problem(0)
    sizes = [len(compress(B, d, -1.0, 1.05 / d[0], tol).spectrum) for tol in (1e-2, 1e-4, 1e-8, 1e-11)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_exact_at_the_nodes_with_the_derivative():
    """(R1): a space that holds the answers at the nodes gives T and its slope there."""
    B, d, _ = problem(0)
    low, high, tol = -1.0, 1.05 / d[0], 1e-2
    kept, n_nodes = _sizes(N_LABELED, d, low, high, tol)
    small = compress(B, d, low, high, tol)
    assert len(small.spectrum) == kept + n_nodes * N_LABELED
    for zeta in _nodes(low, high, d[kept], n_nodes):
        np.testing.assert_allclose(
            seen(small.rows, small.spectrum, zeta), seen(B, d, zeta), atol=1e-12 * np.abs(seen(B, d, zeta)).max()
        )
        slope = (B * d / (1 - zeta * d) ** 2) @ B.T
        approximate = (small.rows * small.spectrum / (1 - zeta * small.spectrum) ** 2) @ small.rows.T
        np.testing.assert_allclose(approximate, slope, atol=1e-12 * np.abs(slope).max())


@pytest.mark.parametrize("decay", DECAYS)
@pytest.mark.parametrize(("weight", "variance"), [(0.1, 300.0), (1.0, 100.0), (100.0, 30.0)])
def test_solutions_of_the_smaller_problem_solve_the_full_one(decay, weight, variance):
    B, d, t = problem(1, decay)
    solution = solve_ls_kpca(B, d, t, weight, variance)
    low, high = 2 * min(solution.report.multiplier, 0.0) - 0.1 / d[0], max(solution.report.multiplier, 1 / d[0])
    small = compress(B, d, low, high)
    assert len(small.spectrum) < RANK
    assert np.all(np.diff(small.spectrum) <= 0)
    reduced = solve_ls_kpca(small.rows, small.spectrum, t, weight, variance)
    np.testing.assert_allclose(small.rows @ reduced.coef, B @ solution.coef, atol=1e-9)
    assert reduced.report.objective == pytest.approx(solution.report.objective, rel=1e-10)
    assert reduced.report.multiplier == pytest.approx(solution.report.multiplier, rel=1e-8)


def test_variances_that_differ_by_label():
    B, d, t = problem(0)
    variances = VARIANCES[:, None] * np.linspace(0.5, 2.0, N_LABELED)
    found, expected = leave_one_out_plane(B, d, t, WEIGHTS, variances), in_full(B, d, t, variances=variances)
    assert found.rank < RANK
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8 * np.sqrt(np.mean(expected**2)))
    alone = leave_one_out_plane(B, d, t, WEIGHTS, variances[:, 7])
    np.testing.assert_allclose(found.values[:, :, 7], alone.values[:, :, 7], atol=1e-8)


def test_small_problems_are_left_alone():
    B, d, t = problem(0)
    B, d = B[:, :60], d[:60]
    found = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES)
    assert found.rank == 60
    assert found.error == 0
    np.testing.assert_array_equal(found.values, in_full(B, d, t))


@pytest.mark.parametrize("spectrum", [np.full(RANK, 2.0), np.linspace(2.0, 1.9, RANK)], ids=["equal", "nearly equal"])
def test_nothing_is_compressed_where_nothing_is_saved(spectrum):
    B, _, t = problem(0)
    same = compress(B, spectrum, -1.0, 0.5)
    assert same.rows is B
    assert same.error == 0
    assert leave_one_out_plane(B, spectrum, t, WEIGHTS, VARIANCES).rank == RANK


@pytest.mark.parametrize("see", [0, 1, 5])
def test_labels_that_see_the_first_coordinates_only(see):
    B, d, t = problem(0)
    B[:, see:] = 0.0
    assert len(compress(B, d, -1.0, 1 / d[0]).spectrum) < RANK
    found, expected = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES), in_full(B, d, t)
    assert np.isfinite(found.values).all()
    np.testing.assert_allclose(found.values, expected, atol=1e-8 * (1 + np.abs(expected).max()))


def test_a_coordinate_exactly_at_the_upper_bound():
    B, d, _ = problem(0)
    small = compress(B, d, -1.0, 1 / d[10])
    assert small.error <= 1e-11


@pytest.mark.parametrize("twin", [1.0, -1.0])
def test_duplicates_are_compressed_too(twin):
    B, d, t = problem(0)
    B[10:], t[10:] = B[:10], twin * t[:10]
    found, expected = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES), in_full(B, d, t)
    assert found.rank < RANK
    np.testing.assert_allclose(found.values, expected, atol=1e-8 * np.sqrt(np.mean(expected**2)))


def test_multipliers_out_of_range_widen_it(monkeypatch):
    B, d, t = problem(1)
    high = plane._expected(B, d, t, WEIGHTS.max(), VARIANCES.min())[1]
    monkeypatch.setattr(plane, "_expected", lambda *_: (-1e-6 / d[0], high))
    found, expected = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES), in_full(B, d, t)
    assert found.rank < RANK
    assert found.error <= 1e-11
    np.testing.assert_allclose(found.values, expected, atol=1e-8 * np.sqrt(np.mean(expected**2)))
    folds = leave_fold_out_plane(B, d, t, WEIGHTS, VARIANCES, np.arange(N_LABELED))
    assert folds.rank < RANK
    np.testing.assert_allclose(folds.values, expected, atol=1e-8 * np.sqrt(np.mean(expected**2)))


def test_labels_that_contradict_each_other_until_one_is_left_out():
    """With all labels the function has to be made larger, without one of them much smaller."""
    B, d, t = problem(2)
    B, t = B[[0, 0]], np.array([1.0, -1.0])
    weights, variances = np.array([1000.0]), np.array([1e-3])
    low = plane._expected(B, d, t, 1000.0, 1e-3)[0]
    assert solve_ls_kpca(B[1:], d, t[1:], 1000.0, 1e-3).report.multiplier < 100 * low
    found, expected = leave_one_out_plane(B, d, t, weights, variances), in_full(B, d, t, weights, variances)
    assert found.rank < RANK
    np.testing.assert_allclose(found.values, expected, atol=1e-8 * np.sqrt(np.mean(expected**2)))


@pytest.mark.parametrize("name", ["BCI", "USPS", "Digit1"])
def test_the_books_data_agree_with_refits(name):
    book = load_ssl_book(name, 100, 1)
    coordinates = LSKPCA().fit(book.data, book.y).coordinates_
    B, d, m = coordinates.values[book.labeled], coordinates.variances, len(book.y)
    t = np.where(book.target[book.labeled] == 1, 1.0, -1.0)
    weights, variances = np.array([0.1, 100.0]), m * np.array([0.3, 0.9])
    found = leave_one_out_plane(B, d, t, weights, variances)
    assert found.residual <= 1e-12
    assert (found.rank < len(d)) == (m == 1500)
    for k, c in enumerate(weights):
        for v, s2 in enumerate(variances):
            refits = np.array(
                [B @ solve_ls_kpca(np.delete(B, i, 0), d, np.delete(t, i), c, s2).coef for i in range(len(t))]
            )
            size = np.sqrt(np.mean(refits**2))
            np.testing.assert_allclose(found.values[k, v], refits, rtol=0, atol=1e-6 * size)
            np.testing.assert_allclose(found.predictions[k, v], np.diag(refits), rtol=0, atol=1e-6 * size)


def test_few_labels_in_a_flat_spectrum_are_solved_one_by_one(monkeypatch):
    rng = np.random.default_rng(5)
    d = np.linspace(1.0, 0.99, 500)
    B = rng.standard_normal((5, 500)) * np.sqrt(d / 500)
    t = np.array([1.0, -1.0, 1.0, -1.0, -1.0])
    weights, variances = np.array([0.1, 10.0]), np.array([0.5, 2.0])[:, None] * np.array([1.0, 1.0, 1.1, 1.2, 0.9])
    found = leave_one_out_plane(B, d, t, weights, variances)
    assert found.rank == 500
    monkeypatch.setattr(plane, "EIGENPROBLEM", 0)
    expected = leave_one_out_plane(B, d, t, weights, variances)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-8)
    np.testing.assert_array_equal(found.hard, expected.hard)
    assert found.residual < 1e-9


@pytest.mark.parametrize("decay", ["power", "slow"])
def test_sums_of_values_instead_of_all_values(decay):
    B, d, t = problem(0, decay)
    sums = np.stack([t > 0, t <= 0]).astype(float)
    whole = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES)
    found = leave_one_out_plane(B, d, t, WEIGHTS, VARIANCES, sums=sums)
    assert found.values.shape == (3, 3, N_LABELED, 2)
    np.testing.assert_allclose(found.values, whole.values @ sums.T, atol=1e-9 * np.abs(whole.values).max())
    np.testing.assert_array_equal(found.predictions, whole.predictions)


def test_a_range_beyond_all_digits_is_not_compressed():
    B, d, t = problem(0)
    small = compress(B, d, -1e20, 0.5 / d[0])
    assert small.rows is B
    found = leave_one_out_plane(B, d, t, np.array([1e12]), np.array([1e-10]))
    assert np.isfinite(found.predictions).all()
