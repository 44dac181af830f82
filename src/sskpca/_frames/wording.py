"""What is found, in words for people: a word, then what there is to say about it; as text and as HTML."""

import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

import numpy as np

from sskpca._report.words import FEW_PER_CLASS, count, duration, proof, several
from sskpca._report.words import percent as unbroken_percent
from sskpca._tables.error import RowNames, listed, setting
from sskpca._tables.file_form import FileForm
from sskpca._tables.labelling import Check, Labelling
from sskpca._tables.results import Predicted

__all__ = [
    "INDENT",
    "Entry",
    "as_html",
    "as_text",
    "check_entries",
    "counted",
    "headline",
    "labelling_entries",
    "on_one_line",
    "percent",
    "predicted_entries",
    "read_entries",
]

# So wide are the words in front.
INDENT = 10
WIDTH = 100
# What would move the cursor or change the colours of a terminal.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")

ROLES = {"number": "numbers", "category": "categories", "date": "dates", "text": "text", "vector": "lists of numbers"}
# Of rows, columns and classes; the report has all.
MOST = 12
# The table has all.
MOST_SUSPECTS = 5
MOST_RELEVANT = 5


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


def percent(share: float) -> str:
    """Write a share in percent."""
    return unbroken_percent(share).replace("\u00a0", " ")


def counted(numbers: Mapping[str, int]) -> str:
    """List so many of each class.

    Examples
    --------
    >>> counted({"cat": 20, "dog": 1900})
    'cat 20, dog 1,900'
    """
    return listed([f"{name} {count(number)}" for name, number in numbers.items()], MOST)


def check_entries(check: Check) -> list[Entry]:
    """Describe what would be done with a table."""
    how = check.how if check.how == "given" else f"{check.how}; {setting('label', 'NAME')} to change"
    used = {what: [c.name for c in check.columns if c.role == role] for role, what in ROLES.items()}
    left = [f"{column.name or '(no name)'}: {column.reason}" for column in check.columns if column.role == "ignored"]
    kinds = "; ".join(f"{count(len(names))} as {what} ({listed(names, 6)})" for what, names in used.items() if names)
    entries = [
        Entry("table", f"{check.source}: {several(check.n_rows, 'row')}, {several(check.n_columns, 'column')}"),
        Entry("labels", f'in the column "{check.label_column}" ({how})'),
        Entry("given", f"{several(sum(check.counts.values()), 'row')}: {counted(check.counts)}"),
        Entry("empty", f"{several(check.n_unlabeled, 'row')} without a label"),
        Entry("using", f"{several(sum(map(len, used.values())), 'column')}: {kinds}"),
    ]
    if left:
        more = f"; and {len(left) - MOST} more" if len(left) > MOST else ""
        entries.append(Entry("not used", "; ".join(left[:MOST]) + more))
    entries += [Entry("warning", warning) for warning in check.warnings]
    entries += [Entry("note", note) for note in check.notes]
    entries.append(Entry("plan", check.plan.sentence))
    return entries


def read_entries(form: FileForm | None) -> list[Entry]:
    """Say how a file was read, if its name does not tell."""
    if form is None:
        return []
    read = [] if form.is_usual else [Entry("read as", form.sentence)]
    return [*read, *(Entry("note", note) for note in form.notes)]


def headline(labelling: Labelling, fill: bool) -> str:
    """Describe what came out in one line."""
    free = labelling.given < 0
    found, (low, high) = free & (labelling.sure | fill), labelling.expected_interval
    return (
        f"{several(int(found.sum()), 'row')} labelled, {count(int(np.sum(free & ~found)))} left blank; expected error "
        f"{percent(labelling.expected_error)} ({percent(low)} to {percent(high)})"
    )


def labelling_entries(labelling: Labelling, fill: bool) -> list[Entry]:
    """Describe what came out of labelling a table, and how far to trust it."""
    free = labelling.given < 0
    found = free & (labelling.sure | fill)
    unsure = int(np.sum(free & ~labelling.sure))
    number = np.bincount(labelling.called[found], minlength=len(labelling.classes))
    by_class = counted(dict(zip(labelling.classes, number.tolist(), strict=True)))
    n_given = int(np.sum(~free))
    entries = [
        Entry("given", f'{several(n_given, "label")} in the column "{labelling.label_column}" of {labelling.source}'),
        Entry("labelled", f"{several(int(found.sum()), 'row')} in {duration(labelling.seconds)}: {by_class}"),
    ]
    if unsure:
        entries.append(_unsure(unsure, labelling.least_confidence, fill))
    low, high = labelling.expected_interval
    combined = " combined with the mean doubt of the probabilities"
    entries += [
        Entry(
            "error",
            f"{percent(labelling.expected_error)} expected on the {several(int(free.sum()), 'unlabelled row')}, unsure "
            f"ones included; 95 % interval {percent(low)} to {percent(high)} (leave-one-out on "
            f"{several(n_given - len(labelling.alone), 'label')}{combined if labelling.combines_doubt else ''})",
        ),
        *_caution(n_given, len(labelling.classes)),
        *_baselines(labelling),
        *(Entry("warning", warning) for warning in labelling.warnings),
        *_relevance(labelling),
        Entry("optimum", _optimum(labelling)),
        *_suspects(labelling),
    ]
    if labelling.next_rows:
        rows = listed([labelling.rows.short(row) for row in labelling.next_rows], MOST)
        entries.append(Entry("next", f"label these rows next, in this order: {rows} ({_numbering(labelling.rows)})"))
    return entries + [Entry("note", note) for note in labelling.notes]


def _baselines(labelling: Labelling) -> list[Entry]:
    """Compare with simple methods."""
    if not labelling.baselines:
        return []
    parts = [
        f'always "{b.always}": {percent(b.error)} wrong' if b.always else f"{b.name} {percent(b.error)}"
        for b in labelling.baselines
    ]
    own = percent(labelling.loo_error)
    return [Entry("baselines", f"{'; '.join(parts)} (same held-out labels; this model {own})")]


def _relevance(labelling: Labelling) -> list[Entry]:
    """Name the columns that matter most, and those that hurt."""
    if not labelling.relevance:
        return []
    helping = [f"{entry.column} ({entry.gain:+.2f})" for entry in labelling.relevance if entry.helps]
    hurting = [entry.column for entry in reversed(labelling.relevance) if entry.hurts]
    if helping:
        text = (
            f"most relevant: {listed(helping, MOST_RELEVANT)} (log likelihood per held-out label, with minus without)"
        )
    else:
        text = "none stands out by itself: others can replace it, or the labels are too few to tell"
    entries = [Entry("columns", text)]
    if hurting:
        shown = hurting[:MOST_RELEVANT]
        ignored = setting("ignore", shown)
        more = f" ({len(shown)} of {len(hurting)} such columns)" if len(hurting) > len(shown) else ""
        better = "it" if len(shown) == 1 else "each of them"
        entries.append(Entry("", f"held-out labels are predicted better without {better}{more}: try {ignored}"))
    return entries


def _optimum(labelling: Labelling) -> str:
    if labelling.candidates["method"].tolist() == ["mv"]:
        return f"an eigenproblem, solved to a residual of {labelling.gap:.0e}"
    word, sentence = proof(labelling.gap)
    if word != "proved":
        return sentence
    # Rounding is all that is left: no claim is made below it.
    gap = f"duality gap below {max(labelling.gap, 1e-15):.0e}"
    number = int(np.sum(labelling.candidates["weight"] > 0))
    what = f"the heaviest of {count(number)} averaged candidates of a kernel" if number > 1 else "the solution"
    forest = labelling.forest_weight
    other = f"; the random forest, with {percent(forest)} of the weight, has no such proof" if forest else ""
    return (
        f"{what} is proved to be the global optimum for its settings ({gap}){other}; this says nothing about whether "
        "the labels are right"
    )


def _caution(n_given: int, n_classes: int) -> list[Entry]:
    if n_given >= FEW_PER_CLASS * n_classes:
        return []
    return [Entry("", "with so few labels all of these numbers are rough, sskpca_confidence too: mind the interval")]


def _suspects(labelling: Labelling) -> list[Entry]:
    suspects = labelling.suspects
    if not suspects:
        return []
    one, shown = len(suspects) == 1, suspects[:MOST_SUSPECTS]
    if labelling.noisy:
        look = f"{'is' if one else 'are'} surprising, judging by the others; outcomes are noisy, so it may be right"
    else:
        look = f"{'looks' if one else 'look'} wrong, judging by the others; please check"
    more = len(suspects) - len(shown)
    rest = f"and {count(more)} more: those with sskpca_suspect, the lowest sskpca_label_quality first"
    return [
        Entry("suspects", f"{len(suspects)} of your labels {look}"),
        *(Entry("", f'{labelling.rows(s.row)} has "{s.label}", the others suggest "{s.suggestion}"') for s in shown),
        *([Entry("", rest)] if more else []),
    ]


def _unsure(number: int, least: float, fill: bool) -> Entry:
    blank = "filled in anyway" if fill else f"left blank; {setting('fill', True)} to fill them in"
    return Entry("unsure", f"{several(number, 'row')} less than {100 * least:g} % sure: {blank}")


def _numbering(rows: RowNames) -> str:
    """Describe how the numbers of rows are counted."""
    counted = {2: "numbered as in a spreadsheet, the header is row 1", 1: "counted from 1", 0: "counted from 0"}
    ids = "" if rows.ids is None else f"; in parentheses: {rows.title}"
    return counted[rows.first] + ids


def predicted_entries(
    predicted: Predicted, classes: tuple[str, ...], least: float, fill: bool, rows: RowNames
) -> list[Entry]:
    """Describe what new rows were called."""
    filled = predicted.sure | fill
    number = np.bincount(predicted.called[filled], minlength=len(classes))
    by_class = counted({name: n for name, n in zip(classes, number.tolist(), strict=True) if n})
    found = f": {by_class}" if by_class else ""
    entries = [Entry("labelled", f"{several(int(filled.sum()), 'row')} of {count(len(filled))}{found}")]
    unsure = int(np.sum(~predicted.sure))
    if unsure:
        entries.append(_unsure(unsure, least, fill))
    if predicted.unseen.any():
        unlike = np.flatnonzero(predicted.unseen).tolist()
        are, their = ("is", "its") if len(unlike) == 1 else ("are", "their")
        entries.append(
            Entry(
                "unseen",
                f"{several(len(unlike), 'row')} {are} unlike all rows that the model has seen, so nothing is known of "
                f"{their} class: {listed([rows.short(row) for row in unlike], MOST)} ({_numbering(rows)})",
            )
        )
    return entries + [Entry("note", note) for note in predicted.notes]
