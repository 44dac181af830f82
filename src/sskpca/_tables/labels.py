"""Which column holds the labels, and what they are."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._tables.cells import MISSING, NUMBER, Cells, clipped, is_number, is_plain, texts
from sskpca._tables.columns import check_names, is_own
from sskpca._tables.error import TableError, quoted, row_name, setting
from sskpca._transduction.label_values import SUSPICIOUS
from sskpca._transduction.labels import Labels, read_labels

__all__ = ["LabelColumn", "NoLabelColumnError", "find_label_column", "read_label_column"]

NAMES = (
    *("label", "labels", "class", "classes", "target", "targets", "y", "species", "category", "outcome"),
    *("diagnosis", "class_label", "classlabel", "label_name", "labelname", "ground_truth", "groundtruth", "truth"),
)
# More classes than this are found in no column by accident; of more values than that, none is looked at.
MOST_CLASSES, MOST_COUNTED = 50, 2000
# Words that most likely mean "not labelled": they count as empty while the column is looked for, and are asked about.
MARKS = (
    *SUSPICIOUS,
    *("undefined", "unclassified", "unassigned", "not available", "no label", "not annotated", "keine angabe"),
    *("unbekannt", "inconnu", "inconnue", "desconocido", "desconhecido", "sconosciuto", "onbekend", "ukendt", "okänd"),
)
# Shares of empty cells: of a column of labels most are; where fewer are, it may be one of measurements with gaps; and
# by so much one may be emptier than another that is called "label", before the name no longer decides.
MOSTLY, SOME, COMPARABLE = 0.5, 0.1, 0.1
# One class of several that so many rows have is perhaps none.
FILLED = 0.8
# Whole numbers as labels are codes of classes; other numbers, and as many, are measurements.
MEASURED = 20


class NoLabelColumnError(TableError):
    """No column looks like labels."""


@dataclass(frozen=True)
class LabelColumn:
    """The labels of a table.

    Attributes
    ----------
    name : str
        Of the column.
    how : str
        How it was found: "given", or "guessed: ...".
    labels : Labels
        Classes by name, as text.
    notes : tuple of str
    """

    name: str
    how: str
    labels: Labels
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """So many labels of each class."""
        number = np.bincount(self.labels.codes[self.labels.labeled], minlength=len(self.labels.classes))
        return {str(name): int(n) for name, n in zip(self.labels.classes, number, strict=True)}


@dataclass(frozen=True)
class _Candidate:
    """A column that may hold the labels.

    Attributes
    ----------
    name : str
    called : bool
        Whether its name says so.
    gaps : float
        Share of the cells that are empty, or hold a common mark for it.
    n_gaps : int
    filler : str
        The value that fills most of a column without gaps, and may mean "not labelled"; "" if there is none.
    """

    name: str
    called: bool
    gaps: float
    n_gaps: int
    filler: str = ""


def find_label_column(table: pa.Table, given: str | None = None) -> tuple[str, str]:
    """Find the column of labels.

    The one that is given, or else one with few different values by its empty cells: labels are missing in most rows,
    and in more of them than other values are. A common mark ("unknown", "?", "TBD", ...) counts as empty. A name
    ("label", "class", "species", ...) decides only between columns that are empty about as often.

    Returns
    -------
    name : str
    how : str

    Raises
    ------
    TableError
        Several would do, or none; it lists them.
    """
    if given is not None:
        check_names(table, [given], "label")
        return given, "given"
    names = [name for name in table.column_names if not is_own(name)]
    found = [candidate for name in names if (candidate := _candidate(table.column(name), name))]
    partly = [c for c in found if c.n_gaps]
    mostly = [c for c in partly if c.gaps >= MOSTLY]
    # Not as empty as others, but called so, or filled with something that may mean "not labelled".
    rivals = [c for c in found if c.called and c not in mostly and (c.gaps >= SOME or c.filler)]
    plausible = [*mostly, *rivals] if mostly else [c for c in found if c in rivals or c.gaps >= SOME]
    if len(plausible) == 1 and plausible[0].n_gaps:
        return plausible[0].name, _how(plausible[0], partly)
    called = [c for c in (plausible or partly) if c.called and c.n_gaps]
    if len(called) == 1 and (not rivals or called == rivals):
        emptiest = max(c.gaps for c in partly)
        if called[0].gaps >= emptiest - COMPARABLE:
            return called[0].name, "guessed: by its name"
    full = [c for c in found if c.called and not c.n_gaps]
    if len(full) == 1 and not partly:
        return full[0].name, "guessed: by its name"
    if len(plausible or partly) == 1 and not rivals:
        (only,) = plausible or partly
        raise TableError(
            f'the labels may be in "{only.name}", but only {only.n_gaps:,} of its {table.num_rows:,} cells are empty; '
            f"name the column of labels, {setting('label', 'NAME')}."
        )
    asked = sorted(plausible or partly or full, key=lambda c: names.index(c.name))
    if asked:
        fillers = [
            f" With {setting('label', c.name)}, perhaps {setting('unlabeled', [c.filler])}." for c in asked if c.filler
        ]
        listing, choice = quoted([c.name for c in asked]), setting("label", "NAME")
        raise TableError(f"the labels may be in {listing}; name the column, {choice}.{''.join(fillers)}")
    filled = next((c for c in found if c.filler), None)
    full_of = ""
    if filled is not None:
        given_so = f"{setting('label', filled.name)} and {setting('unlabeled', [filled.filler])}"
        full_of = f' If "{filled.filler}", which fills most of "{filled.name}", means "not labelled", give {given_so}.'
    raise NoLabelColumnError(
        "no column looks like labels: none is called label, class, target or species, and none is partly empty with "
        f"few different values; name it, {setting('label', 'NAME')}, of {quoted(names, 20)}.{full_of}"
    )


def _how(chosen: _Candidate, partly: Sequence[_Candidate]) -> str:
    if chosen.called:
        return "guessed: by its name, and partly empty" if len(partly) > 1 else "guessed: by its name"
    return f"guessed: the only one that is {'mostly' if len(partly) > 1 else 'partly'} empty, with few values"


def _candidate(column: Cells, name: str) -> _Candidate | None:
    """Describe a column if its values may be classes; one that is called so may have any."""
    called = re.sub(r"[\s\-]+", "_", name.strip().lower()) in NAMES
    if not is_plain(column.type) or (not called and _measures(column)):
        return None
    counted = pc.value_counts(texts(column))
    if len(counted) > MOST_COUNTED and not called:
        return None
    counts = {row["values"] or "": row["counts"] for row in counted.to_pylist()}
    marks = {*MISSING, *MARKS} if called else {*MISSING, *MARKS} - {"-1"}
    classes = {value: number for value, number in counts.items() if value.lower() not in marks}
    n, n_real = len(column), sum(classes.values())
    gaps = n - n_real
    # Of few labels each may be nearly the only one of its class.
    fitting = max(2, n_real - 1 if gaps >= MOSTLY * n else n_real // 2)
    if not called and not 2 <= len(classes) <= min(MOST_CLASSES, fitting):
        return None
    # Measurements repeat too, but they have points.
    if not called and any(re.search(NUMBER, value) and not value.lstrip("+-").isdigit() for value in classes):
        return None
    most = max(classes, key=lambda value: classes[value], default="")
    filler = most if gaps == 0 and _fills(classes, most) else ""
    return _Candidate(name, called, gaps / n if n else 0.0, gaps, filler)


def _measures(column: Cells) -> bool:
    """Return whether a column of a floating type has fractions; soon found, whatever the number of rows."""
    if not pa.types.is_floating(column.type):
        return False
    values = column.to_numpy()
    return bool(np.any(np.isfinite(values) & (values != np.rint(values))))


def _fills(counts: Mapping[str, int], value: str) -> bool:
    """Return whether a value fills so much of a column with other classes that it may mean "not labelled"."""
    return len(counts) > 2 and counts[value] >= FILLED * sum(counts.values())


def read_label_column(
    table: pa.Table, name: str, how: str, unlabeled: Sequence[str] | None = (), *, to_come: bool = False
) -> LabelColumn:
    """Read the labels.

    Parameters
    ----------
    table : pyarrow.Table
    name, how : str
        From `find_label_column`.
    unlabeled : sequence of str or None
        Marks of unlabelled rows besides empty cells, NA, NaN, null, "?" and, if two classes remain without it, -1.
        None: only empty cells are unlabelled.
    to_come : bool, default=False
        Labels are still to be given: there may be none yet, or of one class only, and every row may have one.

    Raises
    ------
    TableError
        All rows are labelled, or none, or all with one class; or a label is most likely a mark that was not given, or
        holds what no text does.
    """
    column = table.column(name)
    if not is_plain(column.type):
        raise TableError(
            f'the column "{name}" holds values of type {clipped(str(column.type))}, not labels; name another, '
            f"{setting('label', 'NAME')}."
        )
    raw, values = pc.cast(column, pa.string()), texts(column).to_pylist()
    notes = [] if is_number(column.type) else _trimmed(raw, values)
    broken = next((row for row, value in enumerate(values) if value and "\0" in value), None)
    if broken is not None:
        raise TableError(
            f'the column "{name}" has a NUL character, which is no text, in {row_name(broken)}; write the label again.'
        )
    marks = () if unlabeled is None else tuple(mark.strip().lower() for mark in unlabeled)
    counts = Counter(value for value in values if value)
    empty = {""}
    if unlabeled is not None:
        empty |= {value for value in counts if value.lower() in (*MISSING, *marks)}
        taken = sorted((empty & {value for value in counts if value.lower() not in marks}) - {"NaN", "nan", "NA"})
        notes += [_taken(value, counts[value]) for value in taken]
        if "-1" in counts and "-1" not in empty:
            others = len(set(counts) - empty - {"-1"})
            if others != 1:
                empty.add("-1")
                notes.append(_taken("-1", counts["-1"]))
            else:
                notes.append(
                    f'{_rows(counts["-1"])} the label "-1", and there is only one other: it is taken for a class; give '
                    f"{setting('unlabeled', ['-1'])} if it is none."
                )
        doubtful = sorted(value for value in set(counts) - empty - {"-1"} if value.lower() in MARKS)
        if doubtful:
            raise _doubted(name, doubtful, counts)
    names = [None if value is None or value in empty else value for value in values]
    try:
        labels = read_labels(names, unlabeled=None)
    except ValueError:
        raise _measured(name) from None
    _check_values(labels, name)
    if not to_come:
        _check_number(labels, name)
    found = LabelColumn(name, how, labels, (*notes, *_alike(labels)))
    if not found.counts:
        return found
    most = max(found.counts, key=lambda value: found.counts[value])
    if not _fills(found.counts, most):
        return found
    choice = setting("unlabeled", [most])
    filled = f'{_rows(found.counts[most])} the label "{most}"; if it means "not labelled", give {choice}.'
    return replace(found, notes=(*found.notes, filled))


def _doubted(name: str, marks: list[str], counts: Mapping[str, int]) -> TableError:
    told = " and ".join(f'{_rows(counts[mark])} the label "{mark}"' for mark in marks)
    # The word "none" is taken by the option itself.
    given = [mark for mark in marks if mark.lower() != "none"]
    advice = [f"give {setting('unlabeled', given)}"] if given else []
    if any(mark.lower() == "none" for mark in marks):
        advice.append('leave the cells of "none" empty' if given else "leave the cell empty")
    them, are = ("it does", "it is a class") if len(marks) == 1 else ("they do", "they are classes")
    return TableError(
        f'{told} in the column "{name}", which may mean "not labelled"; {" and ".join(advice)} if {them}, or give '
        f"{setting('unlabeled', None)} if {are}."
    )


def _rows(number: int) -> str:
    return "1 row has" if number == 1 else f"{number} rows have"


def _taken(mark: str, number: int) -> str:
    keep = setting("unlabeled", None)
    return f'{_rows(number)} the label "{mark}": taken as unlabelled; give {keep} if it is a class.'


def _trimmed(raw: Cells, values: list[str | None]) -> list[str]:
    number = sum(bool(after) and before != after for before, after in zip(raw.to_pylist(), values, strict=True))
    label = "label" if number == 1 else "labels"
    return [f"{number} {label} had blanks around the name: taken without them."] if number else []


def _alike(labels: Labels) -> list[str]:
    by_name: dict[str, list[str]] = {}
    for name in labels.classes.tolist():
        by_name.setdefault(name.casefold(), []).append(name)
    same = [names for names in by_name.values() if len(names) > 1]
    return [f"the classes {quoted(names)} differ in capitals only; write them alike if they are one." for names in same]


def _check_values(labels: Labels, name: str) -> None:
    """Refuse measurements."""
    classes = labels.classes.tolist()
    numbers = [value for value in classes if re.search(NUMBER, value)]
    if len(numbers) == len(classes) > MEASURED and any("." in value for value in numbers):
        raise _measured(name)


def _check_number(labels: Labels, name: str) -> None:
    """Refuse labels of fewer than two classes, and of all rows."""
    classes = labels.classes.tolist()
    if not classes:
        raise TableError(
            f'no row has a label in the column "{name}"; write some in, of two classes at least, or name another '
            f"column by {setting('label', 'NAME')}."
        )
    if len(classes) == 1:
        raise TableError(
            f'all labels in the column "{name}" are "{classes[0]}"; label rows of at least one other class too.'
        )
    if len(labels.labeled) == len(labels.codes):
        number = np.bincount(labels.codes)
        most = classes[int(number.argmax())]
        mark = ""
        if len(classes) > 2 and 2 * number.max() >= len(labels.codes):
            mark = f' If "{most}", in {number.max():,} of {len(labels.codes):,} rows, means "not labelled", give '
            mark += f"{setting('unlabeled', [most])}."
        raise TableError(
            f'every row has a label in the column "{name}", so nothing is left to find; add the rows without labels, '
            f"with the cell empty, or name another column by {setting('label', 'NAME')}.{mark}"
        )


def _measured(name: str) -> TableError:
    return TableError(
        f'the column "{name}" has a different value in nearly every row, like names or measurements, not classes; name '
        f"the column of labels, {setting('label', 'NAME')}."
    )
