"""Kernels deformed by a graph, where the base kernel has few directions or the graph is strong."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sskpca import LSKPCA
from sskpca.kernels import Gaussian, Linear, ManifoldRegularized

X = np.random.default_rng(0).standard_normal((60, 3))
Y = np.full(60, -1)
Y[[0, 3, 35, 38]] = [0, 0, 1, 1]


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_a_deformed_linear_kernel_stays_linear_on_whatever_scale(scale):
    """What rounding leaves of the other directions is not shrunk by the graph, and must not take over."""
    with warnings.catch_warnings():
        # At 1e6 the label weight is more than the kernel's rounding bears; the function is linear all the same.
        warnings.filterwarnings("ignore", "LSKPCA: a label weight of .* magnifies the rounding", ConvergenceWarning)
        model = LSKPCA(ManifoldRegularized(Linear())).fit(scale * X, Y)
    assert model.coordinates_.rank == 3
    design = np.column_stack([X, np.ones(60)])
    linear = design @ np.linalg.lstsq(design, model.decision_)[0]
    np.testing.assert_allclose(linear, model.decision_, atol=1e-10)
    np.testing.assert_allclose(model.decision_function(scale * X), model.decision_, atol=1e-10)


@pytest.mark.parametrize(("strength", "tol"), [(1.0, 1e-10), (1e6, 1e-7), (1e9, 1e-4)])
def test_strong_graphs_answer_alike_for_the_data_and_for_new_rows(strength, tol):
    model = LSKPCA(ManifoldRegularized(Gaussian(), strength)).fit(X, Y)
    size = np.abs(model.decision_).max()
    np.testing.assert_allclose(model.decision_function(X), model.decision_, atol=tol * size)


def test_rows_that_cannot_be_told_apart_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="look the same"):
        LSKPCA(ManifoldRegularized(Linear())).fit(np.zeros((60, 3)), Y)
    with pytest.raises(ValueError, match=r"StandardScaler|look the same"):
        LSKPCA(ManifoldRegularized(Linear())).fit(1e-3 * X + 1e8, Y)
