"""What a release promises: one version, lower bounds that are tested, model files that later versions read."""

import json
import re
import runpy
import tomllib
from pathlib import Path

import numpy as np
import pytest

import sskpca
from sskpca.saving import load_model

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
MODELS = [path for folder in sorted(DATA.glob("models-*")) for path in sorted(folder.glob("*.sskpca"))]


def lower_bounds():
    """Return the lowest version of each dependency that pyproject.toml allows."""
    extras = [entry for entries in PROJECT["optional-dependencies"].values() for entry in entries]
    tested = [entry for entry in PYPROJECT["dependency-groups"]["test"] if entry.startswith(("pandas", "polars"))]
    found = {}
    for entry in [*PROJECT["dependencies"], *extras, *tested]:
        match = re.fullmatch(r"([\w.-]+?)(?:\[.*\])?>=([\d.]+)", entry)
        if match:
            found[match[1].lower()] = tuple(map(int, match[2].split(".")))
    return found


def test_the_version_has_one_source():
    version = PROJECT["version"]
    assert sskpca.__version__ == version, "pyproject.toml has changed; install again: pip install --editable ."
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_oldest_dependencies_are_those_of_the_lower_bounds():
    lines = (ROOT / "constraints-oldest.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    bounds = lower_bounds()
    assert set(pins) - {"anyio", "click"} == set(bounds)  # theirs, see there
    for name, bound in bounds.items():
        pinned = tuple(map(int, pins[name].split(".")))
        assert pinned[: len(bound)] == bound
        assert not any(pinned[len(bound) :])


def test_the_table_of_supported_versions_is_that_of_pyproject():
    page = (ROOT / "docs" / "guide" / "versions.md").read_text()
    listed = re.findall(r"^\| (\S+) \| ([\d.]+) \|", page, flags=re.MULTILINE)
    shown = {name.lower(): tuple(map(int, text.split("."))) for name, text in listed}
    assert shown.pop("python") == tuple(map(int, PROJECT["requires-python"].removeprefix(">=").split(".")))
    bounds = lower_bounds()
    assert set(shown) == set(bounds)
    for name, bound in bounds.items():
        longest = max(len(bound), len(shown[name]))
        assert bound + (0,) * (longest - len(bound)) == shown[name] + (0,) * (longest - len(shown[name]))


def test_there_is_a_model_file_of_every_kind():
    assert {path.stem for path in MODELS} == {"ls", "lr", "mv", "sgt", "automatic", "table"}
    assert sum(path.stat().st_size for path in MODELS) < 200_000


@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_models_of_earlier_releases_predict_what_they_did(path):
    written = runpy.run_path(str(DATA / "write_models.py"))
    expected = json.loads((path.parent / "expected.json").read_text())[path.stem]
    if path.stem == "table":
        pa = pytest.importorskip("pyarrow")
        answer = sskpca.predict(path, pa.table(written["TABLE"]), fill=True)
        assert answer["sskpca_label"].to_pylist() == expected["sskpca_label"]
        np.testing.assert_allclose(answer["sskpca_confidence"].to_pylist(), expected["sskpca_confidence"], rtol=1e-6)
        return
    model, _, header = load_model(path)
    assert header["sskpca_version"] == path.parent.name.removeprefix("models-")
    np.testing.assert_allclose(model.decision_function(written["NEW"]), expected["decisions"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(written["NEW"]), expected["probabilities"], rtol=1e-6, atol=1e-9)
