"""From a table with some labels to a table with all of them."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sskpca import SSKPCAClassifier
from sskpca._selection.suspects import NOT_TRIED
from sskpca._tables import (
    RESULT_COLUMNS,
    FeatureMap,
    Options,
    TableError,
    check_table,
    label_table,
    predict_table,
    read_table,
    write_table,
)
from sskpca._tables.job import reliability
from sskpca._tables.results import append_results, result_columns
from sskpca.kernels import Diffusion, Gaussian, Linear
from sskpca.saving import load_model, save_model

N, N_LABELED = 150, 24
PREDICTED = ("sskpca_label", "sskpca_confidence", "sskpca_guess", "sskpca_second", "sskpca_unseen")
RNG = np.random.default_rng(1)
SPECIES = RNG.integers(0, 2, N)
NAMES = np.array(["cat", "dog"])[SPECIES]
LABELS = [name if i < N_LABELED else "" for i, name in enumerate(NAMES)]
TABLE = pa.table(
    {
        "id": [str(10**18 + 7 * i) for i in range(N)],
        "length": [f"{v:.4f}" for v in RNG.normal(3.0 * SPECIES)],
        "width": ["NA" if i % 12 == 0 else f"{v:.4f}" for i, v in enumerate(RNG.normal(-2.0 * SPECIES))],
        "colour": np.where(RNG.random(N) < 0.3, "green", np.where(SPECIES, "red", "blue")).tolist(),
        "species": LABELS,
        "photo": [f"img/{i}.jpg" for i in range(N)],
    }
)
FEW = Options(kernels=(Gaussian(), Diffusion(5)), rank=50, source="animals.csv")


@pytest.fixture(scope="module")
def labelled():
    return label_table(TABLE, FEW)


def with_results(table, labelling, force=False):
    kind = table.column(labelling.label_column).type
    return append_results(table, result_columns(labelling, kind, force))


def test_a_check_says_what_would_be_done():
    found = check_table(TABLE, FEW)
    assert (found.source, found.n_rows, found.n_columns) == ("animals.csv", N, 6)
    assert (found.label_column, found.how) == ("species", "guessed: by its name")
    assert sum(found.counts.values()) == N_LABELED
    assert list(found.counts) == ["cat", "dog"]
    assert found.n_unlabeled == N - N_LABELED
    assert {column.name: column.role for column in found.columns} == {
        "id": "ignored",
        "length": "number",
        "width": "number",
        "colour": "category",
        "species": "label",
        "photo": "ignored",
    }
    assert [column.n_features for column in found.columns] == [0, 1, 2, 3, 0, 0]
    assert [column.n_missing for column in found.columns] == [0, 0, 13, 0, N - N_LABELED, 0]
    assert any('13 empty cells of "width"' in note for note in found.notes)
    assert found.plan.sentence.startswith("exact, 150 rows")


def test_a_table_is_labelled(labelled):
    found, model, features = labelled
    assert isinstance(model, SSKPCAClassifier)
    assert isinstance(features, FeatureMap)
    assert found.classes == ("cat", "dog")
    assert np.mean(found.called == SPECIES) > 0.95
    np.testing.assert_array_equal(found.called[:N_LABELED], SPECIES[:N_LABELED])
    np.testing.assert_array_equal(found.given, np.where(np.arange(N) < N_LABELED, SPECIES, -1))
    np.testing.assert_array_equal(found.probabilities, model.label_distributions_)
    np.testing.assert_array_equal(found.sure, found.confidence >= 0.75)
    assert 0.5 < found.sure.mean() <= 1
    assert (found.loo_error, found.loo_interval) == (model.loo_error_, model.loo_interval_)
    assert found.candidates.keys() == model.candidates_.keys()
    assert found.next_rows == tuple(model.next_rows(10))
    assert min(found.next_rows) >= N_LABELED
    assert 0 <= found.gap < 1e-9
    assert found.seconds > 0
    assert (found.source, found.label_column, found.least_confidence) == ("animals.csv", "species", 0.75)


def test_the_matrix_is_what_the_model_has_seen(labelled):
    found, _, features = labelled
    np.testing.assert_array_equal(found.matrix, features.transform(TABLE).matrix)


def test_the_reliability_is_that_of_held_out_labels(labelled):
    bins = labelled[0].reliability
    assert bins.count.tolist() == [12, 12]
    assert np.all(np.diff(bins.confidence) >= 0)
    right = float(bins.right @ bins.count) / N_LABELED
    assert right == pytest.approx(1 - labelled[0].loo_error)


def test_bins_hold_equal_numbers_and_no_label_that_nobody_could_know():
    probability = np.array([[0.9, 0.1, 0.0]] * 30 + [[0.2, 0.8, 0.0]] * 31)
    codes = np.array([0] * 30 + [1] * 30 + [2])
    bins = reliability(probability, codes)
    assert bins.count.sum() == 60
    assert np.ptp(bins.count) <= 1
    np.testing.assert_array_equal(bins.right, 1)
    assert len(reliability(np.eye(3), np.arange(3)).count) == 0


def test_all_that_was_there_is_there_with_the_results(labelled, tmp_path):
    found = labelled[0]
    result = with_results(TABLE, found)
    assert result.column_names == [*TABLE.column_names, *RESULT_COLUMNS]
    assert result.select(TABLE.column_names).equals(TABLE)
    for i, row in enumerate(result.to_pylist()):
        given, sure = i < N_LABELED, bool(found.sure[i])
        assert row["sskpca_label"] == (found.classes[found.called[i]] if sure else None)
        assert row["sskpca_source"] == ("given" if given else "model" if sure else "")
        assert row["sskpca_confidence"] == pytest.approx(found.confidence[i], abs=1e-6)
        assert row["sskpca_suspect"] == (i in [suspect.row for suspect in found.suspects])
    write_table(result, tmp_path / "out.csv")
    again = read_table(tmp_path / "out.csv")
    assert again.select(TABLE.column_names).equals(TABLE)
    assert set(again["sskpca_label"].to_pylist()) <= {"cat", "dog", ""}


def test_rows_that_are_not_sure_are_filled_on_demand(labelled):
    strict = label_table(TABLE, Options(kernels=(Gaussian(),), rank=20, least_confidence=1.0))[0]
    assert strict.sure.sum() == N_LABELED
    blank, full = with_results(TABLE, strict), with_results(TABLE, strict, force=True)
    assert blank["sskpca_label"].null_count == N - N_LABELED
    assert full["sskpca_label"].null_count == 0
    assert set(full["sskpca_source"].to_pylist()) == {"given", "model"}


def test_a_result_can_be_labelled_again(labelled):
    first = with_results(TABLE, labelled[0])
    found, _, features = label_table(first, FEW)
    assert any("earlier run" in note for note in found.notes)
    assert features.columns == labelled[2].columns
    np.testing.assert_array_equal(found.called, labelled[0].called)
    assert with_results(first, found).equals(first)


def test_labels_that_were_corrected_in_a_result_can_be_learned_from(labelled):
    first = with_results(TABLE, labelled[0])
    found, _, features = label_table(first, replace(FEW, label="sskpca_label", ignore=("species",)))
    assert features.columns == labelled[2].columns
    second = with_results(first, found)
    assert second.column_names == first.column_names
    kept = first["sskpca_label"].to_pylist()
    assert all(old in (None, new) for old, new in zip(kept, second["sskpca_label"].to_pylist(), strict=True))


def test_types_order_and_metadata_stay():
    codes = pa.array([int(SPECIES[i]) + 7 if i < N_LABELED else None for i in range(N)], pa.int16())
    table = pa.table({"class": codes, "x": pa.array(RNG.normal(3.0 * SPECIES)), "b": pa.array(SPECIES == 1)})
    table = table.replace_schema_metadata({"owner": "me"})
    found, _, _ = label_table(table, Options(kernels=(Gaussian(),), rank=20))
    result = with_results(table, found, force=True)
    assert result.schema.metadata == {b"owner": b"me"}
    assert result.select(table.column_names).schema.equals(table.schema, check_metadata=True)
    assert result["sskpca_label"].type == pa.int16()
    assert set(result["sskpca_label"].to_pylist()) == {7, 8}
    assert result["sskpca_label"].to_pylist()[:N_LABELED] == codes.to_pylist()[:N_LABELED]


def test_new_rows_are_labelled_as_the_same_rows_were(labelled):
    found, model, features = labelled
    new = TABLE.drop_columns(["species", "id"])
    predicted = predict_table(model, features, new)
    assert predicted.table.column_names == [*new.column_names, *PREDICTED]
    assert not predicted.unseen.any()
    assert predicted.table.select(new.column_names).equals(new)
    free = found.given < 0
    np.testing.assert_array_equal(predicted.called[free], found.called[free])
    blank = np.array([label is None for label in predicted.table["sskpca_label"].to_pylist()])
    np.testing.assert_array_equal(blank, ~predicted.sure)
    assert predict_table(model, features, new, force=True).table["sskpca_label"].null_count == 0


def test_a_row_like_nothing_seen_has_no_label(labelled):
    _, model, features = labelled
    strange = pa.table({"length": ["1e6"], "width": ["-1e6"], "colour": ["violet"]})
    predicted = predict_table(model, features, strange)
    assert predicted.table["sskpca_label"].to_pylist() == [None]
    assert predicted.table["sskpca_confidence"].to_pylist() == [pytest.approx(0.5, abs=1e-4)]
    assert predicted.table["sskpca_unseen"].to_pylist() == [True]
    assert "violet" in predicted.notes[0]


def spoiled(*rows):
    """A table of two kinds that are told apart well, in which these dogs are called cats."""
    rng = np.random.default_rng(2)
    labels = [("cat" if i in rows else name) if i < 60 else "" for i, name in enumerate(NAMES)]
    columns = {name: [f"{v:.4f}" for v in rng.normal(4.0 * SPECIES)] for name in ("length", "width", "weight")}
    return pa.table({**columns, "species": labels})


DOGS = np.flatnonzero(SPECIES)[:2].tolist()


def test_suspects_are_told_as_in_the_table():
    row = DOGS[0]
    table = spoiled(row)
    found = label_table(table, FEW)[0]
    assert row in [suspect.row for suspect in found.suspects]
    suspect = next(s for s in found.suspects if s.row == row)
    assert (suspect.label, suspect.suggestion) == ("cat", "dog")
    assert with_results(table, found)["sskpca_suspect"].to_pylist()[row]


def test_labels_that_are_only_hard_are_no_suspects():
    close = [f"{v:.4f}" for v in np.random.default_rng(2).normal(0.8 * SPECIES)]
    table = pa.table({"x": close, "species": LABELS})
    found = label_table(table, FEW)[0]
    assert found.loo_error > 0.1
    assert found.suspects == ()


def test_the_most_doubtful_label_is_tried_and_the_others_are_told():
    found = label_table(spoiled(*DOGS), replace(FEW, least_confidence=0.5))[0]
    first, *others = found.suspects
    assert first.n_changed >= 0
    assert np.isfinite(first.loo_error_if_changed)
    assert {suspect.row for suspect in found.suspects} >= set(DOGS)
    assert all(suspect.n_changed == NOT_TRIED and np.isnan(suspect.loo_error_if_changed) for suspect in others)
    assert [s.probability for s in found.suspects] == sorted(s.probability for s in found.suspects)


@pytest.mark.parametrize("method", ["ls", "lr", "mv", "sgt"])
def test_single_methods(method):
    table = TABLE.set_column(4, "species", pa.array([*LABELS[:12], *[""] * (N - 12)]))
    found, model, features = label_table(table, Options(method=method))
    assert np.mean(found.called == SPECIES) > 0.7
    held_out = model.leave_one_out()
    assert (found.loo_error, found.loo_interval) == (held_out.error, held_out.interval)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    free = found.given < 0
    decided = np.asarray(model.transduction_) == "dog"
    np.testing.assert_array_equal(found.called[free], decided[free])
    assert found.candidates["method"].tolist() == [method]
    assert found.suspects == found.next_rows == ()
    assert any("method auto only" in note for note in found.notes)
    assert abs(found.gap) < 1e-6
    assert found.matrix.shape[0] == N
    predicted = predict_table(model, features, table)
    np.testing.assert_array_equal(predicted.called[free], found.called[free])


def test_without_a_second_label_of_any_class_single_methods_know_nothing():
    table = TABLE.set_column(4, "species", pa.array(["cat", "dog", *[""] * (N - 2)]))
    found = label_table(table, Options(method="ls"))[0]
    assert found.loo_error == 1
    assert np.isfinite(found.probabilities).all()
    assert any('there is one label only of "cat", "dog"' in note for note in found.notes)
    assert len(found.reliability.count) == 0


def test_the_only_label_of_a_class_is_told():
    labels = LABELS.copy()
    labels[0] = "fox"
    found = label_table(TABLE.set_column(4, "species", pa.array(labels)), FEW)[0]
    assert found.classes == ("cat", "dog", "fox")
    assert [note for note in found.notes if "fox" in note] == [
        'there is one label only of "fox": the expected error leaves it out, held-out errors count it as wrong; '
        "label another row of it."
    ]


def test_equal_rows_with_different_labels_are_told_with_their_rows():
    twice = pa.concat_tables([TABLE, TABLE[:1].set_column(4, "species", pa.array(["fox"]))])
    note = next(note for note in check_table(twice).notes if "same" in note)
    assert note.startswith("row 2 and row 152 are the same in all columns that are used but have different labels")


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_text_is_learned_from(metric):
    words = (["meow", "purr", "whiskers"], ["woof", "bark", "fetch"])
    notes = [" ".join([*RNG.choice(words[k], 3), *RNG.choice(["the", "a", "home", "sun"], 3)]) for k in SPECIES]
    notes[-1] = ""
    table = pa.table({"species": LABELS, "note": notes})
    with pytest.raises(TableError, match="no column is left to learn from"):
        check_table(table, Options(sentences=False))
    kernels = (Linear(), Diffusion(10, metric=metric))
    found, model, features = label_table(table, Options(kernels=kernels, rank=30))
    assert np.mean(found.called[:-1] == SPECIES[:-1]) > 0.95
    new = pa.table({"note": ["purr meow the whiskers", "bark woof the fetch"]})
    assert predict_table(model, features, new, force=True).table["sskpca_label"].to_pylist() == ["cat", "dog"]


def test_numbers_and_words_go_through_a_model_file(tmp_path):
    words = (["meow", "purr", "whiskers"], ["woof", "bark", "fetch"])
    notes = [" ".join([*RNG.choice(words[k], 3), *RNG.choice(["the", "a", "home", "sun"], 3)]) for k in SPECIES]
    table = pa.table({"species": LABELS, "note": notes, "x": RNG.normal(size=N), "ok": RNG.random(N) < 0.5})
    found, model, features = label_table(table)
    assert np.mean(found.called == SPECIES) > 0.9
    assert any(name.endswith("of words") for name in model.kernel_weights_)
    save_model(tmp_path / "m", model, features.to_dict())
    again, content, _ = load_model(tmp_path / "m")
    before = predict_table(model, features, table[:20], force=True).table
    assert predict_table(again, FeatureMap.from_dict(content), table[:20], force=True).table.equals(before)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_an_embedding_is_learned_from(tmp_path, name):
    vectors = np.random.default_rng(3).normal(size=(N, 8)) + 3.0 * SPECIES[:, None] * np.eye(8)[0]
    write_table(pa.table({"species": LABELS, "embedding": vectors.tolist()}), tmp_path / name)
    table = read_table(tmp_path / name)
    found = label_table(table, Options(kernels=(Gaussian(),), rank=30))[0]
    assert [column.n_features for column in found.columns] == [0, 8]
    assert np.mean(found.called == SPECIES) > 0.85


def test_what_does_not_fit_is_refused_before_the_fit():
    with pytest.raises(TableError, match="rows would fit"):
        label_table(TABLE, Options(available=10**8))


def test_errors_of_the_estimators_are_sentences_about_the_table():
    table = pa.table({"species": ["cat", "dog", ""], "x": ["1.5", "2.5", "0.5"], "kind": ["a", "a", "b"]})
    with pytest.raises(TableError) as caught:
        label_table(pa.table({"species": ["cat", ""], "x": ["1.5", "2.5"]}).slice(0, 2))
    assert "one other class" in str(caught.value)
    with pytest.raises(TableError, match="no class has two labelled rows"):
        label_table(table, Options(method="mv"))


@pytest.mark.parametrize(
    ("settings", "words"), [({"method": "svm"}, "choose one of auto"), ({"least_confidence": 2.0}, "between 0 and 1")]
)
def test_choices_that_are_none_are_refused(settings, words):
    with pytest.raises(TableError, match=words):
        Options(**settings)
