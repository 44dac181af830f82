"""Where a warning should point to."""

import inspect

__all__ = ["callers_level"]

# Who calls fit through these has not written them either.
PASSED_THROUGH = ("sskpca", "sklearn", "joblib", "functools")


def callers_level() -> int:
    """Count the frames up to the line outside the package that led here: the `stacklevel` of a warning.

    However deep the warning is: `fit` and `update_labels` come by different ways.
    """
    here = inspect.currentframe()
    frame, level = here and here.f_back, 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED_THROUGH:
        frame, level = frame.f_back, level + 1
    return level
