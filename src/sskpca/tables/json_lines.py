"""Tables in JSON lines: an object of a row in every line."""

import json
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, BinaryIO

import pyarrow as pa

from sskpca.rows.memory import in_bytes
from sskpca.tables.columns import OWN_COLUMNS
from sskpca.tables.error import TableError
from sskpca.tables.stream import Watched, not_utf8, too_large
from sskpca.tables.unpacked import LEAST

__all__ = ["put_json_lines", "read_json_lines", "rows_at_a_time"]

# Bytes that are parsed into Python's objects at a time, and bytes that each of them takes at most.
BLOCK, OBJECT, CHARACTER = 2**26, 160, 4
# Bytes that the cells of a column in a block take beside their values.
ARRAY = 2**9
# Cells of a block: rows need not have the same keys.
CELLS = 2**22
# Rows and bytes that are written at a time: as Python's objects they take many times their size.
BATCH, BATCH_SIZE = 10_000, 2**23


def read_json_lines(stream: Watched) -> tuple[pa.Table, bytes]:
    """Read a table, and the lines as they are, without blank ones.

    Raises
    ------
    TableError
        A line is no object, values of a column have different kinds, or it is too large.
    """
    reader = _Reader(stream)
    try:
        tables = list(reader.blocks())
        return _combined(tables, stream), b"\n".join(reader.lines)
    except MemoryError:
        raise too_large(stream.name, stream.limits, unpacked=True) from None


class _Reader:
    """Rows, parsed block by block: as Python's objects they take many times their size."""

    def __init__(self, stream: Watched) -> None:
        self.stream, self.limits = stream, stream.limits
        self.lines: list[bytes] = []
        self.keys: set[str] = set()
        self.n_objects = self.size = 0

    def blocks(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of rows and the columns of each block."""
        rows: list[dict[str, Any]] = []
        names: dict[str, None] = {}
        taken = 0
        kept: list[bytes] = []
        for number, line in self._read():
            needed = CHARACTER * len(line) + OBJECT * sum(map(line.count, (b",", b"[", b"{")))
            if needed > self.limits.size:
                raise MemoryError
            if rows and (taken + needed > min(BLOCK, self.limits.size // 4) or len(rows) * len(names) > CELLS):
                yield len(rows), self._columns(rows, names)
                self.lines.append(b"\n".join(kept))
                rows, names, taken, kept = [], {}, 0, []
            row = self._row(line, number)
            rows.append(row)
            kept.append(line)
            names.update(dict.fromkeys(row))
            taken += needed
        if rows:
            yield len(rows), self._columns(rows, names)
            self.lines.append(b"\n".join(kept))

    def _read(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, with their numbers."""
        file, number, longest = BufferedReader(self.stream, 2**20), 0, self.limits.row
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise TableError(
                    f"{self.stream.name} has a line of more than {in_bytes(longest)} (line {number}); is it no table, "
                    "or one JSON list instead of a row a line?"
                )
            line = line.removeprefix(b"\xef\xbb\xbf").strip()
            if line:
                yield number, line
        if not number:
            raise TableError(f"{self.stream.name} is empty; give a file with a row a line.")

    def _row(self, line: bytes, number: int) -> dict[str, Any]:
        name = self.stream.name
        try:
            row = json.loads(line.decode(), object_pairs_hook=self._once)
            if b"\\u" in line:
                json.dumps(row, ensure_ascii=False).encode()
        except UnicodeDecodeError:
            raise not_utf8(name, number) from None
        except UnicodeEncodeError:
            raise TableError(
                f"{name} has half a character (a lone surrogate, such as \\ud800) in line {number}; write the text "
                "again."
            ) from None
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, TableError) else "no JSON"
            raise TableError(
                f"{name} has {reason} in line {number}; there must be an object of a row in every line."
            ) from None
        if not isinstance(row, dict):
            raise TableError(f'{name} has no object in line {number}; a row is {{"name": value, ...}}.')
        return row

    def _once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Make an object; every other object will have a place for its keys."""
        found = dict(pairs)
        if len(found) < len(pairs):
            raise TableError("a name twice")
        self.keys.update(found)
        self.n_objects += 1
        if LEAST * self.n_objects * len(self.keys) > self.limits.size:
            raise MemoryError
        return found

    def _columns(self, rows: list[dict[str, Any]], names: dict[str, None]) -> dict[str, Any]:
        columns = {}
        for name in names:
            try:
                columns[name] = pa.array([row.get(name) for row in rows])
            except (pa.ArrowException, OverflowError):
                raise _mixed(self.stream.name, name) from None
            self.size += ARRAY + columns[name].nbytes
        if self.stream.total + self.size > self.limits.size:
            raise MemoryError
        return columns


def _combined(blocks: list[tuple[int, dict[str, Any]]], stream: Watched) -> pa.Table:
    """Put blocks below each other; a key that a block lacks is null there."""
    names = dict.fromkeys(name for _, block in blocks for name in block)
    columns = {}
    for name in names:
        parts = [(n, block.get(name)) for n, block in blocks]
        try:
            schemas = [pa.schema([(name, part.type)]) for _, part in parts if part is not None]
            kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
            columns[name] = pa.chunked_array(
                [pa.nulls(n, kind) if part is None else part.cast(kind) for n, part in parts]
            )
        except pa.ArrowException:
            raise _mixed(stream.name, name) from None
    return pa.table(columns)


def _mixed(name: str, column: str) -> TableError:
    return TableError(
        f'{name} mixes kinds of values in "{column}", or has numbers that are too long; make them all text, or all '
        "numbers."
    )


def put_json_lines(table: pa.Table, file: BinaryIO, lines: bytes | None = None) -> None:
    """Write a table.

    Parameters
    ----------
    table : pyarrow.Table
    file : binary file
    lines : bytes, optional
        From `read_json_lines`, with as many rows: all columns but those that were found are written as they are there,
        with the same keys and the same numbers.
    """
    given = None if lines is None else iter(lines.split(b"\n"))
    added = [name for name in table.column_names if name in OWN_COLUMNS]
    shown = table if given is None else table.select(added)
    for batch in shown.to_batches(rows_at_a_time(shown)):
        for row in batch.to_pylist():
            text = json.dumps(row, ensure_ascii=False, default=_as_text).encode()
            file.write((text if given is None else _extended(next(given), text)) + b"\n")


def rows_at_a_time(table: pa.Table) -> int:
    """Return how many rows may pass through Python at once."""
    return int(min(BATCH, max(BATCH_SIZE * table.num_rows // max(table.nbytes, 1), 1)))


def _extended(line: bytes, added: bytes) -> bytes:
    r"""Add an object to an object, in place of what an earlier run has added.

    Examples
    --------
    >>> _extended(b'{"a": 1.50}', b'{"sskpca_label": "x"}'), _extended(b'{"sskpca_label": "y"}', b'{"sskpca_label": 1}')
    (b'{"a": 1.50, "sskpca_label": "x"}', b'{"sskpca_label": 1}')
    """
    if b"sskpca_" in line or b"\\u" in line:  # keys may be written in several ways
        row = json.loads(line)
        if not row.keys().isdisjoint(OWN_COLUMNS):
            rest = {key: value for key, value in row.items() if key not in OWN_COLUMNS}
            line = json.dumps(rest, ensure_ascii=False).encode()
    inside = line[1:-1].strip()
    return b"{" + inside + (b", " if inside else b"") + added[1:]


def _as_text(value: Any) -> str:
    if isinstance(value, bytes):
        raise TypeError("a column holds bytes")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
