"""Numbers, names and rows as a reader says them."""

import math
import re
from typing import Any

import numpy as np

from sskpca._linalg.array import Indices
from sskpca._tables.columns import is_own
from sskpca._tables.error import RowNames
from sskpca._tables.labelling import Labelling

__all__ = [
    "MOST_UNSURE",
    "clean",
    "clip",
    "count",
    "describe_rows",
    "duration",
    "number",
    "numbering",
    "percent",
    "proof",
    "several",
    "unsure_rows",
]

# Up to this, a relative duality gap is zero to rounding; what is above is a gap.
GAP_OF_PROOF = 1e-9
# With fewer, estimates that rest on labels are called rough.
FEW_LABELS = 50
# With fewer on average, confidences are often too high.
FEW_PER_CLASS = 10
# At which no line is broken.
SPACE = "\u00a0"
# What HTML forbids or a file cannot hold: control characters, halves of surrogate pairs, noncharacters.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# More rows that are not sure are not listed: nobody reads them one by one.
MOST_UNSURE = 500
MOST_CELLS = 8
# Of the columns that the model does not use, such as an id, so many come first, of so many that are looked at.
MOST_NAMES, MOST_UNUSED = 2, 20


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


def unsure_rows(labelling: Labelling) -> Indices:
    """Return the rows that the report lists as not sure, the least sure first."""
    rows = np.flatnonzero(~labelling.sure & (labelling.given < 0))
    order = np.argsort(labelling.confidence[rows], kind="stable")
    return np.asarray(rows[order][:MOST_UNSURE], dtype=np.intp)


def describe_rows(labelling: Labelling, table: Any) -> list[str]:
    """Return the cells of the rows that the report lists, in a line each; all other rows are empty texts.

    Columns that the model does not use come first, since they often name the row; then texts; then the columns that
    matter most. Empty cells are left out.

    Parameters
    ----------
    labelling : Labelling
    table : pyarrow.Table
        The one that was labelled.
    """
    rows = sorted({*labelling.next_rows, *(s.row for s in labelling.suspects), *unsure_rows(labelling).tolist()})
    texts = [""] * table.num_rows
    if not rows:
        return texts
    unused, used = _columns(labelling)
    shown = {name: _cells(table.column(name), rows) for name in unused}
    # The same in every row, a column names none of them.
    naming = [name for name in unused if len(rows) == 1 or len(set(map(str, shown[name]))) > 1][:MOST_NAMES]
    names = [*naming, *used][:MOST_CELLS]
    shown |= {name: _cells(table.column(name), rows) for name in names[len(naming) :]}
    for k, row in enumerate(rows):
        cells = [(name, shown[name][k]) for name in names]
        texts[row] = " · ".join(f"{name}: {cell}" for name, cell in cells if cell not in (None, ""))
    return texts


def _columns(labelling: Labelling) -> tuple[list[str], list[str]]:
    """List the columns that the model does not use, and those that it uses, the most telling first."""
    gain = {entry.column: entry.gain for entry in labelling.relevance}
    others = [c for c in labelling.columns if c.role != "label" and not is_own(c.name)]
    used = sorted((c for c in others if c.role != "ignored"), key=lambda c: (c.role != "text", -gain.get(c.name, 0.0)))
    return [c.name for c in others if c.role == "ignored"][:MOST_UNUSED], [c.name for c in used]


def _cells(column: Any, rows: list[int]) -> list[Any]:
    try:
        return list(column.take(rows).to_pylist())
    except (OverflowError, ValueError):  # times that Python does not know
        return [_cell(column.slice(row, 1)) for row in rows]


def _cell(column: Any) -> Any:
    try:
        return column.to_pylist()[0]
    except (OverflowError, ValueError):
        return "?"
