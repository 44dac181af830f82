"""What a command prints, for people or programs, and the files it writes: checked before the work, written after it."""

import json
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np
from rich.console import Console
from rich.text import Text

from sskpca._cli.failure import in_options, with_options
from sskpca._frames.predicted import FramePredicted
from sskpca._frames.wording import INDENT, Entry, on_one_line
from sskpca._report.words import GAP_OF_PROOF
from sskpca._tables.error import RowNames, TableError
from sskpca._tables.file_form import FileForm, FileTable
from sskpca._tables.labelling import Check, Labelling
from sskpca._tables.stream import FORMATS, format_of
from sskpca._tables.writing import put_table
from sskpca.saving._atomic import atomic_paths, check_target

__all__ = [
    "Output",
    "TableOutput",
    "check_content",
    "check_outputs",
    "labelling_content",
    "predicted_content",
    "print_entries",
    "print_json",
    "read_content",
    "table_output",
    "write_all",
    "written_entries",
]

# What ends a process; as an exception it removes temporary files first.
STOPPING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

STYLES = {"note": "yellow", "warning": "bold red"}


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


def written_entries(paths: list[str], dry_run: bool, form: FileForm | None) -> list[Entry]:
    """List the files that were written, the table last; and what of a workbook is not in it."""
    if dry_run or not paths:
        return [Entry("written", "nothing (dry run)")] if dry_run else []
    entries = [Entry("written", ", ".join(paths))]
    if form is not None and form.format == "xlsx" and Path(paths[-1]).suffix.lower() in FORMATS["xlsx"]:
        others = " and without the other sheets" if form.other_sheets else ""
        plain = f"{paths[-1]} has the values of the sheet, without its formats and formulas{others}"
        entries.append(Entry("note", f"{plain}: all of them are still in your own file."))
    return entries


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


def _stop(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def print_entries(entries: Iterable[Entry], stream: TextIO) -> None:
    """Print entries, choices as options; on a terminal in bold and within its width, elsewhere each in a line."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if console.is_terminal:
        with console.capture() as printed:  # written by us: the console would take a reader that leaves for a failure
            _print(entries, console)
        stream.write(printed.get())
    else:
        lines = [f"{on_one_line(entry.name):{INDENT}}{on_one_line(in_options(entry.text))}\n" for entry in entries]
        stream.write("".join(lines))
    stream.flush()


def _print(entries: Iterable[Entry], console: Console) -> None:
    for entry in entries:
        name, line, width = (
            on_one_line(entry.name),
            on_one_line(in_options(entry.text)),
            max(console.width - INDENT, 20),
        )
        lines = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
        text = Text(f"{name:{INDENT}}", style=STYLES.get(name, "bold"))
        text.append(f"\n{'':{INDENT}}".join(lines), style="not bold default")
        console.print(text, end="\n")


def print_json(content: dict[str, object], stream: TextIO) -> None:
    """Print in one go; what is not a number is null."""
    stream.write(json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")
    stream.flush()


def check_content(check: Check) -> dict[str, object]:
    """List what is known of a table."""
    return asdict(with_options(check))


def read_content(form: FileForm | None) -> dict[str, object]:
    """List how the file is written, as it was found out."""
    return {} if form is None else {"read_as": {"sentence": in_options(form.sentence), **asdict(form)}}


def labelling_content(labelling: Labelling, fill: bool, written: list[str]) -> dict[str, object]:
    """List what came out of labelling a table."""
    labelling = with_options(labelling)
    free = labelling.given < 0
    found = free & (labelling.sure | fill)
    return {
        "source": labelling.source,
        "n_rows": len(free),
        "label_column": labelling.label_column,
        "given": _by_class(labelling.classes, labelling.given[~free]),
        "found": _by_class(labelling.classes, labelling.called[found]),
        "n_unsure": int(np.sum(free & ~labelling.sure)),
        "n_blank": int(np.sum(free & ~found)),
        "least_confidence": labelling.least_confidence,
        "expected_error": labelling.expected_error,
        "error_interval": list(labelling.expected_interval),
        "loo_error": labelling.loo_error,
        "loo_interval": list(labelling.loo_interval),
        "baselines": [
            {
                "name": b.name,
                "always": b.always or None,
                "error": b.error,
                "interval": b.interval,
                "n_labels": b.n_labels,
            }
            for b in labelling.baselines
        ],
        "relevance": [{**asdict(entry), "helps": entry.helps, "hurts": entry.hurts} for entry in labelling.relevance],
        "gap": labelling.gap,
        "proved": bool(labelling.gap <= GAP_OF_PROOF) and labelling.candidates["method"].tolist() != ["mv"],
        "suspects": [{**asdict(suspect), **_row(suspect.row, labelling.rows)} for suspect in labelling.suspects],
        "next_rows": [_row(row, labelling.rows) for row in labelling.next_rows],
        "id_column": labelling.rows.title or None,
        "columns": [asdict(column) for column in labelling.columns],
        "warnings": list(labelling.warnings),
        "notes": list(labelling.notes),
        "plan": labelling.plan,
        "seconds": labelling.seconds,
        "written": written,
    }


def predicted_content(found: FramePredicted, fill: bool, written: list[str]) -> dict[str, object]:
    """List what new rows were called."""
    predicted = found.predicted
    filled = predicted.sure | fill
    return {
        "n_rows": len(filled),
        "found": _by_class(found.classes, predicted.called[filled]),
        "n_unsure": int(np.sum(~predicted.sure)),
        "n_blank": int(np.sum(~filled)),
        "unseen_rows": [_row(row, found.given.rows) for row in np.flatnonzero(predicted.unseen).tolist()],
        "notes": list(predicted.notes),
        "written": written,
    }


def _row(row: int, rows: RowNames) -> dict[str, object]:
    """Name a row for programs and for people: where there is a header, by its row in a spreadsheet, too."""
    return {"row": row + 1, "spreadsheet_row": row + 2 if rows.first == 2 else None, "id": rows.id(row)}


def _by_class(classes: Any, codes: Any) -> dict[str, int]:
    return dict(zip(classes, np.bincount(codes, minlength=len(classes)).tolist(), strict=True))


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
