"""From columns to features, and the same from other tables."""

import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from sskpca._tables import FeatureMap, TableError, decide_columns, fit_features
from sskpca._tables.cells import vectors

N = 200
RNG = np.random.default_rng(0)
WORDS = ["red", "café", "sky", "dog", "sun", "tree", "river", "stone"]
TABLE = pa.table(
    {
        "label": ["a", "b", *[""] * (N - 2)],
        "id": [str(i) for i in range(N)],
        "x": [f"{v:.6f}" for v in RNG.normal(5, 3, N)],
        "gaps": ["" if i % 10 == 0 else f"{v:.6f}" for i, v in enumerate(RNG.normal(size=N))],
        "one gap": ["NA" if i == 3 else f"{v:.6f}" for i, v in enumerate(RNG.normal(size=N))],
        "colour": RNG.choice(["red", "blue", "green"], N).tolist(),
        "v": [str(v) for v in RNG.normal(size=(N, 4)).round(3).tolist()],
        "note": [" ".join(RNG.choice(WORDS, 5)) for _ in range(N)],
    }
)


def fitted(table=TABLE, label="label", **settings):
    return fit_features(table, decide_columns(table, label, **settings))


def changed(name, row, value, table=TABLE):
    cells = table[name].to_pylist()
    cells[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def test_numbers_are_standardised():
    X = fitted(TABLE.select(["label", "x"]))[0].transform(TABLE).matrix
    values = np.array([float(v) for v in TABLE["x"].to_pylist()])
    np.testing.assert_allclose(X[:, 0], (values - values.mean()) / values.std(), atol=1e-12)


def test_missing_numbers_are_the_median_and_many_have_a_column():
    table = TABLE.select(["label", "gaps", "one gap"])
    features, columns, notes = fitted(table)
    assert [column.n_features for column in columns] == [0, 2, 1]
    X = features.transform(table).matrix
    gone = np.arange(N) % 10 == 0
    assert np.ptp(X[gone, 0]) == 0
    known = np.array([float(v) for v in np.array(table["gaps"].to_pylist())[~gone]])
    number = features.encoders[0]
    assert number.fill == pytest.approx(np.median(known))
    np.testing.assert_array_equal(X[:, 1] > 0, gone)
    assert X[:, 1].var() == pytest.approx(0.5)
    assert notes[0].startswith('20 empty cells of "gaps" filled with the median')
    assert "used too" in notes[0]
    assert notes[1].startswith('1 empty cell of "one gap"')
    assert "used too" not in notes[1]


def test_empty_cells_of_several_columns_are_told_with_their_names():
    more = TABLE["gaps"].to_pylist()[::-1]
    table = TABLE.select(["label", "gaps", "one gap"]).append_column("more", pa.array(more))
    assert fitted(table)[2] == (
        '"gaps", "one gap", "more": empty cells filled with the median of the column; for "gaps", "more", that a cell '
        "is empty is used too.",
    )
    table = changed("v", 0, "", table.append_column("v", TABLE["v"]))
    assert fitted(table)[2][1] == '"v": empty cells filled with the mean of the column.'


def test_every_column_has_variance_one_in_all():
    table = TABLE.select(["label", "x", "colour"])
    X = fitted(table)[0].transform(table).matrix
    assert X.shape[1] == 4
    assert X[:, 0].var() == pytest.approx(1)
    assert X[:, 1:].var(axis=0).sum() == pytest.approx(1)
    assert ((X[:, 1:] > 0).sum(axis=1) == 1).all()


def test_a_rare_value_is_not_far_from_the_others():
    table = pa.table({"label": ["a", ""] * 500, "kind": ["usual"] * 999 + ["rare"]})
    X = fitted(table)[0].transform(table).matrix
    assert np.linalg.norm(X[0] - X[-1]) < 5


@pytest.mark.parametrize("alone", [True, False])
def test_a_vector_and_a_text_weigh_like_all_plain_columns_together(alone):
    names = ["label", "v", "note"] if alone else ["label", "v", "note", "x", "colour", "one gap"]
    table = TABLE.select(names)
    X = fitted(table, text=["note"])[0].transform(table).matrix
    assert sparse.issparse(X)
    dense = X.toarray()
    variance = dense.var(axis=0)
    n_plain = 0 if alone else 5
    weight = 1 if alone else 3
    assert variance[:4].sum() == pytest.approx(weight)
    assert variance[4 : 4 + len(WORDS)].sum() == pytest.approx(weight)
    assert dense.shape[1] == 4 + len(WORDS) + n_plain


def test_a_vector_is_not_centred():
    table = TABLE.select(["label", "v"])
    X = fitted(table)[0].transform(table).matrix
    values = np.array([json.loads(v) for v in table["v"].to_pylist()])
    np.testing.assert_allclose(X / X[0, 0], values / values[0, 0], rtol=1e-12)


def test_typed_lists_are_the_same_as_lists_in_text():
    typed = TABLE.set_column(6, "v", pa.array([json.loads(v) for v in TABLE["v"].to_pylist()]))
    fixed = TABLE.set_column(6, "v", typed["v"].cast(pa.list_(pa.float32(), 4)))
    features = fitted(TABLE.select(["label", "v"]))[0]
    np.testing.assert_array_equal(features.transform(TABLE).matrix, features.transform(typed).matrix)
    np.testing.assert_allclose(features.transform(TABLE).matrix, features.transform(fixed).matrix, atol=1e-6)
    np.testing.assert_array_equal(features.transform(typed[50:]).matrix, features.transform(TABLE).matrix[50:])


def test_words_are_those_of_scikit_learn():
    table = TABLE.select(["label", "note"])
    X = fitted(table, text=["note"])[0].transform(table).matrix
    expected = TfidfVectorizer(strip_accents="unicode", sublinear_tf=True, min_df=2).fit_transform(
        table["note"].to_pylist()
    )
    ratio = X.toarray() / np.where(expected.toarray() > 0, expected.toarray(), 1)
    found = ratio[expected.toarray() > 0]
    np.testing.assert_allclose(found, found[0])
    assert (X != 0).nnz == expected.nnz


def test_a_map_from_its_content_gives_the_same():
    features = fitted(text=["note"])[0]
    content = features.to_dict()

    def through_json(value):
        if isinstance(value, dict):
            return {key: through_json(part) for key, part in value.items()}
        if isinstance(value, list):
            return [through_json(part) for part in value]
        return value if isinstance(value, np.ndarray) else json.loads(json.dumps(value))

    again = FeatureMap.from_dict(through_json(content))
    assert again.columns == features.columns == ("x", "gaps", "one gap", "colour", "v", "note")
    new = changed("colour", 0, "violet", changed("gaps", 1, "?"))
    for table in (TABLE, new):
        first, second = features.transform(table), again.transform(table)
        assert first.notes == second.notes
        assert (first.matrix != second.matrix).nnz == 0
    assert features.n_features == first.matrix.shape[1]


def test_order_and_other_columns_do_not_matter():
    features = fitted()[0]
    mixed = TABLE.select(TABLE.column_names[::-1]).append_column("more", pa.array(["x"] * N))
    assert (features.transform(TABLE).matrix != features.transform(mixed).matrix).nnz == 0  # sparse, as there is a text
    assert features.transform(TABLE[:1]).matrix.shape == (1, features.n_features)


def test_types_do_not_matter():
    features = fitted(TABLE.select(["label", "x", "gaps"]))[0]
    typed = pa.table(
        {
            "x": TABLE["x"].cast(pa.float64()),
            "gaps": pa.array([float(v) if v else None for v in TABLE["gaps"].to_pylist()]),
        }
    )
    np.testing.assert_array_equal(features.transform(TABLE).matrix, features.transform(typed).matrix)


def test_truth_is_the_same_in_capitals():
    typed = pa.table({"label": ["a", "b", *[""] * (N - 2)], "b": [i % 3 == 0 for i in range(N)]})
    text = pa.table({"b": [str(value) for value in typed["b"].to_pylist()]})
    features = fitted(typed)[0]
    np.testing.assert_array_equal(features.transform(typed).matrix, features.transform(text).matrix)


def test_a_value_that_is_new_has_zeros_and_is_told():
    features = fitted(TABLE.select(["label", "colour"]))[0]
    found = features.transform(changed("colour", 5, "violet"))
    np.testing.assert_array_equal(found.matrix[5], 0)
    assert found.notes == (
        '1 row has a value of "colour" that is new ("violet"): treated as none of the known values.',
    )
    assert features.transform(changed("colour", 5, "")).notes == ()


def test_columns_that_are_not_there_are_named():
    features = fitted()[0]
    with pytest.raises(TableError, match='lacks the columns "x", "v", but the model has learned from them'):
        features.transform(TABLE.drop_columns(["x", "v"]))


def test_cells_that_cannot_be_read_are_named():
    features = fitted()[0]
    with pytest.raises(TableError, match='the column "x" has "tall" in row 9, which is no number'):
        features.transform(changed("x", 7, "tall"))
    with pytest.raises(TableError, match='the column "v" has no list of 4 finite numbers in row 9'):
        features.transform(changed("v", 7, "[1, 2]"))
    with pytest.raises(TableError, match='the column "v" has no list of 4 finite numbers in row 9'):
        features.transform(changed("v", 7, "[1, 2, null, 3]"))
    with pytest.raises(TableError, match='"v" has lists of 2 numbers, but 4 when it was learned from'):
        features.transform(TABLE.set_column(6, "v", pa.array([[1.0, 2.0]] * N)))


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_an_infinite_number_is_refused_with_its_column_and_row(cell):
    with pytest.raises(TableError, match='the column "x" has an infinite number in row 5'):
        fitted(changed("x", 3, cell))
    typed = [1.5, 2.5, 3.5, float(cell), *[0.5] * (N - 4)]
    with pytest.raises(TableError, match='the column "x" has an infinite number in row 5'):
        fitted(TABLE.set_column(2, "x", pa.array(typed)))


def test_huge_numbers_have_a_finite_variance():
    table = pa.table({"label": ["a", ""] * 50, "x": [f"{v}e300" for v in RNG.normal(size=100).round(5)]})
    X = fitted(table)[0].transform(table).matrix
    assert X.var() == pytest.approx(1)


def test_no_column_to_learn_from_is_refused_with_the_reasons():
    with pytest.raises(TableError, match=r'no column is left to learn from: "id": .*use=\["NAME"\] or text=\["NAME"\]'):
        fitted(TABLE.select(["label", "id", "note"]), sentences=False)
    with pytest.raises(TableError, match="only labels"):
        fitted(TABLE.select(["label"]))


def test_a_text_without_common_words_is_refused():
    table = pa.table({"label": ["a", "b", ""], "note": ["one", "two", "three"]})
    with pytest.raises(TableError, match='"note" has no word that is in two rows'):
        fitted(table, text=["note"])


def numbered(scales, name="pixel_{}"):
    """A table of numbered columns with these deviations."""
    rng = np.random.default_rng(1)
    columns = {name.format(i): [f"{v:.9f}" for v in rng.normal(0, scale, N)] for i, scale in enumerate(scales)}
    return pa.table({"label": TABLE["label"], "x": TABLE["x"], **columns})


def test_numbered_columns_that_vary_alike_are_scaled_together():
    table = numbered([0.1, 1, 1, 1, 2, 2, 2, 2])
    features, _, notes = fitted(table)
    spread = features.transform(table).matrix.std(axis=0)
    raw = np.array([np.array(table[f"pixel_{i}"].to_pylist(), float).std() for i in range(8)])
    np.testing.assert_allclose(spread[1:] / spread[1], raw / raw[0])
    assert spread[0] == pytest.approx(1)
    assert np.sum(spread[1:] ** 2) == pytest.approx(8)
    assert notes == ('the 8 numbered columns like "pixel_0" vary alike: taken to be in one unit, and scaled together.',)
    again = FeatureMap.from_dict(json.loads(json.dumps(features.to_dict())))
    np.testing.assert_array_equal(again.transform(table).matrix, features.transform(table).matrix)


@pytest.mark.parametrize("scales", [[1, 1, 1, 1, 1, 1, 1, 4], [1, 2] * 3], ids=["of another spread", "few"])
def test_other_numbered_columns_are_standardised_one_by_one(scales):
    table = numbered(scales)
    features, _, notes = fitted(table)
    np.testing.assert_allclose(features.transform(table).matrix.std(axis=0), 1)
    assert notes == ()


def test_lists_in_text_take_no_more_memory_than_their_numbers_and_their_text():
    cells = ["[" + ", ".join(f"{i + j / 7:.6f}" for j in range(1000)) + "]" for i in range(200)]
    column, size = pa.chunked_array([cells]), sum(map(len, cells))
    tracemalloc.start()
    try:
        values, _ = vectors(column, "v")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert values.shape == (200, 1000)
    assert peak <= 2 * size + 2 * values.nbytes


def test_lists_of_lists_in_text_are_not_parsed():
    with pytest.raises(TableError, match="has no list of 0 finite numbers in row 2"):
        vectors(pa.chunked_array([["[" + "[]," * 10**5 + "[]]"] * 3]), "v")


def test_truth_is_a_number_and_rare_truth_is_not_far_from_the_others():
    table = pa.table({"label": ["a", ""] * 500, "ok": [True, *[False] * 999], "half": [True, False] * 500})
    X = fitted(table)[0].transform(table).matrix
    assert X.shape[1] == 2
    assert np.ptp(X[:, 0]) < 5
    assert X[:, 1].var() == pytest.approx(1)
    text = pa.table({"ok": ["TRUE", *["false"] * 999], "half": ["1", "0"] * 500})
    np.testing.assert_array_equal(fitted(table)[0].transform(text).matrix, X)


def test_numbers_with_a_unit_are_numbers():
    cells = ["12 kg", "n/a", "15kg", "7"] * 50
    table = pa.table({"label": TABLE["label"], "weight": cells})
    features, _, notes = fitted(table)
    plain = pa.table({"label": TABLE["label"], "weight": ["12", "", "15", "7"] * 50})
    np.testing.assert_array_equal(features.transform(table).matrix, fitted(plain)[0].transform(plain).matrix)
    assert notes[0].startswith('50 empty cells of "weight" filled with the median, 12')
    with pytest.raises(TableError, match='"weight" has "3 lb" in row 2, which is no number'):
        features.transform(pa.table({"weight": ["3 lb"]}))


def test_cells_that_are_no_numbers_are_empty_and_named_where_some_were():
    table = changed("x", 7, "tall", changed("x", 9, "very tall"))
    features, columns, _ = fitted(table.select(["label", "x"]))
    found = features.transform(table)
    assert found.notes == ('"x" has 2 cells that are no numbers ("tall", "very tall"): taken as empty.',)
    assert found.matrix[7, 0] == found.matrix[9, 0] == pytest.approx(0, abs=0.2)
    assert columns[1].reason == "numbers, except for 2 of 200 cells"
    again = FeatureMap.from_dict(json.loads(json.dumps(features.to_dict())))
    assert again.transform(changed("x", 0, "short")).notes == (
        '"x" has 1 cell that is no number ("short"): taken as empty.',
    )


def test_few_numbers_among_many_missing_do_not_stand_out():
    values = [f"{v:.3f}" if i % 20 == 0 else "" for i, v in enumerate(RNG.normal(size=400))]
    table = pa.table({"label": ["a", ""] * 200, "x": values})
    X = fitted(table)[0].transform(table).matrix
    assert np.abs(X[:, 0]).max() < 4
    assert X[::20, 0].std() == pytest.approx(1)


def test_rare_values_of_a_category_of_many_count_as_one():
    rare = [f"village {i}" for i in range(40)]
    table = pa.table({"label": TABLE["label"], "town": [*["Rome"] * 100, *["Oslo"] * 60, *rare]})
    features, columns, _ = fitted(table)
    found = features.transform(table)
    assert columns[1].n_features == 2
    np.testing.assert_array_equal(found.matrix[160:], 0)
    assert found.notes == ()
    assert features.feature_names == ("town_Oslo", "town_Rome")


def test_zero_is_the_mean_of_plain_columns():
    table = TABLE.select(["label", "x", "gaps", "colour"])
    np.testing.assert_allclose(fitted(table)[0].transform(table).matrix.mean(axis=0), 0, atol=1e-12)


def test_that_sentences_are_used_is_said():
    assert fitted(TABLE.select(["label", "note"]))[2] == (
        'the words of "note" are used; sentences=False leaves them out.',
    )
    assert fitted(TABLE.select(["label", "note"]), text=["note"])[2] == ()
