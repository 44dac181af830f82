"""LR-KPCA among the candidates, against fits from scratch."""

import numpy as np
import pytest

from sskpca import SSKPCAClassifier
from sskpca.datasets import make_two_moons
from sskpca.estimators.classifier import label_variance
from sskpca.estimators.labels import read_labels
from sskpca.kernels import Gaussian
from sskpca.selection.candidates import BEND, evaluate_logistic, of_unit_size
from sskpca.selection.explanation import explain
from sskpca.selection.portfolio import portfolio_coordinates
from sskpca.solvers import solve_lr_kpca

X, Y, _ = make_two_moons(80)


@pytest.mark.parametrize("weight", [0.1, 1.0])
def test_held_out_decisions_are_those_of_fits_from_scratch(weight):
    labels = read_labels(Y)
    (part,) = portfolio_coordinates([Gaussian(factor=4.0)], X, 30)[1]
    found = evaluate_logistic(part, labels, weight, 0.72)
    rows, t = part.values[labels.labeled], labels.targets(1)
    for i in range(len(t)):
        others = np.arange(len(t)) != i
        variance = 0.72 * label_variance(t[others])
        c = BEND * weight
        refit = solve_lr_kpca(rows[others], part.variances, t[others], c, 80 * variance)
        unit, cut, _ = of_unit_size(refit.coef, rows[others], t[others], part.mean, variance)
        assert found.held_out[0, 0, i] == pytest.approx(rows[i] @ unit - cut, abs=1e-5)
    assert found.residual <= 1e-6


def test_they_join_the_others_and_are_explained():
    model = SSKPCAClassifier([Gaussian(factor=4.0)], methods=("ls", "lr"), rank=30).fit(X, Y)
    table = model.candidates_
    assert sorted(table["label_weight"][table["method"] == "lr"]) == [0.1, 1.0, 10.0]
    assert table["weight"].sum() == pytest.approx(1)
    # All weight on the logistic ones: what labels do not speak for is the threshold, found without them.
    ensemble = model._ensemble
    (found,) = ensemble.found
    weights = (found.methods == "lr") / 3.0
    object.__setattr__(ensemble, "weights", [weights])
    threshold = float(weights @ found.thresholds[:, 0])
    model.decision_ = model.coordinates_[0].values @ (weights @ found.coef[:, 0]) - threshold
    for row in (0, 17, 60):
        split = explain(model, row)
        sign = 1 if split.label == 1 else -1
        assert split.offset == pytest.approx(-sign * threshold, abs=1e-5)
