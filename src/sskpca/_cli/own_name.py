"""What a person types to call the command from here."""

import os
import shlex
import shutil
import sys
from pathlib import Path

__all__ = ["own_name"]


def own_name() -> str:
    """Return "sskpca", or the path of the program if the shell would not find it or would find another."""
    own = Path(sys.argv[0])
    on_path = shutil.which("sskpca")
    if own.name != "sskpca" or not own.exists() or (on_path and os.path.samefile(on_path, own)):
        return "sskpca"
    return shlex.quote(min(os.path.relpath(own), os.path.abspath(own), key=len))
