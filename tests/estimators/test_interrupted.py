"""A fit that is interrupted changes nothing: state changes at once, at the end."""

import sys

import numpy as np
import pytest

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca.datasets import make_two_moons

X, y, target = make_two_moons(60)
MODELS = [
    KPCA(3),
    LSKPCA(),
    LRKPCA(),
    MVKPCA(),
    SpectralGraphTransducer(n_neighbors=10, n_eigenvectors=10),
    SSKPCAClassifier(["rbf", "linear"]),
]


def lines_of(work):
    """Count the lines of the package that are run."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        if "sskpca" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def interrupted(work, after):
    """Interrupt after so many lines of the package, as Ctrl-C would."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        if "sskpca" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        if count == after:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        sys.settrace(None)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_an_interrupted_refit_predicts_as_before(model):
    other, new = X[::-1] * [2.0, -1.0] + 1.0, X[:5] + 0.1
    model.fit(X, y)
    before, state = model.transform(new), set(vars(model))
    number = lines_of(lambda: type(model)(**model.get_params()).fit(other, y))
    for after in np.linspace(1, 0.9 * number, 8).astype(int):
        interrupted(lambda: model.fit(other, y), after)
        np.testing.assert_array_equal(model.transform(new), before)
        assert set(vars(model)) == state


@pytest.mark.parametrize("model", MODELS[1:], ids=lambda model: type(model).__name__)
def test_a_refit_that_is_refused_changes_nothing(model):
    model.fit(X, y)
    before = model.transform(X)
    with pytest.raises(ValueError, match="look the same"):
        model.fit(np.ones((60, 2)), y)
    np.testing.assert_array_equal(model.transform(X), before)
