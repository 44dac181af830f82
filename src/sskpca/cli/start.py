"""Where the command starts."""

import os
import sys
from contextlib import suppress

__all__ = ["main"]


def main() -> None:
    """Run the command ``sskpca``."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a name in a script that the terminal does not know is no failure
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        from sskpca.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sskpca"):
            raise
        print(f"sskpca: the command line needs {error.name}; pip install 'sskpca[cli]'.", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        app(prog_name="sskpca")
    finally:
        _flush()


def _flush() -> None:
    """Let go of what a reader that has left does not want, before the interpreter complains of it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
