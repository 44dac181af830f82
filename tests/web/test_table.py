"""A table as the page sees it: with or without labels, with pictures or without."""

import struct
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables_to_label import open_animals, write_animals

from sskpca._tables.error import TableError
from sskpca._tables.options import FileOptions, Options
from sskpca._web.pictures import grey_png, kind_of
from sskpca._web.table import open_table

PNG = grey_png(np.zeros((2, 3), np.uint8))
N = 12


def opened(path, label=None, **choices):
    return open_table(path, Options(label=label), FileOptions(), **choices)


def write(path, **columns):
    rng = np.random.default_rng(0)
    numbers = {"x": rng.normal(size=N), "z": rng.normal(size=N)}
    pq.write_table(pa.table({**numbers, **columns}), path)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rows.parquet"


def test_a_table_without_labels_gets_a_column_for_them(path):
    table = opened(write(path))
    assert table.label_column == "label"
    assert len(table.ready.target.labels.classes) == 0
    assert table.table.column_names == ["x", "z", "label"]
    assert pq.read_table(path).column_names == ["x", "z"]


def test_the_new_column_can_be_named_and_a_slip_is_corrected(path):
    write(path, species=pa.array(["cat", "dog"] + [None] * (N - 2)))
    assert opened(path).label_column == "species"
    assert opened(path, "kind").label_column == "kind"
    with pytest.raises(TableError, match='no column "specis"; did you mean "species"'):
        opened(path, "specis")


def test_a_column_that_is_empty_or_full_or_of_one_class_is_fine(path):
    for labels in ([None] * N, ["cat"] + [None] * (N - 1), ["cat", "dog"] * (N // 2)):
        table = opened(write(path, species=pa.array(labels, pa.string())), "species")
        assert table.ready.target.labels.names().tolist() == labels


def test_columns_that_may_all_be_labels_are_asked_about(path):
    few = pa.array(["a", "b", "a", "b"] + [None] * (N - 4))
    with pytest.raises(TableError, match="name the column"):
        opened(write(path, first=few, second=few))


def test_a_table_with_nothing_to_learn_from_is_refused(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("name,species\n" + "".join(f"n{i},\n" for i in range(N)))
    with pytest.raises(TableError):
        opened(path, "species")


def test_kinds_of_columns(path):
    dates = pa.array(np.datetime64("2020-01-01") + np.arange(N))
    colors = pa.array(["red", "blue"] * (N // 2))
    vectors = pa.array([[float(i), 1.0 + i % 3] for i in range(N)])
    table = opened(write(path, when=dates, color=colors, vector=vectors, nested=pa.array([{"a": 1}] * N)))
    kinds = {column["name"]: column["kind"] for column in table.columns()}
    expected = {"x": "number", "when": "date", "color": "category", "vector": "list", "nested": "other"}
    assert kinds == {**expected, "z": "number"}


def test_what_tells_rows_apart_is_shown_first_and_what_is_the_same_in_all_last(path):
    table = opened(write(path, place=pa.array(["Oslo"] * N), tag=pa.array([f"N{i}A1" for i in range(N)])), "species")
    assert {column["name"] for column in table.columns() if not column["used"]} == {"place", "tag"}
    assert table.shown == ["tag", "x", "z", "place"]
    assert table.listed() == table.shown[:4]


def test_labels_that_change_are_no_other_table_but_cells_are(tmp_path):
    path = tmp_path / "animals.csv"
    write_animals(path, n_labeled=3)
    table = open_animals(path)
    write_animals(path, n_labeled=20)
    assert not table.has_changed()
    write_animals(path, note="other")
    assert table.has_changed()
    path.unlink()
    assert table.has_changed()


def decoded(png):
    """Read a grey PNG without filters."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        content = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + content)
        chunks[kind] = content
        at += 12 + length
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, color, rest) == (8, 0, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:]


def test_grey_values_are_written_as_png():
    grey = np.random.default_rng(0).integers(0, 256, (5, 7), dtype=np.uint8)
    np.testing.assert_array_equal(decoded(grey_png(grey)), grey)


def test_numbers_of_a_row_are_pixels_also_where_they_are_all_the_same(tmp_path):
    path = tmp_path / "pixels.csv"
    rng = np.random.default_rng(0)
    values = rng.integers(0, 17, (30, 6))
    values[:, 2] = 0
    lines = [",".join(map(str, row)) + ",\n" for row in values]
    path.write_text("a,b,c,d,e,f,label\n" + "".join(lines))
    table = opened(path, "label", pixels=(3, 2))
    expected = np.rint(255 * values / values.max()).astype(np.uint8)
    np.testing.assert_array_equal(decoded(table.pictures.of(4).content), expected[4].reshape(2, 3))
    assert table.pictures.describe() == {"kind": "pixels", "column": None, "width": 3, "height": 2}
    assert table.cells(4) == []  # they are in the picture
    with pytest.raises(TableError, match="are 16 pixels, but the table has 6 columns"):
        opened(path, "label", pixels=(4, 4))


def test_bytes_and_the_structures_of_hugging_face_are_pictures(path):
    for cells in ([PNG] * N, [{"bytes": PNG, "path": "a.png"}] * N):
        table = opened(write(path, photo=pa.array(cells)))
        assert table.pictures.column == "photo"
        assert table.pictures.of(3).content == PNG
        assert table.pictures.of(3).kind == "image/png"


def test_files_below_the_folder_are_pictures_and_no_others(tmp_path):
    folder = tmp_path / "table"
    (folder / "photos").mkdir(parents=True)
    (folder / "photos" / "a.png").write_bytes(PNG)
    (folder / "text.png").write_text("<svg onload=alert(1)>")
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "way").symlink_to(tmp_path)
    names = [
        *("photos/a.png", "./photos/../photos/a.png"),
        *("../secret.png", str(tmp_path / "secret.png"), "link.png", "way/secret.png", "photos/../../secret.png"),
        *("text.png", "photos", "nothing.png", "a\0.png", "x" * 5000 + ".png"),
    ]
    assert len(names) == N
    table = opened(write(folder / "rows.parquet", photo=pa.array(names)))
    shown = [row for row in range(N) if table.pictures.of(row) is not None]
    assert shown == [0, 1]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"<svg xmlns=", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_only_pictures_that_hold_no_scripts_are_shown(content, kind):
    assert kind_of(content) == kind


def test_cells_are_written_for_people(path):
    table = opened(
        write(path, note=pa.array(["a" * 10_000] * N), raw=pa.array([b"123"] * N), gone=pa.array([None] * N))
    )
    cells = {cell["column"]: cell["text"] for cell in table.cells(0)}
    assert len(cells["note"]) == 5000
    assert cells["raw"] == "(3 bytes)"
    assert "gone" not in cells
    assert len(cells["x"]) <= 10
