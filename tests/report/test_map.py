"""The map: every row once, where it lies, and small however many there are."""

import base64

import numpy as np
import pytest
from example_labellings import made_up

from sskpca._report import pictures as map_module
from sskpca._report.pictures import FOUND, GIVEN, NEXT, POINT, SUSPECT, UNSURE, pack_map
from sskpca.plots._marks import MARKS, SHAPES, mark_of


def drawn(labelling):
    return pack_map(labelling, labelling.matrix)


def test_every_row_is_drawn_once_as_what_it_is():
    labelling = made_up()
    picture = drawn(labelling)
    points = picture.points
    assert points["row"].tolist() == list(range(400))
    np.testing.assert_array_equal(points["code"], labelling.called)
    kind = np.where(labelling.given >= 0, GIVEN, np.where(labelling.sure, FOUND, UNSURE))
    np.testing.assert_array_equal(points["kind"] & 3, kind)
    np.testing.assert_array_equal(points["percent"], np.floor(100 * labelling.confidence))
    assert picture.notes == ()


def test_places_are_stretched_over_the_picture_and_up_is_up():
    labelling = made_up()
    points = drawn(labelling).points
    for axis, sign in (("x", 1), ("y", -1)):
        values = points[axis].astype(float)
        assert (values.min(), values.max()) == (0, 65_535)
        correlation = np.corrcoef(values, labelling.matrix[:, "xy".index(axis)])[0, 1]
        np.testing.assert_allclose(correlation, sign, atol=1e-6)


def test_points_are_packed_in_twelve_bytes_each():
    picture = drawn(made_up(20_000, 5, n_given=200))
    assert len(picture.packed) == 20_000 * 12 * 4 / 3
    again = np.frombuffer(base64.b64decode(picture.packed), POINT)
    np.testing.assert_array_equal(again, picture.points)


def test_of_many_rows_some_are_drawn_and_those_that_matter_are_among_them(monkeypatch):
    monkeypatch.setattr(map_module, "MOST_POINTS", 1000)
    labelling = made_up(5000, 3, n_given=40, n_suspects=3)
    picture = drawn(labelling)
    rows = set(picture.points["row"].tolist())
    assert len(rows) == 1000
    assert rows >= {*range(40), *labelling.next_rows, *(suspect.row for suspect in labelling.suspects)}
    assert picture.notes[-1] == "The map shows 1,000 of 5,000 rows, chosen at random."
    np.testing.assert_array_equal(picture.points, drawn(labelling).points)


@pytest.mark.parametrize("n", [3000, 3001])
def test_a_map_of_a_sample_says_so(n):
    notes = drawn(made_up(n)).notes
    assert any("a random 3,000 are arranged by t-SNE" in note for note in notes) == (n > 3000)


def test_rows_without_coordinates_are_told_not_drawn():
    labelling = made_up()
    places = labelling.matrix.copy()
    places[50:53] = np.nan
    picture = pack_map(labelling, places)
    assert len(picture.points) == 397
    assert picture.notes == ("3 rows without coordinates cannot be drawn.",)


def test_rows_all_at_one_place_and_huge_places_are_drawn():
    for places in (np.ones((400, 2)), 1.7e308 * np.linspace(-1, 1, 800).reshape(400, 2)):
        points = pack_map(made_up(), places).points
        assert len(points) == 400
        middle = abs(np.median(points["x"].astype(float)) - 32_768)
        assert middle < 100
    assert len(pack_map(made_up(), np.full((400, 2), np.nan)).points) == 0


def test_suspects_and_rows_to_label_are_marked():
    labelling = made_up(n_suspects=3)
    points = drawn(labelling).points
    for flag, rows in ((SUSPECT, [suspect.row for suspect in labelling.suspects]), (NEXT, list(labelling.next_rows))):
        assert np.flatnonzero(points["kind"] & flag).tolist() == rows


def test_classes_look_different_in_shape_and_colour():
    marks = [mark_of(k) for k in range(MARKS)]
    assert len(set(marks)) == MARKS
    assert len({mark.shape for mark in marks[:8]}) == len({mark.color for mark in marks[:8]}) == 8


def test_shapes_have_about_the_same_area():
    for corners in SHAPES.values():
        x, y = corners.T
        area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
        assert 1.8 < area < 3.2
