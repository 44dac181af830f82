r"""The journal: what people did with a table, on disk before they are told so.

Beside ``animals.csv`` there is a folder ``animals.csv.sskpca`` with the file ``journal.jsonl``. Its first line says
which table it belongs to; every other line is an action, numbered from 1. Lines are only ever appended: taking an
action back is another line. Nothing that was acknowledged is lost when the process or the machine stops, and a line
that was cut off by that is removed when the journal is opened again, since nobody was told that it was saved.

A journal belongs to the rows of its table by a fingerprint of all columns but the labels: labels may be filled in
elsewhere meanwhile, and the two go together again. If anything else has changed, row numbers may mean other rows, and
the journal is refused with the way out.
"""

import hashlib
import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._tables.cells import is_number
from sskpca._tables.columns import is_own
from sskpca._tables.error import TableError, setting
from sskpca._web.lock import FolderLock

__all__ = ["FORMAT", "Journal", "JournalError", "fingerprint", "folder_of", "journaled_column"]

FORMAT = 1
ENDING = ".sskpca"
NAME = "journal.jsonl"
# Bytes; the names of a table and of its column are all that varies.
LONGEST_HEAD = 2**16


class JournalError(TableError):
    """The journal cannot be read or written; the message is a sentence for the owner of the table."""


def folder_of(table: str | os.PathLike[str]) -> Path:
    """Return the folder of the journal of a table.

    Examples
    --------
    >>> folder_of("data/animals.csv").as_posix()
    'data/animals.csv.sskpca'
    """
    path = Path(table)
    return path.with_name(path.name + ENDING)


def journaled_column(table: str | os.PathLike[str]) -> str | None:
    """Return the column that the journal of a table holds labels of; None if there is no journal, or none that tells.

    Who labelled a column yesterday means the same one today.
    """
    path = folder_of(table) / NAME
    if path.is_symlink() or not path.is_file():
        return None
    with suppress(OSError), path.open("rb") as file:
        name = (_parsed(file.readline(LONGEST_HEAD)) or {}).get("label_column")
        return name if isinstance(name, str) else None
    return None


def fingerprint(table: pa.Table, label_column: str) -> str:
    """Return a hash of the names and cells of all columns but the labels and those of an earlier result.

    Examples
    --------
    >>> one = pa.table({"size": [1, 2], "species": ["cat", None]})
    >>> other = pa.table({"size": [1, 2], "species": ["cat", "dog"]})
    >>> fingerprint(one, "species") == fingerprint(other, "species")
    True
    >>> fingerprint(one, "species") == fingerprint(one.slice(1), "species")
    False
    """
    found = hashlib.sha256(str(table.num_rows).encode())
    for name in table.column_names:
        if name == label_column or is_own(name):
            continue
        column = table.column(name)
        found.update(f"\n{name}\n".encode())
        found.update(np.packbits(column.is_null().to_numpy()).tobytes())
        found.update(_cells(column))
    return found.hexdigest()


def _cells(column: pa.ChunkedArray) -> bytes:
    """Write the cells of a column as bytes, which do not depend on how it lies in memory."""
    kind = column.type
    if is_number(kind) and not pa.types.is_decimal(kind):
        values = pc.fill_null(column, 0).to_numpy()
        return np.ascontiguousarray(values.astype("<f8" if values.dtype.kind == "f" else "<i8")).tobytes()
    with suppress(pa.ArrowNotImplementedError, pa.ArrowInvalid):
        texts = pc.fill_null(pc.cast(column, pa.large_string()), "")
        lengths = np.asarray(pc.binary_length(texts).to_numpy(), dtype="<i8")
        return lengths.tobytes() + "".join(texts.to_pylist()).encode()
    return repr(column.to_pylist()).encode()


class Journal:
    """An append-only file of actions, which this process alone may write.

    Made by `Journal.open`.

    Attributes
    ----------
    path : pathlib.Path
    entries : list of dict
        The actions that were there when it was opened, in order.
    last : int
        Number of the last entry.
    """

    def __init__(self, path: Path, lock: FolderLock, file: int, entries: list[dict[str, object]], size: int) -> None:
        self.path, self.entries, self.last = path, entries, len(entries)
        self._lock, self._file, self._size = lock, file, size
        self._broken = ""

    @classmethod
    def open(cls, table: str | os.PathLike[str], mark: str, label_column: str, n_rows: int) -> Self:
        """Open the journal of a table, or begin one.

        Parameters
        ----------
        table : path-like
        mark : str
            Its `fingerprint`.
        label_column : str
        n_rows : int

        Raises
        ------
        JournalError
            Another process has it; it belongs to other rows or labels; a line is damaged; or the folder cannot be
            written. Nothing was changed.
        """
        folder = folder_of(table)
        path = folder / NAME
        head = {
            "journal": FORMAT,
            "table": Path(table).name,
            "rows": n_rows,
            "label_column": label_column,
            "fingerprint": mark,
        }
        try:
            if not folder.is_dir():
                folder.mkdir()
                _sync_folder(folder.parent)
            lock = FolderLock(folder)
        except OSError as error:
            raise JournalError(
                f"labels cannot be saved in {folder}: {error.strerror}; move the table to a folder that you may write."
            ) from None
        if lock.taken_by is not None:
            who = f"by the process {lock.taken_by}" if lock.taken_by else "by another process"
            raise JournalError(
                f"{Path(table).name} is open for labelling already, {who}; use the page that it has opened, or stop it "
                "first."
            )
        file = -1
        try:
            # No link: in a folder from somebody else it may lead to any file of the user's.
            how = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
            file = os.open(path, how, 0o666)
            lines, size = _whole_lines(file)
            entries = _entries(lines, head, path)  # before anything is changed: it may be no journal at all
            if size < os.fstat(file).st_size:  # cut off, and acknowledged to nobody
                os.ftruncate(file, size)
                os.fsync(file)
            journal = cls(path, lock, file, entries, size)
            if not lines:
                journal._put(head)
                _sync_folder(folder)
            return journal
        except JournalError:
            _close(file)
            lock.release()
            raise
        except OSError as error:
            _close(file)
            lock.release()
            raise JournalError(
                f"labels cannot be saved in {path}: {error.strerror}; make room, or move the table to a folder that "
                "you may write."
            ) from None

    def append(self, content: dict[str, object]) -> int:
        """Write an action; when this returns, it is on the disk.

        Returns
        -------
        int
            The number of the entry.

        Raises
        ------
        JournalError
            It was not written, and nothing else was changed.
        """
        if self._broken:
            raise JournalError(self._broken)
        self._check_place()
        number = self.last + 1
        when = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            self._put({"entry": number, **content, "time": when})
        except OSError as error:
            raise JournalError(
                f"this was not saved, and does not count: {error.strerror} ({self.path}). Make room, then do it again."
            ) from None
        self.last = number
        return number

    def close(self) -> None:
        """Let another process open it."""
        _close(self._file)
        self._file = -1
        self._lock.release()

    def _check_place(self) -> None:
        """See that the file still has its name: written to a file that was removed, a label would be lost."""
        try:
            there, own = os.stat(self.path), os.fstat(self._file)
            same = (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)
        except OSError:
            same = False
        if not same:
            self._broken = (
                f"{self.path} was removed or replaced by somebody; stop, put it back if you can, and open the table "
                "again."
            )
            raise JournalError(self._broken)

    def _put(self, content: dict[str, object]) -> None:
        """Write a line at the end and wait until it is on the disk; if that fails, take it away again."""
        line = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            os.lseek(self._file, self._size, os.SEEK_SET)
            done = 0
            while done < len(line):
                done += os.write(self._file, line[done:])
            os.fsync(self._file)
        except OSError:
            try:
                os.ftruncate(self._file, self._size)
                os.fsync(self._file)
            except OSError as error:
                # What is on the disk now nobody knows: nothing more may be added to it.
                self._broken = f"{self.path} cannot be written any more: {error.strerror}; open the table again."
            raise
        self._size += len(line)


def _whole_lines(file: int) -> tuple[list[bytes], int]:
    """Read all lines that were written to their end, and where they end.

    A line that is not the last is whole, since it was acknowledged before the next was begun. The last may be cut off;
    or, after the machine has lost power, be as long as it should be but filled with zeros.
    """
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while part := os.read(file, 2**20):
        parts.append(part)
    *lines, rest = b"".join(parts).split(b"\n")
    if lines and _parsed(lines[-1]) is None and (len(lines) > 1 or _is_begun(lines[0])):
        lines.pop()
    elif not lines and not _is_begun(rest):
        lines = [rest]
    return lines, sum(len(line) + 1 for line in lines)


def _is_begun(line: bytes) -> bool:
    """Tell whether it may be the beginning of the first line, or what a loss of power leaves of it."""
    start = b'{"journal":'
    return not line.strip(b"\0") or line.startswith(start) or start.startswith(line)


def _parsed(line: bytes) -> dict[str, object] | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _entries(lines: list[bytes], head: dict[str, object], path: Path) -> list[dict[str, object]]:
    """Check the first line against the table, and that the entries are numbered from 1."""
    if not lines:
        return []
    away = f"or move the folder {path.parent.name} away to begin anew"
    first = _parsed(lines[0]) or {}
    if first.get("journal") != FORMAT:
        raise JournalError(f"{path} is no journal that this version of sskpca can read; update it, {away}.")
    if first.get("label_column") != head["label_column"]:
        raise JournalError(
            f'{path} holds labels of the column "{first.get("label_column")}", not "{head["label_column"]}"; give '
            f"{setting('label', str(first.get('label_column')))}, {away}."
        )
    if first.get("fingerprint") != head["fingerprint"]:
        raise JournalError(
            f"{head['table']} has changed since it was labelled ({first.get('rows')} rows then, {head['rows']} "
            f"now), so the labels in {path} may be of other rows; put the table back as it was, {away}."
        )
    entries = []
    for number, line in enumerate(lines[1:], start=1):
        content = _parsed(line)
        if content is None or content.get("entry") != number:
            raise JournalError(f"line {number + 1} of {path} is damaged; put back a copy of the file, {away}.")
        entries.append(content)
    return entries


def _close(file: int) -> None:
    if file >= 0:
        with suppress(OSError):
            os.close(file)


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
