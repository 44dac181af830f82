"""Columns that are filled in together with the labels are left out, and named; others are not."""

import numpy as np
import pyarrow as pa
import pytest
from penguins import SPECIES, N, drawn, half_labelled

from sskpca._tables import Options, TableError, check_table, label_table, predict_table
from sskpca._tables.encoders import Category, Number

RNG = np.random.default_rng(5)
CODES = {"Adelie": 1, "Chinstrap": 2, "Gentoo": 3}
SOME = np.random.default_rng(6).random(N)


def column(at_labels, elsewhere):
    """Make a column of what stands at labelled rows and elsewhere, each a value or a function of the species."""

    def cells(labeled):
        parts = zip(labeled, SPECIES, strict=True)
        chosen = ((at_labels if given else elsewhere, name) for given, name in parts)
        return [part(name) if callable(part) else part for part, name in chosen]

    return cells


def filled_too(share, kind=str):
    """Return cells that are filled where labels are, and in a share of the others."""
    return lambda labeled: [
        kind(name) if given or u < share else "" for given, name, u in zip(labeled, SPECIES, SOME, strict=True)
    ]


BY_PRODUCTS = {
    "a code where labels are": column(lambda name: name[0], ""),
    "a number where labels are": column(CODES.get, None),
    "who labelled it": column(lambda _: RNG.choice(["anna", "bob"]), None),
    "the label, else none": column(lambda name: name, "none"),
    "the label, else n/a": column(lambda name: name, "n/a"),
    "the label, else unknown": column(lambda name: name, "unknown"),
    "a number, else 0": column(CODES.get, 0),
    "a number, else -1": column(CODES.get, -1),
    "a float, else -1": column(lambda name: float(CODES[name]), -1.0),
    "a number, else unknown": column(lambda name: str(CODES[name]), "unknown"),
    "nothing or none elsewhere": column(lambda name: name, lambda _: RNG.choice(["", "none"])),
    "done or to do": column("done", "to do"),
    "whether it is labelled": column(True, False),
    "filled in 2 % of the others": filled_too(0.02),
    "filled where labels are not": column("", lambda _: RNG.choice(["x", "y", "z"])),
    "filled in half of the others only": column(None, lambda _: RNG.choice(["x", "y", "", ""])),
}


def roles(table, **options):
    return {column.name: column.role for column in check_table(table, Options(**options)).columns}


@pytest.mark.parametrize("n_labeled", [3, 15, 250])
@pytest.mark.parametrize("kind", BY_PRODUCTS)
def test_a_by_product_of_labelling_is_left_out_and_named(kind, n_labeled):
    if kind == "filled in half of the others only" and n_labeled == 3:
        pytest.skip("three empty cells where half are empty are nothing special")
    labeled = drawn(n_labeled)
    found = check_table(half_labelled(labeled, extra=BY_PRODUCTS[kind](labeled)), Options(label="species"))
    by_name = {column.name: column for column in found.columns}
    assert [name for name, column in by_name.items() if column.role == "ignored"] == ["extra"]
    assert by_name["extra"].reason.endswith('so a by-product of labelling (use=["extra"] to use it)')
    (warning,) = found.warnings
    assert warning.startswith('column left out: "extra" (')
    assert warning.endswith('To use it all the same, give use=["extra"].')


def test_a_code_that_is_zero_for_one_class_and_elsewhere_is_a_by_product():
    labeled = drawn(15)
    cells = column(lambda name: CODES[name] - 1, 0)(labeled)
    assert roles(half_labelled(labeled, code=cells))["code"] == "ignored"


def test_a_text_is_a_by_product_even_if_its_words_are_wanted():
    labeled = drawn(15)
    cells = column(lambda name: f"this is a {name} as I see it", "")(labeled)
    table = half_labelled(labeled, remark=cells)
    assert roles(table, text=("remark",))["remark"] == "ignored"
    assert roles(table, text=("remark",), use=("remark",))["remark"] == "text"


@pytest.mark.parametrize("n_labeled", [3, 15, 60, 250])
@pytest.mark.parametrize("seed", range(5))
def test_the_penguins_have_no_by_products(n_labeled, seed):
    found = check_table(half_labelled(drawn(n_labeled, seed)))
    assert found.warnings == ()
    assert [column.name for column in found.columns if column.role == "ignored"] == []
    assert not any("coincidence" in note for note in found.notes)


def test_a_full_column_that_decides_the_label_is_a_feature():
    labeled = drawn(30)
    found = check_table(half_labelled(labeled, code=[name[0] for name in SPECIES]))
    assert {column.name: column.role for column in found.columns}["code"] == "category"
    assert found.warnings == ()


def test_a_column_that_describes_a_rare_class_is_no_by_product_if_the_class_was_labelled_more_than_its_share():
    rng = np.random.default_rng(0)
    rare = np.arange(2000) < 40
    labeled = np.isin(np.arange(2000), [*range(20), *range(1000, 1020)])
    names = np.where(rare, "bird", "fish")
    table = pa.table(
        {
            "class": np.where(labeled, names, "").tolist(),
            "size": rng.normal(size=2000),
            "feathers": np.where(rare, rng.choice(["red", "blue"], 2000), "").tolist(),
            "wings": np.where(rare, 2, 0),
        }
    )
    found = check_table(table)
    assert {column.name: column.role for column in found.columns}["feathers"] == "category"
    assert {column.name: column.role for column in found.columns}["wings"] == "number"


@pytest.mark.parametrize("n_labeled", [3, 10, 100])
def test_cells_that_are_missing_at_random_raise_no_alarm(n_labeled):
    """100 tables with 12 columns each, of which at most one may raise one."""
    rng = np.random.default_rng(n_labeled)
    alarms = 0
    for _ in range(100):
        n = int(rng.choice([210, 500, 1000]))
        cells = np.where(rng.random((n, 12)) < rng.choice([0.02, 0.3, 0.9, 0.97], 12), None, rng.normal(size=(n, 12)))
        cells[:, :4] = np.where(cells[:, :4] == None, 0.0, cells[:, :4])  # noqa: E711
        kinds = rng.choice(["a", "b", "a", "a"], n)
        kinds[:2] = ["a", "b"]
        kinds[n_labeled:] = ""
        columns = {f"c{chr(97 + k)}": pa.array(cells[:, k].tolist(), pa.float64()) for k in range(12)}
        found = check_table(pa.table({"label": kinds.tolist(), **columns}))
        alarms += bool(found.warnings) or any("coincidence" in note for note in found.notes)
    assert alarms <= 1


def test_a_by_product_is_used_on_demand_with_a_warning_and_its_empty_cells_do_not_count():
    labeled = drawn(15)
    table = half_labelled(labeled, code=BY_PRODUCTS["a number where labels are"](labeled))
    found = check_table(table, Options(use=("code",)))
    (code,) = (column for column in found.columns if column.name == "code")
    assert (code.role, code.n_features) == ("number", 1)
    assert found.warnings[0].startswith('"code" is filled in 15 of 15 labelled rows and 0 of 329 others, and used')


def test_several_by_products_are_named_in_one_warning():
    labeled = drawn(15)
    made = {name: BY_PRODUCTS[kind](labeled) for name, kind in (("a", "a number, else 0"), ("b", "done or to do"))}
    (warning,) = check_table(half_labelled(labeled, **made)).warnings
    assert warning.startswith(
        'columns left out: "a" (other than "0" in 15 of 15 labelled rows and 0 of 329 others), "b" (other than "to do" '
    )
    assert 'use=["a"]' in warning


def test_if_no_other_column_is_left_that_is_an_error_with_the_reason():
    labeled = drawn(15)
    table = half_labelled(labeled, code=BY_PRODUCTS["a code where labels are"](labeled))
    with pytest.raises(TableError, match=r'no column is left to learn from: "code": filled in 15 of 15 labelled'):
        check_table(table.select(["species", "code"]))


def test_empty_cells_that_go_with_labels_are_no_feature_though_values_are():
    labeled = drawn(60)
    rng = np.random.default_rng(3)
    gone = rng.random(N) < np.where(labeled, 0.05, 0.5)
    weight = [None if empty else float(v) for empty, v in zip(gone, rng.normal(size=N), strict=True)]
    colour = ["" if empty else str(v) for empty, v in zip(gone, rng.choice(["red", "blue"], N), strict=True)]
    found = check_table(half_labelled(labeled, weight=weight, colour=colour))
    by_name = {column.name: column for column in found.columns}
    assert (by_name["weight"].role, by_name["weight"].n_features) == ("number", 1)
    assert (by_name["colour"].role, by_name["colour"].n_features) == ("category", 2)
    told = [note for note in found.notes if "whether a cell is empty is not used" in note]
    assert [note.split(" is ")[0] for note in told] == ['"weight"', '"colour"']
    at_random = rng.permutation(gone)
    weight = [None if empty else 1.0 + i % 7 for i, empty in enumerate(at_random)]
    again = check_table(half_labelled(labeled, weight=weight))
    assert next(column for column in again.columns if column.name == "weight").n_features == 2


def test_an_empty_cell_that_does_not_count_is_the_mean_of_the_others():
    cells = pa.chunked_array([["red", "blue", "", "red", "NA"]])
    encoder = Category.fit(cells, "colour", gaps=False)
    matrix = encoder.transform(cells).matrix
    assert encoder.values == ("blue", "red")
    filled = [0, 1, 3]
    np.testing.assert_allclose(matrix[[2, 4]], np.tile(matrix[filled].mean(axis=0), (2, 1)), atol=1e-15)
    np.testing.assert_allclose(matrix.sum(axis=1), matrix[0].sum(), atol=1e-15)
    assert Number.fit(pa.chunked_array([[1.0, None, 3.0]]), "x", gaps=False).n_features == 1


def test_predictions_fill_empty_cells_as_the_table_did():
    labeled = drawn(60)
    gone = np.random.default_rng(3).random(N) < np.where(labeled, 0.05, 0.5)
    colour = ["" if empty else "rb"[i % 2] for i, empty in enumerate(gone)]
    table = half_labelled(labeled, colour=colour)
    found, model, features = label_table(table, Options(method="ls"))
    again = type(features).from_dict(features.to_dict())
    predicted = predict_table(model, again, table)
    np.testing.assert_array_equal(predicted.called[~labeled], found.called[~labeled])


def test_with_a_by_product_in_the_table_the_interval_holds_the_true_error():
    """Eight draws of 15 labels: a 95 % interval may miss one of them, but never by being too low."""
    inside = 0
    for seed in range(8):
        labeled = drawn(15, seed)
        table = half_labelled(labeled, species_code=BY_PRODUCTS["a code where labels are"](labeled))
        found = label_table(table, Options(kernels=("rbf", "linear", "diffusion")))[0]
        assert any('"species_code"' in warning for warning in found.warnings)
        wrong = np.array(found.classes)[found.called] != SPECIES
        low, high = found.expected_interval
        error = float(wrong[~labeled].mean())
        assert error <= high
        inside += low <= error
    assert inside >= 7
