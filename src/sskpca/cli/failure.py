"""How a command ends if it cannot do what was asked."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

__all__ = ["BAD_INPUT", "BROKEN_PIPE", "BUG", "STOPPED", "told"]

BUG, BAD_INPUT, STOPPED, BROKEN_PIPE = 1, 2, 130, 141

P = ParamSpec("P")


def told(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command that ends with a sentence and an exit code instead of a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
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
    """Say what happened in a line."""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("sskpca"):
        return f"{error.name} is not installed; pip install 'sskpca[cli]'.", BAD_INPUT
    if isinstance(error, MemoryError):
        return "there is not enough memory; leave out rows, or use a computer with more of it.", BAD_INPUT
    from sskpca.cli.printing import on_one_line
    from sskpca.tables.error import TableError
    from sskpca.tables.model_parts import ModelFileError

    if isinstance(error, OSError) and error.errno and error.strerror:
        return f"{on_one_line(str(error.filename or 'a file'))}: {error.strerror}.", BAD_INPUT
    if isinstance(error, TableError | ModelFileError | OSError):
        return on_one_line(str(error)), BAD_INPUT
    what = on_one_line(f"{type(error).__name__}: {error}")
    return f"a bug, please report it: {what} (with SSKPCA_DEBUG=1 in the environment you see where)", BUG
