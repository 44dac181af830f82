"""From tables to matrices: learned from one table, repeated on others."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
from scipy import sparse

from sskpca._linalg.array import Array, Matrix
from sskpca._tables.columns import AS_WISHED, Column
from sskpca._tables.dates import Date
from sskpca._tables.encoders import Category, Number, Vector, common_unit, read_numbers
from sskpca._tables.error import TableError, quoted, setting
from sskpca._tables.words import Text

__all__ = ["ENCODERS", "FeatureMap", "Features", "fit_features"]

Encoder = Number | Category | Date | Vector | Text
ENCODERS: dict[str, type[Number] | type[Category] | type[Date] | type[Vector] | type[Text]] = {
    "number": Number,
    "category": Category,
    "date": Date,
    "vector": Vector,
    "text": Text,
}


# A series has so many columns at least, at least such a share of its counters (the others may be constant), and none
# varies more than so many times as much as is usual among them.
SERIES, COUNTED, ALIKE = 8, 0.5, 3.0
# The usual range of a column.
USUAL = (0.05, 0.95)
# Whole numbers of so few values are scores or shades: in one unit, they have the same scale.
FEW_VALUES = 20

# Of as many columns with empty cells, each is told.
MOST_NOTES = 2
# What is one thing about a row, not a description of all of it.
PLAIN = ("number", "category", "date")


def series_weights(table: pa.Table, scales: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """Find numbered columns that are in one unit, and the weights by which they stay so after they were standardised.

    To standardise each pixel by itself would make those at the rim, which are nearly always blank, as important as
    those in the middle. Together the columns weigh as much as if each were standardised.

    A series is a group of columns whose names differ by counters alone, and count through; which vary alike; and each
    of which has values in the range of the next. Names of genes do not count through, and scores on different scales
    differ in their ranges.

    Parameters
    ----------
    table : pyarrow.Table
    scales : mapping of str to float
        Standard deviations of the columns of numbers.

    Returns
    -------
    weights : dict of str to float
    notes : list of str

    Examples
    --------
    >>> table = pa.table({f"hour_{i}": [-1.0 - (i > 3), 0.5, 1.0 + (i > 3)] for i in range(8)})
    >>> weights, notes = series_weights(table, {f"hour_{i}": 1.0 + (i > 3) for i in range(8)})
    >>> round(weights["hour_7"] / weights["hour_0"], 6), round(sum(w**2 for w in weights.values()), 6)
    (2.0, 8.0)
    """
    groups: dict[str, list[str]] = {}
    for name in scales:
        if re.search(r"\d", name):
            groups.setdefault(re.sub(r"\d+", "#", name), []).append(name)
    weights: dict[str, float] = {}
    notes = []
    for group in groups.values():
        names = sorted(group, key=_counters)
        own = np.array([scales[name] for name in names])
        if len(names) < SERIES or not _counts_through(names) or own.max() > ALIKE * np.median(own):
            continue
        if not _one_unit([_values(table, name) for name in names]):
            continue
        # Divided first: the squares of the largest numbers would not be finite.
        size = own.max() * float(np.sqrt(np.mean((own / own.max()) ** 2)))
        weights.update(zip(names, (own / size).tolist(), strict=True))
        notes.append(
            f'the {len(names)} numbered columns like "{names[0]}" vary alike: taken to be in one unit, and scaled '
            "together."
        )
    return weights, notes


def _counters(name: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", name))


def _counts_through(names: list[str]) -> bool:
    """Return whether the counters fill their ranges, nearly.

    Examples
    --------
    >>> _counts_through([f"pixel_{i}_{j}" for i in range(8) for j in range(1, 8)])
    True
    >>> _counts_through([f"RPL{i}" for i in (3, 5, 11, 27, 36, 41)]), _counts_through(["x1", "x01"])
    (False, False)
    """
    counters = {_counters(name) for name in names}
    ranges = [max(column) - min(column) + 1 for column in zip(*counters, strict=True)]
    return len(counters) == len(names) and len(names) >= COUNTED * float(np.prod([float(r) for r in ranges]))


def _values(table: pa.Table, name: str) -> Array:
    column = table.column(name)
    values, missing, _ = read_numbers(column, name, common_unit(column), odd=True)
    return np.asarray(values[~missing])


def _one_unit(columns: list[Array]) -> bool:
    """Return whether columns, in order, may be in one unit by their ranges."""
    if len({len(values) for values in columns}) == 1:  # all at once: there may be thousands
        usual = np.quantile(np.stack(columns), USUAL, axis=1).T
    else:
        usual = np.stack([np.quantile(values, USUAL) for values in columns])
    if np.any(usual[:-1, 0] > usual[1:, 1]) or np.any(usual[1:, 0] > usual[:-1, 1]):
        return False
    levels = []
    for values in columns:
        levels.append(np.unique(values))
        if len(levels[-1]) > FEW_VALUES or np.any(levels[-1] != np.rint(levels[-1])):
            return True
    highest = max(own[-1] for own in levels)
    # At the rim of a picture shades do not reach the highest.
    return len({own[0] for own in levels}) == 1 and sum(own[-1] == highest for own in levels) > len(levels) / 2


@dataclass(frozen=True)
class Features:
    """The rows of a table as points.

    Attributes
    ----------
    matrix : ndarray or csr_matrix of shape (n_rows, n_features)
        Sparse if words of a text are among the features.
    notes : tuple of str
        What the owner of the table should know.
    """

    matrix: Matrix
    notes: tuple[str, ...]


@dataclass(frozen=True)
class FeatureMap:
    """How the columns of a table become features.

    Attributes
    ----------
    roles : tuple of str
        Of each column that is used: "number", "category", "date", "vector" or "text".
    encoders : tuple of Encoder
    weights : tuple of float
        What their features are multiplied by.
    """

    roles: tuple[str, ...]
    encoders: tuple[Encoder, ...]
    weights: tuple[float, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are used."""
        return tuple(encoder.name for encoder in self.encoders)

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return sum(encoder.n_features for encoder in self.encoders)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return tuple(name for encoder in self.encoders for name in encoder.feature_names)

    def transform(self, table: pa.Table) -> Features:
        """Turn the rows of a table into points.

        Parameters
        ----------
        table : pyarrow.Table
            With the columns that are used, and any others, in any order.

        Raises
        ------
        TableError
            Columns are not there, or cells cannot be read; it names them.
        """
        there = set(table.column_names)
        gone = [name for name in self.columns if name not in there]
        if gone:
            it = "it; add it" if len(gone) == 1 else "them; add them"
            raise TableError(
                f"the table lacks {'the column' if len(gone) == 1 else 'the columns'} {quoted(gone)}, but the model "
                f"has learned from {it}, under the same name."
            )
        notes: list[str] = []
        if "text" in self.roles:
            parts = [encoder.transform(table.column(encoder.name)) for encoder in self.encoders]
            blocks = [part.matrix * weight for part, weight in zip(parts, self.weights, strict=True)]
            notes += (note for part in parts for note in part.notes)
            return Features(sparse.hstack(blocks, format="csr"), tuple(notes))
        # Into its place at once: of many rows, copies would be the peak of memory.
        matrix, first = np.empty((table.num_rows, self.n_features)), 0
        for encoder, weight in zip(self.encoders, self.weights, strict=True):
            part = encoder.transform(table.column(encoder.name))
            np.multiply(part.matrix, weight, out=matrix[:, first : first + encoder.n_features])
            first += encoder.n_features
            notes += part.notes
        return Features(matrix, tuple(notes))

    def to_dict(self) -> dict[str, object]:
        """Return all there is to know as lists, dicts, text, numbers and arrays."""
        columns = [
            {"role": role, "weight": weight, **{k: _plain(v) for k, v in asdict(encoder).items()}}
            for role, encoder, weight in zip(self.roles, self.encoders, self.weights, strict=True)
        ]
        return {"columns": columns}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make the map again from what `to_dict` has returned."""
        roles, encoders, weights = [], [], []
        for column in content["columns"]:
            kind = ENCODERS[column["role"]]
            # What has a default may be missing: files of before it was there have none.
            known = [field.name for field in fields(kind) if field.name in column or field.default is MISSING]
            values = {name: _typed(column[name], name) for name in known}
            roles.append(str(column["role"]))
            encoders.append(kind(**values))
            weights.append(float(column["weight"]))
        return cls(tuple(roles), tuple(encoders), tuple(weights))


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _typed(value: Any, name: str) -> Any:
    if name in ("values", "words", "parts"):
        return tuple(str(item) for item in value)
    return np.asarray(value, dtype=np.float64) if isinstance(value, list | np.ndarray) else value


def fit_features(
    table: pa.Table, columns: tuple[Column, ...], hidden: Collection[str] = ()
) -> tuple[FeatureMap, tuple[Column, ...], tuple[str, ...]]:
    """Learn how the columns of a table become features.

    Parameters
    ----------
    table : pyarrow.Table
    columns : tuple of Column
        From `decide_columns`.
    hidden : collection of str
        Columns of which it must not be a feature that a cell is empty.

    Returns
    -------
    map : FeatureMap
    columns : tuple of Column
        With the number of features of each.
    notes : tuple of str

    Raises
    ------
    TableError
        No column is left to learn from, or a cell cannot be read.
    """
    used = [column for column in columns if column.role in ENCODERS]
    if not used:
        raise TableError(
            "no column is left to learn from: "
            + (
                "; ".join(f'"{c.name}": {c.reason}' for c in columns if c.role == "ignored")[:600]
                + f". Use some by {setting('use', ['NAME'])} or {setting('text', ['NAME'])}."
                if len(columns) > 1
                else "the table has only labels. Add others."
            )
        )
    encoders = {c.name: ENCODERS[c.role].fit(table.column(c.name), c.name, c.name not in hidden) for c in used}
    # A number, a category or a date is one thing about a row. A text or an embedding is a description of all of it, and
    # has as much to say as all of those together.
    plain = sum(column.role in PLAIN for column in used)
    whole = float(np.sqrt(max(plain, 1)))
    numbers = [encoder for encoder in encoders.values() if isinstance(encoder, Number)]
    common, together = series_weights(table, {encoder.name: encoder.scale for encoder in numbers})
    weights = tuple(whole if c.role in ("vector", "text") else common.get(c.name, 1.0) for c in used)
    found = FeatureMap(tuple(c.role for c in used), tuple(encoders.values()), weights)
    notes = [note for column in used for note in encoders[column.name].fit_notes(column.n_missing)]
    if len(notes) > MOST_NOTES:
        notes = _filled([encoders[column.name] for column in used if column.n_missing])
    notes += together
    notes += _used_as([encoders[column.name] for column in used if column.reason != AS_WISHED])
    counted = tuple(replace(c, n_features=encoders[c.name].n_features) if c.name in encoders else c for c in columns)
    return found, counted, tuple(notes)


def _used_as(encoders: Sequence[Encoder]) -> list[str]:
    """Say what is made of sentences and dates, which may be news."""
    sentences = [encoder.name for encoder in encoders if isinstance(encoder, Text)]
    notes = (
        [f"the words of {quoted(sentences)} are used; {setting('sentences', False)} leaves them out."]
        if sentences
        else []
    )
    parts: dict[tuple[str, ...], list[str]] = {}
    for encoder in encoders:
        if isinstance(encoder, Date):
            parts.setdefault(encoder.parts, []).append(encoder.name)
    for used, names in parts.items():
        what = ", ".join("distance in time" if part == "time" else part for part in used)
        notes.append(f"{quoted(names)}: used as {'dates' if 'time' in used else 'times of day'} ({what}).")
    return notes


def _filled(encoders: Sequence[Encoder]) -> list[str]:
    """Say in which columns empty cells were filled, and with what.

    Examples
    --------
    >>> _filled([Number("age", 0.0, 1.0, 0.0, None), Number("share", 0.0, 1.0, 0.0, 0.5)])
    ['"age", "share": empty cells filled with the median of the column; for "share", that a cell is empty is used too.']
    """
    numbers = [encoder for encoder in encoders if isinstance(encoder, Number)]
    lists = [encoder.name for encoder in encoders if isinstance(encoder, Vector | Date)]
    notes = []
    if numbers:
        many = [encoder.name for encoder in numbers if encoder.missing_scale is not None]
        which = "" if len(many) == len(numbers) else f"for {quoted(many)}, "
        too = f"; {which}that a cell is empty is used too" if many else ""
        names = quoted([encoder.name for encoder in numbers])
        notes.append(f"{names}: empty cells filled with the median of the column{too}.")
    if lists:
        notes.append(f"{quoted(lists)}: empty cells filled with the mean of the column.")
    return notes
