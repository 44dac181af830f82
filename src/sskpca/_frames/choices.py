"""What a call may choose, as people write it."""

from collections.abc import Iterable, Sequence
from typing import Any

from sskpca._tables.error import TableError
from sskpca._tables.options import LEAST_CONFIDENCE, FileOptions, Options
from sskpca.rows._memory import bytes_of

__all__ = ["column_names", "file_options", "options_of", "separator"]


def options_of(
    label: Any = None,
    *,
    unlabeled: Any = (),
    text: Any = (),
    use: Any = (),
    ignore: Any = (),
    memory: int | str | None = None,
    least_confidence: float | None = None,
    random_state: int = 0,
    source: str = "",
    kernels: str | Sequence[Any] = "auto",
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
        source=source,
        kernels=kernels,
        **others,
    )


def column_names(names: Any) -> tuple[str, ...]:
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
