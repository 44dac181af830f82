"""Which column holds the labels, and what they are."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca.estimators.labels import Labels, read_labels
from sskpca.estimators.marks import SUSPICIOUS
from sskpca.tables.cells import MISSING, NUMBER, is_missing, is_number, is_plain, texts
from sskpca.tables.columns import OWN_COLUMNS, check_names
from sskpca.tables.error import TableError, quoted, row_name

__all__ = ["LabelColumn", "find_label_column", "read_label_column"]

NAMES = (
    *("label", "labels", "class", "classes", "target", "targets", "y", "species", "category", "outcome"),
    *("diagnosis", "class_label", "classlabel", "label_name", "labelname", "ground_truth", "groundtruth", "truth"),
)
# More classes than this are found in no column by accident.
MOST_CLASSES = 50
# Whole numbers as labels are codes of classes; other numbers, and as many, are measurements.
MEASURED = 20


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


def find_label_column(table: pa.Table, given: str | None = None) -> tuple[str, str]:
    """Find the column of labels.

    The one that is given; or the one that is called so ("label", "class", "species", ...); or else the only one that is
    partly empty and has few different values.

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
        check_names(table, [given], "--label")
        return given, "given"
    names = [name for name in table.column_names if name not in OWN_COLUMNS]
    called = [name for name in names if re.sub(r"[\s\-]+", "_", name.strip().lower()) in NAMES]
    if len(called) == 1:
        return called[0], "guessed: by its name"
    partly = [name for name in called or names if _partly_empty(table.column(name))]
    if len(partly) == 1:
        why = "by its name, and partly empty" if called else "the only one that is partly empty, with few values"
        return partly[0], f"guessed: {why}"
    candidates = partly or called
    if candidates:
        raise TableError(f"the labels may be in {quoted(candidates)}; name the column, --label NAME.")
    raise TableError(
        "no column looks like labels: none is called label, class, target or species, and none is partly empty with "
        f"few different values; name it, --label NAME, of {quoted(names, 20)}{_marked(table, names)}."
    )


def _marked(table: pa.Table, names: Sequence[str]) -> str:
    """Propose a column that would be partly empty if a word such as "unknown" meant that."""
    for name in names:
        if _partly_empty(table.column(name), (*MISSING, *SUSPICIOUS)):
            words = [word for word in pc.unique(texts(table.column(name))).to_pylist() if word]
            # The others are marks already; the word "none" is taken by the option itself.
            asked = {*SUSPICIOUS} - {*MISSING, "-1", "none"}
            marks = " ".join(f'--unlabeled "{word}"' for word in words if word.lower() in asked)
            return f' (perhaps --label "{name}" {marks})' if marks else ""
    return ""


def _partly_empty(column: Any, marks: tuple[str, ...] = MISSING) -> bool:
    if not is_plain(column.type):
        return False
    text = texts(column)
    missing = is_missing(text, marks)
    real = text.filter(pa.array(~missing))
    if not missing.any() or len(real) < 2:
        return False
    different = pc.unique(real)
    # Measurements repeat too, but they have points.
    if any(re.search(NUMBER, value) and not value.lstrip("+-").isdigit() for value in different.to_pylist()):
        return False
    return 2 <= len(different) <= min(MOST_CLASSES, max(2, len(real) // 2))


def read_label_column(table: pa.Table, name: str, how: str, unlabeled: Sequence[str] | None = ()) -> LabelColumn:
    """Read the labels.

    Parameters
    ----------
    table : pyarrow.Table
    name, how : str
        From `find_label_column`.
    unlabeled : sequence of str or None
        Marks of unlabelled rows besides empty cells, NA, NaN, null, "?" and, if two classes remain without it, -1.
        None: only empty cells are unlabelled.

    Raises
    ------
    TableError
        All rows are labelled, or none, or all with one class; or a label is most likely a mark that was not given, or
        holds what no text does.
    """
    column = table.column(name)
    if not is_plain(column.type):
        raise TableError(f'the column "{name}" holds values of type {column.type}, not labels; name another, --label.')
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
                    "--unlabeled -1 if it is none."
                )
        doubtful = sorted(value for value in set(counts) - empty - {"-1"} if value.lower() in SUSPICIOUS)
        if doubtful:
            raise _doubted(doubtful, counts)
    names = [None if value is None or value in empty else value for value in values]
    try:
        labels = read_labels(names, unlabeled=None)
    except ValueError:
        raise _measured(name) from None
    _check(labels, name)
    return LabelColumn(name, how, labels, (*notes, *_alike(labels)))


def _doubted(marks: list[str], counts: Mapping[str, int]) -> TableError:
    told = " and ".join(f'{_rows(counts[mark])} the label "{mark}"' for mark in marks)
    # The word "none" is taken by the option itself.
    given = " ".join(f'--unlabeled "{mark}"' for mark in marks if mark.lower() != "none")
    advice = [f"give {given}"] if given else []
    if any(mark.lower() == "none" for mark in marks):
        advice.append('leave the cells of "none" empty' if given else "leave the cell empty")
    them, are = ("it does", "it is a class") if len(marks) == 1 else ("they do", "they are classes")
    return TableError(
        f'{told}, which may mean "not labelled"; {" and ".join(advice)} if {them}, or give --unlabeled none if {are}.'
    )


def _rows(number: int) -> str:
    return "1 row has" if number == 1 else f"{number} rows have"


def _taken(mark: str, number: int) -> str:
    return f'{_rows(number)} the label "{mark}": taken as unlabelled; give --unlabeled none if it is a class.'


def _trimmed(raw: Any, values: list[str | None]) -> list[str]:
    number = sum(bool(after) and before != after for before, after in zip(raw.to_pylist(), values, strict=True))
    label = "label" if number == 1 else "labels"
    return [f"{number} {label} had blanks around the name: taken without them."] if number else []


def _alike(labels: Labels) -> list[str]:
    by_name: dict[str, list[str]] = {}
    for name in labels.classes.tolist():
        by_name.setdefault(name.casefold(), []).append(name)
    same = [names for names in by_name.values() if len(names) > 1]
    return [f"the classes {quoted(names)} differ in capitals only; write them alike if they are one." for names in same]


def _check(labels: Labels, name: str) -> None:
    classes = labels.classes.tolist()
    if not classes:
        raise TableError(
            f'no row has a label in the column "{name}"; write some in, of two classes at least, or name another '
            "column by --label."
        )
    if len(classes) == 1:
        raise TableError(
            f'all labels in the column "{name}" are "{classes[0]}"; label rows of at least one other class too.'
        )
    numbers = [value for value in classes if re.search(NUMBER, value)]
    if len(numbers) == len(classes) > MEASURED and any("." in value for value in numbers):
        raise _measured(name)
    if len(labels.labeled) == len(labels.codes):
        raise TableError(
            f'every row has a label in the column "{name}", so nothing is left to find; add the rows without labels, '
            "with the cell empty, or name another column by --label."
        )


def _measured(name: str) -> TableError:
    return TableError(
        f'the column "{name}" has a different value in nearly every row, like names or measurements, not classes; name '
        "the column of labels, --label NAME."
    )
