"""The column of labels in tables as people have them: right, or asked for; never wrong."""

import numpy as np
import pyarrow as pa
import pytest

from sskpca._tables import TableError, find_label_column, read_label_column
from tables.penguins import FULL, SPECIES, N


def emptied(values, n_kept, mark=""):
    """Keep some values, at random, and write a mark for the others."""
    kept = np.isin(np.arange(len(values)), np.random.default_rng(0).permutation(len(values))[:n_kept])
    return [value if keep else mark for value, keep in zip(values, kept, strict=True)]


def penguins(**columns):
    return pa.table({**dict(zip(FULL.column_names, FULL.columns, strict=True)), **columns})


SEX = ["male" if value == "male" else "female" for value in FULL["sex"].to_pylist()]
GAPS = emptied(SEX, N - 11)
RNG = np.random.default_rng(1)


def rodents(n=800, label="species_id", mark="?", sex_gaps=3):
    species = RNG.choice(["DM", "PP", "DO", "PB", "RM", "OT"], n)
    return pa.table(
        {
            "record_id": np.arange(n),
            "plot_id": RNG.integers(1, 25, n),
            label: emptied(species, 60, mark),
            "sex": emptied(RNG.choice(["F", "M"], n), n - sex_gaps),
            "weight": RNG.normal(40, 9, n).round(1),
            "plot_type": RNG.choice(["Control", "Exclosure"], n),
        }
    )


def tickets(mark):
    n = 300
    return pa.table(
        {
            "opened": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
            "product": RNG.choice(["phone", "tablet", "watch"], n),
            "team": emptied(RNG.choice(["billing", "repair", "sales"], n), 40, mark),
            "minutes": RNG.integers(1, 500, n),
        }
    )


FOUND = {
    "species, mostly empty": (penguins(species=emptied(SPECIES, 15), sex=GAPS), "species"),
    "sex, mostly empty, beside a full column called species": (penguins(sex=emptied(SEX, 20)), "sex"),
    "question marks in a column called an id": (rodents(), "species_id"),
    "question marks, and a column with many gaps": (rodents(sex_gaps=200), "species_id"),
    "unknown in German": (penguins(species=emptied(SPECIES, 15, "unbekannt"), sex=GAPS), "species"),
    "to be done": (tickets("TBD"), "team"),
    "not labelled": (tickets("unlabelled"), "team"),
    "a dash": (tickets("-"), "team"),
    "none": (tickets("None"), "team"),
    "null": (tickets("null"), "team"),
    "numbers, and -1 by the name": (
        pa.table({"x": RNG.normal(size=90), "y": [0, 1, 2, *[-1] * 6] * 10, "k": RNG.integers(-1, 2, 90)}),
        "y",
    ),
    "two columns as empty, one called so": (
        penguins(species=emptied(SPECIES, 15), sex=emptied(SEX, 20)),
        "species",
    ),
    "half empty, with measurements that have gaps": (
        pa.table({"z": [1.5, None, 2.5, None] * 20, "grade": ["a", "b", "", ""] * 20, "c": ["u", "v"] * 40}),
        "grade",
    ),
    "a by-product beside it": (
        penguins(species=emptied(SPECIES, 15), checked=emptied(["x", "y"] * (N // 2), 15)),
        "species",
    ),
}
ASKED = {
    "two columns as empty": (
        rodents(label="kind").append_column("grade", pa.array(emptied(["a", "b"] * 400, 80))),
        ["kind", "grade"],
    ),
    "few gaps only": (rodents(label="plot", mark="DM"), ["sex"]),
    "a name, and a far emptier column": (
        penguins(species=emptied(SPECIES, 250), sex=emptied(SEX, 20)),
        ["species", "sex"],
    ),
    "a mark that is no common one": (penguins(species=emptied(SPECIES, 15, "offen"), sex=GAPS), ["species"]),
    "the same, beside a column with many gaps": (
        penguins(species=emptied(SPECIES, 15, "offen"), sex=emptied(SEX, 100)),
        ["species", "sex"],
    ),
    "nothing": (pa.table({"x": RNG.normal(size=30), "c": ["u", "v", "w"] * 10}), []),
}


@pytest.mark.parametrize(("table", "expected"), FOUND.values(), ids=FOUND)
def test_the_column_of_labels_is_found(table, expected):
    name, how = find_label_column(table)
    assert name == expected
    assert how.startswith("guessed: ")


@pytest.mark.parametrize(("table", "expected"), ASKED.values(), ids=ASKED)
def test_where_it_is_not_clear_the_column_is_asked_for(table, expected):
    with pytest.raises(TableError, match='label="NAME"') as error:
        find_label_column(table)
    assert all(f'"{name}"' in str(error.value) for name in expected)


def test_a_mark_that_fills_the_column_is_proposed():
    table = penguins(species=emptied(SPECIES, 15, "offen"), sex=GAPS)
    with pytest.raises(TableError, match=r'With label="species", perhaps unlabeled=\["offen"\]\.'):
        find_label_column(table)
    with pytest.raises(
        TableError, match=r'If "offen", in 329 of 344 rows, means "not labelled", give unlabeled=..offen'
    ):
        read_label_column(table, "species", "given")
    assert read_label_column(table, "species", "given", ["offen"]).labels.classes.tolist() == sorted({*SPECIES})
    german = penguins(species=emptied(SPECIES, 15, "unbekannt"))
    with pytest.raises(
        TableError, match=r'329 rows have the label "unbekannt" .* give unlabeled=\["unbekannt"\] if it'
    ):
        read_label_column(german, "species", "given")


def test_a_class_that_nearly_all_labels_have_is_told():
    values = ["", *["offen"] * 90, "cat", "dog", "cat"]
    (note,) = read_label_column(pa.table({"y": values}), "y", "given").notes
    assert note == '90 rows have the label "offen"; if it means "not labelled", give unlabeled=["offen"].'
    assert read_label_column(pa.table({"y": ["", *["no"] * 90, "yes", "yes"]}), "y", "given").notes == ()


def test_a_column_with_few_gaps_says_how_few():
    with pytest.raises(TableError, match='may be in "sex", but only 3 of its 800 cells are empty; name the column'):
        find_label_column(rodents(label="plot", mark="DM"))
