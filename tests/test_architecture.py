"""docs/architecture.md is what the code does."""

import importlib
import re
import sys
import tomllib
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import sskpca
from sskpca import SSKPCAClassifier
from sskpca.datasets import make_two_moons

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
SOURCE = Path(sskpca.__file__).parent
PATH = [(file, name) for name, file in re.findall(r"^\| \d+ \| `(\S+)` \| `(\S+)` \|", PAGE, flags=re.MULTILINE)]
# Neither computes anything: a copy of the model, and a loop in threads.
PLUMBING = ("at_once.", "in_threads.", "in_threads")


@pytest.fixture(scope="module")
def calls():
    """Trace a fit: the first call of each function on the path, with the functions of ours that led to it."""
    found = {}

    def ours(frame):
        file = Path(frame.f_code.co_filename)
        return (file.relative_to(SOURCE).as_posix(), frame.f_code.co_qualname) if SOURCE in file.parents else None

    def trace(frame, event, _):
        if event == "call" and ours(frame) in PATH and ours(frame) not in found:
            callers, caller = [], frame.f_back
            while caller is not None:
                callers += [ours(caller)] if ours(caller) else []
                caller = caller.f_back
            found[ours(frame)] = callers

    X, y, _ = make_two_moons(60)
    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        _ = SSKPCAClassifier(n_jobs=1).fit(X, y).transduction_
    finally:
        sys.setprofile(before)
    return found


def test_the_main_path_has_at_most_20_functions_in_at_most_10_files():
    assert 0 < len(PATH) <= 20
    assert len({file for file, _ in PATH}) <= 10


def test_every_function_on_the_page_is_called_in_this_order(calls):
    assert list(calls) == PATH


def test_functions_on_the_page_are_called_by_those_above_them_with_nothing_between(calls):
    for name, callers in calls.items():
        between = []
        for caller in callers:
            if caller in PATH:
                assert PATH.index(caller) < PATH.index(name)
                break
            between.append(caller[1])
        assert all("<" in other.split(".")[-1] or other.startswith(PLUMBING) for other in between), (name, between)


def test_values_on_the_page_are_frozen():
    listed = re.findall(r"^\| `(\w+)` \| `(\S+)\.py` \|", PAGE, flags=re.MULTILINE)
    assert [name for name, _ in listed] == [
        *("Kernel", "Fitted", "Coordinates", "Labels", "Geometry", "Transduction", "Predictor"),
    ]
    for name, file in listed[1:]:
        value = getattr(importlib.import_module(f"sskpca.{file.replace('/', '.')}"), name)
        assert is_dataclass(value)
        assert value.__dataclass_params__.frozen, name


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_folders_are_listed_in_the_order_of_the_layers(page):
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    text = (ROOT / page).read_text()
    listed = re.findall(r"^(?:- `|  )(\w+)/(?:`:|  )", text.split("tests/  ")[0], flags=re.MULTILINE)
    assert listed == list(reversed(layers))[1:]
    assert {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()} == set(listed)
