"""Tables as people have them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA
from sskpca._transduction.labels import read_labels
from sskpca.datasets import make_two_moons

X, codes, _ = make_two_moons(60)
NAMES = [None if code < 0 else ("lower", "upper")[code] for code in codes]
COLUMNS = {"width": X[:, 0], "height": X[:, 1]}
TABLES = {
    "pandas": (pd.DataFrame(COLUMNS), pd.Series(NAMES)),
    "polars": (pl.DataFrame(COLUMNS), pl.Series(NAMES)),
    "arrow": (pa.table(COLUMNS), pa.array(NAMES)),
    "lists": (X.tolist(), NAMES),
}


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA, MVKPCA])
@pytest.mark.parametrize("kind", TABLES)
def test_strings_and_nulls_end_to_end(kind, estimator):
    table, labels = TABLES[kind]
    model = estimator().fit(table, labels)
    assert model.classes_.tolist() == ["lower", "upper"]
    assert set(model.predict(table)) == {"lower", "upper"}
    np.testing.assert_allclose(
        model.decision_function(table), estimator().fit(X, codes).decision_function(X), atol=1e-9
    )
    assert model.score(table, labels) == 1.0
    if kind != "lists":
        assert model.feature_names_in_.tolist() == ["width", "height"]
        assert model.n_features_in_ == 2


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_kpca_takes_tables(kind):
    np.testing.assert_allclose(KPCA(2).fit_transform(TABLES[kind][0]), KPCA(2).fit_transform(X))


def test_score_ignores_unlabelled_rows():
    model = LSKPCA().fit(X, NAMES)
    half = [name if i % 2 else None for i, name in enumerate(model.predict(X))]
    assert model.score(X, half) == 1.0
    assert model.score(X, half, sample_weight=np.ones(60)) == 1.0
    wrong = ["lower" if name == "upper" else "upper" for name in model.predict(X)]
    assert model.score(X, wrong) == 0.0


def test_score_knows_minus_one_from_a_class():
    model = LSKPCA().fit(X, codes)
    truth = np.where(np.arange(60) < 30, model.predict(X), -1)
    assert model.score(X, truth) == 1.0


def test_read_only_memory_is_enough(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    np.testing.assert_allclose(LSKPCA().fit(mapped, codes).decision_, LSKPCA().fit(X, codes).decision_)


@pytest.mark.parametrize(
    "take", [lambda y: y, lambda y: y.values, lambda y: y.array], ids=["series", "values", "array"]
)
def test_integers_of_pandas_with_gaps_stay_integers(take):
    y = pd.Series([1, None, 2, 1, None, 2], dtype="Int64")
    assert read_labels(take(y)).classes.dtype.kind == "i"
    model = LSKPCA("linear").fit(np.arange(12.0).reshape(6, 2), take(y))
    assert model.transduction_.dtype.kind == "i"
