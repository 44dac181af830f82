"""What the library calls parameters, in the words of the command line."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from sskpca._tables.check import Check
    from sskpca._tables.labelling import Labelling

    Found = TypeVar("Found", Check, Labelling)

__all__ = ["in_options", "option_of", "with_options"]

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
