import numpy as np
import pytest

from sskpca.solvers import HuberHinge
from sskpca.solvers._losses import LOSSES

a = np.linspace(-12, 12, 2401) + 1e-3  # off the kinks


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_are_those_of_the_value(name):
    loss, h = LOSSES[name], 1e-5
    np.testing.assert_allclose(loss.slope(a), (loss.value(a + h) - loss.value(a - h)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(loss.second(a), (loss.slope(a + h) - loss.slope(a - h)) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("name", LOSSES)
def test_majorant_touches_and_is_nowhere_below(name):
    loss = LOSSES[name]
    for point in a[::40]:
        at = np.array([point])
        parabola = loss.value(at) + loss.slope(at) * (a - at) + loss.majorant(at) / 2 * (a - at) ** 2
        assert np.all(parabola >= loss.value(a) - 1e-8)
        assert loss.majorant(at) > 0


@pytest.mark.parametrize("name", LOSSES)
def test_convexity_is_declared_truly(name):
    loss = LOSSES[name]
    assert loss.convex == bool(np.all(loss.second(a) >= 0))
    assert np.all(loss.value(a) >= 0)


@pytest.mark.parametrize("name", LOSSES)
def test_no_overflow_far_out(name):
    far = np.array([-1e6, -800.0, 800.0, 1e6])
    loss = LOSSES[name]
    for function in (loss.value, loss.slope, loss.second, loss.majorant):
        assert np.all(np.isfinite(function(far)))


def test_huber_hinge_tends_to_the_hinge():
    np.testing.assert_allclose(HuberHinge(1e-9).value(a), np.maximum(1 - a, 0), atol=1e-8)
