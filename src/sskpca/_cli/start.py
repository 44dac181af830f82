"""Where the command starts."""

import os
import sys
from contextlib import suppress

__all__ = ["main"]


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
