"""Numbers, names and rows as a reader says them."""

import math
import re

from sskpca._tables.row_names import RowNames

__all__ = [
    "clean",
    "clip",
    "count",
    "duration",
    "number",
    "numbering",
    "percent",
    "proof",
    "several",
]

GAP_OF_PROOF = 1e-9
"""Up to this, a relative duality gap is zero to rounding; what is above is a gap."""

FEW_LABELS = 50
"""With fewer, estimates that rest on labels are called rough."""

FEW_PER_CLASS = 10
"""With fewer on average, confidences are often too high."""

SPACE = "\u00a0"
"""At which no line is broken."""

# What HTML forbids or a file cannot hold: control characters, halves of surrogate pairs, noncharacters.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def clean(text: str) -> str:
    r"""Replace what a page cannot hold.

    Examples
    --------
    >>> clean("a\x00b\ud800") == "a\ufffdb\ufffd"
    True
    """
    return UNPRINTABLE.sub("\ufffd", text)


def clip(text: str, length: int = 60) -> str:
    """Shorten a text that would break the layout.

    Examples
    --------
    >>> clip("a rather long name", 9)
    'a rather…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def count(number: int) -> str:
    """Write a count with its thousands apart.

    Examples
    --------
    >>> count(12253)
    '12,253'
    """
    return f"{number:,}"


def several(number: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> several(1, "row"), several(1200, "class", "classes")
    ('1 row', '1,200 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def number(value: float) -> str:
    """Write a measured number with three digits.

    Examples
    --------
    >>> number(0.60465), number(1000.0), number(float("nan"))
    ('0.605', '1000', 'not known')
    """
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}" if math.isfinite(value) else "not known"


def percent(share: float) -> str:
    """Write a share in per cent; what is not quite nothing, or all, does not look like it.

    Examples
    --------
    >>> [percent(share).replace(SPACE, " ") for share in (0.0625, 0.0, 0.0001, 0.9999, 1.0)]
    ['6.2 %', '0 %', '< 0.1 %', '> 99.9 %', '100 %']
    """
    if not math.isfinite(share):
        return "not known"
    if share in (0.0, 1.0):
        shown = f"{100 * share:.0f}"
    elif 0 < share < 0.0005:
        shown = f"<{SPACE}0.1"
    elif 0.9995 <= share < 1:
        shown = f">{SPACE}99.9"
    else:
        shown = f"{100 * share:.1f}"
    return f"{shown}{SPACE}%"


def duration(seconds: float) -> str:
    """Write a time.

    Examples
    --------
    >>> duration(0.42), duration(19.4), duration(123.0)
    ('0.4 s', '19 s', '2 min 3 s')
    """
    if not math.isfinite(seconds):
        return "not known"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def proof(gap: float) -> tuple[str, str]:
    """Say what a duality gap proves: in a word, and in a sentence.

    Examples
    --------
    >>> proof(6.4e-16)[0], proof(0.02)[0], proof(float("nan"))[0]
    ('proved', 'not proved', 'not known')
    """
    if not math.isfinite(gap):
        return "not known", "There is no proof that the solution is the best possible: its gap could not be computed."
    if gap <= GAP_OF_PROOF:
        return "proved", (
            "The candidate that counts most is the best possible solution for its settings: a bound that no other "
            "solution can pass agrees with it, to rounding."
        )
    return "not proved", (
        "It is not proved that the candidate that counts most is the best possible solution for its settings. A "
        f"better one, if there is one, is better by at most {gap:.1e} of the size of what is minimised."
    )


def numbering(rows: RowNames) -> str:
    """Say how rows are numbered.

    Examples
    --------
    >>> numbering(RowNames())
    'Rows have the numbers that a spreadsheet shows: the first one below the header is row 2.'
    >>> numbering(RowNames(0, ["x9", "x7"], "sample"))
    'The first row is row 0; the name beside the number is "sample".'
    """
    own = f'; the name beside the number is "{rows.title}"' if rows.ids is not None else ""
    if rows.first == 2:
        return f"Rows have the numbers that a spreadsheet shows: the first one below the header is row 2{own}."
    return f"The first row is row {rows.first}{own}."
