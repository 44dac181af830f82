"""Each warning points to the line that the user has written, by whatever way it came."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sskpca import LRKPCA, LSKPCA, SSKPCAClassifier
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

X, y, target = make_two_moons(60)
TWICE, LABELS = np.vstack([X, X[:1]]), np.append(y, -1)
LABELS[0], OTHER = target[0], 1 - target[0]
impatient = LRKPCA(max_iter=1, tol=1e-15, label_weight=1e3)
automatic = SSKPCAClassifier([Gaussian()])


CALLS = {
    "minus one, fit": ("-1 is taken for", lambda: LSKPCA().fit(X, 2 * target - 1)),
    "minus one, mapping": ("-1 is taken for", lambda: LSKPCA().fit(X, {0: -1, 1: 1})),
    "minus one and missing": ("both are taken", lambda: LSKPCA().fit(X, [*y[:-1], None])),
    "column": ("column-vector", lambda: LSKPCA().fit(X, y[:, None])),
    "column, fit_transform": ("column-vector", lambda: LSKPCA().fit_transform(X, y[:, None])),
    "column, pipeline": ("column-vector", lambda: make_pipeline(StandardScaler(), LSKPCA()).fit(X, y[:, None])),
    "alone, fit": ("one labelled row", lambda: clone(automatic).fit(X, {0: "a", 1: "b"})),
    "alone, update": ("one labelled row", lambda: clone(automatic).fit(X).update_labels([0, 1], ["a", "b"])),
    "twins, fit": ("are the same", lambda: clone(automatic).fit(TWICE, np.append(LABELS[:-1], OTHER))),
    "twins, update": ("are the same", lambda: clone(automatic).fit(TWICE, LABELS).update_labels(60, OTHER)),
    "convergence, fit": ("raise max_iter", lambda: clone(impatient).fit(X, y)),
    "convergence, update": ("raise max_iter", lambda: clone(impatient).fit(X, y).update_labels(3, target[3])),
    "convergence, leave-one-out": ("raise max_iter", lambda: clone(impatient).fit(X, y).leave_one_out()),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_warning_points_to_the_line_of_the_user(case):
    words, call = CALLS[case]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    lines, first = inspect.getsourcelines(call)
    found = [warning for warning in caught if words in str(warning.message)]
    assert found
    for warning in found:
        assert warning.filename == __file__
        assert first <= warning.lineno < first + len(lines)
