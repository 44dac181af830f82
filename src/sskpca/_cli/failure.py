"""How a command ends if it cannot do what was asked: a sentence in the words of the command line, and an exit code."""

import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import typer

from sskpca._cli.start import load_libraries

__all__ = ["STOPPED", "in_options", "option_of", "report_errors", "with_options"]

if TYPE_CHECKING:
    from sskpca._tables.labelling import Check, Labelling

    Found = TypeVar("Found", Check, Labelling)

# Parameters whose options have other names.
OPTIONS = {"n_next": "next", "n_jobs": "jobs", "random_state": "seed"}
# Options that switch something off.
NEGATIONS = {"sentences": "--no-text"}
# What may be chosen in a message, see `sskpca._tables.error.setting`.
NAMES = (
    *("label", "unlabeled", "text", "use", "ignore", "sentences", "format", "delimiter", "encoding", "decimal"),
    *("sheet", "memory", "landmarks", "method"),
    *("fill", "overwrite", "probabilities", "least_confidence", "n_next", "n_jobs", "random_state"),
)
TEXT = r'"(?:[^"\\]|\\.)*"'
SETTING = re.compile(rf"\b({'|'.join(NAMES)})=(None|True|False|{TEXT}|\[{TEXT}(?:, {TEXT})*\])")
# What a shell takes as it is.
PLAIN = re.compile(r"[\w.\-]+", re.ASCII)

BUG, BAD_INPUT, STOPPED, BROKEN_PIPE = 1, 2, 130, 141
P = ParamSpec("P")


def option_of(parameter: str) -> str:
    """Return the option of a parameter.

    Examples
    --------
    >>> option_of("least_confidence"), option_of("n_jobs")
    ('--least-confidence', '--jobs')
    """
    return "--" + OPTIONS.get(parameter, parameter).replace("_", "-")


def in_options(text: str) -> str:
    r"""Write the choices in a message of the library as options.

    Examples
    --------
    >>> in_options('try ignore=["a", "b c"], unlabeled=None or fill=True.')
    'try --ignore a --ignore "b c", --unlabeled none or --fill.'
    """
    return SETTING.sub(_option, text)


def with_options(found: "Found") -> "Found":
    """Write all choices as options: in notes, warnings and what is said of columns."""
    return replace(
        found,
        notes=tuple(map(in_options, found.notes)),
        warnings=tuple(map(in_options, found.warnings)),
        columns=tuple(replace(column, reason=in_options(column.reason)) for column in found.columns),
    )


def _option(found: re.Match[str]) -> str:
    option, value = option_of(found[1]), found[2]
    if value == "True":
        return option
    if value == "False":
        return NEGATIONS[found[1]]
    if value == "None":
        return f"{option} none"
    texts = [re.sub(r"\\(.)", r"\1", text[1:-1]) for text in re.findall(TEXT, value)]
    return " ".join(f"{option} {_quoted(text)}" for text in texts)


def _quoted(text: str) -> str:
    """Quote what a shell would not take as it is; double quotes work in all of them."""
    if PLAIN.fullmatch(text):
        return text
    escaped = re.sub(r'(["\\$`])', r"\\\1", text)
    return f'"{escaped}"'


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
    from sskpca._frames.wording import on_one_line
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
