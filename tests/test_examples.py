"""Examples run without a warning, and draw what they say."""

import ast
import runpy
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))
# The others run when the site is built, where an error or a warning stops it.
QUICK = ("two_moons", "mixed_table", "own_kernel", "own_graph", "leave_one_out", "million_rows", "dask", "losses")


def name(path):
    return path.stem.split("_", 2)[2]


@pytest.mark.parametrize("path", [path for path in EXAMPLES if name(path) in QUICK], ids=name)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_figures_are_drawn(path, monkeypatch):
    monkeypatch.setenv("SSKPCA_EXAMPLE_ROWS", "20000")
    runpy.run_path(str(path), run_name="__main__")
    try:
        assert plt.get_fignums()
        for number in plt.get_fignums():
            figure = plt.figure(number)
            assert all(ax.has_data() for ax in figure.axes)
    finally:
        plt.close("all")


def test_there_are_at_least_twelve():
    assert len(EXAMPLES) >= 12
    assert set(QUICK) <= {name(path) for path in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES, ids=name)
def test_examples_have_a_title_and_a_text(path):
    title, line, *text = ast.get_docstring(ast.parse(path.read_text())).splitlines()
    assert line == "=" * len(title)
    assert len(" ".join(text).split()) > 20
