"""A small, fixed part of ``make fuzz``."""

import importlib
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "fuzz"
CASES = {"tables": range(70), "model_files": range(42), "kills": range(4)}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="cases run in children of the process")


@pytest.fixture
def script(monkeypatch, request):
    """Import a script as its command does: from the folder that it is in."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module(request.param)
    for name in set(sys.modules) - before:  # other tests shall find no module by these short names
        if name.partition(".")[0] in {*CASES, "shared"}:
            del sys.modules[name]


@pytest.mark.parametrize("script", CASES, indirect=True)
def test_no_case_fails(script):
    name = script.__name__
    outcomes = list(script.outcomes(CASES[name]))
    assert [number for number, *_ in outcomes] == list(CASES[name])
    assert [outcome for outcome in outcomes if outcome[-1]] == []
    assert len({outcome for _, outcome, *_ in outcomes}) > 1  # some are read, some are refused
