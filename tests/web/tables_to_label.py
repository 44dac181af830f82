"""Small tables, opened for labelling."""

import csv

import numpy as np

from sskpca._tables.options import FileOptions, Options
from sskpca._web.desk import Desk
from sskpca._web.table import open_table
from sskpca.kernels import Gaussian, Linear

N_ROWS = 40


def write_animals(path, n_labeled=6, n=N_ROWS, note="plain"):
    """Write a table of cats and dogs; return what they are."""
    rng = np.random.default_rng(0)
    kind = rng.permutation(np.arange(n) % 2)
    names = np.array(["cat", "dog"])[kind]
    length, weight = rng.normal(4.0 * kind), rng.normal(-3.0 * kind)
    rows = [[f"A{i:03}", f"{length[i]:.3f}", f"{weight[i]:.3f}", note] for i in range(n)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["animal_id", "length", "weight", "note", "species"])
        writer.writerows([*row, names[i] if i < n_labeled else ""] for i, row in enumerate(rows))
    return names


def open_animals(path, **choices):
    options = Options(label="species", kernels=[Gaussian(), Linear()], rank=20, n_jobs=1)
    return open_table(path, options, FileOptions(), **choices)


def wait_for(desk, condition):
    """Wait until the desk's state meets a condition; return the state."""
    import threading

    met, found = threading.Event(), {}

    def look():
        state = desk.state()
        if condition(state):
            found.setdefault("state", state)
            met.set()

    end = desk.listen(look)
    look()
    assert met.wait(60), desk.state()
    end()
    return found["state"]


def is_answered(state):
    return state["complete"] and not state["pending"] and bool(state["baselines"])


def answered_desk(path):
    desk = Desk(open_animals(path), 1)
    desk.start()
    wait_for(desk, is_answered)
    return desk
