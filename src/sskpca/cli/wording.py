"""What was found, in words."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sskpca.cli.printing import Entry
from sskpca.report.words import FEW_PER_CLASS, count, duration, proof, several
from sskpca.report.words import percent as unbroken_percent
from sskpca.tables.error import listed
from sskpca.tables.job import Check
from sskpca.tables.labelling import Labelling
from sskpca.tables.results import Predicted

__all__ = ["check_entries", "counted", "labelling_entries", "percent", "predicted_entries", "written_entry"]

ROLES = {"number": "numbers", "category": "categories", "text": "text", "vector": "lists of numbers"}
# Of rows, columns and classes; the report has all.
MOST = 12
# The table has all.
MOST_SUSPECTS = 5
MOST_RELEVANT = 5


def percent(share: float) -> str:
    """Write a share in per cent."""
    return unbroken_percent(share).replace("\u00a0", " ")


def counted(numbers: Mapping[str, int]) -> str:
    """List so many of each class.

    Examples
    --------
    >>> counted({"cat": 20, "dog": 1900})
    'cat 20, dog 1,900'
    """
    return listed([f"{name} {count(number)}" for name, number in numbers.items()], MOST)


def check_entries(check: Check, file: str, chosen: Sequence[str] = ()) -> list[Entry]:
    """Say what would be done with a table, and how to do it: with the options that were chosen."""
    how = check.how if check.how == "given" else f"{check.how}; --label to change"
    used = {what: [c.name for c in check.columns if c.role == role] for role, what in ROLES.items()}
    left = [f"{column.name}: {column.reason}" for column in check.columns if column.role == "ignored"]
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
    if file != "-":
        entries.append(Entry("to do it", shlex.join(["sskpca", "label", file, *chosen, *_names_beside(file)])))
    return entries


def _names_beside(file: str) -> list[str]:
    """Propose names for what is written.

    Examples
    --------
    >>> _names_beside("data/animals.csv.gz")
    ['-o', 'animals.labelled.csv.gz', '--report', 'animals.html', '--save-model', 'animals.sskpca']
    """
    path = Path(file)
    packed = path.suffix if path.suffix == ".gz" else ""
    inner = path.with_suffix("") if packed else path
    table = f"{inner.stem}.labelled{inner.suffix}{packed}"
    return ["-o", table, "--report", f"{inner.stem}.html", "--save-model", f"{inner.stem}.sskpca"]


def labelling_entries(labelling: Labelling, fill: bool) -> list[Entry]:
    """Say what came out of labelling a table, and how far to trust it."""
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
        limit = _limit(labelling.least_confidence)
        blank = "filled in all the same, as you wish" if fill else "left blank; --fill fills them in"
        entries.append(Entry("unsure", f"{several(unsure, 'row')} less than {limit} sure: {blank}"))
    low, high = labelling.expected_interval
    combined = f", {percent(labelling.loo_error)}, combined with the mean doubt of the probabilities"
    entries += [
        Entry(
            "error",
            f"{percent(labelling.expected_error)} expected of all {several(int(free.sum()), 'unlabelled row')}, the "
            f"unsure included (leave-one-out on {several(n_given, 'label')}"
            f"{combined if labelling.combines_doubt else ''}; 95 % sure that it is between {percent(low)} and "
            f"{percent(high)})",
        ),
        *_caution(n_given, len(labelling.classes)),
        *_baselines(labelling),
        *(Entry("warning", warning) for warning in labelling.warnings),
        *_relevance(labelling),
        Entry("optimum", _optimum(labelling)),
        *_suspects(labelling),
    ]
    if labelling.next_rows:
        rows = listed([count(row + 1) for row in labelling.next_rows], MOST)
        entries.append(
            Entry(
                "next", f"to make it better, label these rows, the first one first: {rows} (counted without the header)"
            )
        )
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
        ignored = " ".join(f"--ignore {shlex.quote(name)}" for name in shown)
        more = f" ({len(shown)} of {len(hurting)} such columns)" if len(hurting) > len(shown) else ""
        better = "it" if len(shown) == 1 else "each of them"
        entries.append(Entry("", f"held-out labels are predicted better without {better}{more}: try {ignored}"))
    useless = [entry.column for entry in reversed(labelling.relevance) if entry.gain <= 0 and not entry.hurts]
    # Where this model does best anyway, a column without a gain is often just one of many that say the same.
    if useless and any(baseline.error <= labelling.loo_error for baseline in labelling.baselines):
        entries.append(Entry("", f"no gain from {listed(useless, MOST_RELEVANT)}: leaving out (--ignore) may help"))
    return entries


def _optimum(labelling: Labelling) -> str:
    if labelling.candidates["method"].tolist() == ["mv"]:
        return f"an eigenproblem, solved to a residual of {labelling.gap:.0e}"
    word, sentence = proof(labelling.gap)
    if word != "proved":
        return sentence
    # Rounding is all that is left: no claim is made below it.
    gap = f"gap below {max(labelling.gap, 1e-15):.0e}"
    number = int(np.sum(labelling.candidates["weight"] > 0))
    where = (
        f"for the candidate of a kernel that counts most, of {count(number)} candidates that are averaged"
        if number > 1
        else "for its settings"
    )
    forest = labelling.forest_weight
    other = f"; a random forest, about which nothing is proved, counts {forest:.0%}" if forest else ""
    return f"proved {where} ({gap}){other}; that says nothing about whether the labels are right"


def _caution(n_given: int, n_classes: int) -> list[Entry]:
    if n_given >= FEW_PER_CLASS * n_classes:
        return []
    return [Entry("", "with so few labels, sskpca_confidence is often too high: this error is the safer number")]


def _suspects(labelling: Labelling) -> list[Entry]:
    suspects = labelling.suspects
    if not suspects:
        return []
    look = "looks" if len(suspects) == 1 else "look"
    shown = suspects[:MOST_SUSPECTS]
    more = len(suspects) - len(shown)
    return [
        Entry("suspects", f"{len(suspects)} of your labels {look} wrong, as far as the others tell; please look"),
        *(Entry("", f'row {count(s.row + 1)} has "{s.label}", but the others say "{s.suggestion}"') for s in shown),
        *([Entry("", f"and {count(more)} more: sskpca_suspect is true for all of them")] if more else []),
    ]


def predicted_entries(predicted: Predicted, classes: list[str], least: float, fill: bool) -> list[Entry]:
    """Say what new rows were called."""
    filled = predicted.sure | fill
    number = np.bincount(predicted.called[filled], minlength=len(classes))
    by_class = counted({name: n for name, n in zip(classes, number.tolist(), strict=True) if n})
    found = f": {by_class}" if by_class else ""
    entries = [Entry("labelled", f"{several(int(filled.sum()), 'row')} of {count(len(filled))}{found}")]
    unsure = int(np.sum(~predicted.sure))
    if unsure:
        blank = "filled in all the same, as you wish" if fill else "left blank; --fill fills them in"
        entries.append(Entry("unsure", f"{several(unsure, 'row')} less than {_limit(least)} sure: {blank}"))
    if predicted.unseen.any():
        rows = listed([count(row + 1) for row in np.flatnonzero(predicted.unseen).tolist()], MOST)
        number_of = several(int(predicted.unseen.sum()), "row")
        like, them = ("is", "it") if predicted.unseen.sum() == 1 else ("are", "them")
        entries.append(
            Entry(
                "unseen",
                f"{number_of} {like} like nothing that the model has seen, so nothing is known of {them}: {rows}",
            )
        )
    return entries + [Entry("note", note) for note in predicted.notes]


def _limit(share: float) -> str:
    return f"{100 * share:g} %"


def written_entry(paths: list[str], dry_run: bool) -> Entry:
    """Say what was written."""
    return Entry("written", "nothing: a dry run" if dry_run else ", ".join(paths))
