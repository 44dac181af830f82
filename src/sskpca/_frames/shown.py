"""Lines for people: a word, then what there is to say about it; as text and as HTML."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

__all__ = ["INDENT", "Entry", "as_html", "as_text", "on_one_line"]

# So wide are the words in front.
INDENT = 10
WIDTH = 100
# What would move the cursor or change the colours of a terminal.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


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


def as_text(entries: Iterable[Entry]) -> str:
    """Write entries for a terminal.

    Examples
    --------
    >>> print(as_text([Entry("given", "12 labels"), Entry("", "of two classes")]))
    given     12 labels
              of two classes
    """
    blank = " " * INDENT
    return "\n".join(
        textwrap.fill(
            on_one_line(entry.text),
            WIDTH,
            initial_indent=f"{on_one_line(entry.name):{INDENT}}",
            subsequent_indent=blank,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for entry in entries
    )


def as_html(title: str, entries: Iterable[Entry]) -> str:
    """Write entries for a notebook: small, self-contained, and everything escaped.

    Examples
    --------
    >>> as_html("<b>", [Entry("note", "a & b")])[:24]
    '<div><p><b>&lt;b&gt;</b>'
    """
    side = "text-align:left;vertical-align:top"
    rows = "".join(
        f'<tr><th style="{side}">{_escaped(entry.name)}</th><td style="{side}">{_escaped(entry.text)}</td></tr>'
        for entry in entries
    )
    return f"<div><p><b>{_escaped(title)}</b></p><table>{rows}</table></div>"


def _escaped(text: str) -> str:
    return escape(on_one_line(text))
