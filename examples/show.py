"""Show an example's figure in a window, or save it: what the plot_*.py have in common."""

import argparse
from collections.abc import Callable
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure


def show_or_save(name: str, figure: Callable[[], Figure], description: str, argv: list[str] | None) -> None:
    """Draw the figure; with ``--save FOLDER`` write it there as NAME.png."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--save", type=Path, metavar="FOLDER", help=f"write {name}.png there; no window")
    folder = parser.parse_args(argv).save
    if folder is None:
        if matplotlib.get_backend().lower() == "agg":
            parser.error("there is no display to show a window on; use --save FOLDER.")
        figure()
        plt.show()
        return
    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    fig = figure()
    fig.savefig(folder / f"{name}.png", dpi=110)
    plt.close(fig)
    print(f"wrote {folder / f'{name}.png'}")
