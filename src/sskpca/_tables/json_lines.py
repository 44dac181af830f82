"""Tables in JSON: an object of a row in every line, or a list of them."""

import json
import re
from collections.abc import Iterator
from io import BufferedReader
from operator import eq
from typing import BinaryIO

import pyarrow as pa

from sskpca._tables.columns import is_own
from sskpca._tables.error import TableError
from sskpca._tables.stream import Watched, not_utf8, too_large
from sskpca._tables.unpacked_sizes import LEAST
from sskpca.rows._memory import in_bytes

__all__ = ["put_json_lines", "read_json", "read_json_lines", "rows_at_a_time"]

# Bytes that are parsed into Python's objects at a time, and bytes that each of them takes at most.
BLOCK, OBJECT, CHARACTER = 2**26, 160, 4
# Bytes that the cells of a column in a block take beside their values.
ARRAY = 2**9
# Bytes of a column that is kept in one piece.
ONE_PIECE = 2**26
# Cells of a block: rows need not have the same keys.
CELLS = 2**22
# Rows and bytes that are written at a time: as Python's objects they take many times their size.
BATCH, BATCH_SIZE = 10_000, 2**23
# What tells where an object in a list ends; strings, because there may be brackets in them.
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
# Between the lines of an object; strings, in which there must be none, stay as they are.
BREAK = re.compile(rb'("(?:[^"\\]|\\.)*")|\s*[\r\n]\s*', re.DOTALL)
BOM = b"\xef\xbb\xbf"


def read_json(stream: Watched) -> tuple[pa.Table, bytes, bool]:
    """Read JSON lines or a list of objects, and say which; see `read_json_lines`."""
    beginning = stream.peek(2**16).removeprefix(BOM).lstrip()
    if re.match(rb"\{\s*[\r\n]", beginning):
        raise TableError(
            f"{stream.name} is one object in several lines; it must be a list of rows, or a row in every line."
        )
    if not beginning.startswith(b"["):
        return *read_json_lines(stream), False
    return *read_json_lines(stream, is_array=True), True


def read_json_lines(stream: Watched, is_array: bool = False) -> tuple[pa.Table, bytes]:
    """Read a table, and the rows as they are, one a line, without blank ones.

    Raises
    ------
    TableError
        A line is no object, values of a column have different kinds, or it is too large.
    """
    reader = _Reader(stream, is_array)
    try:
        tables = list(reader.blocks())
        return _combined(tables, stream), b"\n".join(reader.lines)
    except MemoryError:
        raise too_large(stream.name, stream.limits, unpacked=True) from None


class _Reader:
    """Rows, parsed block by block: as Python's objects they take many times their size."""

    def __init__(self, stream: Watched, is_array: bool) -> None:
        self.stream, self.limits = stream, stream.limits
        self.is_array, self.unit = is_array, "row" if is_array else "line"
        self.lines: list[bytes] = []
        self.keys: set[str] = set()
        self.n_objects = self.size = 0

    def blocks(self) -> Iterator[tuple[int, dict[str, pa.Array]]]:
        """Yield the number of rows and the columns of each block."""
        rows: list[dict[str, object]] = []
        names: dict[str, None] = {}
        taken = 0
        kept: list[bytes] = []
        for number, line in self._elements() if self.is_array else self._read():
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
            line = line.removeprefix(BOM).strip()
            if line:
                yield number, line
        if not number:
            raise TableError(f"{self.stream.name} is empty; give a file with a row a line.")

    def _elements(self) -> Iterator[tuple[int, bytes]]:
        """Yield the objects of a list, each in a line, with their numbers."""
        content = self.stream.read().removeprefix(BOM)
        depth = start = number = 0
        end = content.index(b"[") + 1  # of what was yielded
        for token in TOKEN.finditer(content):
            mark = token.group()
            if mark in (b"{", b"["):
                depth += 1
                if depth == 2:
                    start = token.start()
                    if content[end:start].strip() != (b"," if number else b""):
                        raise self._no_list(number)
            elif mark in (b"}", b"]"):
                depth -= 1
                if depth == 1:
                    number, end = number + 1, token.end()
                    if end - start > self.limits.row:
                        raise TableError(
                            f"{self.stream.name} has a row of more than {in_bytes(self.limits.row)} (row {number}); "
                            "is it no table?"
                        )
                    yield number, _on_one_line(content[start:end])
                if depth == 0:
                    if content[end : token.start()].strip() or content[token.end() :].strip():
                        raise self._no_list(number)
                    break
        if depth:
            raise TableError(f"{self.stream.name} is cut off or damaged after row {number}; fetch or make it again.")

    def _no_list(self, number: int) -> TableError:
        return TableError(
            f"{self.stream.name} has something else than rows after row {number} of its list; a row is "
            '{"name": value, ...}.'
        )

    def _row(self, line: bytes, number: int) -> dict[str, object]:
        name = self.stream.name
        try:
            row = json.loads(line.decode(), object_pairs_hook=self._once)
            if b"\\u" in line:
                json.dumps(row, ensure_ascii=False).encode()
        except UnicodeDecodeError:
            raise not_utf8(name, number) from None
        except UnicodeEncodeError:
            raise TableError(
                f"{name} has half a character (a lone surrogate, such as \\ud800) in {self.unit} {number}; write the "
                "text again."
            ) from None
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, TableError) else "no JSON"
            rows = "it must be a list of objects" if self.is_array else "there must be an object of a row in every line"
            raise TableError(f"{name} has {reason} in {self.unit} {number}; {rows}.") from None
        if not isinstance(row, dict):
            raise TableError(f'{name} has no object in {self.unit} {number}; a row is {{"name": value, ...}}.')
        if number == 1 and not self.is_array and _holds_columns(row):
            raise TableError(
                f"{name} has columns in place of rows, as to_json of pandas writes them; write a list of rows, "
                'with orient="records".'
            )
        return row

    def _once(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        """Make an object; every other object will have a place for its keys."""
        found = dict(pairs)
        if len(found) < len(pairs):
            raise TableError("a name twice")
        self.keys.update(found)
        self.n_objects += 1
        if LEAST * self.n_objects * len(self.keys) > self.limits.size:
            raise MemoryError
        return found

    def _columns(self, rows: list[dict[str, object]], names: dict[str, None]) -> dict[str, pa.Array]:
        columns = {}
        # Of rows with the same keys, as most have, all columns at once: in wide tables that is a quarter of the time.
        alike = all(len(row) == len(names) and all(map(eq, row, names)) for row in rows)
        cells = zip(*(row.values() for row in rows), strict=True) if alike else None
        for name in names:
            values = [row.get(name) for row in rows] if cells is None else next(cells)
            try:
                columns[name] = pa.array(values)
            except (pa.ArrowException, OverflowError):
                raise _mixed(self.stream.name, name) from None
            self.size += ARRAY + columns[name].nbytes
        if self.stream.total + self.size > self.limits.size:
            raise MemoryError
        return columns


def _holds_columns(found: dict[str, object]) -> bool:
    """Tell whether an object is a whole table: columns with their rows by name, or lists of names and rows."""
    by_name = len(found) > 1 and all(isinstance(value, dict) for value in found.values())
    return by_name or (isinstance(found.get("data"), list) and not {"columns", "schema"}.isdisjoint(found))


def _on_one_line(row: bytes) -> bytes:
    return BREAK.sub(lambda found: found.group(1) or b" ", row) if b"\n" in row or b"\r" in row else row


def _combined(blocks: list[tuple[int, dict[str, pa.Array]]], stream: Watched) -> pa.Table:
    """Put blocks below each other; a key that a block lacks is null there."""
    names = dict.fromkeys(name for _, block in blocks for name in block)
    columns = {}
    for name in names:
        parts = [(n, block.pop(name, None)) for n, block in blocks]
        try:
            columns[name] = _below_each_other(name, parts)
        except pa.ArrowException:
            raise _mixed(stream.name, name) from None
    return pa.table(columns)


def _below_each_other(name: str, parts: list[tuple[int, pa.Array | None]]) -> pa.Array | pa.ChunkedArray:
    kind, *others = dict.fromkeys(part.type for _, part in parts if part is not None)  # in their order
    if others:
        schemas = [pa.schema([(name, other)]) for other in (kind, *others)]
        kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    whole = [pa.nulls(n, kind) if part is None else part if part.type == kind else part.cast(kind) for n, part in parts]
    if len(whole) == 1:
        return whole[0]
    found = pa.chunked_array(whole)
    # In one piece, of which there are many in wide tables; the texts of a piece have 2 GB at most.
    return found if found.nbytes > ONE_PIECE else found.combine_chunks()


def _mixed(name: str, column: str) -> TableError:
    return TableError(
        f'{name} mixes kinds of values in "{column}", or has numbers that are too long; make them all text, or all '
        "numbers."
    )


def put_json_lines(table: pa.Table, file: BinaryIO, lines: bytes | None = None, is_array: bool = False) -> None:
    """Write a table.

    Parameters
    ----------
    table : pyarrow.Table
    file : binary file
    lines : bytes, optional
        From `read_json_lines`, with as many rows: all columns but those that were found are written as they are there,
        with the same keys and the same numbers.
    is_array : bool, default=False
        Write one list.
    """
    given = None if lines is None else iter(lines.split(b"\n"))
    added = [name for name in table.column_names if is_own(name)]
    shown = table if given is None else table.select(added)
    before, between, after = (b"[\n", b",\n", b"\n]\n") if is_array else (b"", b"\n", b"\n")
    file.write(before)
    first = True
    for batch in shown.to_batches(rows_at_a_time(shown)):
        for row in batch.to_pylist():
            text = json.dumps(row, ensure_ascii=False, default=_as_text).encode()
            file.write((b"" if first else between) + (text if given is None else _extended(next(given), text)))
            first = False
    file.write(after)


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
        if any(map(is_own, row)):
            rest = {key: value for key, value in row.items() if not is_own(key)}
            line = json.dumps(rest, ensure_ascii=False).encode()
    inside = line[1:-1].strip()
    return b"{" + inside + (b", " if inside and added != b"{}" else b"") + added[1:]


def _as_text(value: object) -> str:
    if isinstance(value, bytes):
        raise TypeError("a column holds bytes")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
