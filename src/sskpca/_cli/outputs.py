"""The files that a command writes: checked before the work, written together after it."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sskpca._frames.shown import Entry
from sskpca._tables.error import TableError
from sskpca._tables.file_form import FileTable
from sskpca._tables.stream import FORMATS, format_of
from sskpca._tables.writing import put_table
from sskpca.saving._atomic import atomic_paths, check_target

__all__ = ["Output", "TableOutput", "check_outputs", "table_output", "write_all", "written_entry"]

# What ends a process; as an exception it removes temporary files first.
STOPPING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass(frozen=True)
class Output:
    """A file to be written.

    Attributes
    ----------
    path : str
        "-" is the standard output.
    option : str
        By which it was named.
    """

    path: str
    option: str


# And what writes it.
Written = tuple[Output, Callable[[Path], None]]


@dataclass(frozen=True)
class TableOutput(Output):
    """A table to be written, and how."""

    format: str
    packed: bool
    delimiter: str | None


def table_output(path: str, format: str | None, delimiter: str | None) -> TableOutput:
    """Decide how a table is written: as its name says; if it does not, as was given for the input."""
    name = path.lower().removesuffix(".gz")
    if any(name.endswith(ending) for endings in FORMATS.values() for ending in endings):
        format = None
    known, packed = format_of(path, format)
    return TableOutput(path, "--out", known, packed, "\t" if known == "tsv" else delimiter)


def check_outputs(outputs: Sequence[Output], inputs: Sequence[str], overwrite: bool) -> None:
    """Check that all files can be written and none is lost.

    Raises
    ------
    TableError
        With a sentence that says what is in the way.
    """
    taken: dict[str, str] = {}
    for output in outputs:
        if output.path == "-":
            if output.option != "--out":
                raise TableError(f"{output.option}: only the table can go to the standard output; name a file.")
            if sys.__stdout__ is None:
                raise TableError("--out: the standard output is closed; name a file.")
            continue
        if not output.path:
            raise TableError(f"{output.option}: the file name is empty; name a file.")
        real = os.path.realpath(output.path)
        if real in taken:
            raise TableError(
                f"{taken[real]} and {output.option} both name {output.path}, one of which would be lost; take another "
                "name for one."
            )
        same = next((other for other in inputs if other != "-" and _same(other, real)), None)
        if same is not None:
            raise TableError(
                f"{output.option}: {output.path} is {same} itself, which would be lost; take another name."
            )
        taken[real] = output.option
        if Path(output.path).is_file() and not overwrite:
            raise TableError(f"{output.path} already exists; give --overwrite to replace it, or another name.")
        try:
            check_target(output.path, overwrite)
        except OSError as error:
            raise TableError(str(error)) from None


def _write_together(outputs: Sequence[Written], overwrite: bool) -> None:
    current = "the results"
    try:
        with _uninterrupted() as hold, atomic_paths([output.path for output, _ in outputs], overwrite) as temporaries:
            for (output, write), temporary in zip(outputs, temporaries, strict=True):
                current = output.path
                write(temporary)
            current = "the results"
            hold()
    except OSError as error:
        # With a number it comes from the system, otherwise it is a sentence.
        reason = f"{current}: {error.strerror}; nothing was written. Make room, or take another folder."
        raise TableError(reason if error.errno else str(error)) from None


def _writer(output: TableOutput, table: Any, origin: FileTable | None) -> Callable[[Path], None]:
    """Return the function that writes a table."""

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:
            put_table(table, file, output.format, output.packed, output.delimiter, origin)

    return write


def write_all(
    output: TableOutput, table: Any, others: Sequence[Written], overwrite: bool, origin: FileTable | None = None
) -> None:
    """Write a table and other files: all or none, the table last.

    Parameters
    ----------
    output : TableOutput
    table : pyarrow.Table
    others : sequence of (Output, callable)
        The callable writes to the path that it is given.
    overwrite : bool
    origin : FileTable, optional
        Where the table comes from; see `put_table`.

    Raises
    ------
    TableError
        Nothing was written.
    """
    files = list(others)
    if output.path != "-":
        files.append((output, _writer(output, table, origin)))
    _write_together(files, overwrite)
    if output.path == "-":
        put_table(table, sys.stdout.buffer, output.format, output.packed, output.delimiter, origin)
        sys.stdout.buffer.flush()


def written_entry(paths: list[str], dry_run: bool) -> Entry:
    """List the files that were written."""
    return Entry("written", "nothing (dry run)" if dry_run else ", ".join(paths))


def _same(path: str, other: str) -> bool:
    """Return whether two names are of one file, by whatever links."""
    if os.path.realpath(path) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


@contextmanager
def _uninterrupted() -> Iterator[Callable[[], None]]:
    """Remove temporary files when the run is stopped by a signal; yield a function after which signals are ignored.

    It is called when the files are getting their names, which takes no time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in (signal.SIGINT, *STOPPING)}
    for number in STOPPING:
        if before[number] == signal.SIG_DFL:  # otherwise somebody has other wishes
            signal.signal(number, _stop)

    def hold() -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)

    try:
        yield hold
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: Any) -> NoReturn:
    raise SystemExit(128 + number)
