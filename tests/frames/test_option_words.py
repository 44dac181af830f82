"""Parameters in the library, options on the command line."""

import re
import shlex
from pathlib import Path

import pytest

import sskpca._tables
from sskpca._cli.app import app
from sskpca._cli.failure import NAMES, NEGATIONS, in_options, option_of
from sskpca._tables.error import setting


def test_no_text_of_the_library_mentions_an_option():
    for path in Path(sskpca._tables.__file__).parent.glob("*.py"):
        found = re.findall(r"(?<![\w-])--[a-z][a-z-]+", path.read_text())
        assert found == [], path.name


@pytest.mark.parametrize("value", ["plain", "two words", 'a "quote"', "-1", "back\\slash", ""])
def test_what_is_set_is_written_as_an_option_that_a_shell_reads_back(value):
    assert shlex.split(in_options(setting("label", value))) == ["--label", value]
    assert shlex.split(in_options(setting("ignore", [value, "b"]))) == ["--ignore", value, "--ignore", "b"]


def test_other_text_stays():
    for text in ("a label=b", "use = 3", 'because="x"', "x_label=None"):
        assert in_options(text) == text


def test_every_parameter_has_an_option():
    options = {
        option
        for command in app.registered_commands
        for annotation in command.callback.__annotations__.values()
        for part in getattr(annotation, "__metadata__", ())
        for option in getattr(part, "param_decls", None) or ()
    }
    names = {name for command in app.registered_commands for name in command.callback.__annotations__}
    for name in NAMES:
        option = NEGATIONS.get(name, option_of(name))
        assert option in options or option[2:].replace("-", "_") in names, name
