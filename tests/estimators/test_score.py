"""The share of labels that are predicted right, by column and by row number."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sskpca import LSKPCA
from sskpca.datasets import make_two_moons

X, y, target = make_two_moons(60)
NAMES = np.array(["cat", "dog"], dtype=object)
model = LSKPCA().fit(X, np.where(y < 0, None, NAMES[y]))
RIGHT = {row: model.predict(X)[row].item() for row in (0, 7, 59)}
TABLES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("row", [-1, 60, 1000, "a", 1.5, float("nan"), None, True, (0, 1)])
def test_a_row_that_is_not_there_is_refused_by_score_as_by_fit(row):
    words = r"y has a label for the row .*; the rows have the numbers 0 to 59, counted from 0"
    with pytest.raises(ValueError, match=words):
        model.score(X, {row: "cat"})
    with pytest.raises(ValueError, match=words):
        LSKPCA().fit(X, {0: "cat", 2: "dog", row: "cat"})


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", [int, float])
def test_whole_floats_are_row_numbers_in_fit_and_in_score(table, kind):
    by_row = table({"row": [kind(row) for row in RIGHT], "label": list(RIGHT.values())})
    assert model.score(X, by_row) == 1.0
    few = {row: NAMES[target[row]] for row in np.flatnonzero(y >= 0).tolist()}
    listed = table({"row": [kind(row) for row in few], "label": list(few.values())})
    np.testing.assert_array_equal(LSKPCA().fit(X, listed).decision_, LSKPCA().fit(X, few).decision_)


@pytest.mark.parametrize("table", TABLES)
def test_half_a_row_is_refused(table):
    with pytest.raises(ValueError, match=r"y has a label for the row 0\.5"):
        model.score(X, table({"row": [0.5, 1.0], "label": ["cat", "dog"]}))


def test_no_label_in_a_mapping():
    with pytest.raises(ValueError, match=r"LSKPCA.score: no row of y is labelled"):
        model.score(X, {})
    with pytest.raises(ValueError, match=r"LSKPCA.score: no row of y is labelled"):
        model.score(X, {3: " ", 4: None})


@pytest.mark.parametrize("labels", [target, RIGHT])
@pytest.mark.parametrize("weight", [[1.0, 2.0], np.ones(61), np.ones((60, 1)), 3.0])
def test_weights_of_another_number_are_refused(labels, weight):
    with pytest.raises(ValueError, match=r"LSKPCA.score: X has 60 rows, but sample_weight has the shape .*; give one"):
        model.score(X, labels, sample_weight=weight)


def test_weights_belong_to_the_rows_of_the_data():
    wrong = {"cat": "dog", "dog": "cat"}
    weight = np.zeros(60)
    weight[[0, 7]] = 1.0, 3.0
    assert model.score(X, {0: RIGHT[0], 7: wrong[RIGHT[7]], 9: "cat"}, sample_weight=weight) == 0.25


def test_text_that_says_unlabelled_is_no_wrong_prediction():
    labels = np.where(np.arange(60) % 2, "unknown", NAMES[target].astype(str))
    with pytest.raises(ValueError, match="'unknown', which looks like a mark for unlabelled rows"):
        model.score(X, labels)
    assert LSKPCA(unlabeled="unknown").fit(X, np.where(y < 0, "unknown", NAMES[y])).score(X, labels) > 0.9


def test_a_class_that_the_model_does_not_know_is_predicted_wrong():
    assert model.score(X, {**RIGHT, 9: "fox"}) == 0.75
