"""Pictures of rows: files below the folder of the table, bytes in its cells, or the numbers of a row as grey values."""

import re
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca._tables.cells import is_plain, numbers
from sskpca._tables.columns import check_names
from sskpca._tables.error import TableError

__all__ = ["Picture", "Pictures", "find_pictures", "grey_png", "kind_of"]

# What browsers draw, by the first bytes. Not SVG: it is a document, which may hold scripts.
FIRST_BYTES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"BM"), "image/bmp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
)
FILE_NAME = re.compile(r"\.(jpe?g|png|gif|bmp|webp|avif)$", re.IGNORECASE)
LARGEST = 50_000_000
# Cells that are looked at to find the column.
LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture.

    Attributes
    ----------
    content : bytes
    kind : str
        Its media type.
    """

    content: bytes
    kind: str


@dataclass(frozen=True, eq=False)
class Pictures:
    """Where the pictures of a table are.

    Attributes
    ----------
    column : str or None
        The column of file names or bytes; None if they are made of numbers.
    cells : pyarrow.ChunkedArray or None
    folder : pathlib.Path
        No file outside of it is read.
    grey : ndarray of uint8, shape (n_rows, height, width), optional
    pixels : tuple of str
        The columns that it was made of.
    """

    column: str | None
    cells: pa.ChunkedArray | None
    folder: Path
    grey: NDArray[np.uint8] | None = None
    pixels: tuple[str, ...] = ()

    def describe(self) -> dict[str, object]:
        """Describe them for the page."""
        height, width = (None, None) if self.grey is None else self.grey.shape[1:]
        kind = "column" if self.grey is None else "pixels"
        return {"kind": kind, "column": self.column, "width": width, "height": height}

    def of(self, row: int) -> Picture | None:
        """Return the picture of a row; None if it has none that may be shown."""
        if self.grey is not None:
            return Picture(grey_png(self.grey[row]), "image/png")
        value = None if self.cells is None else self.cells[row].as_py()
        if isinstance(value, dict):  # as the library datasets has them
            value = value.get("bytes") or value.get("path")
        content = value if isinstance(value, bytes) else self._read(value)
        kind = None if content is None else kind_of(content)
        return None if content is None or kind is None else Picture(content, kind)

    def _read(self, name: object) -> bytes | None:
        """Read a file below the folder; links that lead outside are not followed."""
        if not isinstance(name, str) or not name.strip() or "\0" in name:
            return None
        try:
            folder = self.folder.resolve()
            path = (folder / name.strip()).resolve(strict=True)
            if not path.is_relative_to(folder) or not path.is_file() or path.stat().st_size > LARGEST:
                return None
            return path.read_bytes()
        except (OSError, ValueError, RuntimeError):
            return None


def kind_of(content: bytes) -> str | None:
    """Return the media type of a picture by its first bytes; None if it is none that is shown."""
    return next((kind for pattern, kind in FIRST_BYTES if pattern.match(content[:16])), None)


def find_pictures(
    table: pa.Table, folder: Path, column: str | None, pixels: tuple[int, int] | None, numeric: list[str]
) -> Pictures | None:
    """Find the pictures of a table.

    Parameters
    ----------
    table : pyarrow.Table
    folder : pathlib.Path
        Of the table.
    column : str, optional
        The column of pictures; by default the first of whose cells some are pictures.
    pixels : tuple of int, optional
        Width and height, if the numbers of a row are grey values.
    numeric : list of str
        Columns of numbers, in order.

    Raises
    ------
    TableError
        There is no such column, or there are not as many numbers.
    """
    if pixels is not None:
        return Pictures(None, None, folder, _grey(table, pixels, numeric), tuple(numeric))
    if column is not None:
        check_names(table, [column], "picture")
        return Pictures(column, table.column(column), folder)
    for name in table.column_names:
        found = Pictures(name, table.column(name), folder)
        if _may_be(found.cells) and any(found.of(row) for row in range(min(table.num_rows, LOOKED_AT))):
            return found
    return None


def _may_be(cells: pa.ChunkedArray) -> bool:
    """Return whether cells are bytes, structures with bytes, or names of pictures."""
    kind = cells.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return True
    if pa.types.is_struct(kind):
        return bool(kind.get_field_index("bytes") >= 0)
    if not is_plain(kind) or pa.types.is_null(kind):
        return False
    first = (cells[row].as_py() for row in range(min(len(cells), LOOKED_AT)))
    return any(isinstance(value, str) and FILE_NAME.search(value.strip()) for value in first)


def _grey(table: pa.Table, pixels: tuple[int, int], numeric: list[str]) -> NDArray[np.uint8]:
    """Scale the numbers of each row to grey values: the largest of the table is white."""
    width, height = pixels
    if width * height != len(numeric):
        raise TableError(
            f"{width} x {height} are {width * height} pixels, but the table has {len(numeric)} columns of numbers.",
            parameter="pixels",
        )
    values: Array = np.stack([numbers(table.column(name), name)[0] for name in numeric], axis=1)
    low, high = float(values.min()), float(values.max())
    scaled = 255 * (values - low) / (high - low if high > low else 1.0)
    return np.rint(scaled).astype(np.uint8).reshape(-1, height, width)


def grey_png(grey: NDArray[np.uint8]) -> bytes:
    """Write grey values as PNG.

    Parameters
    ----------
    grey : ndarray of uint8, shape (height, width)

    Examples
    --------
    >>> grey_png(np.zeros((8, 8), np.uint8))[1:4]
    b'PNG'
    """
    height, width = grey.shape
    # Each line begins with the number of its filter; 0 is none.
    lines = np.column_stack([np.zeros(height, np.uint8), grey]).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(lines)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
