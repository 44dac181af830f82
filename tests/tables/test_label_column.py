"""Labels as people write them into tables."""

import numpy as np
import pyarrow as pa
import pytest

from sskpca._tables import TableError, find_label_column, read_label_column

X = [f"{i / 3:.2f}" for i in range(12)]
HALF = ["cat", "dog", "cat", "dog", "fox", "fox", *[""] * 6]


def read(values, unlabeled=(), kind=None):
    return read_label_column(pa.table({"y": pa.array(values, kind)}), "y", "given", unlabeled)


@pytest.mark.parametrize("name", ["label", "Class", "target", "y", "Species", "class label", "ground-truth"])
def test_a_column_is_found_by_its_name(name):
    table = pa.table({"x": X, name: HALF, "other": HALF})
    assert find_label_column(table) == (name, "guessed: by its name")


def test_a_column_is_found_as_the_only_one_that_is_partly_empty():
    gaps = [*X[:-1], ""]
    name, how = find_label_column(pa.table({"x": X, "gaps": gaps, "animal": HALF, "colour": ["red", "blue"] * 6}))
    assert name == "animal"
    assert "partly empty" in how


def test_a_column_that_is_given_is_taken():
    assert find_label_column(pa.table({"x": X, "label": HALF}), "x") == ("x", "given")
    with pytest.raises(TableError, match='label: the table has no column "lable"; did you mean "label"'):
        find_label_column(pa.table({"x": X, "label": HALF}), "lable")


def test_of_two_names_the_one_that_is_partly_empty_is_taken():
    table = pa.table({"target": ["a", "b"] * 6, "class": HALF})
    assert find_label_column(table)[0] == "class"


@pytest.mark.parametrize("names", [("target", "class"), ("animal", "beast")])
def test_where_several_would_do_they_are_listed(names):
    with pytest.raises(TableError, match=f'"{names[0]}", "{names[1]}"; name the column, label="NAME"'):
        find_label_column(pa.table({"x": X, names[0]: HALF, names[1]: HALF}))


def test_where_none_would_do_that_is_said():
    with pytest.raises(TableError, match=r'no column looks like labels.*label="NAME"'):
        find_label_column(pa.table({"x": X, "z": X}))


def test_where_none_would_do_a_value_that_fills_a_column_is_named():
    filled = ["not yet"] * 90 + ["cat"] * 5 + ["dog"] * 5
    words = r'If "not yet", which fills most of "animal", .* give label="animal" and unlabeled=\["not yet"\]\.'
    with pytest.raises(TableError, match=words):
        find_label_column(pa.table({"x": list(range(100)), "animal": filled}))


def test_results_of_an_earlier_run_are_not_the_labels():
    table = pa.table({"animal": HALF, "sskpca_label": HALF})
    assert find_label_column(table)[0] == "animal"


@pytest.mark.parametrize("mark", ["", "  ", "NA", "nan", "NaN", "null", "<NA>", "n/a", "?", None])
def test_marks_of_unlabelled_rows(mark):
    found = read(["cat", "dog", mark, "cat"])
    assert found.labels.classes.tolist() == ["cat", "dog"]
    assert found.labels.codes.tolist() == [0, 1, -1, 0]
    assert found.counts == {"cat": 2, "dog": 1}


def test_minus_one_is_unlabelled_with_a_note():
    found = read(["cat", "-1", "dog", "-1", "-1", ""])
    assert found.labels.codes.tolist() == [0, -1, 1, -1, -1, -1]
    assert found.notes == ('3 rows have the label "-1": taken as unlabelled; give unlabeled=None if it is a class.',)
    assert read([1, -1, 2, None]).labels.classes.tolist() == ["1", "2"]
    assert read([1.0, -1.0, 2.0, None]).labels.classes.tolist() == ["1", "2"]


def test_minus_one_is_a_class_where_only_one_other_is_left():
    found = read(["1", "-1", "", "1"])
    assert found.labels.classes.tolist() == ["-1", "1"]
    assert "taken for a class" in found.notes[0]
    with pytest.raises(TableError, match="all labels"):
        read(["1", "-1", "", "1"], unlabeled=["-1"])


def test_minus_one_is_a_class_if_nothing_is_a_mark():
    found = read(["cat", "-1", "NA", "unknown", "", None], unlabeled=None)
    assert found.labels.classes.tolist() == ["-1", "NA", "cat", "unknown"]
    assert found.labels.codes.tolist()[-2:] == [-1, -1]
    assert found.notes == ()


def test_further_marks():
    found = read(["cat", "todo", "dog", "TODO", "cat"], unlabeled=["todo"])
    assert found.labels.codes.tolist() == [0, -1, 1, -1, 0]


@pytest.mark.parametrize("mark", ["unknown", "-", "Unlabelled"])
def test_what_may_be_a_mark_is_asked_for(mark):
    with pytest.raises(TableError, match=f'1 row has the label "{mark}".*unlabeled=\\["{mark}"\\] if it does'):
        read(["cat", mark, "dog", ""])
    assert read(["cat", mark, "dog", ""], unlabeled=[mark]).labels.codes.tolist() == [0, -1, 1, -1]


def test_all_that_may_be_marks_are_asked_for_at_once():
    with pytest.raises(TableError, match=r'1 row has the label "tbd" and 2 rows have the label "todo".* if they do'):
        read(["cat", "todo", "dog", "tbd", "todo"])
    assert read(["cat", "todo", "dog", "tbd"], unlabeled=["tbd", "todo"]).counts == {"cat": 1, "dog": 1}
    with pytest.raises(TableError, match=r'give unlabeled=\["todo"\] and leave the cells of "none" empty if they do'):
        read(["cat", "todo", "dog", "none"])


def test_a_column_with_a_word_that_may_mark_is_proposed():
    values = ["good", "bad", "good", "bad", *["unknown"] * 8]
    table = pa.table({"x": X, "rating": values})
    name, how = find_label_column(table)
    with pytest.raises(
        TableError, match=r'8 rows .* in the column "rating", .* give unlabeled=\["unknown"\] if it does'
    ):
        read_label_column(table, name, how)
    assert read_label_column(table, name, how, ["unknown"]).counts == {"bad": 2, "good": 2}


def test_a_label_that_is_no_text_is_refused():
    with pytest.raises(TableError, match='the column "y" has a NUL character, which is no text, in row 3; write'):
        read(["cat", "\0", "dog", ""])


def test_none_is_asked_for_without_taking_the_word_twice():
    with pytest.raises(
        TableError, match=r'the label "None".*; leave the cell empty if it does, or give unlabeled=None'
    ):
        read(["cat", "None", "dog", ""])


def test_blanks_around_names_are_left_out_with_a_note():
    found = read([" cat", "cat", "dog ", ""])
    assert found.labels.classes.tolist() == ["cat", "dog"]
    assert found.notes == ("2 labels had blanks around the name: taken without them.",)


def test_names_that_differ_in_capitals_are_told():
    assert "differ in capitals only" in read(["cat", "Cat", "dog", ""]).notes[0]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.int8()])
def test_numbers_are_names(kind):
    found = read([3, None, 1, 3], kind=kind)
    assert found.labels.classes.tolist() == ["1", "3"]
    assert found.labels.codes.tolist() == [1, -1, 0, 1]


def test_truth_values_and_dictionaries_are_names():
    assert read([True, None, False]).labels.classes.tolist() == ["false", "true"]
    found = read_label_column(pa.table({"y": pa.array(["b", None, "a"]).dictionary_encode()}), "y", "given")
    assert found.labels.codes.tolist() == [1, -1, 0]


def test_all_rows_labelled_is_refused():
    with pytest.raises(TableError, match=r"every row has a label.*nothing is left"):
        read(["cat", "dog", "cat"])


def test_no_row_labelled_is_refused():
    with pytest.raises(TableError, match=r"no row has a label.*write some in"):
        read(["", None, "NA"])


def test_one_class_only_is_refused():
    with pytest.raises(TableError, match='all labels in the column "y" are "cat"; label rows of at least one other'):
        read(["cat", "", "cat"])


def test_measurements_are_no_labels():
    numbers = np.random.default_rng(0).normal(size=60).round(3).astype(str).tolist()
    with pytest.raises(TableError, match="measurements, not classes"):
        read([*numbers, ""])
    with pytest.raises(TableError, match="measurements, not classes"):
        read([*numbers, *numbers, ""])
    with pytest.raises(TableError, match="not labels"):
        read([[1.0], None, [2.0]])
