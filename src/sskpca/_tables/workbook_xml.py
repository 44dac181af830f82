"""The XML of a workbook, counted before it is parsed; and what the library that reads it does not tell."""

import re
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from sskpca._tables.error import TableError
from sskpca._tables.stream import Limits

__all__ = ["check_parts", "uncalculated"]

PART = 2**20
# Bytes that an element and an attribute of XML take, and an element that becomes a style.
ELEMENT, ATTRIBUTE, STYLE = 128, 100, 2**11
# Bytes of what is looked for; encodings in which "<" is "<", by how XML declares them.
LONGEST_MARK = 200
ENCODINGS = (b"UTF-8", b"UTF8", b"UTF-16", b"US-ASCII", b"ASCII", b"ISO-8859-1", b"WINDOWS-1252")
DECLARED = re.compile(rb"""<\?xml\s[^>]{0,80}?encoding\s*=\s*["']([^"']*)""")
SHEET = "xl/worksheets/"
STRINGS = "xl/sharedStrings.xml"
# A formula without a value: it was written by a program that does not compute.
FORMULA = re.compile(
    rb"<c\b(?P<attributes>[^>]*)>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>", re.DOTALL
)
PLACE = re.compile(rb'\br="([A-Z]{1,3}\d+)"')


def check_parts(name: str, file: BinaryIO, limits: Limits) -> None:
    """Refuse a workbook that takes too much memory, by the sizes that it gives (more is never unpacked) and its XML.

    Raises
    ------
    MemoryError
        It takes more than the limit.
    TableError
        It is a bomb.
    zipfile.BadZipFile
        It is no workbook.
    """
    with zipfile.ZipFile(file) as archive:
        parts = [part for part in archive.infolist() if not part.is_dir()]
        size = sum(part.file_size for part in parts)
        if size > limits.size:
            raise MemoryError
        if size > max(limits.harmless, limits.ratio * sum(part.compress_size for part in parts)):
            raise TableError(
                f"{name} unpacks to more than {limits.ratio:.0f} times its size, as no table does; save it as CSV if "
                "it is one."
            )
        needed = 0
        for part in parts:
            # Pictures and the like are not read.
            if not part.filename.endswith((".xml", ".rels")):
                continue
            plain = part.filename.startswith(SHEET) or part.filename == STRINGS
            before = b""
            for content in _content(archive, part):
                # In characters of two bytes, too, and from one piece to the next.
                before = before[-LONGEST_MARK:] + content.replace(b"\0", b"")
                if b"<!ENTITY" in before or b"<!DOCTYPE" in before:
                    raise zipfile.BadZipFile("a document type, which no workbook has")
                if any(encoding.upper() not in ENCODINGS for encoding in DECLARED.findall(before)):
                    raise zipfile.BadZipFile("an encoding in which marks cannot be counted")
                elements = content.count(b"<") - content.count(b"</")
                needed += (ELEMENT if plain else STYLE) * elements + ATTRIBUTE * content.count(b"=")
                if needed > limits.size:
                    raise MemoryError


def _content(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(part) as stream:
        while content := stream.read(PART):
            yield content


def uncalculated(file: BinaryIO, path: str) -> str | None:
    """Return the place of the first formula of a sheet that has no value, such as "C5"."""
    with zipfile.ZipFile(file) as archive:
        rest = b""
        for content in _content(archive, archive.getinfo(path)):
            rest += content
            if b"<f" in rest:
                for found in FORMULA.finditer(rest):
                    if b't="str"' not in found["attributes"]:  # an empty text is a value
                        place = PLACE.search(found["attributes"])
                        return place.group(1).decode() if place else "?"
            rest = rest[rest.rfind(b"</c>") + 4 :] if b"</c>" in rest else rest[-PART:]
    return None
