"""Collections of other packages are rows as soon as their package has registered a source, and nobody else asks."""

import subprocess
import sys

import dask.array as da
import numpy as np
import pytest

from sskpca import LSKPCA
from sskpca._sources import _SOURCES, Source, register, source_of
from sskpca.rows import ArrayRows
from sskpca.rows._source import as_rows, collected, each_row

X = np.random.default_rng(0).standard_normal((30, 2))


class Table:
    """Stands for a collection of some other package."""

    __module__ = "elsewhere.tables"

    def __init__(self, X):
        self.X = X


@pytest.fixture
def elsewhere():
    register(
        "elsewhere",
        lambda: Source(
            rows=lambda table: ArrayRows(table.X),
            each=lambda table, function, example: Table(function(table.X, 0)),
            collect=lambda table: table.X,
        ),
    )
    yield
    del _SOURCES["elsewhere"]


def test_an_array_needs_no_source():
    assert source_of(X) is None
    assert as_rows(X) is None
    assert collected(X) is X
    np.testing.assert_array_equal(each_row(X, lambda block, first: block + first, X), X)


def test_a_registered_package_gives_rows_to_every_estimator(elsewhere):
    y = np.where(np.arange(30) < 10, np.arange(30) % 2, -1)
    found = LSKPCA(coordinates="nystrom", n_landmarks=10).fit(Table(X), y)
    expected = LSKPCA(coordinates="nystrom", n_landmarks=10).fit(ArrayRows(X), y)
    np.testing.assert_array_equal(found.decision_, expected.decision_)
    np.testing.assert_array_equal(found.predict(Table(X)), expected.predict(X))


def test_values_of_a_registered_package_stay_there_until_they_are_collected(elsewhere):
    twice = each_row(Table(X), lambda block, _: 2 * block, X[:0])
    assert isinstance(twice, Table)
    np.testing.assert_array_equal(collected(twice), 2 * X)


def test_lazy_arrays_stay_lazy():
    lazy = da.from_array(X, chunks=(7, 2))
    numbered = each_row(lazy, lambda block, first: block[:, 0] + first, np.empty(0))
    assert isinstance(numbered, da.Array)
    np.testing.assert_allclose(collected(numbered), X[:, 0] + 7 * (np.arange(30) // 7))


def test_dask_is_not_imported_before_one_of_its_collections_is_met():
    program = (
        "import sys; import numpy as np; from sskpca import LSKPCA; "
        "LSKPCA().fit(np.random.default_rng(0).standard_normal((9, 2)), [0, 1] + 7 * [-1]); "
        "print('dask' in sys.modules, 'sskpca.distributed' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
