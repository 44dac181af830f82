"""Tables in pipelines of scikit-learn."""

import datetime
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from sskpca import SSKPCAClassifier, TableEncoder
from sskpca._tables import Options, TableError, label_table
from sskpca.kernels import Gaussian, Linear
from tables.penguins import SPECIES, drawn, half_labelled

N = 90
RNG = np.random.default_rng(0)
KIND = RNG.choice(["cat", "dog"], N)
WORDS = {"cat": ["meow", "purr", "whiskers"], "dog": ["woof", "bark", "fetch"]}
FRAME = pd.DataFrame(
    {
        "id": range(1000, 1000 + N),
        "weight": np.where(np.arange(N) % 9 == 0, np.nan, RNG.normal(5, 2, N)),
        "colour": RNG.choice(["red", "blue", None], N),
        "chip": RNG.random(N) < 0.3,
        "born": [datetime.datetime(2019, 1, 1) + datetime.timedelta(days=11 * i) for i in range(N)],
        "note": [" ".join([*RNG.choice(WORDS[k], 2), "the", *RNG.choice(["sun", "house", "tree"], 2)]) for k in KIND],
        "odd": [*["n/a", "15 kg"] * 5, *RNG.normal(10, 1, N - 10).round(2)],
    }
)
LABELS = np.where(np.arange(N) < 30, KIND, None)


@parametrize_with_checks([TableEncoder()])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def test_the_features_are_those_of_the_command_line():
    table = pa.Table.from_pandas(FRAME.astype({"odd": str}).assign(label=LABELS))
    _, _, features = label_table(table, Options(kernels=(Linear(),), rank=5))
    own = TableEncoder().fit(FRAME, LABELS).transform(FRAME)
    np.testing.assert_array_equal(dense(own), dense(features.transform(table).matrix))
    labeled = drawn(20)
    penguins = half_labelled(labeled)
    _, _, features = label_table(penguins, Options(kernels=(Linear(),), rank=5))
    rows = penguins.drop_columns(["species"])
    given = np.where(labeled, SPECIES, None)
    np.testing.assert_array_equal(TableEncoder().fit_transform(rows, given), features.transform(penguins).matrix)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_of_all_libraries_have_the_same_features(kind):
    plain = FRAME.astype({"odd": str})
    frame = {
        "pandas": plain,
        "polars": pl.from_arrow(pa.Table.from_pandas(plain)),
        "arrow": pa.Table.from_pandas(plain),
    }[kind]
    encoder = TableEncoder().fit(frame)
    expected = TableEncoder().fit(FRAME)
    assert encoder.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert encoder.feature_names_in_.tolist() == list(FRAME)
    np.testing.assert_allclose(dense(encoder.transform(frame)), dense(expected.transform(FRAME)), atol=1e-12)


def test_a_mixed_table_goes_through_a_pipeline():
    model = make_pipeline(TableEncoder(), SSKPCAClassifier([Gaussian(), Linear()], rank=20)).fit(FRAME, LABELS)
    assert np.mean(model.predict(FRAME) == KIND) > 0.9
    roles = {column.name: column.role for column in model[0].columns_}
    assert roles == {
        **{"id": "ignored", "weight": "number", "colour": "category", "chip": "number"},
        **{"born": "date", "note": "text", "odd": "number"},
    }
    supervised = make_pipeline(TableEncoder(), LogisticRegression()).fit(FRAME, KIND)
    assert supervised.score(FRAME, KIND) > 0.9


def test_a_by_product_of_labelling_is_left_out_if_the_labels_are_known():
    table = FRAME.assign(by=np.where(np.arange(N) < 30, "anna", None))
    table.loc[5, "by"] = "bob"
    encoder = TableEncoder().fit(table, LABELS)
    assert encoder.columns_[-1].role == "ignored"
    assert any("by-products of labelling" in note for note in encoder.notes_)
    assert TableEncoder().fit(table).columns_[-1].role == "category"


def test_names_of_the_features_go_with_the_matrix():
    frame = FRAME.drop(columns="note")
    encoder = TableEncoder().fit(frame)
    assert len(encoder.get_feature_names_out()) == encoder.transform(frame).shape[1]
    out = clone(encoder).set_output(transform="pandas").fit_transform(frame)
    assert list(out)[:3] == ["weight", "weight_missing", "colour_missing"]
    assert {"chip", "born", "born_month_sin", "born_weekday_cos"} <= {*out}


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(TableError, match='two columns are called "a"; rename one'):
        TableEncoder().fit(pd.DataFrame(np.ones((3, 2)), columns=["a", "a"]))


def test_without_pyarrow_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['pyarrow'] = None; import sskpca; sskpca.TableEncoder"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'ImportError: sskpca.TableEncoder needs pyarrow; pip install "sskpca[cli]".' in found.stderr
