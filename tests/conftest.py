"""Settings that must be made before scipy is imported."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

os.environ["SCIPY_ARRAY_API"] = "1"  # so that scikit-learn's array API check runs instead of being skipped
os.environ.setdefault("MPLBACKEND", "Agg")

# No doctests in these, and two modules of one name would be in each other's way.
collect_ignore = ["conftest.py", "cli/conftest.py"]

# Tests of what is made of a model: thirty trees do, and three hundred take longer than all the rest of a small table.
FEW_TREES = ("cli", "frames", "report", "saving", "tables", "web")


def pytest_configure(config):
    config.addinivalue_line("markers", "all_trees: forests are as large as in use, to compare with other processes")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Grow small forests where the forest is not what is tested, in fixtures that last for a module, too."""
    with pytest.MonkeyPatch.context() as patch:
        if item.path.parent.name in FEW_TREES and not item.get_closest_marker("all_trees"):
            patch.setattr("sskpca._selection.baselines.N_TREES", 30)
        return (yield)


@pytest.fixture(autouse=True)
def idle_machine(monkeypatch):
    """Do not measure how busy the machine is before every forecast; that takes a tenth of a second, and has a test."""
    if "sskpca._tables.prepared" in sys.modules:
        monkeypatch.setattr("sskpca._tables.prepared.slowness", lambda: 1.0)


@pytest.fixture
def unprivileged(tmp_path):
    """Run the test as somebody to whom permissions apply; `tmp_path` is theirs."""
    if os.name != "posix":
        pytest.skip("permissions of POSIX")
    if os.geteuid() != 0:
        yield
        return
    temporary = Path(tempfile.gettempdir()).resolve()
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(temporary) and folder != temporary:
            folder.chmod(0o755)
    os.chown(tmp_path, 65534, -1)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
