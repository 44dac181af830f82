"""Lines for people: a word, then what there is to say about it."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.text import Text

__all__ = ["Entry", "on_one_line", "print_entries"]

# So wide are the words in front.
INDENT = 10
STYLES = {"note": "yellow", "warning": "bold red"}
# What would move the cursor or change the colours of a terminal.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True)
class Entry:
    """Something to tell.

    Attributes
    ----------
    name : str
        One word, what it is about; blank where it goes on.
    text : str
    """

    name: str
    text: str


def on_one_line(text: str) -> str:
    r"""Replace what does not belong into a line, such as codes for the terminal in somebody's table.

    Examples
    --------
    >>> on_one_line("a\nb\x1b[31mc")
    'a b [31mc'
    """
    return CONTROL.sub(" ", text)


def print_entries(entries: Iterable[Entry], stream: TextIO) -> None:
    """Print entries; on a terminal in bold and within its width, elsewhere each in a line of its own."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    with console.capture() as printed:  # written by us: the console would take a reader that leaves for a failure
        _print(entries, console)
    stream.write(printed.get())
    stream.flush()


def _print(entries: Iterable[Entry], console: Console) -> None:
    for entry in entries:
        name, lines = on_one_line(entry.name), [on_one_line(entry.text)]
        if console.is_terminal:
            width = max(console.width - INDENT, 20)
            lines = textwrap.wrap(lines[0], width, break_long_words=False, break_on_hyphens=False) or [""]
        text = Text(f"{name:{INDENT}}", style=STYLES.get(name, "bold"))
        text.append(f"\n{'':{INDENT}}".join(lines), style="not bold default")
        console.print(text, end="\n")
