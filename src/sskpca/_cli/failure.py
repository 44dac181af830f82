"""How a command ends if it cannot do what was asked."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from sskpca._cli.libraries import load_libraries

__all__ = ["BAD_INPUT", "BROKEN_PIPE", "BUG", "STOPPED", "report_errors"]

BUG, BAD_INPUT, STOPPED, BROKEN_PIPE = 1, 2, 130, 141

P = ParamSpec("P")


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command that ends with a sentence and an exit code instead of a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            load_libraries()
            command(*args, **kwargs)
            sys.stdout.flush()
        except (typer.Exit, typer.BadParameter):
            raise
        except KeyboardInterrupt:
            typer.echo("sskpca: stopped; nothing was written.", err=True)
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:  # who reads has seen enough
            raise typer.Exit(BROKEN_PIPE) from None
        except Exception as error:
            if os.environ.get("SSKPCA_DEBUG"):
                raise
            sentence, code = _sentence(error)
            typer.echo(f"sskpca: {sentence}", err=True)
            raise typer.Exit(code) from None

    return run


def _sentence(error: Exception) -> tuple[str, int]:
    """Describe an error in a line; return that and the exit code."""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("sskpca"):
        return f'{error.name} is not installed; pip install "sskpca[cli]".', BAD_INPUT
    if isinstance(error, MemoryError):
        return "not enough memory; leave out rows, or use a computer with more of it.", BAD_INPUT
    from sskpca._cli.option_words import in_options, option_of
    from sskpca._frames.shown import on_one_line
    from sskpca._tables.error import TableError
    from sskpca.saving._model_parts import ModelFileError

    if isinstance(error, OSError) and error.errno and error.strerror:
        return f"{on_one_line(str(error.filename or 'a file'))}: {error.strerror}.", BAD_INPUT
    if isinstance(error, TableError):
        where = f"{option_of(error.parameter)}: " if error.parameter else ""
        return on_one_line(where + in_options(error.message)), BAD_INPUT
    if isinstance(error, ImportError) and "pip install" in str(error):
        return on_one_line(str(error)), BAD_INPUT
    if isinstance(error, ModelFileError | OSError):
        return on_one_line(str(error)), BAD_INPUT
    what = on_one_line(f"{type(error).__name__}: {error}")
    return f"a bug, please report it: {what} (with SSKPCA_DEBUG=1 in the environment you see where)", BUG
