"""Import scripts of the benchmarks as their commands do: from the folder that they are in."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


@contextmanager
def imported(folder: Path, name: str) -> Iterator[ModuleType]:
    """Import a script; modules of the tests that share a short name with its neighbours are out of sight meanwhile."""
    local = {path.stem for path in folder.iterdir()}
    hidden = {key: sys.modules.pop(key) for key in list(sys.modules) if key.partition(".")[0] in local}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for key in [key for key in sys.modules if key.partition(".")[0] in local]:
            del sys.modules[key]
        sys.modules.update(hidden)
