import numpy as np
import pytest
from sklearn.datasets import load_digits

from sskpca import LSKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

X, y, _ = make_two_moons(120)
SHIFTED = X + np.array([0.3, 0.0])


def change(model):
    return np.mean((model.transform(SHIFTED) - model.transform(X)) ** 2)


def test_more_weight_means_less_change():
    changes = [
        change(LSKPCA(Gaussian(1.0), label_weight=1.0, invariance_weight=w).fit(X, y, invariances=(X, SHIFTED)))
        for w in (0.0, 0.1, 1.0, 10.0)
    ]
    assert all(np.diff(changes) < 0)


def test_no_weight_is_no_invariance():
    np.testing.assert_allclose(
        LSKPCA(invariance_weight=0.0).fit(X, y, invariances=(X, SHIFTED)).decision_,
        LSKPCA().fit(X, y).decision_,
        atol=1e-9,
    )


def test_the_optimum_is_proved_and_is_that_of_the_objective_with_the_penalty():
    model = LSKPCA(Gaussian(1.0), label_weight=2.0, variance=1.0, invariance_weight=0.5)
    model.fit(X, y, invariances=(X[:30], SHIFTED[:30]))
    report, coef = model.reports_[0], model.coef_[:, 0]
    f, labeled = model.transform(X)[:, 0], y >= 0
    difference = (model.transform(SHIFTED[:30]) - model.transform(X[:30]))[:, 0]
    by_hand = coef @ coef + 2.0 * np.sum((f[labeled] - (2 * y[labeled] - 1)) ** 2) + 0.5 * np.sum(difference**2)
    assert report.objective == pytest.approx(by_hand, rel=1e-6)
    assert abs(report.gap) < 1e-9


def test_shifted_digits_are_treated_alike():
    digits = load_digits(n_class=2)
    images = digits.images[:200]
    shifted = np.roll(images, 1, axis=2)
    data, moved = images.reshape(200, -1), shifted.reshape(200, -1)
    labels = np.where(np.arange(200) < 10, digits.target[:200], -1)
    plain = LSKPCA(label_weight=1.0).fit(data, labels)
    stiff = LSKPCA(label_weight=1.0, invariance_weight=10.0).fit(data, labels, invariances=(data, moved))
    assert np.mean((stiff.transform(moved) - stiff.transform(data)) ** 2) < 0.5 * np.mean(
        (plain.transform(moved) - plain.transform(data)) ** 2
    )


@pytest.mark.parametrize("pairs", [3, (X,), (X, SHIFTED[:5]), (X, SHIFTED[:, :1])])
def test_bad_pairs_are_refused(pairs):
    with pytest.raises(ValueError, match=r"pair|features"):
        LSKPCA().fit(X, y, invariances=pairs)
