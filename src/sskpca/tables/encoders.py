"""From the cells of one column to columns of a matrix, learned once and repeated on new tables.

Every column weighs the same at first: a standardised number has variance 1, and the columns that a category, a vector
or a text becomes have it together.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from sskpca.linalg.array import Array
from sskpca.tables.cells import is_missing, numbers, texts, vectors
from sskpca.tables.error import TableError, listed

__all__ = ["ENCODERS", "Category", "Encoded", "Encoder", "Number", "Text", "Vector"]

# Of fewer missing values than this share of the rows, nothing can be learned.
FEW_MISSING = 0.02
# A value that one row in a thousand has would stand 30 deviations apart. It may be four and a half: no more than a
# measurement does by itself now and then.
LEAST_VARIANCE = 0.1
# Words that are in one row only tell nothing about others; beyond so many, the rarest are left out.
MOST_WORDS = 20_000
# Of a matrix that is no fit, in case of equal values.
TINY = 1e-12


@dataclass(frozen=True)
class Encoded:
    """Columns of a matrix, dense or sparse, and what the owner of the table should know of them."""

    matrix: Any
    notes: tuple[str, ...] = ()


def _one_hot_scale(shares: Array) -> float:
    """Give what one-hot columns are divided by, so that together they have variance 1.

    A column of zeros and a share p of ones has p (1 - p): together 1 less the sum of squares.
    """
    return float(np.sqrt(max(float(np.sum(shares * (1 - shares))), LEAST_VARIANCE)))


@dataclass(frozen=True)
class Number:
    """Numbers, standardised; a missing one is the median, and where many are, that it was missing counts too."""

    name: str
    mean: float
    scale: float
    fill: float
    missing_scale: float | None

    @classmethod
    def fit(cls, column: Any, name: str, gaps: bool = True) -> Self:
        """Learn mean, deviation and median; if `gaps`, where many are missing, that they are is a feature."""
        values, missing = numbers(column, name)
        real = values[~missing]
        fill = float(np.median(real))
        values[missing] = fill
        # Scaled before it is squared: the largest numbers would have no finite variance.
        size = float(np.abs(values).max()) or 1.0
        scale, share = float(np.std(values / size)) * size, float(missing.mean())
        many = gaps and share > FEW_MISSING
        # One of the two columns that "missing or not" would have as a category: half the weight of the number itself.
        return cls(
            name,
            float(np.mean(values / size) * size),
            scale if scale > TINY * size else size,
            fill,
            _one_hot_scale(np.array([share, 1 - share])) if many else None,
        )

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return 1 if self.missing_scale is None else 2

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say what was filled into `n` empty cells."""
        if n == 0:
            return ()
        too = "" if self.missing_scale is None else "; that they are missing is used too"
        cells = "1 empty cell" if n == 1 else f"{n} empty cells"
        return (f'{cells} of "{self.name}" filled with the median, {self.fill:g}{too}.',)

    def transform(self, column: Any) -> Encoded:
        """Standardise."""
        values, missing = numbers(column, self.name)
        values[missing] = self.fill
        parts = [(values - self.mean) / self.scale]
        if self.missing_scale is not None:
            parts.append(missing / self.missing_scale)
        return Encoded(np.column_stack(parts))


@dataclass(frozen=True)
class Category:
    """A column of ones and zeros for each value, all divided by the same number; a value not seen before has zeros.

    An empty cell is a value like others; or, with `fill`, the mean of the others, so that it does not stand out.
    """

    name: str
    values: tuple[str, ...]
    scale: float
    fill: Array | None = None

    @classmethod
    def fit(cls, column: Any, name: str, gaps: bool = True) -> Self:
        """Learn the values; that nothing is there is one if `gaps`, unless it is rare."""
        text = _categories(column)
        if not gaps:
            real = text.filter(pc.not_equal(text, ""))
            known = cls.fit(real, name)
            matrix = known.transform(real).matrix
            return replace(known, fill=matrix.mean(axis=0))
        counts = pc.value_counts(text).to_pylist()
        few = FEW_MISSING * len(text)
        seen = sorted((row["values"], row["counts"]) for row in counts if row["values"] or row["counts"] > few)
        shares = np.array([number for _, number in seen], dtype=float) / len(text)
        return cls(name, tuple(value for value, _ in seen), _one_hot_scale(shares))

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return len(self.values)

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say nothing: empty cells are a value like others."""
        return ()

    def transform(self, column: Any) -> Encoded:
        """Find each value among those known."""
        text = _categories(column)
        where = pc.fill_null(pc.index_in(text, value_set=pa.array(self.values, pa.string())), -1)
        codes = np.asarray(where.to_numpy(), dtype=np.intp)
        matrix = np.zeros((len(codes), len(self.values)))
        rows = np.flatnonzero(codes >= 0)
        matrix[rows, codes[rows]] = 1 / self.scale
        if self.fill is not None:
            matrix[np.asarray(pc.equal(text, "").to_numpy(zero_copy_only=False), dtype=bool)] = self.fill
        # An empty cell is not new, and that it has zeros where it was rare is no news.
        new = sorted(set(text.filter(pa.array(codes < 0)).to_pylist()) - {""})
        if not new:
            return Encoded(matrix)
        number = int(pc.sum(pc.is_in(text, value_set=pa.array(new))).as_py())
        rows_have = "1 row has" if number == 1 else f"{number} rows have"
        names = listed([f'"{value}"' for value in new], 3)
        note = f'{rows_have} a value of "{self.name}" that is new ({names}): treated as none of the known values.'
        return Encoded(matrix, (note,))


def _categories(column: Any) -> Any:
    text = texts(column)
    # Programs write truth in capitals or not.
    lower = pc.utf8_lower(text)
    text = pc.if_else(pc.is_in(lower, value_set=pa.array(["true", "false"])), lower, text)
    return pc.if_else(pa.array(is_missing(text)), "", text)


@dataclass(frozen=True)
class Vector:
    """Numbers that belong together, an embedding: not centred, as angles between embeddings mean something."""

    name: str
    mean: Array
    scale: float

    @classmethod
    def fit(cls, column: Any, name: str, gaps: bool = True) -> Self:
        """Learn the total variance; an empty cell is never a feature, whatever `gaps` is."""
        values, missing = vectors(column, name)
        real = values[~missing]
        return cls(name, real.mean(axis=0), float(np.sqrt(np.sum(np.var(real, axis=0)))) or 1.0)

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return len(self.mean)

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say what was filled into `n` empty cells."""
        cells = "1 empty cell" if n == 1 else f"{n} empty cells"
        return (f'{cells} of "{self.name}" filled with the mean.',) if n else ()

    def transform(self, column: Any) -> Encoded:
        """Scale."""
        values, missing = vectors(column, self.name)
        if not missing.all() and values.shape[1] != len(self.mean):
            raise TableError(
                f'the column "{self.name}" has lists of {values.shape[1]} numbers, but {len(self.mean)} when it was '
                "learned from; make them in the same way."
            )
        result = np.where(missing[:, None], self.mean, values if not missing.all() else self.mean)
        return Encoded(result / self.scale)


@dataclass(frozen=True)
class Text:
    """Words by TF-IDF: how often they are in a cell, more if they are in few; sparse."""

    name: str
    words: tuple[str, ...]
    idf: Array
    scale: float

    @classmethod
    def fit(cls, column: Any, name: str, gaps: bool = True) -> Self:
        """Learn the words; an empty cell has none, whatever `gaps` is."""
        cells = _cells(column)
        try:
            vectorizer = _vectorizer(min_df=2, max_features=MOST_WORDS).fit(cells)
        except ValueError:
            raise TableError(
                f'the column "{name}" has no word that is in two rows, so its words tell nothing; leave out --text.'
            ) from None
        words = tuple(str(word) for word in vectorizer.get_feature_names_out())
        plain = cls(name, words, np.asarray(vectorizer.idf_, dtype=np.float64), 1.0)
        found = plain.transform(column).matrix
        mean = np.asarray(found.mean(axis=0)).ravel()
        variance = float(found.multiply(found).sum()) / found.shape[0] - float(mean @ mean)
        return replace(plain, scale=float(np.sqrt(max(variance, LEAST_VARIANCE))))

    @property
    def n_features(self) -> int:
        """Columns of the matrix."""
        return len(self.words)

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say nothing: a cell without words has none."""
        return ()

    def transform(self, column: Any) -> Encoded:
        """Count the words."""
        vectorizer = _vectorizer(vocabulary=self.words)
        vectorizer.idf_ = self.idf
        return Encoded(sparse.csr_matrix(vectorizer.transform(_cells(column)) / self.scale))


def _cells(column: Any) -> list[str]:
    return [value or "" for value in texts(column).to_pylist()]


def _vectorizer(**settings: Any) -> Any:
    return TfidfVectorizer(strip_accents="unicode", sublinear_tf=True, **settings)


Encoder = Number | Category | Vector | Text
ENCODERS: dict[str, type[Number] | type[Category] | type[Vector] | type[Text]] = {
    "number": Number,
    "category": Category,
    "vector": Vector,
    "text": Text,
}
