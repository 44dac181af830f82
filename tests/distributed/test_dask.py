"""Collections of Dask give the answers of an array in this process, and stay lazy."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import clone

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SSKPCAClassifier
from sskpca._transduction.labels import labels_by_row
from sskpca.datasets import make_two_moons
from sskpca.distributed import DaskRows
from sskpca.distributed._rows import dask_rows
from sskpca.kernels import Gaussian, Linear, Mixture
from sskpca.rows._source import as_rows

X, y, target = make_two_moons(600, n_labeled=30, random_state=1)
NEW = make_two_moons(200, random_state=2)[0]
LABELS = {int(row): int(y[row]) for row in np.flatnonzero(y >= 0)}
OPTIONS = {"kernel": Gaussian(gamma=4.0), "coordinates": "nystrom", "n_landmarks": 60, "label_weight": 10.0}


def sparse(X):
    meta = scipy.sparse.csr_array((0, 0), dtype=X.dtype)
    return da.from_array(X, chunks=(130, 2)).map_blocks(scipy.sparse.csr_array, meta=meta)


def table(X):
    return dd.from_pandas(pd.DataFrame(X, columns=["a", "b"], index=np.arange(len(X))[::-1]), npartitions=4, sort=False)


def unknown(X):
    whole = da.from_array(np.vstack([X, X + 100]), chunks=(90, 2))
    return whole[whole[:, 0] < 50]


SOURCES = {
    "array": lambda X: da.from_array(X, chunks=(130, 2)),
    "one chunk": lambda X: da.from_array(X, chunks=X.shape),
    "uneven chunks": lambda X: da.from_array(X, chunks=((1, 99, 0, len(X) - 170, 70), (1, 1))),
    "sparse": sparse,
    "table": table,
    "unknown lengths": unknown,
}


@pytest.fixture(params=SOURCES)
def source(request):
    return SOURCES[request.param]


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA, MVKPCA])
def test_the_decisions_are_those_of_the_array(estimator, source):
    whole = estimator(**OPTIONS).fit(X, y)
    lazy = estimator(**OPTIONS).fit(source(X), LABELS)
    size = np.abs(whole.decision_).max()
    for found in (lazy.decision_, lazy.transduction_, lazy.predict(source(NEW))):
        assert isinstance(found, da.Array)
    np.testing.assert_allclose(lazy.decision_.compute(), whole.decision_, atol=1e-6 * size)
    np.testing.assert_array_equal(lazy.transduction_.compute(), whole.transduction_)
    new = lazy.decision_function(source(NEW))
    np.testing.assert_allclose(new.compute(), whole.decision_function(NEW), atol=1e-6 * size)
    np.testing.assert_array_equal(lazy.predict(source(NEW)).compute(), whole.predict(NEW))
    assert lazy.predict(source(NEW)).dtype == whole.predict(NEW).dtype


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_any_scheduler_gives_the_decisions_of_the_array(scheduler, source):
    with dask.config.set(scheduler=scheduler):
        lazy = LSKPCA(**OPTIONS).fit(source(X), LABELS)
        np.testing.assert_allclose(lazy.decision_.compute(), LSKPCA(**OPTIONS).fit(X, y).decision_, atol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": Mixture(Gaussian(gamma=4.0), Linear(), 0.7)},
        {"kernel": Gaussian(gamma=0.05)},  # smooth: features are whitened row by row
        {"landmarks": X[::10]},
        {"rank": 20},
        {"centered": False},
    ],
    ids=repr,
)
def test_every_route_gives_the_decisions_of_the_array(options):
    whole = LSKPCA(**(OPTIONS | options)).fit(X, y)
    lazy = LSKPCA(**(OPTIONS | options)).fit(SOURCES["uneven chunks"](X), LABELS)
    np.testing.assert_allclose(lazy.decision_, whole.decision_, atol=1e-6 * np.abs(whole.decision_).max())


def test_three_classes():
    three = np.where(X[:, 0] > 1, 2, target)
    some = {int(row): f"class {three[row]}" for row in range(0, 600, 20)}
    whole = LSKPCA(**OPTIONS).fit(X, some)
    lazy = LSKPCA(**OPTIONS).fit(SOURCES["array"](X), some)
    np.testing.assert_allclose(lazy.decision_, whole.decision_, atol=1e-6)
    np.testing.assert_array_equal(lazy.transduction_, whole.transduction_)
    np.testing.assert_array_equal(lazy.predict(SOURCES["array"](NEW)), whole.predict(NEW))


def test_components_are_those_of_the_array():
    options = {name: OPTIONS[name] for name in ("kernel", "coordinates", "n_landmarks")}
    whole, lazy = KPCA(4, **options).fit(X), KPCA(4, **options).fit(SOURCES["array"](X))
    np.testing.assert_allclose(lazy.eigenvalues_, whole.eigenvalues_, rtol=1e-9)
    new = lazy.transform(SOURCES["array"](NEW))
    assert isinstance(new, da.Array)
    np.testing.assert_allclose(np.abs(new), np.abs(whole.transform(NEW)), atol=1e-6)
    again = KPCA(4, **options).fit_transform(SOURCES["array"](X))
    np.testing.assert_allclose(np.abs(again), np.abs(whole.transform(X)), atol=1e-6)


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA, MVKPCA])
def test_labels_come_and_go_and_are_left_out(estimator):
    some = dict(list(LABELS.items())[:8])
    whole, lazy = (estimator(**OPTIONS).fit(data, some) for data in (X, SOURCES["array"](X)))
    np.testing.assert_allclose(lazy.leave_one_out().decisions, whole.leave_one_out().decisions, atol=1e-5)
    row = int(np.flatnonzero(y < 0)[0])
    for model in (whole, lazy):
        model.update_labels(row, 1 - int(target[row]))
    np.testing.assert_allclose(lazy.decision_, whole.decision_, atol=1e-6)
    assert lazy.transduction_[row].compute() == 1 - target[row]
    for model in (whole, lazy):
        model.forget_labels(row)
    np.testing.assert_allclose(lazy.decision_, whole.decision_, atol=1e-6)


def test_the_automatic_classifier():
    options = {"coordinates": "nystrom", "n_landmarks": 60, "rank": 40}
    kernels = [Gaussian(gamma=4.0), Linear()]
    whole = SSKPCAClassifier(kernels, **options).fit(X, y)
    lazy = SSKPCAClassifier(kernels, **options).fit(SOURCES["array"](X), LABELS)
    new = SOURCES["array"](NEW)
    for found in (lazy.label_distributions_, lazy.decision_, lazy.transduction_, lazy.predict_proba(new)):
        assert isinstance(found, da.Array)
    np.testing.assert_allclose(lazy.label_distributions_, whole.label_distributions_, atol=1e-6)
    np.testing.assert_array_equal(lazy.transduction_, whole.transduction_)
    np.testing.assert_allclose(lazy.predict_proba(new), whole.predict_proba(NEW), atol=1e-6)
    np.testing.assert_allclose(lazy.novelty(new), whole.novelty(NEW), atol=1e-9)
    np.testing.assert_array_equal(lazy.predict(new), whole.predict(NEW))
    np.testing.assert_array_equal(lazy.next_rows(3), whole.next_rows(3))
    np.testing.assert_array_equal(lazy.next_rows(2), whole.next_rows(2))
    assert lazy.loo_error_ == whole.loo_error_
    wrong = next(iter(LABELS))
    for model in (whole, lazy):
        model.update_labels(wrong, 1 - LABELS[wrong])
    assert lazy.suspects(1)[0].row == whole.suspects(1)[0].row == wrong
    assert lazy.suspects(1)[0].n_changed == whole.suspects(1)[0].n_changed
    assert lazy.explain(7).decision == pytest.approx(whole.explain(7).decision, abs=1e-6)


def test_nothing_is_computed_before_it_is_asked_for():
    made = []

    def chunk(block):
        made.append(len(block))
        return block

    def counted(X):
        return da.from_array(X, chunks=(100, 2)).map_blocks(chunk, dtype=X.dtype, meta=np.empty((0, 0)))

    with dask.config.set(scheduler="synchronous"):
        data, new = counted(X), counted(NEW)
        rows = dask_rows(data)
        assert not made
        rows.take(np.array([105, 110, 599]))
        assert len(made) == 2  # the chunks that hold them, and no other
        model = LSKPCA(**OPTIONS).fit(data, LABELS)
        passes = len(made)
        assert (passes - 2) <= 4 * 6  # landmarks, a guess of the mean, the sums, the labelled rows
        found = [model.predict(new), model.decision_function(new), model.transform(new)]
        model.update_labels(next(iter(LABELS)), 0)
        assert len(made) == passes + (6 if len(made) > passes else 0)
        before = len(made)
        model.predict(new), model.transduction_, model.decision_
        assert len(made) == before
        found[0].compute()
        assert len(made) == before + 2


def test_the_same_bits_whoever_was_faster():
    data = da.from_array(X, chunks=(37, 2))
    with dask.config.set(scheduler="threads", num_workers=4):
        first, second = (LSKPCA(**OPTIONS).fit(data, LABELS).coef_ for _ in range(2))
    with dask.config.set(scheduler="synchronous"):
        third = LSKPCA(**OPTIONS).fit(data, LABELS).coef_
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)


def labels_in(kind):
    columns = {"row": list(LABELS), "label": list(LABELS.values())}
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind](columns)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_labels_as_a_table_of_rows_and_labels(kind):
    whole = LSKPCA(**OPTIONS).fit(X, y)
    for data in (X, SOURCES["array"](X)):
        model = LSKPCA(**OPTIONS).fit(data, labels_in(kind))
        np.testing.assert_allclose(model.decision_, whole.decision_, atol=1e-6)
        assert model.score(data, labels_in(kind)) == whole.score(X, y)
    assert labels_by_row(labels_in(kind)) == LABELS


def test_labels_of_all_rows_from_dask():
    lazy = LSKPCA(**OPTIONS).fit(SOURCES["array"](X), da.from_array(y, chunks=130))
    np.testing.assert_allclose(lazy.decision_, LSKPCA(**OPTIONS).fit(X, y).decision_, atol=1e-6)
    assert lazy.score(SOURCES["array"](X), y) == 1.0


def test_a_table_of_labels_that_contradicts_itself_is_refused():
    with pytest.raises(ValueError, match=r"gives row 3 two labels, 'a' and 'b'; keep one"):
        labels_by_row(pd.DataFrame({"row": [3, 4, 3], "label": ["a", "b", "b"]}))
    with pytest.raises(ValueError, match="has no column 'row'; it has number, label"):
        labels_by_row(pd.DataFrame({"number": [3], "label": ["a"]}))
    with pytest.raises(ValueError, match="a label for the row 600; the rows have the numbers 0 to 599"):
        LSKPCA(**OPTIONS).fit(SOURCES["array"](X), pd.DataFrame({"row": [0, 600], "label": ["a", "b"]}))


def test_missing_numbers_are_found_by_the_rows_around_them():
    bad = X.copy()
    bad[431, 1] = np.nan
    with pytest.raises(ValueError, match=r"the rows 390 to 519 hold NaN"):
        LSKPCA(**(OPTIONS | {"n_landmarks": 5})).fit(SOURCES["array"](bad), LABELS)
    model = LSKPCA(**OPTIONS).fit(SOURCES["array"](X), LABELS)
    found = model.predict(SOURCES["array"](bad))
    with pytest.raises(ValueError, match=r"the rows 390 to 519 hold NaN or infinity; fill them in"):
        found.compute()


def test_other_columns_are_refused():
    model = LSKPCA(**OPTIONS).fit(table(X), LABELS)
    assert list(model.feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="X has 1 features, but LSKPCA is expecting 2"):
        model.predict(SOURCES["array"](NEW)[:, :1])
    with pytest.raises(ValueError, match=r"the columns are b, a, but those of the fit were a, b; give them the same"):
        model.predict(table(NEW)[["b", "a"]])
    np.testing.assert_array_equal(model.predict(SOURCES["array"](NEW)), model.predict(table(NEW)))


def test_what_is_no_table_of_numbers_is_refused():
    texts = table(X).assign(name="x")
    with pytest.raises(ValueError, match="the column 'name' holds no numbers; drop or encode it"):
        LSKPCA(**OPTIONS).fit(texts, LABELS)
    with pytest.raises(ValueError, match="the columns 'name', 'other' hold no numbers"):
        dask_rows(texts.assign(other="y"))
    with pytest.raises(ValueError, match=r"Series of Dask: rows come as a dask.array with rows and columns"):
        as_rows(texts["a"])
    with pytest.raises(ValueError, match="rows and columns is needed, got 1 dimensions"):
        as_rows(da.ones(5))
    with pytest.raises(ValueError, match="numbers are needed, got an array of <U1"):
        as_rows(da.from_array(np.array([["a"]])))
    with pytest.raises(ValueError, match='these come in blocks; use coordinates="nystrom"'):
        LSKPCA().fit(SOURCES["array"](X), LABELS)


def test_numbers_keep_their_precision(source):
    single = dask_rows(source(X.astype(np.float32)))
    assert single.dtype == single.take(np.array([1])).dtype == np.float32
    whole = np.rint(10 * X).astype(int)
    rows = dask_rows(da.from_array(whole, chunks=(130, 1)))
    assert rows.dtype == rows.take(np.array([3])).dtype == np.float64
    mixed = table(X).assign(n=1, yes=True, few=pd.Series([1, None], dtype="Int64"))
    assert dask_rows(mixed.astype({"few": "float64"})).dtype == np.float64


def test_rows_by_number_and_in_blocks_are_the_same(source):
    rows = as_rows(source(X))
    assert isinstance(rows, DaskRows)
    assert rows.shape == X.shape
    wanted = np.array([5, 599, 3, 3, 0, 512])

    def dense(block):
        return block.toarray() if scipy.sparse.issparse(block) else block

    np.testing.assert_array_equal(dense(rows.take(wanted)), X[wanted])
    assert rows.take(np.array([], dtype=int)).shape == (0, 2)
    blocks = [dense(block) for block in rows.blocks(77)]
    assert max(map(len, blocks)) <= 77
    np.testing.assert_array_equal(np.vstack(blocks), X)
    numbers = rows.each(lambda block, first: first + np.arange(float(block.shape[0])), 77)
    np.testing.assert_array_equal(numbers.compute(), np.arange(600))


def test_a_fitted_model_can_be_cloned():
    model = LSKPCA(**OPTIONS).fit(SOURCES["array"](X), LABELS)
    again = clone(model).fit(SOURCES["array"](X), LABELS)
    np.testing.assert_array_equal(model.coef_, again.coef_)
