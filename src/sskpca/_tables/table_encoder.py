"""Tables as features, for pipelines of scikit-learn."""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sskpca._linalg.array import Indices, LabelsLike, Matrix, RowsLike
from sskpca._tables.cells import is_number
from sskpca._tables.columns import decide_columns
from sskpca._tables.error import TableError
from sskpca._tables.features import fit_features
from sskpca._tables.sampling import screen_columns
from sskpca._tables.typed_tables import as_arrow, is_frame
from sskpca._transduction.labels import read_labels

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a table of numbers, categories, dates, truth values, text and embeddings into features.

    What `sskpca label` does with the columns of a table, for a pipeline:
    ``make_pipeline(TableEncoder(), SSKPCAClassifier())``. Numbers are standardized, with the median where they are
    missing; categories become columns of zeros and ones; dates the distance in time, month, weekday and hour; text its
    words by TF-IDF, and then the result is sparse. Every column weighs the same, a text as much as all other columns
    together. Ids, constant columns, addresses and the like are left out; see `columns_`.

    Parameters
    ----------
    text : str or sequence of str, default=()
        Columns of short texts whose words are used; columns of sentences are used without being named.
    use : str or sequence of str, default=()
        Columns to use although they look like ids, or by-products of labelling.
    ignore : str or sequence of str, default=()
        Columns to leave out.
    sentences : bool, default=True
        Whether the words of columns of sentences are used.

    Attributes
    ----------
    columns_ : tuple of Column
        Name, role and reason of each column.
    feature_map_ : FeatureMap
        How columns become features.
    notes_ : tuple of str
        What there is to know: missing values filled, columns left out as by-products of labelling, ...
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray
        Names of the columns, if the table has them.

    Examples
    --------
    >>> import pandas as pd
    >>> from sskpca import TableEncoder
    >>> table = pd.DataFrame({"size": [1.0, 3.0, None, 2.0], "colour": ["red", "blue", "red", "red"], "shop": "A"})
    >>> encoder = TableEncoder().fit(table)
    >>> list(encoder.get_feature_names_out())
    ['size', 'size_missing', 'colour_blue', 'colour_red']
    >>> [(column.name, column.role) for column in encoder.columns_]
    [('size', 'number'), ('colour', 'category'), ('shop', 'ignored')]
    """

    def __init__(
        self,
        *,
        text: str | Sequence[str] = (),
        use: str | Sequence[str] = (),
        ignore: str | Sequence[str] = (),
        sentences: bool = True,
    ) -> None:
        self.text = text
        self.use = use
        self.ignore = ignore
        self.sentences = sentences

    def fit(self, X: RowsLike, y: LabelsLike = None) -> Self:
        """Learn how the columns become features.

        Parameters
        ----------
        X : data frame of pandas, polars or Arrow, or array of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,) or None, default=None
            Labels; where some are missing, columns that were filled in together with them are left out.

        Returns
        -------
        self : TableEncoder
            The fitted encoder.
        """
        table = self._read(X, reset=True)
        if table.num_rows < 2:
            samples = "1 sample" if table.num_rows else "0 samples"
            raise TableError(f"TableEncoder: the table has {samples}; at least 2 are needed to learn from.")
        # Of an array all columns of numbers are wanted: who has ids leaves them out.
        text, wanted, ignore = _names(self.text), _names(self.use), _names(self.ignore)
        use = wanted if is_frame(X) else [*wanted, *_numeric(table, {*text, *ignore})]
        columns = decide_columns(table, "", text=text, use=use, ignore=ignore, sentences=self.sentences)
        notes: tuple[str, ...] = ()
        hidden: frozenset[str] = frozenset()
        codes = _codes(y)
        if codes is not None:
            screened = screen_columns(table, columns, codes, wanted)
            columns, hidden, notes = screened.columns, screened.hidden, (*screened.warnings, *screened.notes)
        self.feature_map_, self.columns_, filled = fit_features(table, columns, hidden)
        self.notes_ = (*filled, *notes)
        return self

    def transform(self, X: RowsLike) -> Matrix:
        """Return the rows of a table as points.

        Parameters
        ----------
        X : data frame of pandas, polars or Arrow, or array of shape (n_samples, n_features)
            A table with the columns of the fit.

        Returns
        -------
        ndarray or csr_matrix of shape (n_samples, n_features_out)
            Sparse if a text is among the columns.
        """
        check_is_fitted(self)
        return self.feature_map_.transform(self._read(X, reset=False)).matrix

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]:
        """Return the names of the features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns; for compatibility with scikit-learn, checked against those of the fit.

        Returns
        -------
        ndarray of str
            A name for each feature.
        """
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None)
        if input_features is not None and known is not None and list(input_features) != list(known):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.asarray(self.feature_map_.feature_names, dtype=object)

    def _read(self, X: RowsLike, reset: bool) -> pa.Table:
        table = as_arrow(X)
        # Names and number of the columns are compared with those of the fit.
        validate_data(self, table if is_frame(X) else X, skip_check_array=True, reset=reset)
        return table

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _numeric(table: pa.Table, others: set[str]) -> list[str]:
    return [name for name in table.column_names if is_number(table.column(name).type) and name not in others]


def _codes(y: LabelsLike) -> Indices | None:
    """Return the classes of the rows, -1 where unlabelled, if some are; None otherwise."""
    if y is None:
        return None
    try:
        codes = read_labels(y).codes
    except ValueError:
        return None  # whoever learns from these labels says what is wrong with them
    return codes if 0 < np.sum(codes >= 0) < len(codes) else None


def _names(given: str | Sequence[str]) -> Sequence[str]:
    """Return one name, or several, as a sequence."""
    return [given] if isinstance(given, str) else given
