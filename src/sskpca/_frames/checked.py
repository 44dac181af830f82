"""What would be done with a table."""

from dataclasses import dataclass
from typing import Any

from sskpca._frames.given import Given, given_table
from sskpca._frames.wording import as_html, as_text, check_entries
from sskpca._tables.file_form import FileForm
from sskpca._tables.labelling import Check
from sskpca._tables.options import Options, file_options, options_of
from sskpca._tables.prepared import check_table

__all__ = ["Checked", "check"]


@dataclass(frozen=True, repr=False)
class Checked(Check):
    """What is known of a table before anything is learned from it; printed, it says so in words.

    The attributes are those of `sskpca._tables.Check`, and

    Attributes
    ----------
    form : FileForm or None
        How a file was read.
    """

    form: FileForm | None = None

    def __repr__(self) -> str:
        return as_text(check_entries(self))

    def _repr_html_(self) -> str:
        return as_html("What would be done", check_entries(self))


def check(
    table: Any,
    label: Any = None,
    *,
    unlabeled: Any = (),
    text: Any = (),
    use: Any = (),
    ignore: Any = (),
    sentences: bool = True,
    landmarks: int | None = None,
    memory: int | str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> Checked:
    """Find out what `label` would do with a table: columns, classes, memory and time.

    Parameters
    ----------
    table : DataFrame of pandas or polars, pyarrow.Table, or path-like
        Rows with a label and rows without: with null, NaN, NA, an empty text, "?" or -1 in its place.
    label : str or None, default=None
        The column of labels; guessed by default.
    unlabeled : str, list of str or None, default=()
        Further marks of unlabelled rows, such as "todo"; None: only empty cells are unlabelled.
    text : str or list of str, default=()
        Columns of short texts whose words are used.
    use : str or list of str, default=()
        Columns to use although they look like ids or by-products of labelling.
    ignore : str or list of str, default=()
        Columns to leave out.
    sentences : bool, default=True
        Whether the words of columns of sentences are used even if they are not among `text`.
    landmarks : int or None, default=None
        Use a Nyström approximation with this many landmarks; by default only for more than 10,000 rows.
    memory : int, str or None, default=None
        Memory to use, such as "2GB"; most of what is available by default.
    format : str or None, default=None
        File format: "csv", "tsv", "xlsx", "json", "jsonl", "parquet" or "arrow"; by default that of the file's name.
    delimiter : str or None, default=None
        Column separator of a CSV file; detected by default.
    encoding : str or None, default=None
        Character encoding of a CSV file, such as "utf-8" or "cp1252"; detected by default.
    decimal : str or None, default=None
        Decimal mark of a CSV file, "." or ","; detected by default.
    sheet : str or None, default=None
        Sheet of an Excel workbook; the first by default.

    Returns
    -------
    Checked
        What would be done; print it.

    Raises
    ------
    TableError
        The table cannot be labelled; the message says why and what to do.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sskpca import check
    >>> animals = pa.table({"size": [1.0, 5.1, 1.2, 5.0], "species": ["cat", "dog", None, None]})
    >>> print(check(animals))  # doctest: +ELLIPSIS
    table     the table: 4 rows, 2 columns
    labels    in the column "species" (guessed: by its name; label="NAME" to change)
    given     2 rows: cat 1, dog 1
    empty     2 rows without a label
    using     1 column: 1 as numbers (size)
    note      ...
    """
    options = options_of(
        label,
        unlabeled=unlabeled,
        text=text,
        use=use,
        ignore=ignore,
        memory=memory,
        landmarks=landmarks,
        sentences=sentences,
    )
    return _checked(given_table(table, file_options(format, delimiter, encoding, decimal, sheet)), options)


def _checked(given: Given, options: Options) -> Checked:
    found = check_table(given.table, options.of_source(given.source), given.rows)
    return Checked(**{name: getattr(found, name) for name in Check.__dataclass_fields__}, form=given.form)
