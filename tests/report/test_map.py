"""The map: every row once, where it lies, and small however many there are."""

import base64
import io
from dataclasses import replace

import numpy as np
from example_labellings import made_up
from PIL import Image

from sskpca.report import map as map_module
from sskpca.report.map import HEIGHT, WIDTH, draw_map
from sskpca.report.marks import MARKS, SHAPES, mark_of


def image_of(picture):
    return Image.open(io.BytesIO(base64.b64decode(picture.image.removeprefix("data:image/png;base64,"))))


def test_every_row_is_drawn_once_in_its_group():
    labelling = made_up()
    picture = draw_map(labelling)
    groups = {
        "given": labelling.given >= 0,
        "found": (labelling.given < 0) & labelling.sure,
        "unsure": ~labelling.sure,
    }
    for name, members in groups.items():
        points = getattr(picture, name)
        assert [point.row - 1 for point in points] == np.flatnonzero(members).tolist()
        assert [point.code for point in points] == labelling.called[members].tolist()
    assert picture.image == ""
    assert picture.notes == ()


def test_places_are_stretched_over_the_picture_and_up_is_up():
    labelling = made_up(n_given=400)
    given = draw_map(labelling).given
    x, y = np.array([(float(point.x), float(point.y)) for point in given]).T
    assert 0 < x.min() < x.max() < WIDTH
    assert 0 < y.min() < y.max() < HEIGHT
    np.testing.assert_allclose(np.corrcoef(x, labelling.places[:, 0])[0, 1], 1, atol=1e-5)
    np.testing.assert_allclose(np.corrcoef(y, labelling.places[:, 1])[0, 1], -1, atol=1e-5)


def test_many_rows_become_an_image_with_the_given_labels_on_top():
    labelling = made_up(20_000, 5, n_given=200)
    picture = draw_map(labelling)
    assert len(picture.given) == 200
    assert len(picture.found) == len(picture.unsure) == 0
    assert image_of(picture).size == (2 * WIDTH, 2 * HEIGHT)
    assert len(picture.image) < 500_000
    assert "drawn as one image" in picture.notes[0]


def test_rows_of_the_image_have_the_place_and_colour_of_the_shapes():
    places = np.array([[0.0, 0.0], [1.0, 1.0], [0.2, 0.7]])
    labelling = made_up(4000, 3, n_given=3)
    row = 3000
    # all others are stacked in two corners, so that one row stands alone
    labelling = replace(labelling, places=np.where(np.arange(4000)[:, None] == row, places[2], places[[0]]))
    labelling.places[0] = places[1]
    labelling.sure[row] = True
    labelling.called[row] = 1
    pixels = np.asarray(image_of(draw_map(labelling)).convert("RGBA")).astype(float)
    x = 16 + (WIDTH - 32) * 0.2
    y = HEIGHT - (16 + (HEIGHT - 32) * 0.7)
    red, green, blue, alpha = pixels[round(2 * y), round(2 * x)]
    expected = tuple(int(mark_of(1).color[i : i + 2], 16) for i in (1, 3, 5))
    np.testing.assert_allclose((red, green, blue), expected, atol=12)
    assert alpha > 200
    assert pixels[HEIGHT, WIDTH, 3] == 0


def test_very_many_given_labels_are_in_the_image_too():
    picture = draw_map(made_up(6000, 3, n_given=2000))
    assert picture.given == ()
    assert any("Given labels are not set off" in note for note in picture.notes)


def test_thinning_is_told(monkeypatch):
    monkeypatch.setattr(map_module, "MOST_POINTS", 1000)
    picture = draw_map(made_up(5000, 3))
    assert picture.notes[0] == "Of 4,960 rows the map shows 1,000, drawn by lot; all are in the counts."


def test_rows_without_coordinates_are_told_not_drawn():
    labelling = made_up()
    labelling.places[50:53] = np.nan
    picture = draw_map(labelling)
    assert len(picture.given) + len(picture.found) + len(picture.unsure) == 397
    assert picture.notes == ("3 rows without coordinates cannot be drawn.",)


def test_rows_all_at_one_place_and_huge_places_are_drawn():
    for places in (np.ones((400, 2)), np.full((400, 2), np.nan), 1.7e308 * np.linspace(-1, 1, 800).reshape(400, 2)):
        picture = draw_map(made_up(places=places))
        for point in picture.given:
            assert 0 <= float(point.x) <= WIDTH
            assert 0 <= float(point.y) <= HEIGHT


def test_suspects_and_rows_to_label_are_marked():
    labelling = made_up(n_suspects=3)
    picture = draw_map(labelling)
    assert [point.row - 1 for point in picture.suspects] == [suspect.row for suspect in labelling.suspects]
    assert [point.row - 1 for point in picture.next_rows] == list(labelling.next_rows)


def test_classes_look_different_in_shape_and_colour():
    marks = [mark_of(k) for k in range(MARKS)]
    assert len(set(marks)) == MARKS
    assert len({mark.shape for mark in marks[:8]}) == len({mark.color for mark in marks[:8]}) == 8


def test_shapes_have_about_the_same_area():
    for corners in SHAPES.values():
        x, y = corners.T
        area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
        assert 1.8 < area < 3.2
