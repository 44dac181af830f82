"""Baselines and column relevance of a table, beside the answer."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sskpca import SSKPCAClassifier
from sskpca._selection import baselines as baselines_module
from sskpca._selection import relevance as relevance_module
from sskpca._tables import Options, job, label_table
from sskpca._tables.columns import decide_columns
from sskpca._tables.features import fit_features
from sskpca._tables.labelling import collect_evidence
from sskpca._tables.labels import read_label_column
from sskpca._transduction.held_out import HeldOutDecisions
from sskpca.kernels import Gaussian

N, N_LABELED = 160, 60
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 2, N)
LABELS = [name if i < N_LABELED else "" for i, name in enumerate(np.array(["cat", "dog"])[CODES])]
TABLE = pa.table(
    {
        "colour": np.where(RNG.random(N) < 0.15, "green", np.where(CODES, "red", "blue")).tolist(),
        "length": [f"{v:.4f}" for v in RNG.normal(1.5 * CODES)],
        "noise": ["" if i % 10 == 0 else f"{v:.4f}" for i, v in enumerate(RNG.normal(size=N))],
        "species": LABELS,
    }
)
FEW = Options(kernels=(Gaussian(),), rank=40)


def prepared(table=TABLE):
    target = read_label_column(table, "species", "given", ())
    features, _, _ = fit_features(table, decide_columns(table, "species"))
    return features, features.transform(table).matrix, target.labels


def decisions(labels, wrong):
    return HeldOutDecisions(labels.labeled, np.zeros(len(wrong)), wrong)


def test_baselines_and_relevance_are_those_of_the_labelled_rows():
    found, model, _ = label_table(TABLE, FEW)
    assert [b.name for b in found.baselines] == ["most frequent class", "nearest neighbour", "random forest"]
    assert {b.n_labels for b in found.baselines} == {N_LABELED}
    counts = np.bincount(CODES[:N_LABELED])
    assert found.baselines[0].always == ("cat", "dog")[counts.argmax()]
    assert found.baselines[0].error == counts.min() / N_LABELED
    assert {entry.column for entry in found.relevance} == {"colour", "length", "noise"}
    assert found.relevance[-1].column == "noise"
    assert found.relevance[0].helps
    fallback = (found.loo_error, found.loo_interval)
    assert found.expected_error == getattr(model, "expected_error_", fallback[0])
    assert found.expected_interval == getattr(model, "expected_interval_", fallback[1])


def test_the_expected_error_is_that_of_a_model_that_has_one(monkeypatch):
    class Expecting(SSKPCAClassifier):
        expected_error_, expected_interval_ = 0.123, (0.1, 0.2)

    monkeypatch.setattr(job, "SSKPCAClassifier", Expecting)
    found = label_table(TABLE, FEW)[0]
    assert (found.expected_error, found.expected_interval) == (0.123, (0.1, 0.2))
    assert found.loo_error != 0.123
    assert found.combines_doubt


@pytest.mark.parametrize("method", ["auto", "ls"])
def test_the_only_label_of_a_class_is_wrong_for_baselines_as_for_the_model(method):
    labels = LABELS.copy()
    labels[0] = "fox"
    table = TABLE.set_column(3, "species", pa.array(labels))
    found, model, _ = label_table(table, replace(FEW, method=method))
    held_out = model.answer_.held_out
    assert {b.n_labels for b in found.baselines} == {len(held_out.wrong)} == {N_LABELED}
    assert held_out.wrong[0]
    assert all(b.wrong[0] for b in found.baselines)


def test_baselines_are_judged_by_the_labels_that_the_model_is():
    features, matrix, labels = prepared()
    some = HeldOutDecisions(labels.labeled[10:50], np.zeros(40), np.zeros(40, dtype=bool))
    found = collect_evidence(features, matrix, labels, some).baselines
    assert {b.n_labels for b in found} == {40}
    np.testing.assert_array_equal(found[0].labels, np.arange(10, 50))


def test_a_baseline_that_is_better_is_told():
    features, matrix, labels = prepared()
    right = collect_evidence(features, matrix, labels, decisions(labels, np.zeros(N_LABELED, dtype=bool)))
    assert right.warnings == ()
    (warning,) = collect_evidence(features, matrix, labels, decisions(labels, np.ones(N_LABELED, dtype=bool))).warnings
    best = min(right.baselines, key=lambda b: b.error)
    assert f"{100 * best.error:.1f} % of the held-out labels wrong, against 100.0 % for this model" in warning
    assert 'ignore=["NAME"]' in warning
    a_little_worse = best.wrong | (np.arange(N_LABELED) < 3)
    assert collect_evidence(features, matrix, labels, decisions(labels, a_little_worse)).warnings == ()


def test_that_the_most_frequent_class_is_better_is_told_in_its_own_words():
    labels = ["dog" if i < 40 else "cat" if i < 44 else "" for i in range(N)]
    rng = np.random.default_rng(1)
    table = pa.table({"x": [f"{v:.4f}" for v in rng.normal(size=N)], "species": labels})
    features, matrix, read = prepared(table)
    wrong = np.arange(44) % 2 == 0
    (warning,) = collect_evidence(features, matrix, read, decisions(read, wrong)).warnings
    assert warning.startswith(('always answering "dog" is better', "a random forest is better"))


def test_samples_are_told(monkeypatch):
    monkeypatch.setattr(baselines_module, "MOST_LABELS", 40)
    monkeypatch.setattr(relevance_module, "MOST_LABELS", 30)
    monkeypatch.setattr(relevance_module, "MOST_COLUMNS", 2)
    features, matrix, labels = prepared()
    wrong = np.arange(N_LABELED) % 2 == 0
    found = collect_evidence(features, matrix, labels, decisions(labels, wrong))
    assert found.notes == (
        "baselines use a random sample of 40 of the 60 labels.",
        "column relevance was computed for 2 of 3 columns: those whose values differ most between the classes.",
        "column relevance uses a random sample of 30 labels.",
    )
    assert {b.n_labels for b in found.baselines} == {40}
    assert len(found.relevance) == 2


def test_with_one_label_a_class_there_is_nothing_to_compare_by():
    table = TABLE.set_column(3, "species", pa.array(["cat", "dog", *[""] * (N - 2)]))
    found = label_table(table, FEW)[0]
    assert [b.error for b in found.baselines] == [1, 1, 1]
    assert found.relevance == ()
    assert not any("better than this model" in warning for warning in found.warnings)


def test_a_text_is_one_column():
    words = (["meow", "purr"], ["woof", "bark"])
    rng = np.random.default_rng(0)
    notes = [" ".join([*rng.choice(words[k], 2), *rng.choice(["the", "sun"], 2)]) for k in CODES]
    table = TABLE.drop_columns(["colour"]).append_column("note", pa.array(notes))
    found = label_table(table, replace(FEW, text=("note",)))[0]
    assert found.relevance[0].column == "note"
    assert found.relevance[0].helps
