"""Lines on a terminal and elsewhere."""

import io
import re

import pytest

from sskpca._cli.outputs import print_entries
from sskpca._frames.wording import Entry

LONG = "a sentence of many words " * 10


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    return Terminal()


def test_elsewhere_an_entry_is_a_plain_line():
    stream = io.StringIO()
    print_entries([Entry("note", LONG), Entry("", "[bold]x[/bold] :fox:")], stream)
    assert stream.getvalue() == f"note      {LONG}\n          [bold]x[/bold] :fox:\n"


def test_on_a_terminal_lines_are_within_its_width(terminal):
    print_entries([Entry("note", LONG)], terminal)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert max(map(len, plain.splitlines())) <= 60
    assert plain.split() == ["note", *LONG.split()]


@pytest.mark.parametrize("wanted", [True, False])
def test_no_color_is_respected(terminal, monkeypatch, wanted):
    if not wanted:
        monkeypatch.setenv("NO_COLOR", "1")
    print_entries([Entry("note", "x")], terminal)
    assert ("\x1b[33m" in terminal.getvalue()) == wanted
