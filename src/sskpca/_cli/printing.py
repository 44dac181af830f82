"""Entries on a terminal or in a file."""

import textwrap
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from sskpca._cli.option_words import in_options
from sskpca._frames.shown import INDENT, Entry, on_one_line

__all__ = ["print_entries"]

STYLES = {"note": "yellow", "warning": "bold red"}


def print_entries(entries: Iterable[Entry], stream: TextIO) -> None:
    """Print entries, choices as options; on a terminal in bold and within its width, elsewhere each in a line."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    with console.capture() as printed:  # written by us: the console would take a reader that leaves for a failure
        _print(entries, console)
    stream.write(printed.get())
    stream.flush()


def _print(entries: Iterable[Entry], console: Console) -> None:
    for entry in entries:
        name, lines = on_one_line(entry.name), [on_one_line(in_options(entry.text))]
        if console.is_terminal:
            width = max(console.width - INDENT, 20)
            lines = textwrap.wrap(lines[0], width, break_long_words=False, break_on_hyphens=False) or [""]
        text = Text(f"{name:{INDENT}}", style=STYLES.get(name, "bold"))
        text.append(f"\n{'':{INDENT}}".join(lines), style="not bold default")
        console.print(text, end="\n")
