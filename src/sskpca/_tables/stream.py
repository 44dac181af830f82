"""Bytes of a file that somebody else made: plain or compressed, in any encoding, of a size that is watched."""

import codecs
import gzip
import os
import sys
import zlib
from collections import deque
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from sskpca._tables.error import TableError, setting
from sskpca.rows._memory import available_memory, in_bytes

__all__ = ["FORMATS", "Limits", "Recoded", "Source", "Watched", "format_of", "not_utf8", "source_of", "too_large"]

FORMATS = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "xlsx": (".xlsx", ".xlsm"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
}
# Text packs well, tables of zeros very well: up to some hundreds. The most that gzip can do, and bombs do, is 1032.
LARGEST_RATIO, HARMLESS = 300, 2**27
# A row is some kilobytes; one with a long text or an embedding, a megabyte.
LONGEST_ROW, SHORTEST_ROW = 2**24, 2**12

PART = 2**20


@dataclass(frozen=True)
class Limits:
    """What a table may need at most.

    Attributes
    ----------
    size : int
        Bytes of the file, and of the table when unpacked. A quarter of the available memory by default: the table, its
        numbers and the kernels must find room beside each other.
    row : int
        Bytes of a row; a quarter of the size at most.
    ratio : float
        Bytes unpacked for each packed one; counts once `harmless` bytes are unpacked.
    harmless : int
    """

    size: int = field(default_factory=lambda: available_memory() // 4)
    row: int = LONGEST_ROW
    ratio: float = LARGEST_RATIO
    harmless: int = HARMLESS

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", min(self.row, max(self.size // 4, SHORTEST_ROW)))


def too_large(name: str, limits: Limits, unpacked: bool) -> TableError:
    """Refuse a table that has more bytes than there is room for."""
    when = " when unpacked" if unpacked else ""
    return TableError(
        f"{name} has more than {in_bytes(limits.size)}{when}, which is what may be read with the memory there is; "
        "leave out columns or rows, or use a computer with more memory."
    )


def not_utf8(name: str, line: int | None) -> TableError:
    """Refuse text in another encoding."""
    where = "" if line is None else f" (line {line})"
    return TableError(
        f"{name} is not in UTF-8{where}; give its encoding if it is CSV, such as "
        f"{setting('encoding', 'cp1252')}, or save it in UTF-8."
    )


class Stream(RawIOBase):
    """A stream of bytes that is read from its beginning to its end. Each defines `read`."""

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        part = self.read(len(buffer)) or b""
        buffer[: len(part)] = part
        return len(part)


class Watched(Stream):
    """A stream of bytes that is unpacked as it is read, and that ends with a sentence if it grows too large.

    Parameters
    ----------
    name : str
        For the sentence.
    file : binary file
    packed : bool
        Is it gzip?
    lines : bool
        Is it made of lines?
    limits : Limits
    """

    def __init__(self, name: str, file: BinaryIO, packed: bool, lines: bool, limits: Limits) -> None:
        self.name, self.file, self.limits = name, file, limits
        self.stream: Any = gzip.GzipFile(fileobj=file) if packed else file
        self.packed, self.lines = packed, lines
        self.total, self.since, self.head = 0, 0, b""
        self.last: deque[bytes] = deque(maxlen=2)  # a row may end in the part after the one it begins in

    def peek(self, size: int) -> bytes:
        """Return the first bytes, which will be read again."""
        if not self.head:
            self.head = self._fill(size)
        return self.head

    def read(self, size: int = -1) -> bytes:
        """Return as many bytes as asked for, fewer at the end only."""
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(PART), b""))
        part, self.head = self.head[:size], self.head[size:]
        if len(part) < size:
            part += self._fill(size - len(part))
        if part:
            self.last.append(part)
        return part

    def close(self) -> None:
        """Close the file, unless it is the standard input."""
        if not self.closed and self.file is not getattr(sys.stdin, "buffer", None):
            self.file.close()
        super().close()

    def _fill(self, size: int) -> bytes:
        parts, wanted = [], size
        while wanted > 0:
            try:
                # One call of the system at a time: between several an interrupt would not be heard.
                part = self.stream.read1(min(wanted, PART))
            except gzip.BadGzipFile:
                raise TableError(f"{self.name} is called .gz but is not packed by gzip; rename or repack it.") from None
            except (EOFError, zlib.error):
                raise TableError(f"{self.name} is cut off or damaged; fetch or pack it again.") from None
            except OSError as error:
                raise TableError(f"{self.name} cannot be read to its end: {error.strerror}; try again.") from None
            if not part:
                break
            wanted -= len(part)
            parts.append(part)
            self._watch(part)
        return b"".join(parts)

    def _watch(self, part: bytes) -> None:
        self.total += len(part)
        end = max(part.rfind(b"\n"), part.rfind(b"\r"))
        self.since = self.since + len(part) if end < 0 else len(part) - end - 1
        if self.lines and self.since > self.limits.row:
            raise TableError(
                f"{self.name} has a line of more than {in_bytes(self.limits.row)}; is a quote not closed, or is it no "
                "table with a row a line?"
            )
        if self.total > self.limits.size:
            raise too_large(self.name, self.limits, self.packed)
        if self.packed and self.total > max(self.limits.harmless, self.limits.ratio * self._packed_so_far()):
            raise TableError(
                f"{self.name} unpacks to more than {self.limits.ratio:.0f} times its size, as no table does; unpack it "
                "yourself if it is one."
            )

    def _packed_so_far(self) -> int:
        try:
            return max(self.file.tell(), 1)
        except OSError:  # a pipe does not tell
            return sys.maxsize


class Source:
    """Where a table comes from.

    Parameters
    ----------
    path : path-like
        "-" is the standard input.
    format : str
        A key of `FORMATS`.
    packed : bool
        Is it gzip?
    """

    def __init__(self, path: str | os.PathLike[str], format: str, packed: bool) -> None:
        self.path, self.format, self.packed = path, format, packed
        self.lines = format in ("csv", "tsv")
        self.is_standard = os.fspath(path) == "-"
        self.name = "the standard input" if self.is_standard else Path(path).name

    def open(self, limits: Limits) -> Watched:
        """Open it, or say why not."""
        if self.is_standard:
            if sys.stdin is None:
                raise TableError("the standard input is closed; name a file, or write to the command by a pipe.")
            return Watched(self.name, sys.stdin.buffer, self.packed, self.lines, limits)
        path = Path(self.path)
        try:
            return Watched(self.name, path.open("rb"), self.packed, self.lines, limits)
        except FileNotFoundError:
            raise TableError(f"there is no file {path}; check the name and the folder.") from None
        except PermissionError:
            raise TableError(f"{path} may not be read by you; change its permissions.") from None
        except OSError as error:
            raise TableError(f"{path} cannot be read: {error.strerror}.") from None


def source_of(path: str | os.PathLike[str], format: str | None = None) -> Source:
    """Tell the format of a table, by name or as given; "-" is CSV unless given."""
    return Source(path, *format_of(path, format))


def format_of(path: str | os.PathLike[str], format: str | None = None) -> tuple[str, bool]:
    """Tell the format of a table and whether it is packed.

    Examples
    --------
    >>> format_of("animals.csv.gz"), format_of("-"), format_of("animals.data", "tsv")
    (('csv', True), ('csv', False), ('tsv', False))
    """
    name = os.fspath(path)
    if not name:
        raise TableError("the name of the table is empty; name a file.")
    if Path(name).is_dir():
        raise TableError(f"{name} is a folder; give the name of a file in it.")
    packed = name.lower().endswith(".gz")
    ending = Path(name[:-3] if packed else name).suffix.lower()
    if format is not None and format not in FORMATS:
        raise TableError(f'there is no format "{format}"; choose one of {", ".join(FORMATS)}.')
    known = format or next((key for key, endings in FORMATS.items() if ending in endings), None)
    if known is None and name == "-":
        known = "csv"
    if known is None:
        if ending in (".xls", ".xlsb", ".ods", ".numbers"):
            raise TableError(
                f"{Path(name).name} is a spreadsheet of a format that is neither read nor written here; save it as "
                ".xlsx or as CSV."
            )
        raise TableError(
            f"{Path(name).name} does not say what format it has; name it .csv, .tsv, .txt, .xlsx, .json, .jsonl, "
            ".parquet or .arrow, or "
            f"give {setting('format', 'csv')}, or another."
        )
    if packed and known in ("parquet", "arrow", "xlsx"):
        raise TableError(f"{Path(name).name} is packed twice; unpack the .gz, {known} is small as it is.")
    return known, packed


class Recoded(Stream):
    """A stream of bytes in UTF-8 from one in another encoding.

    Parameters
    ----------
    stream : Watched
    encoding : str
    shown : str
        How people call it.
    """

    def __init__(self, stream: Watched, encoding: str, shown: str) -> None:
        self.stream, self.shown = stream, shown
        self.name, self.limits = stream.name, stream.limits
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.waiting, self.ended = bytearray(), False
        self.last: deque[bytes] = deque(maxlen=2)

    def peek(self, size: int) -> bytes:
        """Return the first bytes, which will be read again."""
        self._fill(size)
        return bytes(self.waiting[:size])

    def read(self, size: int = -1) -> bytes:
        """Return as many bytes as asked for, fewer at the end only."""
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(PART), b""))
        self._fill(size)
        part = bytes(self.waiting[:size])
        del self.waiting[:size]
        if part:
            self.last.append(part)
        return part

    def close(self) -> None:
        """Close the file."""
        self.stream.close()
        super().close()

    def _fill(self, size: int) -> None:
        while len(self.waiting) < size and not self.ended:
            raw = self.stream.read(PART)
            self.ended = not raw
            try:
                self.waiting += self.decoder.decode(raw, self.ended).encode()
            except UnicodeError:
                raise TableError(
                    f"{self.name} is not in {self.shown}, at least not all of it; give its encoding, or save it in "
                    "UTF-8."
                ) from None
