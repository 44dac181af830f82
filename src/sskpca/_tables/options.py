"""What the owner of a table may choose, as people write it."""

import codecs
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from sskpca._tables.error import TableError
from sskpca.rows._memory import bytes_of

if TYPE_CHECKING:
    from sskpca.kernels._given import KernelLike

__all__ = [
    "LEAST_CONFIDENCE",
    "METHODS",
    "FileOptions",
    "Names",
    "Options",
    "column_names",
    "file_options",
    "options_of",
    "separator",
]

# A name, or several; names that are not text are taken as text.
Names: TypeAlias = Hashable | Iterable[Hashable]

METHODS = ("auto", "ls", "lr", "mv", "sgt")
# A wrong label in a file has to be found before it can be corrected; a blank one is seen, and filled in by hand. Say it
# costs four times as much: then below three in four it is cheaper to leave the cell empty. Probabilities are calibrated
# on held-out labels, so that this is what they mean; of two classes it is half-way between a coin and certainty.
LEAST_CONFIDENCE = 0.75


@dataclass(frozen=True)
class FileOptions:
    """How a file is written; what is not said is found out from the file.

    Attributes
    ----------
    format : str, optional
        A key of `sskpca._tables.stream.FORMATS`; the name of the file tells it by default.
    delimiter : str, optional
        Between the columns of CSV.
    encoding : str, optional
        Of CSV, by a name that Python knows, such as "cp1252".
    decimal : {".", ","}, optional
        The decimal mark of CSV. If it is given, numbers may have the other mark between thousands.
    sheet : str, optional
        Of a workbook.
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise TableError(f'the decimal mark is "." or ",", not "{self.decimal}".', parameter="decimal")
        if self.encoding is not None:
            try:
                "".encode(codecs.lookup(self.encoding).name)
            except (LookupError, UnicodeError):  # codecs such as "hex" encode no text
                raise TableError(
                    f'there is no encoding "{self.encoding}"; give one such as utf-8, cp1252 or utf-16.'
                ) from None


@dataclass(frozen=True)
class Options:
    """Choices for labelling a table; none has to be made.

    Attributes
    ----------
    label : str, optional
        The column of labels; guessed by default.
    unlabeled : tuple of str or None
        Further marks of unlabelled rows; None: only empty cells are.
    text, use, ignore : tuple of str
        Columns whose words count; that count although they look like ids or by-products of labelling; that do
        not count.
    sentences : bool
        Whether the words of columns of sentences are used even if they are not among `text`.
    method : {"auto", "ls", "lr", "mv", "sgt"}
        "auto" is `SSKPCAClassifier`; the others are `LSKPCA`, `LRKPCA`, `MVKPCA` and `SpectralGraphTransducer` with
        their default kernels and weights.
    least_confidence : float
        Rows whose class is less probable are not sure.
    kernels : "auto" or sequence of kernels
        Of `SSKPCAClassifier`.
    rank : int
        Leading components of each kernel.
    landmarks : int, optional
        Use a Nyström approximation with so many landmarks, however few rows there are; by default only of many rows.
    seed : int
        Random seed for the choice of landmarks.
    n_next : int
        How many rows to propose for labelling.
    n_jobs : int, optional
    available : int, optional
        Bytes of memory; found out by default.
    memory : int, optional
        Bytes that may be used, beside the table itself; most of what is available by default.
    source : str
        Name of the file, for the report.
    """

    label: str | None = None
    unlabeled: tuple[str, ...] | None = ()
    text: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    method: str = "auto"
    least_confidence: float = LEAST_CONFIDENCE
    kernels: str | Sequence["KernelLike"] = "auto"
    rank: int = 200
    landmarks: int | None = None
    seed: int = 0
    n_next: int = 10
    n_jobs: int | None = None
    available: int | None = None
    memory: int | None = None
    source: str = ""
    sentences: bool = True

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise TableError(
                f'there is no method "{self.method}"; choose one of {", ".join(METHODS)}.', parameter="method"
            )
        if self.landmarks is not None and self.landmarks < 1:
            raise TableError(f"must be 1 or more, not {self.landmarks}.", parameter="landmarks")
        if self.seed < 0:
            raise TableError(f"must be 0 or more, not {self.seed}.", parameter="random_state")
        if self.n_next < 0:
            raise TableError(f"must be 0 or more, not {self.n_next}.", parameter="n_next")
        if not 0 <= self.least_confidence <= 1:
            raise TableError(
                f"must be between 0 and 1 (75 % is 0.75), not {self.least_confidence}.", parameter="least_confidence"
            )

    def of_source(self, source: str) -> Self:
        """Return the same choices for a table of this name."""
        return replace(self, source=source)


def options_of(
    label: Hashable = None,
    *,
    unlabeled: Names | None = (),
    text: Names = (),
    use: Names = (),
    ignore: Names = (),
    memory: int | str | None = None,
    least_confidence: float | None = None,
    random_state: int = 0,
    **others: Any,
) -> Options:
    """Read the parameters of `label` and `check`; see there.

    Examples
    --------
    >>> options = options_of("species", ignore="note", memory="2GB")
    >>> options.ignore, options.memory
    (('note',), 2000000000)
    """
    return Options(
        label=None if label is None else str(label),
        unlabeled=None if unlabeled is None else column_names(unlabeled),
        text=column_names(text),
        use=column_names(use),
        ignore=column_names(ignore),
        memory=_bytes(memory),
        least_confidence=LEAST_CONFIDENCE if least_confidence is None else least_confidence,
        seed=random_state,
        **others,
    )


def column_names(names: Names) -> tuple[str, ...]:
    """Read a name, or several; names that are not text are taken as text, as those of columns are.

    Examples
    --------
    >>> column_names("note"), column_names(["a", 7]), column_names(7)
    (('note',), ('a', '7'), ('7',))
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        return (str(names),)
    return tuple(str(name) for name in names)


def separator(mark: str | None) -> str | None:
    r"""Read the mark between the columns of a CSV.

    Examples
    --------
    >>> separator("tab"), separator(";")
    ('\t', ';')
    """
    found = {"tab": "\t", "\\t": "\t"}.get(mark or "", mark)
    if found is not None and (len(found) != 1 or found in '"\r\n'):
        raise TableError('give one character, such as ";", or tab.', parameter="delimiter")
    return found


def file_options(
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> FileOptions:
    """Read what was said about a file.

    Examples
    --------
    >>> file_options(delimiter="tab", decimal="comma").decimal
    ','
    """
    mark = {"comma": ",", "point": "."}.get(decimal or "", decimal)
    return FileOptions(format, separator(delimiter), encoding, mark, sheet)


def _bytes(memory: int | str | None) -> int | None:
    if memory is None:
        return None
    try:
        return bytes_of(memory)
    except ValueError:
        raise TableError(f'give a size such as 2GB or 500MB, not "{memory}".', parameter="memory") from None
