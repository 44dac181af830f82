"""The words of a text, as features."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from sskpca._linalg.array import Array
from sskpca._tables.cells import Cells, texts
from sskpca._tables.encoders import LEAST_VARIANCE, Encoded
from sskpca._tables.error import TableError

__all__ = ["Text"]

# Words that are in one row only tell nothing about others; beyond so many, the rarest are left out.
MOST_WORDS = 20_000


@dataclass(frozen=True)
class Text:
    """Words by TF-IDF: how often they are in a cell, more if they are in few; sparse."""

    name: str
    words: tuple[str, ...]
    idf: Array
    scale: float

    @classmethod
    def fit(cls, column: Cells, name: str, gaps: bool = True) -> Self:
        """Learn the words; an empty cell has none, whatever `gaps` is."""
        cells = _cells(column)
        try:
            vectorizer = _vectorizer(min_df=2, max_features=MOST_WORDS).fit(cells)
        except ValueError:
            raise TableError(
                f'the column "{name}" has no word that is in two rows, so its words tell nothing; do not use them.'
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

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return tuple(f"{self.name}_{word}" for word in self.words)

    def fit_notes(self, n: int) -> tuple[str, ...]:
        """Say nothing: a cell without words has none."""
        return ()

    def transform(self, column: Cells) -> Encoded:
        """Count the words."""
        vectorizer = _vectorizer(vocabulary=self.words)
        vectorizer.idf_ = self.idf
        return Encoded(sparse.csr_matrix(vectorizer.transform(_cells(column)) / self.scale))


def _cells(column: Cells) -> list[str]:
    return [value or "" for value in texts(column).to_pylist()]


def _vectorizer(**settings: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer  # here: most tables have no text

    return TfidfVectorizer(strip_accents="unicode", sublinear_tf=True, **settings)
