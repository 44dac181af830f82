"""From the cells of one column to columns of a matrix, learned once and repeated on new tables.

Every column weighs the same at first: a standardised number has variance 1, and the columns that a category, a date, a
vector or a text becomes have it together. Zero is the mean of a column, except of vectors and words.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._linalg.array import Array, Matrix
from sskpca._tables.cells import (
    NO_NUMBER,
    NUMBER,
    Cells,
    Mask,
    all_numbers,
    clipped,
    is_missing,
    is_number,
    matches,
    numbers,
    texts,
    vectors,
)
from sskpca._tables.error import TableError, listed

__all__ = [
    "FEW_MISSING",
    "LEAST_VARIANCE",
    "TRUTH",
    "Category",
    "Encoded",
    "Number",
    "Vector",
    "common_unit",
    "common_values",
    "filled_notes",
    "indicator_scale",
    "read_numbers",
]

# Of fewer missing values than this share of the rows, nothing can be learned.
FEW_MISSING = 0.02
# A value that one row in a thousand has would stand 30 deviations apart. It may be four and a half: no more than a
# measurement does by itself now and then.
LEAST_VARIANCE = 0.1

# Of a matrix that is no fit, in case of equal values.
TINY = 1e-12
# So many different texts at most are categories, and each of them fills five rows on average; of five, in any table.
MOST_CATEGORIES, ROWS_PER_CATEGORY, FEW = 100, 5, 5
TRUTH = ("true", "false")
UNSIGNED = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
# A number with a unit behind it, or a currency before it.
UNITS = rf"^({UNSIGNED}\s*(%|°|[€$£]|[°µ]?[A-Za-z]{{1,4}}[²³]?)|[€$£]\s*{UNSIGNED})$"


@dataclass(frozen=True)
class Encoded:
    """Columns of a matrix, dense or sparse, and what the owner of the table should know of them."""

    matrix: Matrix
    notes: tuple[str, ...] = ()


def one_hot_scale(shares: Array) -> float:
    """Return what one-hot columns are divided by, so that together they have variance 1.

    A column of zeros and a share p of ones has p (1 - p): together 1 less the sum of squares.
    """
    return float(np.sqrt(max(float(np.sum(shares * (1 - shares))), LEAST_VARIANCE)))


def indicator_scale(share: float) -> float:
    """Return what a column of zeros and a share of ones is divided by.

    It is one of the two columns that "missing or not" would have as a category: half the weight of a number.
    """
    return one_hot_scale(np.array([share, 1 - share]))


def filled_notes(name: str, n: int, value: str) -> tuple[str, ...]:
    """Say what was filled into `n` empty cells, if there are some."""
    cells = "1 empty cell" if n == 1 else f"{n} empty cells"
    return (f'{cells} of "{name}" filled with the {value}.',) if n else ()


@dataclass(frozen=True)
class Number:
    """Numbers, standardised; a missing one is the median, and where many are, that it was missing counts too.

    Truth is a number, 0 or 1. Cells have the `unit` behind or before the number, or not; those that are no numbers are
    missing if there were such (`odd`) when it was learned.
    """

    name: str
    mean: float
    scale: float
    fill: float
    missing_scale: float | None
    missing_share: float = 0.0
    unit: str = ""
    odd: bool = False

    @classmethod
    def fit(cls, column: Cells, name: str, gaps: bool = True) -> Self:
        """Learn mean, deviation and median; if `gaps`, where many are missing, that they are is a feature."""
        unit = common_unit(column)
        values, missing, odd_cells = read_numbers(column, name, unit, odd=True)
        # Once, and not by a function for each number: there may be tens of thousands of columns.
        real = np.sort(values[~missing])
        fill, share = float(real[(len(real) - 1) // 2] / 2 + real[len(real) // 2] / 2), float(missing.mean())
        values[missing] = fill
        # Scaled before it is squared: the largest numbers would have no finite variance.
        size = float(np.abs(values).max()) or 1.0
        # Of the cells that are there: few of them, among many medians, would stand out.
        scale = float(np.std(real / size)) * size
        low, high = float(real[0]), float(real[-1])
        if not np.any((real > low) & (real < high)):  # of two values neither stands out because it is rare
            scale = max(scale, float(np.sqrt(LEAST_VARIANCE / 2)) * (high - low))
        many = gaps and share > FEW_MISSING
        return cls(
            name,
            float(np.mean(values / size) * size),
            scale if scale > TINY * size else size,
            fill,
            indicator_scale(share) if many else None,
            share,
            unit,
            bool(odd_cells),
        )

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return 1 if self.missing_scale is None else 2

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return (self.name,) if self.missing_scale is None else (self.name, f"{self.name}_missing")

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say what was filled into `n` empty cells."""
        too = "" if self.missing_scale is None else "; that they are missing is used too"
        return filled_notes(self.name, n, f"median, {self.fill:g}{too}")

    def transform(self, column: Cells) -> Encoded:
        """Standardise."""
        values, missing, odd_cells = read_numbers(column, self.name, self.unit, self.odd)
        values[missing] = self.fill
        parts = [(values - self.mean) / self.scale]
        if self.missing_scale is not None:
            parts.append((missing.astype(np.float64) - self.missing_share) / self.missing_scale)
        return Encoded(np.column_stack(parts), self._odd_notes(odd_cells))

    def _odd_notes(self, cells: Counter[str]) -> tuple[str, ...]:
        if not cells:
            return ()
        shown = listed([f'"{clipped(cell)}"' for cell in sorted(cells)], 3)
        number = cells.total()
        are = "1 cell that is no number" if number == 1 else f"{number} cells that are no numbers"
        return (f'"{self.name}" has {are} ({shown}): taken as empty.',)


def common_unit(column: Cells) -> str:
    """Return the unit that the numbers of a column of text have, if it is one and the same; else "".

    Examples
    --------
    >>> common_unit(pa.chunked_array([["12 kg", "n/a", "15kg", "7"]])), common_unit(pa.chunked_array([["1 g", "2 kg"]]))
    ('kg', '')
    """
    if is_number(column.type) or pa.types.is_boolean(column.type):
        return ""
    text = texts(column)
    if all_numbers(text) is not None:  # as most are
        return ""
    cells = text.filter(pc.fill_null(pc.match_substring_regex(text, UNITS), False))
    units = pc.utf8_trim_whitespace(pc.replace_substring_regex(cells, UNSIGNED, ""))
    different = pc.unique(units).to_pylist()
    return different[0] if len(different) == 1 else ""


def read_numbers(column: Cells, name: str, unit: str, odd: bool) -> tuple[Array, Mask, Counter[str]]:
    """Read numbers with units, and truth; with `odd`, count the cells that are no numbers, instead of an error."""
    if is_number(column.type) or pa.types.is_boolean(column.type):
        return *numbers(column, name), Counter()
    text = texts(column)
    plain_numbers = all_numbers(text)
    if plain_numbers is not None:
        return plain_numbers, np.zeros(len(plain_numbers), dtype=bool), Counter()
    lower = pc.utf8_lower(text)
    text = pc.if_else(pc.equal(lower, "true"), "1", pc.if_else(pc.equal(lower, "false"), "0", text))
    if unit:
        plain = pc.utf8_trim_whitespace(pc.replace_substring(text, unit, ""))
        text = pc.if_else(pc.match_substring_regex(text, UNITS), plain, text)
    cells: Counter[str] = Counter()
    if odd:
        strange = ~is_missing(text, NO_NUMBER) & ~matches(text, rf"{NUMBER}|^[+-]?(inf(inity)?|INF|Inf(inity)?)$")
        cells.update(text.filter(pa.array(strange)).to_pylist())
        text = pc.if_else(pa.array(strange), pa.scalar(None, pa.string()), text)
    return *numbers(text, name), cells


def common_values(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the values of a category: all if they are few, else those that fill five rows, if those are most.

    Returns
    -------
    tuple of str
        Sorted; empty if there are too many values, and most are rare.

    Examples
    --------
    >>> common_values({"red": 3, "blue": 1})
    ('blue', 'red')
    >>> common_values({"Rome": 30, "Oslo": 20, **{f"village {i}": 1 for i in range(20)}})
    ('Oslo', 'Rome')
    """
    n = sum(counts.values())
    if len(counts) <= max(FEW, min(MOST_CATEGORIES, n // ROWS_PER_CATEGORY)):
        return tuple(sorted(counts))
    order = sorted(counts, key=lambda value: (-counts[value], value))
    common = [value for value in order[:MOST_CATEGORIES] if counts[value] >= ROWS_PER_CATEGORY]
    covered = sum(counts[value] for value in common)
    return tuple(sorted(common)) if len(common) > 1 and 2 * covered >= n else ()


@dataclass(frozen=True)
class Category:
    """A column of ones and zeros for each value, centred, and all divided by the same number.

    An empty cell is a value like others if it is not rare. Other values than the known ones are the mean, zeros;
    where there are too many values, the rare ones too (`others`).
    """

    name: str
    values: tuple[str, ...]
    scale: float
    mean: Array
    others: bool = False

    @classmethod
    def fit(cls, column: Cells, name: str, gaps: bool = True) -> Self:
        """Learn the values; that nothing is there is one if `gaps`, unless it is rare."""
        text = _categories(column)
        counts = {row["values"]: int(row["counts"]) for row in pc.value_counts(text).to_pylist()}
        empty = counts.pop("", 0)
        # Too many and wanted all the same: all of them.
        values = common_values(counts) or tuple(sorted(counts))
        n = len(text) if gaps else len(text) - empty
        with_gaps = ("", *values) if gaps and empty > FEW_MISSING * n else values
        shares = np.array([counts.get(value, empty) for value in with_gaps], dtype=float) / n
        scale = one_hot_scale(shares)
        return cls(name, with_gaps, scale, shares / scale, len(values) < len(counts))

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return len(self.values)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return tuple(f"{self.name}_{value or 'missing'}" for value in self.values)

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say nothing: empty cells are a value like others."""
        return ()

    def transform(self, column: Cells) -> Encoded:
        """Find each value among those known."""
        text = _categories(column)
        where = pc.fill_null(pc.index_in(text, value_set=pa.array(self.values, pa.string())), -1)
        codes = np.asarray(where.to_numpy(), dtype=np.intp)
        matrix = np.zeros((len(codes), len(self.values)))
        rows = np.flatnonzero(codes >= 0)
        matrix[rows] = -self.mean
        matrix[rows, codes[rows]] += 1 / self.scale
        # An empty cell is not new, and that it has zeros where it was rare is no news; nor are rare values.
        new = [] if self.others else sorted(set(text.filter(pa.array(codes < 0)).to_pylist()) - {""})
        if not new:
            return Encoded(matrix)
        number = int(pc.sum(pc.is_in(text, value_set=pa.array(new))).as_py())
        rows_have = "1 row has" if number == 1 else f"{number} rows have"
        names = listed([f'"{value}"' for value in new], 3)
        note = f'{rows_have} a value of "{self.name}" that is new ({names}): treated as none of the known values.'
        return Encoded(matrix, (note,))


def _categories(column: Cells) -> Cells:
    text = texts(column)
    # Programs write truth in capitals or not.
    lower = pc.utf8_lower(text)
    text = pc.if_else(pc.is_in(lower, value_set=pa.array(TRUTH)), lower, text)
    return pc.if_else(pa.array(is_missing(text)), "", text)


@dataclass(frozen=True)
class Vector:
    """Numbers that belong together, an embedding: not centred, as angles between embeddings mean something."""

    name: str
    mean: Array
    scale: float

    @classmethod
    def fit(cls, column: Cells, name: str, gaps: bool = True) -> Self:
        """Learn the total variance; an empty cell is never a feature, whatever `gaps` is."""
        values, missing = vectors(column, name)
        real = values[~missing]
        return cls(name, real.mean(axis=0), float(np.sqrt(np.sum(np.var(real, axis=0)))) or 1.0)

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return len(self.mean)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return tuple(f"{self.name}_{i}" for i in range(len(self.mean)))

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say what was filled into `n` empty cells."""
        return filled_notes(self.name, n, "mean")

    def transform(self, column: Cells) -> Encoded:
        """Scale."""
        values, missing = vectors(column, self.name)
        if not missing.all() and values.shape[1] != len(self.mean):
            raise TableError(
                f'the column "{self.name}" has lists of {values.shape[1]} numbers, but {len(self.mean)} when it was '
                "learned from; make them in the same way."
            )
        result = np.where(missing[:, None], self.mean, values if not missing.all() else self.mean)
        return Encoded(result / self.scale)
