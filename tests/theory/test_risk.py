import dataclasses

import mpmath
import numpy as np
import pytest

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian
from sskpca.solvers import solve_ls_kpca
from sskpca.theory import RiskBound, lskpca_risk_bound, ramp_loss, risk_bound, sgt_risk_bound
from sskpca.theory._risk import C0

GOOD = {"rank": 5, "variance": 100.0, "n_unlabeled": 90}


def orthonormal(rng, m, q):
    return np.linalg.qr(rng.standard_normal((m, q)))[0]


def signs(rng, number, l, n):  # noqa: E741
    """The random signs of transduction: +1 and -1 with probability ln/m^2 each, else 0."""
    p = l * n / (l + n) ** 2
    return rng.choice([1.0, -1.0, 0.0], size=(number, l + n), p=[p, p, 1 - 2 * p])


def test_constant():
    exact = mpmath.sqrt(mpmath.mpf(32) / 3 * mpmath.log(4 * mpmath.e))
    assert pytest.approx(float(exact), rel=1e-15) == C0
    assert 5.04 < C0 < 5.05


@pytest.mark.parametrize(
    ("l", "n", "rank", "variance", "delta", "margin"),
    [(10, 90, 5, 100.0, 0.05, 1.0), (100, 1400, 80, 750.0, 0.01, 0.5), (60, 7, 3, 0.3, 0.5, 2.0), (1, 1, 1, 2, 0.9, 1)],
)
def test_terms_by_hand(l, n, rank, variance, delta, margin):  # noqa: E741
    margins = np.random.default_rng(l).normal(0.5, 1.0, l)
    bound = lskpca_risk_bound(
        margins, rank=rank, variance=variance, n_unlabeled=n, delta=delta, margin=margin, threshold=None
    )
    with mpmath.workdps(40):
        r = mpmath.mpf(1) / l + mpmath.mpf(1) / n
        loss = sum(min(max(1 - mpmath.mpf(float(a)) / margin, 0), 1) for a in margins) / l
        terms = {
            "empirical": loss,
            "complexity": mpmath.sqrt(mpmath.mpf(2) * rank * variance / (l * n)) / margin,
            "threshold": 0,
            "slack": mpmath.sqrt(32 * mpmath.log(4 * mpmath.e) / 3) * r * mpmath.sqrt(min(l, n)),
            "confidence": mpmath.sqrt(2 * r * mpmath.log(1 / mpmath.mpf(delta))),
        }
    for name, value in terms.items():
        assert getattr(bound, name) == pytest.approx(float(value), rel=1e-13, abs=1e-15), name
    assert bound.total == pytest.approx(float(sum(terms.values())))
    assert (bound.n_labeled, bound.n_unlabeled, bound.rank, bound.delta) == (l, n, rank, delta)
    assert bound.vacuous == (bound.total >= 1)


def test_transducer_is_the_case_of_unit_variance():
    margins = np.linspace(-1, 2, 30)
    ours = lskpca_risk_bound(margins, rank=12, variance=100.0, n_unlabeled=70, margin=0.7, threshold=0.3)
    assert sgt_risk_bound(margins, rank=12, n_unlabeled=70, margin=0.7, threshold=0.3) == ours
    assert sgt_risk_bound(margins, rank=12, n_unlabeled=70).complexity == pytest.approx(
        np.sqrt(2 * 12 * (1 / 30 + 1 / 70))
    )


@pytest.mark.parametrize(
    ("threshold", "reach", "share"),
    [(0.0, 1 / 8, 2), (-0.125, 1 / 8, 2), (0.126, 1 / 4, 4), (-1.0, 1, 16), (7, 8, 128)],
)
@pytest.mark.parametrize("margin", [1.0, 0.25])
def test_price_of_a_chosen_threshold(threshold, reach, share, margin):
    r = 1 / 10 + 1 / 90
    bound = lskpca_risk_bound(np.ones(10), **GOOD, delta=0.1, margin=margin, threshold=threshold * margin)
    assert bound.threshold == pytest.approx(reach * np.sqrt(2 * r))
    assert bound.confidence == pytest.approx(np.sqrt(2 * r * np.log(share / 0.1)))
    assert bound.delta == 0.1


@pytest.mark.parametrize(("l", "n", "q"), [(10, 190, 6), (100, 100, 1), (150, 30, 40), (20, 380, 80)])
def test_complexity_is_close_to_the_rademacher_average(l, n, q):  # noqa: E741
    """The supremum over the ball of radius s in the range of U is s |U' sigma|, exactly."""
    rng = np.random.default_rng(q)
    s, number = 3.0, 4000
    U = orthonormal(rng, l + n, q)
    suprema = (1 / l + 1 / n) * s * np.linalg.norm(signs(rng, number, l, n) @ U, axis=1)
    mean, error = suprema.mean(), suprema.std() / np.sqrt(number)
    term = lskpca_risk_bound(np.ones(l), rank=q, variance=s**2, n_unlabeled=n).complexity
    assert mean - 4 * error <= term
    assert term <= 1.3 * mean  # Jensen loses sqrt(pi/2) where q is 1, little where it is large


def test_threshold_term_is_close_to_the_rademacher_average():
    rng = np.random.default_rng(0)
    l, n, q, s, beta = 40, 160, 5, 4.0, 0.5  # noqa: E741
    sigma = signs(rng, 4000, l, n)
    U = orthonormal(rng, l + n, q)
    suprema = (1 / l + 1 / n) * (s * np.linalg.norm(sigma @ U, axis=1) + beta * np.abs(sigma.sum(axis=1)))
    bound = lskpca_risk_bound(np.ones(l), rank=q, variance=s**2, n_unlabeled=n, threshold=beta)
    error = suprema.std() / np.sqrt(len(suprema))
    assert suprema.mean() - 4 * error <= bound.complexity + bound.threshold <= 1.3 * suprema.mean()


@pytest.mark.parametrize("noise", [0.1, 1.0], ids=["classes", "pure noise"])
def test_true_risk_is_below_the_bound(noise):
    """Overfitted on purpose: a huge label weight, and in one case labels that mean nothing."""
    rng = np.random.default_rng(3)
    m, l, q, delta, splits = 4000, 2000, 20, 0.2, 100  # noqa: E741
    classes = rng.choice([-1.0, 1.0], m)
    Z = np.linalg.qr(np.column_stack([classes, rng.standard_normal((m, q - 1))]))[0] * np.sqrt(np.linspace(q, 1, q))
    truth = np.where(rng.random(m) < noise, rng.choice([-1.0, 1.0], m), classes)
    d = np.sum(Z**2, axis=0)
    below, informative = 0, 0
    for _ in range(splits):
        order = rng.permutation(m)
        L, rest = order[:l], order[l:]
        f = Z @ solve_ls_kpca(Z[L], d, truth[L], 1e4, float(m)).coef
        bound = lskpca_risk_bound(truth[L] * f[L], rank=q, variance=float(m), n_unlabeled=m - l, delta=delta)
        risk = ramp_loss(truth[rest] * f[rest]).mean()
        assert np.mean(truth[rest] * f[rest] <= 0) <= risk
        below += risk <= bound.total
        informative += not bound.vacuous
    assert below >= (1 - delta) * splits
    assert informative == (splits if noise < 1 else 0)


@pytest.mark.parametrize("centered", [False, True])
def test_true_risk_of_a_model_is_below_its_bound(centered):
    """Chosen thresholds and centring included; here the bounds say something."""
    X, _, target = make_two_moons(1600, noise=0.05, random_state=0)
    rng = np.random.default_rng(0)
    first = LSKPCA(Gaussian(gamma=3.0), rank=6, centered=centered).fit(X, np.where(rng.random(1600) < 0.5, target, -1))
    for _ in range(10):
        y = np.full(1600, -1)
        L = rng.permutation(1600)[:800]
        y[L] = target[L]
        model = LSKPCA(coordinates=first.coordinates_, centered=centered).fit(X, y)
        (bound,) = risk_bound(model, y)
        signed = np.where(target == 1, 1.0, -1.0) * model.decision_
        assert bound.empirical == pytest.approx(ramp_loss(signed[y >= 0]).mean())
        assert ramp_loss(signed[y < 0]).mean() <= bound.total < 1


def test_monotone():
    def total(l=50, n=200, rank=5, variance=250.0, delta=0.05, margin=1.0, threshold=None):  # noqa: E741
        return lskpca_risk_bound(
            np.full(l, 9.0),
            rank=rank,
            variance=variance,
            n_unlabeled=n,
            delta=delta,
            margin=margin,
            threshold=threshold,
        ).total

    assert np.all(np.diff([total(rank=q) for q in (1, 2, 10, 100)]) > 0)
    assert np.all(np.diff([total(variance=v) for v in (1.0, 10.0, 100.0)]) > 0)
    assert np.all(np.diff([total(threshold=b) for b in (None, 0.0, 0.2, 1.0, -5.0)]) > 0)
    assert np.all(np.diff([total(delta=p) for p in (0.001, 0.05, 0.5)]) < 0)
    assert np.all(np.diff([total(margin=g) for g in (0.1, 1.0, 3.0)]) < 0)
    assert np.all(np.diff([total(l=k) for k in (5, 20, 50, 150, 1000)]) < 0)
    assert np.all(np.diff([total(n=k) for k in (60, 200, 1000, 10**6)]) < 0)
    # From fewer unlabelled points than labelled ones on, too: the slack is c0 (1/l + 1/n) sqrt(n) there.
    assert np.all(np.diff([total(n=k) for k in (5, 20, 40)]) < 0)


def test_below_26_labels_the_bound_is_vacuous_whatever_else_holds():
    easy = {"rank": 1, "variance": 1e-9, "delta": 0.999999}
    assert lskpca_risk_bound(np.ones(25), n_unlabeled=10**9, **easy).vacuous
    assert not lskpca_risk_bound(np.ones(26), n_unlabeled=10**9, **easy).vacuous


def test_ramp_loss():
    np.testing.assert_array_equal(ramp_loss([-1.0, 0.0, 0.5, 2.0, 9.0], 2.0), [1.0, 1.0, 0.75, 0.0, 0.0])
    with pytest.raises(ValueError, match="margin must be a finite positive number"):
        ramp_loss([1.0], 0.0)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"delta": 0.0}, "delta must be a number between 0 and 1, got 0.0"),
        ({"delta": 1.0}, "delta must be a number between 0 and 1"),
        ({"delta": float("nan")}, "delta must be a number between 0 and 1"),
        ({"delta": "small"}, "delta must be a number between 0 and 1, got 'small'"),
        ({"n_unlabeled": 0}, "n_unlabeled must be a whole number from 1 up, got 0"),
        ({"n_unlabeled": 3.5}, "n_unlabeled must be a whole number"),
        ({"rank": 0}, "rank must be a whole number from 1 up"),
        ({"rank": True}, "rank must be a whole number from 1 up, got True"),
        ({"rank": 101}, "rank must be at most the number of points, 100, got 101"),
        ({"variance": 0.0}, "variance must be a finite positive number"),
        ({"variance": float("inf")}, "variance must be a finite positive number"),
        ({"margin": -1.0}, "margin must be a finite positive number"),
        ({"threshold": float("nan")}, "threshold must be None or a finite number"),
        ({"margins": []}, "at least one; got an array of shape"),
        ({"margins": [[1.0]]}, "one finite number for each labelled point"),
        ({"margins": [1.0, float("nan")]}, "with NaN or infinity"),
    ],
)
def test_bad_input(changed, sentence):
    with pytest.raises(ValueError, match=rf"^lskpca_risk_bound: .*{sentence}"):
        lskpca_risk_bound(**({"margins": np.ones(10)} | GOOD | changed))
    if "variance" not in changed:
        rest = {"margins": np.ones(10)} | GOOD | changed
        del rest["variance"]
        with pytest.raises(ValueError, match=rf"^sgt_risk_bound: .*{sentence}"):
            sgt_risk_bound(**rest)


def test_a_bound_is_frozen():
    bound = sgt_risk_bound(np.ones(10), rank=5, n_unlabeled=90)
    assert isinstance(bound, RiskBound)
    with pytest.raises(dataclasses.FrozenInstanceError):
        bound.delta = 0.5


@pytest.mark.parametrize("method", [LSKPCA, LRKPCA])
def test_model_with_everything_fixed_before(method):
    """Then it is the paper's bound; a threshold that is a number shifts the functions, not their complexity."""
    X, y, target = make_two_moons(200)
    model = method(Gaussian(gamma=8.0), rank=10, centered=False, variance=0.8, threshold=0.1).fit(X, y)
    (bound,) = risk_bound(model, y, delta=0.1, margin=0.5)
    L = y >= 0
    margins = np.where(target[L] == 1, 1.0, -1.0) * model.decision_[L]
    wanted = lskpca_risk_bound(margins, rank=10, variance=160.0, n_unlabeled=192, delta=0.1, margin=0.5)
    assert dataclasses.astuple(bound) == pytest.approx(dataclasses.astuple(wanted), rel=1e-6)
    assert bound.threshold == 0


@pytest.mark.parametrize("centered", [False, True])
def test_model_with_what_the_labels_chose(centered):
    X, y, _ = make_two_moons(200)
    y[y.tolist().index(1)] = -1  # not evenly split: the automatic variance is below 1, and yet 1 is paid for
    model = LSKPCA(Gaussian(gamma=8.0), rank=10, centered=centered).fit(X, y)
    assert model.variance_[0] < 1
    (bound,) = risk_bound(model, y)
    q = np.linalg.matrix_rank(model.coordinates_.values - centered * model.coordinates_.mean)
    assert bound.rank == q
    assert bound.complexity == pytest.approx(np.sqrt(2 * q * (1 / 7 + 1 / 193)))
    f = model.transform(X)[:, 0]
    constant = model.threshold_[0] - centered * f.mean()
    np.testing.assert_allclose(f - centered * f.mean() - constant, model.decision_, atol=1e-8)
    assert np.sum((f - centered * f.mean()) ** 2) <= 200
    margins = np.where(y[y >= 0] == 1, 1.0, -1.0) * model.decision_[y >= 0]
    assert bound == lskpca_risk_bound(margins, rank=q, variance=200.0, n_unlabeled=193, threshold=constant)


def test_transducer_model():
    X, y, target = make_two_moons(200)
    model = SpectralGraphTransducer(10, 20, metric="euclidean", weights="gaussian").fit(X, y)
    (bound,) = risk_bound(model, y)
    margins = np.where(target[y >= 0] == 1, 1.0, -1.0) * model.decision_[y >= 0]
    wanted = sgt_risk_bound(margins, rank=20, n_unlabeled=192, threshold=0.0)
    assert dataclasses.astuple(bound) == pytest.approx(dataclasses.astuple(wanted))
    assert bound.vacuous


def test_several_classes_and_marks_of_ones_own():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    target = np.arange(90) % 3
    X = centres[target] + rng.standard_normal((90, 2))
    y = np.where(np.arange(90) < 12, np.array(["a", "b", "c"])[target], "later")
    model = LSKPCA(Gaussian(gamma=0.5), centered=False, threshold=0.0, variance=1.0, unlabeled="later").fit(X, y)
    bounds = risk_bound(model, y)
    assert len(bounds) == len(model.reports_) == 3
    for k, bound in enumerate(bounds):
        signed = np.where(target[:12] == k, 1.0, -1.0) * model.decision_[:12, k]
        assert bound.empirical == pytest.approx(ramp_loss(signed).mean())
        assert (bound.n_labeled, bound.n_unlabeled) == (12, 78)


def test_model_bad_input():
    X, y, _ = make_two_moons(60)
    model = LSKPCA(rank=5).fit(X, y)
    for other in (KPCA(), MVKPCA(), "LSKPCA"):
        with pytest.raises(TypeError, match="model must be an LSKPCA, LRKPCA or SpectralGraphTransducer, got"):
            risk_bound(other, y)
    with pytest.raises(ValueError, match="this LSKPCA is not fitted yet"):
        risk_bound(LSKPCA(), y)
    with pytest.raises(ValueError, match="y has 59 rows, but the model was fitted to 60"):
        risk_bound(model, y[:-1])
    with pytest.raises(ValueError, match="y is not what the model was fitted to"):
        risk_bound(model, np.where(y >= 0, 1 - y, -1))
    with pytest.raises(ValueError, match="y is not what the model was fitted to"):
        risk_bound(model, np.where(y >= 0, y + 5, -1))
    with pytest.raises(ValueError, match="y has no unlabelled rows"):
        risk_bound(model, model.transduction_)
    with pytest.raises(ValueError, match="delta must be"):
        risk_bound(model, y, delta=2)
