"""Where the command starts: by which name, and with which libraries.

Most of a command's start is ``import sklearn``, which imports `scipy.stats` a dozen imports deep. Python 3.11 keeps its
frames in chunks of 16 kB, and a loop that calls a function across the end of a chunk asks the system for memory at
every call: `scipy.stats`, imported from the depth of our own modules, does so sixty thousand times. So it comes first,
from here. And modules stay: there is no garbage to look for in them, neither now nor at the end.
"""

import gc
import os
import shlex
import shutil
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["load_libraries", "main", "own_name"]


def main() -> None:
    """Run the command ``sskpca``."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a name in a script that the terminal does not know is no failure
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        from sskpca._cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sskpca"):
            raise
        print(f'sskpca: the command line needs {error.name}; pip install "sskpca[cli]".', file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        app(prog_name="sskpca")
    finally:
        _flush()


def _open_closed_streams() -> None:
    """Open the null device in place of standard streams that are closed; otherwise a file would get their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _flush() -> None:
    """Let go of what cannot be written, before the interpreter complains of it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def own_name() -> str:
    """Return "sskpca", or the path of the program if the shell would not find it or would find another."""
    own = Path(sys.argv[0])
    on_path = shutil.which("sskpca")
    if own.name != "sskpca" or not own.exists() or (on_path and os.path.samefile(on_path, own)):
        return "sskpca"
    return shlex.quote(min(os.path.relpath(own), os.path.abspath(own), key=len))


def load_libraries() -> None:
    """Import what takes long; the imports of a command find it there."""
    if "sklearn.neighbors" in sys.modules:
        return
    collects = gc.isenabled()
    gc.disable()
    try:
        import scipy.stats  # noqa: F401
        import sklearn.neighbors  # noqa: F401
    finally:
        gc.freeze()
        if collects:
            gc.enable()
