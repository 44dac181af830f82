"""Small tables, and commands run on them."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sskpca._cli.app import app
from sskpca.kernels import Gaussian, Linear

N, N_LABELED = 60, 12


def run(*arguments, input=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input, prog_name="sskpca")


def refused(result, words):
    """See that there is one sentence on the error stream and nothing else."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("sskpca: ")
    assert line.endswith((".", "?"))
    assert words in line
    assert "Traceback" not in line


def animals(n=N, n_labeled=N_LABELED, seed=0):
    """Draw a table of cats and dogs; return its header, its rows, and what they are."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, n)
    names = np.array(["cat", "dog"])[kind]
    length, weight = rng.normal(4.0 * kind), rng.normal(-3.0 * kind)
    rows = [[f"A{i:05}", f"{length[i]:.3f}", f"{weight[i]:.3f}", names[i] if i < n_labeled else ""] for i in range(n)]
    return ["animal_id", "length", "weight", "species"], rows, names


def as_csv(header, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def read_csv(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, rows


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "animals.csv"
    path.write_text(as_csv(*animals()[:2]))
    return path


def use_few_kernels(monkeypatch):
    monkeypatch.setattr("sskpca._selection.portfolio.default_kernels", lambda *_: [Gaussian(), Linear()])


@pytest.fixture
def few_kernels(monkeypatch):
    use_few_kernels(monkeypatch)
