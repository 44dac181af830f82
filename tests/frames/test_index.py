"""The index of a data frame is written with the table."""

import numpy as np
import pandas as pd
import pytest

import sskpca


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    kind = np.repeat(["cat", "dog"], 20)
    sizes = rng.normal(np.where(kind == "cat", 1.0, 5.0), 0.3)
    labels = pd.Series(kind, dtype=object).where(np.arange(40) % 20 < 5, None)
    return pd.DataFrame({"size": sizes, "species": labels.to_numpy()})


def written(frame, folder, name="out.csv", **choices):
    found = sskpca.label(frame, "species", method="ls")
    found.write(folder / name, **choices)
    return pd.read_csv(folder / name)


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (pd.RangeIndex(40), []),
        (pd.RangeIndex(5, 45), ["index"]),
        (pd.Index([f"row {i}" for i in range(40)], name="pid"), ["pid"]),
        (pd.Index([f"row {i % 3}" for i in range(40)], name="size"), ["size_"]),
        (pd.MultiIndex.from_arrays([range(40), ["a", "b"] * 20], names=["number", None]), ["number", "level_1"]),
        (pd.interval_range(0, 40), ["index"]),
    ],
    ids=str,
)
def test_an_index_that_says_something_is_written_first(frame, tmp_path, index, names):
    table = written(frame.set_axis(index), tmp_path)
    assert list(table.columns)[: len(names) + 2] == [*names, "size", "species"]
    for i, name in enumerate(names):
        assert table[name].astype(str).tolist() == [str(value) for value in index.get_level_values(i)]


def test_the_format_can_be_given(frame, tmp_path):
    assert list(written(frame, tmp_path, "out.dat", format="csv").columns)[:2] == ["size", "species"]


def test_suspects_and_next_rows_take_a_number():
    kind = np.repeat(np.array(["cat", "dog"], dtype=object), 40)
    sizes = np.random.default_rng(0).normal(np.where(kind == "cat", 1.0, 5.0), 0.3)
    kind[36:44] = None
    kind[2] = "dog"  # one wrong label among 72: of a few, it would not stand out
    found = sskpca.label(pd.DataFrame({"size": sizes, "species": kind}), "species")
    assert len(found.next_rows(n=3)) == 3
    assert len(found.suspects()) >= 1
    assert len(found.suspects(1)) == 1
    assert len(found.suspects(n=0)) == 0


def test_errors_of_tables_can_be_caught_by_name(frame):
    with pytest.raises(sskpca.TableError, match="specis"):
        sskpca.label(frame, "specis")


def test_an_encoder_takes_one_name_as_well_as_several(frame):
    names = [sskpca.TableEncoder(ignore=ignore).fit(frame).get_feature_names_out() for ignore in ("size", ["size"])]
    assert list(names[0]) == list(names[1])
