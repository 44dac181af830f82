"""The small charts, against sums by hand."""

import re
from importlib.resources import files

import numpy as np
import pytest
from example_labellings import made_up

from sskpca._report.pictures import MOST_PANELS, calibration_bins, candidate_panels
from sskpca._tables.labelling import Reliability
from sskpca._transduction.held_out import wilson_interval

STYLE = files("sskpca._report").joinpath("style.css").read_text("utf-8")


def candidates(**columns):
    n = len(columns["weight"])
    table = {"kernel": ["a"] * n, "label_weight": [1.0] * n, "loo_error": [0.1] * n, **columns}
    return {name: np.array(values, dtype=object if name == "kernel" else float) for name, values in table.items()}


def test_empty_bins_are_left_out_and_the_others_have_wilsons_interval():
    bins = calibration_bins(
        Reliability(np.array([0.5, np.nan, 0.9]), np.array([0.5, np.nan, 0.75]), np.array([2, 0, 8]))
    )
    assert [entry.count for entry in bins] == [2, 8]
    assert (bins[1].low, bins[1].high) == wilson_interval(6, 8)
    assert bins[0].radius == pytest.approx(0.5)  # areas go with the counts
    assert bins[1].radius == 1


def test_kernels_that_count_most_come_first_and_the_others_are_counted():
    table = made_up().candidates
    panels, n_left_out = candidate_panels(table)
    names = sorted(set(table["kernel"]), key=lambda name: -table["weight"][table["kernel"] == name].sum())
    assert [panel.kernel for panel in panels] == names[:MOST_PANELS]
    assert n_left_out == len(names) - MOST_PANELS
    assert panels[0].weight == pytest.approx(table["weight"][table["kernel"] == names[0]].sum())


def test_candidates_at_the_same_place_are_one_dot_of_their_weight_together():
    (panel,), _ = candidate_panels(
        candidates(weight=[0.1, 0.3, 0.4, 0.2], label_weight=[1, 1, 100, 100], loo_error=[0.2, 0.2, 0.1, 0.4])
    )
    assert [(dot.across, dot.up) for dot in panel.dots] == [(0.0, 0.5), (1.0, 0.25), (1.0, 1.0)]
    assert [dot.radius**2 for dot in panel.dots] == pytest.approx([1.0, 1.0, 0.5])
    assert [dot.up for dot in panel.line] == [0.5, 0.25]
    assert (panel.left, panel.right, panel.top, panel.lowest, panel.highest) == ("1", "100", 0.4, 0.1, 0.4)


def test_one_label_weight_and_weights_of_nothing_are_drawn():
    (panel,), _ = candidate_panels(candidates(weight=[0.0, 0.0]))
    assert [(dot.across, dot.radius) for dot in panel.dots] == [(0.5, 0.0)]


def test_no_candidates_no_panels():
    assert candidate_panels(candidates(weight=[])) == ((), 0)


def luminance(color):
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(first, second):
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_colours_have_the_contrast_that_wcag_wants(theme):
    block = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)[theme]
    colors = dict(re.findall(r"--(\w+): (#\w{6})", block))
    for ground in ("paper", "panel"):
        for text in ("ink", "muted", "accent", "warn"):
            assert contrast(colors[text], colors[ground]) >= 4.5
        assert contrast(colors["mid"], colors[ground]) >= 3  # bars
