"""The libraries that every command needs, loaded where and how that takes the least time.

Most of a command's start is ``import sklearn``, which imports `scipy.stats` a dozen imports deep. Python 3.11 keeps its
frames in chunks of 16 kB, and a loop that calls a function across the end of a chunk asks the system for memory at
every call: `scipy.stats`, imported from the depth of our own modules, does so sixty thousand times. So it comes first,
from here. And modules stay: there is no garbage to look for in them, neither now nor at the end.
"""

import gc
import sys

__all__ = ["load_libraries"]


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
