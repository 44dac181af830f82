"""Draw the pictures of the README and of the pages from the examples; `make figures` runs it."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PICTURES = {
    "two_moons": "plot_01_two_moons.py",
    "large_variance": "plot_15_large_variance.py",
    "tsvm_loss": "plot_16_losses.py",
}

if __name__ == "__main__":
    plt.show = lambda: None
    for picture, example in PICTURES.items():
        plt.close("all")
        runpy.run_path(str(HERE.parents[1] / "examples" / example), run_name="__main__")
        plt.savefig(HERE / f"{picture}.png", dpi=110)
