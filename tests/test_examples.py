"""Examples run, and show what they say."""

import importlib.util
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
EXAMPLES = Path(__file__).parents[1] / "examples"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("plot_*.py")), ids=lambda path: path.stem)
def test_figures_are_drawn(path, tmp_path):
    load(path).main(["--save", str(tmp_path)])
    plt.close("all")
    picture = plt.imread(tmp_path / f"{path.stem.removeprefix('plot_')}.png")
    assert picture.std() > 0.02  # not blank
