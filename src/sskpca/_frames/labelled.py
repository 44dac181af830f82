"""Labels for the rows of a table that have none."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sskpca._frames.given import Given, given_table
from sskpca._frames.predicted import TableModel
from sskpca._frames.progress import showing_progress
from sskpca._frames.wording import as_html, as_text, headline, labelling_entries
from sskpca._selection.baselines import Baseline
from sskpca._selection.relevance import Relevance
from sskpca._tables.error import TableError, setting
from sskpca._tables.file_form import FileTable
from sskpca._tables.job import label_table
from sskpca._tables.labelling import Labelling
from sskpca._tables.options import file_options, options_of
from sskpca._tables.results import append_results, result_columns
from sskpca._tables.writing import write_table
from sskpca.saving._atomic import atomic_path
from sskpca.saving._model_file import put_model

__all__ = ["Labelled", "label"]

ROW = "sskpca_row"


@dataclass(frozen=True, repr=False, eq=False)
class Labelled:
    """A table with labels, and how far to trust them; printed, it says so in words.

    Attributes
    ----------
    labelling : Labelling
        All that was found, row by row.
    model : SSKPCAClassifier, or the classifier of a single method
        Fitted to the columns as they are encoded; `predict` encodes new rows likewise.
    given : Given
        The table as it was given.
    table_model : TableModel
        The model together with how the columns of a table become features.
    fill, probabilities : bool
        See `label`.
    """

    labelling: Labelling
    given: Given
    table_model: TableModel
    fill: bool = False
    probabilities: bool = False

    @property
    def model(self) -> Any:
        """The fitted classifier."""
        return self.table_model.model

    @cached_property
    def table(self) -> Any:
        """The table that was given, of the same kind, with the columns of the result; see `label`."""
        return self.given.extended(self.added, self.labelling.label_column)

    @cached_property
    def added(self) -> Any:
        """The columns of the result alone, a `pyarrow.Table`."""
        kind = self.given.table.column(self.labelling.label_column).type
        return result_columns(self.labelling, kind, self.fill, self.probabilities)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.labelling.classes

    @property
    def expected_error(self) -> float:
        """Expected share of wrong labels among the unlabelled rows, those left blank included."""
        return self.labelling.expected_error

    @property
    def expected_interval(self) -> tuple[float, float]:
        """Confidence interval of `expected_error`, 95 %."""
        return self.labelling.expected_interval

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided about the table."""
        return self.labelling.notes

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may make the labels wrong."""
        return self.labelling.warnings

    @property
    def baselines(self) -> tuple[Baseline, ...]:
        """Simple methods on the same held-out labels."""
        return self.labelling.baselines

    @property
    def relevance(self) -> tuple[Relevance, ...]:
        """How much each column matters for the labels, the largest gain first."""
        return self.labelling.relevance

    def suspects(self, n: int | None = None) -> Any:
        """Return the labelled rows whose label the others contradict, the least probable first.

        Parameters
        ----------
        n : int, optional
            At most so many.

        Returns
        -------
        table
            Rows of `table`: ``sskpca_guess`` is what the others suggest, and ``sskpca_label_quality`` the probability
            of the label as it is. A data frame of pandas keeps its index; others have the number of the row, counted
            from 0, in a first column ``sskpca_row``.
        """
        return self._rows([suspect.row for suspect in self.labelling.suspects[:n]])

    def next_rows(self, n: int = 10) -> Any:
        """Return the rows to label next, the most useful first; `table` has as many as `label` was asked for.

        Parameters
        ----------
        n : int, default=10

        Returns
        -------
        table
            As from `suspects`.
        """
        rows: Sequence[int] = self.labelling.next_rows
        if n > len(rows) and hasattr(self.model, "next_rows"):
            rows = [int(row) for row in self.model.next_rows(n)]
        return self._rows(rows[:n])

    def _rows(self, rows: Sequence[int]) -> Any:
        return self.given.taken(self.table, np.asarray(rows, dtype=np.intp), ROW)

    def predict(self, table: Any, **choices: Any) -> Any:
        """Label the rows of another table; see `sskpca.predict`."""
        return self.table_model.predict(table, **choices).table

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        delimiter: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write the table to a file, whole or not at all; the index of a pandas DataFrame becomes its first columns.

        Parameters
        ----------
        path : path-like
        format, delimiter : str, optional
            Taken from the name of the file by default.
        overwrite : bool, default=False
            Replace a file that exists.
        """
        table = self.arrow
        for i, (name, column) in enumerate(self.given.index_columns().items()):
            table = table.add_column(i, name, column)
        write_table(table, path, format=format, delimiter=delimiter, overwrite=overwrite)

    @property
    def origin(self) -> FileTable | None:
        """What is needed to write the table as the file it came from."""
        return self.given.origin(self.labelling.label_column)

    @property
    def arrow(self) -> Any:
        """The table with the columns of the result, a `pyarrow.Table`."""
        return append_results(self.given.table, self.added)

    def report(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write an HTML page that shows what was found.

        Parameters
        ----------
        path : path-like
        overwrite : bool, default=False
            Replace a file that exists.
        """
        page = self.page("sskpca.label(...)").encode()
        self._write(path, overwrite, lambda temporary: temporary.write_bytes(page))

    def page(self, command: str, labelling: Labelling | None = None, written: Callable[[str], str] = str) -> str:
        """Return the page of `report`.

        Parameters
        ----------
        command : str
            What was run.
        labelling : Labelling, optional
            The same in other words.
        written : callable, default=str
            Write a choice such as "fill=True" as the reader makes it.
        """
        from importlib.metadata import version
        from platform import python_version

        try:
            from sskpca._report.page import render_report
            from sskpca._report.words import describe_rows
        except ModuleNotFoundError as error:
            raise ImportError(f'the report needs {error.name}; pip install "sskpca[cli]".') from None

        names = ("sskpca", "numpy", "scipy", "scikit-learn", "pyarrow")
        versions = {"Python": python_version(), **{name: version(name) for name in names}}
        found = labelling or self.labelling
        texts = describe_rows(found, self.given.table)
        return render_report(
            found, command=command, versions=versions, row_texts=texts, fill=self.fill, written=written
        )

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model to a file, for `sskpca.predict`; it holds your rows, or some of very many, but no code.

        Parameters
        ----------
        path : path-like
        overwrite : bool, default=False
            Replace a file that exists.
        """
        self._write(path, overwrite, self.put_model)

    def put_model(self, path: Path) -> None:
        """Write the model, whatever is there."""
        put_model(path, self.model, self.table_model.to_dict())

    def _write(self, path: str | os.PathLike[str], overwrite: bool, write: Any) -> None:
        if Path(path).is_file() and not overwrite:
            raise TableError(
                f"{path} already exists; give {setting('overwrite', True)} to replace it, or another name."
            )
        try:
            with atomic_path(path, overwrite) as temporary:
                write(temporary)
        except OSError as error:
            raise TableError(f"{path}: {error.strerror}; nothing was written." if error.errno else str(error)) from None

    def __repr__(self) -> str:
        return as_text(labelling_entries(self.labelling, self.fill))

    def _repr_html_(self) -> str:
        return as_html(headline(self.labelling, self.fill), labelling_entries(self.labelling, self.fill))


def label(
    table: Any,
    label: Any = None,
    *,
    unlabeled: Any = (),
    text: Any = (),
    use: Any = (),
    ignore: Any = (),
    sentences: bool = True,
    least_confidence: float | None = None,
    fill: bool = False,
    probabilities: bool = False,
    n_next: int = 10,
    method: str = "auto",
    kernels: str | Sequence[Any] = "auto",
    rank: int = 200,
    landmarks: int | None = None,
    memory: int | str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    verbose: bool = False,
) -> Labelled:
    """Label the rows of a table that have no label.

    Finds the column of labels, takes numbers, categories, dates, text and embeddings, leaves out ids, and fits
    `SSKPCAClassifier`: what the command ``sskpca label`` does.

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
    least_confidence : float or None, default=None
        Rows whose class is less probable are left blank; None: less probable than 0.75.
    fill : bool, default=False
        Label those, too.
    probabilities : bool, default=False
        Add a column with the probability of each class, ``sskpca_p_`` and its name.
    n_next : int, default=10
        How many rows to propose for labelling.
    method : {"auto", "ls", "lr", "mv", "sgt"}, default="auto"
        "auto" is `SSKPCAClassifier`; the others are `LSKPCA`, `LRKPCA`, `MVKPCA` and `SpectralGraphTransducer` with
        their default kernels and weights.
    kernels : "auto" or sequence of kernels, default="auto"
        The kernels of `SSKPCAClassifier`.
    rank : int, default=200
        Leading components of each kernel.
    landmarks : int or None, default=None
        Use a Nyström approximation with this many landmarks; by default only for more than 10,000 rows.
    memory : int, str or None, default=None
        Memory to use, such as "2GB"; most of what is available by default.
    random_state : int, default=0
        Random seed for the choice of landmarks.
    n_jobs : int or None, default=None
        Kernels that are decomposed at a time, each in one thread; by default as many as there are processors and as
        fit into the memory.
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
    verbose : bool, default=False
        Show progress on the error stream.

    Returns
    -------
    Labelled
        Its `table` is of the kind that was given (`pyarrow.Table` for a file), with all columns as they were, and:
        ``sskpca_label`` (null where not sure), ``sskpca_source`` ("given", "model" or ""), ``sskpca_confidence``,
        ``sskpca_guess`` and ``sskpca_second`` (the two most probable classes; of a labelled row, by a model that has
        not seen its label), ``sskpca_next`` (1, 2, ...: the order in which to label), ``sskpca_suspect`` and
        ``sskpca_label_quality`` (the probability of a given label by a model that has not seen it).

    Raises
    ------
    TableError
        The table cannot be labelled; the message says why and what to do.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sskpca import label
    >>> sizes = [1.0, 1.1, 5.1, 5.2, 1.2, 5.0, 0.9, 5.3]
    >>> animals = pa.table({"size": sizes, "species": ["cat", "cat", "dog", "dog", None, None, None, None]})
    >>> found = label(animals, method="ls", fill=True)
    >>> found.table["sskpca_label"].to_pylist()[4:]
    ['cat', 'dog', 'cat', 'dog']
    """
    with showing_progress(verbose):
        reading = file_options(format, delimiter, encoding, decimal, sheet)
        options = options_of(
            label,
            unlabeled=unlabeled,
            text=text,
            use=use,
            ignore=ignore,
            memory=memory,
            least_confidence=least_confidence,
            random_state=random_state,
            kernels=kernels,
            method=method,
            rank=rank,
            landmarks=landmarks,
            n_jobs=n_jobs,
            n_next=n_next,
            sentences=sentences,
        )
        given = given_table(table, reading)
        found, model, features = label_table(given.table, options.of_source(given.source), given.rows)
    fitted = TableModel(model, features, found.label_column, found.least_confidence)
    return Labelled(found, given, fitted, fill, probabilities)
