"""What each column of a table is good for, and why; and which columns are ours."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._tables.cells import (
    NO_NUMBER,
    NUMBER,
    Cells,
    Mask,
    all_numbers,
    clipped,
    is_date,
    is_missing,
    is_number,
    is_plain,
    is_vector,
    matches,
    texts,
    vectors,
)
from sskpca._tables.dates import DATE, date_order
from sskpca._tables.encoders import TRUTH, UNITS, common_unit, common_values
from sskpca._tables.error import TableError, quoted, setting

__all__ = [
    "AS_WISHED",
    "OWN_COLUMNS",
    "PROBABILITY",
    "RESULT_COLUMNS",
    "Column",
    "check_names",
    "decide_column",
    "decide_columns",
    "header_notes",
    "is_own",
]

RESULT_COLUMNS = (
    *("sskpca_label", "sskpca_source", "sskpca_confidence", "sskpca_guess", "sskpca_second"),
    *("sskpca_next", "sskpca_suspect", "sskpca_label_quality"),
)
# And to new rows, and to some rows taken from a table.
OWN_COLUMNS = (*RESULT_COLUMNS, "sskpca_unseen", "sskpca_row")
# Before the name of a class.
PROBABILITY = "sskpca_p_"

# So many different texts may be categories if they are wanted.
MOST_WANTED = 1000
# In a table of fewer rows, whole numbers may well be measurements and yet all different.
ROWS_FOR_IDS = 20
# Most cells, where some may be odd.
MOST = 0.9
# On average, from so many words on a cell is a text and not a name.
WORDS = 4
ID_NAME = re.compile(r"(^|[\W_])(?i:id|uuid|guid)$|[a-z]I[dD]$", re.ASCII)
PATH = r"^(\w+://|www\.|~?\.{0,2}[/\\]|[A-Za-z]:[/\\])|\.(jpe?g|png|gif|bmp|tiff?|webp|svg|wav|mp3|mp4|avi|pdf|html?)$"
EMAIL = r"^[^@\s]+@[^@\s]+\.[A-Za-z]+$"
AS_WISHED = "its words, by choice"
DECIMAL_COMMA = r"^[+-]?\d+,\d+$"
WITH_COMMA = "numbers with a decimal comma; write a point"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table, and what is done with it.

    Attributes
    ----------
    name : str
    role : {"label", "number", "category", "date", "text", "vector", "ignored"}
    reason : str
        Why it is used so, or not at all, in words for the user: "unique in every row, so an id".
    n_missing : int
        Empty cells.
    n_features : int
        Columns of the matrix that it becomes.
    """

    name: str
    role: str
    reason: str
    n_missing: int
    n_features: int


def is_own(name: str) -> bool:
    """Return whether a column of this name is one that is added.

    Examples
    --------
    >>> is_own("sskpca_next"), is_own("sskpca_p_cat"), is_own("species")
    (True, True, False)
    """
    return name in OWN_COLUMNS or name.startswith(PROBABILITY)


def decide_columns(
    table: pa.Table,
    label: str,
    *,
    text: Sequence[str] = (),
    use: Sequence[str] = (),
    ignore: Sequence[str] = (),
    sentences: bool = True,
) -> tuple[Column, ...]:
    """Decide for each column what it is used for.

    Parameters
    ----------
    table : pyarrow.Table
    label : str
        The column of labels; "" if there is none.
    text : sequence of str
        Columns whose words count.
    use : sequence of str
        Columns that are used even if they look like ids: as numbers if they are, otherwise as categories.
    ignore : sequence of str
        Columns that are not used.
    sentences : bool
        Whether the words of columns of sentences are used without being asked for.

    Returns
    -------
    tuple of Column
        In the order of the table; the columns of an earlier result are left out. The number of features is not known
        yet where it depends on the values, and 0.

    Raises
    ------
    TableError
        A column that was named is not there, or has two uses; or numbers have a decimal comma, in columns that are
        listed.
    """
    for option, names in (("text", text), ("use", use), ("ignore", ignore)):
        check_names(table, names, option)
    clash = ({*text} & {*ignore}) | ({*use} & {*ignore}) | ({label} & {*text, *use, *ignore})
    if clash:
        raise TableError(f'the column "{min(clash)}" cannot be used in two ways; name it once.')
    found = []
    for name in table.column_names:
        column = table.column(name)
        if is_own(name) and name not in {*text, *use, label}:
            continue
        if name == label:
            found.append(Column(name, "label", "the labels", 0, 0))
        elif name in ignore:
            found.append(Column(name, "ignored", "left out by choice", 0, 0))
        elif name in text:
            missing = is_missing(_as_text(column, name))
            found.append(Column(name, "text", AS_WISHED, int(missing.sum()), 0))
        else:
            found.append(decide_column(column, name, wanted=name in use, sentences=sentences))
    commas = [column.name for column in found if column.reason == WITH_COMMA]
    if commas:
        # Left out silently they would leave a model of what remains, which nobody asked for.
        leave = setting("ignore", commas)
        raise TableError(
            f"the numbers in {quoted(commas)} have a decimal comma; give {setting('decimal', ',')} if it is CSV, write "
            f"a point, or leave them out: {leave}."
        )
    return tuple(found)


def check_names(table: pa.Table, names: Sequence[str], parameter: str) -> None:
    """See that the table has these columns."""
    from difflib import get_close_matches

    for name in names:
        if name not in table.column_names:
            near = get_close_matches(name, table.column_names, 1)
            hint = f'did you mean "{near[0]}"?' if near else f"it has {', '.join(table.column_names[:20])}."
            raise TableError(f'the table has no column "{name}"; {hint}', parameter=parameter)


def header_notes(names: Sequence[str]) -> tuple[str, ...]:
    """Say so if the names of the columns are most likely the cells of a row.

    Columns that are numbered one after the other have names, as programs give them.

    Examples
    --------
    >>> header_notes(["0", "1", "2"])
    ()
    >>> print(*header_notes(["0.9444", "0.0996", "cat"]))
    the first line is taken for the names of the columns, and most of them are numbers ("0.9444", "0.0996"); if it is a
    row, add a line of names above it.
    """
    numbers = [name for name in names if re.search(NUMBER, name.strip())]
    whole = [int(name) for name in numbers if name.strip().isdecimal()]
    counted = len(whole) == len(numbers) and all(b - a == 1 for a, b in pairwise(whole))
    if 2 * len(numbers) <= len(names) or counted:
        return ()
    return (
        f"the first line is taken for the names of the columns, and most of them are numbers ({quoted(numbers, 3)}); "
        "if it is a row, add a line of names above it.",
    )


def decide_column(column: Cells, name: str, wanted: bool = False, sentences: bool = True) -> Column:
    """Decide what a column is used for by its cells; see `decide_columns`."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    kind = column.type
    if is_vector(kind):
        return _vector(column, name)
    if is_date(kind):
        return _of_dates(column, name)
    if not is_plain(kind):
        return _ignored(name, f"holds values of type {clipped(str(kind))}, not numbers or text", int(column.null_count))
    if is_number(kind):
        return _of_numbers(column, name, wanted)
    text = texts(column)
    values = None if pa.types.is_boolean(kind) else all_numbers(text)
    missing = is_missing(text) if values is None else np.zeros(len(text), dtype=bool)
    n_missing = int(missing.sum())
    if missing.all():
        return _ignored(name, "empty", n_missing)
    different = pc.unique(text.filter(pa.array(~missing)) if n_missing else text)
    unique = len(different) == len(text)
    numeric = values is not None
    fractions = values is not None and bool(np.any(values != np.rint(values)))
    if not pa.types.is_boolean(kind) and not fractions:
        real = ~missing if numeric else ~is_missing(text, NO_NUMBER)
        pattern = f"{NUMBER}|^[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"
        numeric = numeric or (bool(real.any()) and _share(text, real, pattern) == 1.0)
        # With zeros in front they are codes.
        if numeric and not wanted and _share(text, real, r"^0\d+$") > 0 and _share(text, real, r"^\d+$") == 1.0:
            numeric = False
        elif numeric and values is None:
            n_missing = int((~real).sum())
            different = pc.unique(text.filter(pa.array(real)))
    if len(different) == 1:
        return _ignored(name, f'always "{clipped(different[0].as_py())}"', n_missing)
    if numeric:
        whole = not fractions and _share(different, np.ones(len(different), bool), r"^[+-]?\d+$") == 1.0
        return _of_different_numbers(name, n_missing, different, whole and unique, wanted)
    if wanted:
        if len(different) > MOST_WANTED:
            raise TableError(
                f'the column "{name}" has {len(different)} different texts, too many for categories; try '
                f"{setting('text', [name])}.",
                parameter="use",
            )
        return Column(name, "category", f"{len(different)} different texts, by choice", n_missing, 0)
    if ID_NAME.search(name):
        return _called_an_id(name, n_missing)
    if pa.types.is_boolean(kind) or {value.lower() for value in different.to_pylist()[:3]} == {*TRUTH}:
        return Column(name, "number", "true or false", n_missing, 0)
    return _of_text(column, name, text, ~missing, different, unique, sentences)


def _of_numbers(column: Cells, name: str, wanted: bool) -> Column:
    """Decide for a column of a numeric type."""
    missing = np.asarray(pc.is_null(column, nan_is_null=True).to_numpy(zero_copy_only=False), dtype=bool)
    n_missing = int(missing.sum())
    if missing.all():
        return _ignored(name, "empty", n_missing)
    different = pc.unique(column.filter(pa.array(~missing)) if n_missing else column)
    if len(different) == 1:
        return _ignored(name, f'always "{different[0].as_py()}"', n_missing)
    counts = pa.types.is_integer(column.type) and len(different) == len(column)
    return _of_different_numbers(name, n_missing, different, counts, wanted)


def _of_different_numbers(name: str, n_missing: int, different: Cells, counts: bool, wanted: bool) -> Column:
    """Decide for a column of several numbers; `counts` says that they are whole and different in all rows."""
    if wanted:
        return Column(name, "number", "numbers, by choice", n_missing, 0)
    if ID_NAME.search(name):
        return _called_an_id(name, n_missing)
    if counts and (len(different) >= ROWS_FOR_IDS or _consecutive(different)):
        reason = f"a different whole number in every row, so an id ({setting('use', [name])} to use it)"
        return _ignored(name, reason, n_missing)
    return Column(name, "number", "numbers", n_missing, 0)


def _called_an_id(name: str, n_missing: int) -> Column:
    return _ignored(name, f"called an id ({setting('use', [name])} to use it)", n_missing)


def _of_dates(column: Cells, name: str) -> Column:
    """Decide for a column of a type of dates or times."""
    n_missing = int(column.null_count)
    if pa.types.is_duration(column.type) or pa.types.is_interval(column.type):
        return _ignored(name, "durations; make numbers of them to use them", n_missing)
    if n_missing == len(column):
        return _ignored(name, "empty", n_missing)
    different = pc.unique(column.drop_null())
    if len(different) == 1:
        return _ignored(name, f'always "{different[0].as_py()}"', n_missing)
    return Column(name, "date", "times" if pa.types.is_time(column.type) else "dates", n_missing, 0)


def _of_text(
    column: Cells, name: str, text: Cells, real: Mask, different: Cells, unique: bool, sentences: bool = True
) -> Column:
    """Decide for a column of text that is not all numbers."""
    n_missing, n_real = int((~real).sum()), int(real.sum())
    if _share(text, real, r"^\[.*\]$") == 1.0:
        return _vector(column, name)
    if _share(text, real, DATE) >= MOST:
        return _of_written_dates(name, text, n_missing)
    if _share(text, real, PATH) >= MOST:
        return _ignored(name, "names of files or addresses", n_missing)
    if _share(text, real, EMAIL) >= MOST:
        return _ignored(name, "email addresses", n_missing)
    unit = common_unit(text)
    if unit and _share(text, real & ~is_missing(text, NO_NUMBER), f"{NUMBER}|{UNITS}") >= MOST:
        return Column(name, "number", f'numbers, with the unit "{unit}"', int(is_missing(text, NO_NUMBER).sum()), 0)
    counted = pc.value_counts(text.filter(pa.array(real)) if not unique else text[:0])
    common = common_values({row["values"]: row["counts"] for row in counted.to_pylist()})
    if len(common) == len(different):
        return Column(name, "category", f"{len(different)} different texts", n_missing, 0)
    if _share(text, real, r"^\d+$") == 1.0:
        return _ignored(name, f"codes with zeros in front ({setting('use', [name])} to use them as numbers)", n_missing)
    if _share(text, real, f"{NUMBER}|{DECIMAL_COMMA}") == 1.0:
        return _ignored(name, WITH_COMMA, n_missing)
    if _share(text, real, NUMBER) >= MOST:
        empty = is_missing(text, NO_NUMBER)
        odd = int(np.sum(real & ~empty & ~matches(text, NUMBER, ignore_case=True)))
        return Column(name, "number", f"numbers, except for {odd} of {n_real} cells", int(empty.sum()), 0)
    words = float(pc.mean(pc.count_substring_regex(text.filter(pa.array(real)), r"\S+")).as_py())
    if words >= WORDS:
        if sentences and _has_common_words(text, real):
            reason = f"sentences: their words are used ({setting('sentences', False)} leaves them out)"
            return Column(name, "text", reason, n_missing, 0)
        return _ignored(name, f"text ({setting('text', [name])} to use its words)", n_missing)
    if common:
        reason = f"{len(different)} different texts: the {len(common)} most frequent, and the others as one"
        return Column(name, "category", reason, n_missing, 0)
    if unique:
        return _ignored(name, "a different text in every row, so an id", n_missing)
    other = f"{setting('text', [name])} or {setting('use', [name])}"
    return _ignored(name, f"{len(different)} different texts, too many for categories ({other})", n_missing)


def _of_written_dates(name: str, text: Cells, n_missing: int) -> Column:
    order = date_order(text)
    if not order:
        return _ignored(name, "dates with the day first and with the month first; write all as 2020-12-31", n_missing)
    last = matches(text, r"^\d{1,2}[-/.]\d{1,2}[-/.]\d", ignore_case=True).any()
    how = f", read as {'day, month' if order == 'dmy' else 'month, day'}, year" if last else ""
    return Column(name, "date", f"dates or times{how}", n_missing, 0)


def _has_common_words(text: Cells, real: Mask) -> bool:
    """Return whether a word is in two rows; others tell nothing."""
    seen: set[str] = set()
    for cell in text.filter(pa.array(real)).to_pylist():
        own = {*re.findall(r"\w\w+", cell.lower())}
        if seen & own:
            return True
        seen |= own
    return False


def _vector(column: Cells, name: str) -> Column:
    try:
        values, missing = vectors(column, name)
    except TableError:
        return _ignored(name, "lists, but not all of as many numbers", int(column.null_count))
    if missing.all():
        return _ignored(name, "empty", int(missing.sum()))
    if np.ptp(values[~missing], axis=0).max() == 0:
        return _ignored(name, "the same list in every row", int(missing.sum()))
    return Column(name, "vector", f"lists of {values.shape[1]} numbers", int(missing.sum()), values.shape[1])


def _as_text(column: Cells, name: str) -> Cells:
    if not is_plain(column.type):
        raise TableError(
            f'the column "{name}" holds values of type {clipped(str(column.type))}, not text.', parameter="text"
        )
    return texts(column)


def _ignored(name: str, reason: str, n_missing: int) -> Column:
    return Column(name, "ignored", reason, n_missing, 0)


def _share(text: Cells, real: Mask, pattern: str) -> float:
    """Give the share of the cells that have a value and match."""
    return float(matches(text, pattern, ignore_case=True)[real].mean()) if real.any() else 0.0


def _consecutive(different: Cells) -> bool:
    values = np.array([int(value) for value in different.to_pylist()], dtype=object)
    return bool(max(values) - min(values) + 1 == len(values))
