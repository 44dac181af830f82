"""Pictures: Axes in, the same Axes out, with what was asked for on them."""

import subprocess
import sys

import numpy as np
import pytest

from sskpca._selection.baselines import Baseline
from sskpca._selection.explanation import Explanation
from sskpca._selection.relevance import Relevance
from sskpca.plots import (
    draw_calibration,
    draw_candidates,
    draw_error_curve,
    draw_errors,
    draw_explanation,
    draw_map,
    draw_relevance,
)
from sskpca.plots._marks import mark_of

figure = pytest.importorskip("matplotlib.figure")
colors = pytest.importorskip("matplotlib.colors")


@pytest.fixture
def ax():
    return figure.Figure().add_subplot()


def test_every_row_is_on_the_map_once_in_the_colour_of_its_class(ax):
    rng = np.random.default_rng(0)
    places, codes = rng.standard_normal((300, 2)), rng.integers(3, size=300)
    given, sure = np.arange(300) < 20, rng.random(300) < 0.7
    assert draw_map(ax, places, codes, ["a", "b", "c"], given=given, sure=sure) is ax
    drawn = np.vstack([part.get_offsets() for part in ax.collections])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(places, axis=0))
    for part in ax.collections:
        place = part.get_offsets()[0]
        code = codes[np.flatnonzero((places == place).all(axis=1))[0]]
        assert colors.to_hex(part.get_facecolor()[0]) == mark_of(code).color
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]


def test_rows_that_are_not_sure_are_faded_and_given_ones_are_on_top(ax):
    places = np.arange(6.0).reshape(3, 2)
    draw_map(ax, places, np.zeros(3, int), ["a"], given=np.eye(3, dtype=bool)[0], sure=np.eye(3, dtype=bool)[1])
    shown = [(part.get_offsets()[0, 0], part.get_alpha(), part.get_sizes()[0]) for part in ax.collections]
    assert [entry[0] for entry in shown] == [4.0, 2.0, 0.0]
    assert shown[0][1] < shown[1][1]
    assert shown[2][2] > shown[1][2]


def test_errors_are_beside_each_other(ax):
    baselines = [
        Baseline.of("most frequent class", np.arange(10), np.arange(10) < 6, "No"),
        Baseline.of("random forest", np.arange(10), np.arange(10) < 2),
    ]
    assert draw_errors(ax, 0.1, (0.02, 0.4), baselines) is ax
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [10, 60, 20])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["this model", "always No", "random forest"]


@pytest.mark.filterwarnings("ignore:Conversion of an array with ndim")  # matplotlib before 3.11 with one bar
def test_an_error_outside_of_its_interval_is_drawn(ax):
    draw_errors(ax, 0.5, (0.1, 0.4), [])
    assert ax.patches[0].get_width() == 50


def test_filled_bins_are_drawn(ax):
    assert draw_calibration(ax, np.array([0.5, np.nan, 0.9]), np.array([0.4, np.nan, 1.0]), np.array([5, 0, 5])) is ax
    np.testing.assert_allclose(ax.collections[-1].get_offsets(), [[50, 40], [90, 100]])


def test_without_held_out_labels_the_calibration_is_empty(ax):
    draw_calibration(ax, np.empty(0), np.empty(0), np.empty(0, int))
    assert len(ax.collections[-1].get_offsets()) == 0


def test_columns_are_coloured_by_what_they_do(ax):
    relevance = [Relevance("a", 0.2, 0.01), Relevance("b", 0.0, 0.01), Relevance("c", -0.2, 0.01)]
    assert draw_relevance(ax, relevance) is ax
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [0.2, 0.0, -0.2])
    assert len({bar.get_facecolor() for bar in ax.patches}) == 3
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b", "c"]


def test_the_map_needs_no_matplotlib():
    code = "import sys, sskpca.plots, sskpca._report.page; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_are_ordered_by_their_weight_and_split_by_method(ax):
    candidates = {
        "kernel": np.array(["a", "b", "b", "c", "d"], dtype=object),
        "method": np.array(["ls", "ls", "ridge", "ls", "ridge"], dtype=object),
        "weight": np.array([0.1, 0.3, 0.2, 0.25, 0.15]),
    }
    assert draw_candidates(ax, candidates, n_kernels=2) is ax
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "c", "2 others"]
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(2, 3)
    np.testing.assert_allclose(widths, [[30, 25, 10], [20, 0, 15]])
    np.testing.assert_allclose([bar.get_x() for bar in ax.patches[3:]], widths[0])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ls", "ridge"]


def test_a_curve_of_errors_has_a_band_and_a_name(ax):
    assert draw_error_curve(ax, [5, 10], [0.2, 0.1], interval=[(0.1, 0.4), (0.05, 0.2)], name="expected") is ax
    draw_error_curve(ax, [5, 10], [0.3, 0.2])
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines], [[20, 10], [30, 20]])
    (band,) = ax.collections
    box = band.get_datalim(ax.transData)
    np.testing.assert_allclose([box.y0, box.y1], [5, 40])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["expected"]


def test_the_bars_of_an_explanation_add_up_to_the_decision(ax):
    shares = np.array([0.9, -0.5, 0.1, 0.05])
    rows, labels = np.array([7, 3, 1, 9]), np.array(["x", "y", "x", "y"], dtype=object)
    why = Explanation(2, "x", 0.75, rows, labels, shares, offset=0.2)
    assert draw_explanation(ax, why, n_rows=2) is ax
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [0.9, -0.5, 0.35])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["x (row 7)", "y (row 3)", "all else"]
    assert ax.get_title() == "Why row 2 is called x"
    assert ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
