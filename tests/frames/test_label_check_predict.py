"""One call for data frames and for files: the same answer, and what can be asked of it."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from frames_of_animals import N_LABELED, NAMES, N, animals

import sskpca
from sskpca import SSKPCAClassifier
from sskpca._frames import Checked, Labelled
from sskpca._frames.wording import labelling_entries
from sskpca._tables import TableError
from sskpca.saving import load_model
from tables.penguins import FILE, SPECIES, drawn

# The labelled penguins, and every third of the others.
SOME = drawn(15) | (np.arange(len(SPECIES)) % 3 == 0)


@pytest.fixture(scope="module")
def penguins(tmp_path_factory):
    """A file of penguins, of which few have a species."""
    path = tmp_path_factory.mktemp("penguins") / "penguins.csv"
    table = pd.read_csv(FILE, dtype=str, keep_default_na=False)
    table["species"] = np.where(drawn(15), SPECIES, "")
    table[SOME].to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def found():
    return sskpca.label(animals(), kernels=("rbf", "linear"), rank=20)


def blank_is_none(values):
    return [None if value is None or value != value or value == "" else value for value in values]


@pytest.mark.all_trees
def test_pandas_polars_and_the_command_give_the_same_labels_row_by_row(penguins, tmp_path):
    out = tmp_path / "out.csv"
    command = ["label", str(penguins), "-o", str(out), "--quiet"]
    program = f"import sys; sys.argv = ['sskpca', *{command!r}]; from sskpca._cli import main; main()"
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    by_command = pd.read_csv(out, dtype=str, keep_default_na=False)
    in_pandas = sskpca.label(pd.read_csv(penguins)).table
    in_polars = sskpca.label(pl.read_csv(penguins, null_values=["NA", ""])).table
    for name in ("sskpca_label", "sskpca_source", "sskpca_guess", "sskpca_second"):
        expected = blank_is_none(by_command[name])
        assert blank_is_none(in_pandas[name]) == expected
        assert blank_is_none(in_polars[name].to_list()) == expected
    orders = [[int(value) for value in blank_is_none(t["sskpca_next"]) if value] for t in (by_command, in_polars)]
    assert orders[0] == orders[1] == in_pandas["sskpca_next"].dropna().tolist()
    assert np.mean(in_pandas["sskpca_guess"] == SPECIES[SOME]) > 0.9


def test_the_answer_has_all_that_the_command_prints(found):
    assert isinstance(found, Labelled)
    assert isinstance(found.model, SSKPCAClassifier)
    assert found.expected_error == found.model.expected_error_
    assert found.expected_interval == found.model.expected_interval_
    assert found.classes == ("cat", "dog")
    assert [baseline.name for baseline in found.baselines][1:] == ["nearest neighbour", "random forest"]
    assert {entry.column for entry in found.relevance} == {"length", "weight"}
    assert isinstance(found.notes, tuple)
    assert isinstance(found.warnings, tuple)
    with pytest.raises(FrozenInstanceError):
        found.fill = True


def test_rows_to_label_next_are_those_of_the_model_and_more_on_demand(found):
    assert found.next_rows(4).index.tolist() == found.model.next_rows(4).tolist()
    assert found.next_rows(15).index.tolist() == found.model.next_rows(15).tolist()
    order = found.table["sskpca_next"]
    assert order.dropna().sort_values().tolist() == list(range(1, 11))
    assert order.dropna().sort_values().index.tolist() == found.next_rows(10).index.tolist()
    few = sskpca.label(animals(), kernels=("rbf",), rank=20, n_next=2)
    assert few.table["sskpca_next"].notna().sum() == 2
    assert sskpca.label(animals(), kernels=("rbf",), rank=20, n_next=0).labelling.next_rows == ()


def test_the_guess_is_there_where_the_label_is_blank():
    strict = sskpca.label(animals(), kernels=("rbf",), rank=20, least_confidence=1.0, probabilities=True)
    table = strict.table
    free = table["sskpca_source"] == ""
    assert free.sum() == N - N_LABELED
    assert table["sskpca_label"][free].isna().all()
    assert np.mean(table["sskpca_guess"] == NAMES) > 0.9
    assert (table["sskpca_guess"] != table["sskpca_second"]).all()
    larger = np.where(table["sskpca_p_cat"] >= table["sskpca_p_dog"], "cat", "dog")
    np.testing.assert_array_equal(table["sskpca_guess"][free], larger[free])
    np.testing.assert_allclose(table["sskpca_p_cat"] + table["sskpca_p_dog"], 1, atol=1e-5)
    filled = sskpca.label(animals(), kernels=("rbf",), rank=20, least_confidence=1.0, fill=True).table
    np.testing.assert_array_equal(filled["sskpca_label"][free], table["sskpca_guess"][free])


@pytest.fixture(scope="module")
def spoiled():
    """Forty labels, three of which are wrong."""
    labels = [name if row < 40 else None for row, name in enumerate(NAMES)]
    for row in (3, 11, 20):
        labels[row] = {"cat": "dog", "dog": "cat"}[labels[row]]
    return sskpca.label(animals(species=labels, animal_id=[f"A{row}" for row in range(N)]), kernels=("rbf",), rank=20)


def test_all_suspects_are_in_the_table_with_a_score_and_what_the_others_suggest(spoiled):
    rows = spoiled.suspects()
    assert {3, 11, 20} <= set(rows.index)
    assert rows["sskpca_suspect"].all()
    assert rows["sskpca_label_quality"].is_monotonic_increasing
    assert (rows["sskpca_guess"] != rows["species"]).all()
    assert spoiled.table["sskpca_suspect"].sum() == len(rows) == len(spoiled.labelling.suspects)
    suggestions = [suspect.suggestion for suspect in spoiled.labelling.suspects]
    assert rows["sskpca_guess"].tolist() == suggestions


def test_a_row_is_named_by_its_id(spoiled):
    assert "row 3 (animal_id A3) has" in repr(spoiled)


def test_a_label_is_surprising_and_not_wrong_where_outcomes_are_noisy(spoiled):
    def of(labelling):
        return next(entry.text for entry in labelling_entries(labelling, False) if entry.name == "suspects")

    assert "look wrong" in of(replace(spoiled.labelling, expected_error=0.1))
    noisy = of(replace(spoiled.labelling, expected_error=0.3))
    assert "surprising" in noisy
    assert "wrong" not in noisy


def test_it_is_saved_and_predicts_the_same_in_the_same_kind_of_table(found, tmp_path):
    found.save(tmp_path / "m.sskpca")
    new = animals().drop(columns="species").iloc[:9]
    by_object, by_file = sskpca.predict(found, new), sskpca.predict(tmp_path / "m.sskpca", new)
    pd.testing.assert_frame_equal(by_object, by_file)
    pd.testing.assert_frame_equal(found.predict(new), by_object)
    pd.testing.assert_frame_equal(by_file[["length", "weight"]], new)
    assert load_model(tmp_path / "m.sskpca")[1]["label_column"] == "species"
    assert isinstance(sskpca.predict(str(tmp_path / "m.sskpca"), pl.from_pandas(new)), pl.DataFrame)
    everything = sskpca.predict(found, new, fill=True, probabilities=True)
    assert everything["sskpca_label"].notna().all()
    assert {"sskpca_p_cat", "sskpca_p_dog"} <= set(everything)


def test_files_that_exist_are_not_overwritten(found, tmp_path):
    for write in (found.report, found.save, found.write):
        path = tmp_path / f"{write.__name__}.csv"
        path.write_text("mine")
        with pytest.raises(TableError, match=r"already exists; give overwrite=True to replace it"):
            write(path)
        assert path.read_text() == "mine"
        write(path, overwrite=True)
        assert path.read_bytes() != b"mine"
    assert (tmp_path / "report.csv").read_text().startswith("<!DOCTYPE html>")
    assert pd.read_csv(tmp_path / "write.csv")["sskpca_guess"].tolist() == found.table["sskpca_guess"].tolist()


def test_a_model_without_columns_is_refused(found):
    with pytest.raises(TableError, match="a SSKPCAClassifier does not know the columns of a table"):
        sskpca.predict(found.model, animals())
    with pytest.raises(TableError, match='lacks the column "weight"'):
        sskpca.predict(found, animals()[["length"]])


def test_a_check_says_what_would_be_done():
    found = sskpca.check(animals(animal_id=[f"A{row}" for row in range(N)]))
    assert isinstance(found, Checked)
    lines = repr(found).splitlines()
    assert lines[0] == "table     the data frame: 60 rows, 4 columns"
    assert 'not used  animal_id: called an id (use=["animal_id"] to use it)' in lines
    assert any(line.startswith("plan      exact, 60 rows: needs ") for line in lines)
    assert (found.n_rows, found.label_column, found.id_column) == (N, "species", "animal_id")


def test_what_is_shown_in_a_notebook_is_escaped_and_asks_nothing_of_a_network():
    frame = animals().replace({"species": {"cat": "<script>alert(1)</script>"}})
    frame = frame.rename(columns={"length": "<img src=x>"})
    for shown in (sskpca.label(frame, method="ls")._repr_html_(), sskpca.check(frame)._repr_html_()):
        assert "<script" not in shown
        assert "<img" not in shown
        assert "http" not in shown
        assert "&lt;script&gt;alert(1)" in shown
    assert len(shown) < 20_000


def test_errors_carry_the_name_of_the_parameter():
    for name, value in (
        ("label", "specie"),
        ("ignore", "x"),
        ("method", "svm"),
        ("least_confidence", 7),
        ("n_next", -1),
    ):
        with pytest.raises(TableError) as caught:
            sskpca.label(animals(), **{name: value})
        assert caught.value.parameter == name
        assert str(caught.value).startswith(f"{name}: ")


def test_without_pyarrow_one_sentence_says_what_to_install():
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import sskpca\n"
        "try:\n    sskpca.label\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == 'sskpca.label needs pyarrow; pip install "sskpca[cli]".\n'


def test_importing_the_package_loads_no_library():
    program = "import sys, sskpca; print({'numpy', 'sklearn', 'pyarrow', 'pandas'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_completion_offers_public_names_only():
    assert {"label", "check", "predict"} <= set(dir(sskpca))
    assert not {"Any", "TYPE_CHECKING"} & set(dir(sskpca))
