"""What is taken along holds what was given and what was found."""

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables_to_label import N_ROWS, answered_desk, is_answered, wait_for, write_animals

import sskpca
from sskpca._tables.reading import read_table
from sskpca._tables.stream import FORMATS
from sskpca._web.desk import Desk, NotYetError
from sskpca._web.exports import Exports
from sskpca._web.session import Action
from sskpca._web.table import open_table


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "animals.csv"
    names = write_animals(path)
    desk = answered_desk(path)
    desk.do(Action("label", (20,), str(names[20])))
    desk.do(Action("label", (21,), "fox"))
    desk.do(Action("label", (22,), "fox"))
    desk.do(Action("unlabel", (0,)))
    wait_for(desk, is_answered)
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def exports(desk):
    return Exports(desk)


@pytest.fixture(scope="module")
def labelled(exports):
    return exports.make("table-parquet")


def given(table):
    return [value or None for value in table["species"].to_pylist()]


def test_the_list_has_every_export_with_a_name_of_its_own(exports):
    listed = exports.list()
    assert listed[0] == {"id": "table", "label": "Table with results (CSV)"}
    assert {entry["id"] for entry in listed} == {
        "table",
        *(f"table-{format}" for format in FORMATS if format != "csv"),
        *("model", "report", "label-studio", "hugging-face"),
    }
    assert len({entry["label"] for entry in listed}) == len(listed)
    assert exports.make("others") is None


@pytest.mark.parametrize("format", ["", *(f"-{format}" for format in FORMATS)])
def test_tables_hold_the_labels_of_the_page_and_the_results_in_every_format(exports, desk, tmp_path, format):
    made = exports.make(f"table{format}")
    assert made.name.startswith("animals.labelled.")
    (tmp_path / made.name).write_bytes(made.content)
    table = read_table(tmp_path / made.name)
    expected = [desk.session.labeled.get(row) for row in range(N_ROWS)]
    assert given(table) == expected
    assert table["length"].cast(pa.float64()).to_pylist() == pytest.approx(
        desk.table.table["length"].cast(pa.float64()).to_pylist()
    )
    sources = table["sskpca_source"].to_pylist()
    assert [source == "given" for source in sources] == [label is not None for label in expected]
    assert table["sskpca_label"].to_pylist()[21] == "fox"


def test_a_table_that_was_exported_can_be_labelled_again(exports, tmp_path):
    made = exports.make("table")
    (tmp_path / made.name).write_bytes(made.content)
    found = sskpca.label(tmp_path / made.name, "species", method="ls")
    assert set(found.classes) == {"cat", "dog", "fox"}


def test_the_table_itself_is_not_touched(exports, desk):
    before = desk.table.path.read_bytes()
    exports.make("table")
    assert desk.table.path.read_bytes() == before
    assert b"fox" not in before


def test_the_model_predicts_what_the_page_shows(exports, desk, tmp_path):
    made = exports.make("model")
    assert made.name == "animals.sskpca"
    (tmp_path / made.name).write_bytes(made.content)
    predicted = sskpca.predict(tmp_path / made.name, desk.table.path, fill=True)
    shown = np.array(desk.session.classes)[desk.view.codes]
    free = [row for row in range(N_ROWS) if row not in desk.session.labeled]
    assert np.array(predicted["sskpca_label"].to_pylist())[free].tolist() == shown[free].tolist()


def test_the_report_is_a_page(exports):
    made = exports.make("report")
    assert made.name == "animals.html"
    assert made.content.lower().startswith(b"<!doctype html>")
    assert b"sskpca open animals.csv" in made.content


def test_label_studio_has_an_annotation_or_a_prediction_for_every_row(exports, desk):
    tasks = json.loads(exports.make("label-studio").content)
    assert len(tasks) == N_ROWS
    for row, task in enumerate(tasks):
        label = desk.session.labeled.get(row)
        (kind,) = {"annotations", "predictions"} & set(task)
        assert (kind == "annotations") == (label is not None)
        (choice,) = task[kind][0]["result"]
        assert choice["type"] == "choices"
        assert choice["value"]["choices"] == [label or desk.session.classes[desk.view.codes[row]]]
        assert isinstance(task["data"]["length"], float)
        assert "species" not in task["data"]
    scores = [task["predictions"][0]["score"] for task in tasks if "predictions" in task]
    assert all(0 <= score <= 1 for score in scores)


def test_hugging_face_has_class_numbers_and_minus_one_where_there_is_no_label(exports, desk):
    with zipfile.ZipFile(io.BytesIO(exports.make("hugging-face").content)) as folder:
        assert sorted(folder.namelist()) == ["README.md", "data/train.parquet"]
        table = pq.read_table(io.BytesIO(folder.read("data/train.parquet")))
        assert "path: data/train.parquet" in folder.read("README.md").decode()
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    names = features["species"]["names"]
    assert features["species"]["_type"] == "ClassLabel"
    codes = table["species"].to_pylist()
    assert [None if code < 0 else names[code] for code in codes] == [
        desk.session.labeled.get(row) for row in range(N_ROWS)
    ]
    assert table["length"].type == pa.float64()
    assert set(table["sskpca_label"].to_pylist()) <= {-1, 0, 1, 2}


def test_labels_that_are_numbers_stay_numbers_until_there_is_another_name(tmp_path):
    path = tmp_path / "numbers.parquet"
    rng = np.random.default_rng(0)
    kind = np.arange(30) % 2
    labels = pa.array(kind, mask=np.arange(30) >= 6)
    pq.write_table(pa.table({"x": rng.normal(4.0 * kind), "y": rng.normal(size=30), "label": labels}), path)
    from sskpca._tables.options import FileOptions, Options
    from sskpca.kernels import Gaussian

    desk = Desk(open_table(path, Options(label="label", kernels=[Gaussian()], n_jobs=1), FileOptions()), 1)
    desk.start()
    desk.do(Action("label", (7,), "1"))
    wait_for(desk, is_answered)
    made = Exports(desk).make("table")
    assert pq.read_table(io.BytesIO(made.content))["label"].to_pylist()[5:9] == [1, None, 1, None]
    desk.do(Action("label", (8,), "fox"))
    wait_for(desk, is_answered)
    table = pq.read_table(io.BytesIO(Exports(desk).make("table").content))
    assert table["label"].to_pylist()[5:9] == ["1", None, "1", "fox"]
    assert table["sskpca_label"].type == pa.string()
    desk.close()


def test_before_there_is_an_answer_nothing_can_be_exported(tmp_path):
    path = tmp_path / "animals.csv"
    write_animals(path, n_labeled=0)
    from tables_to_label import open_animals

    desk = Desk(open_animals(path), 1)
    desk.start()
    wait_for(desk, lambda state: not state["pending"])
    with pytest.raises(NotYetError, match="two classes"):
        Exports(desk).make("table")
    desk.close()


def test_when_every_row_has_a_label_the_table_can_be_taken_along(tmp_path):
    path = tmp_path / "animals.csv"
    names = write_animals(path, n_labeled=N_ROWS)
    desk = answered_desk(path)
    assert desk.state()["error"] is None
    assert desk.queue.next == []
    made = Exports(desk).make("table")
    (tmp_path / made.name).write_bytes(made.content)
    assert given(read_table(tmp_path / made.name)) == names.tolist()
    assert Exports(desk).make("report").content
    desk.close()
