"""Text in any encoding, as UTF-8."""

import codecs
from collections import deque
from io import RawIOBase
from typing import Any

from sskpca._tables.error import TableError
from sskpca._tables.stream import Watched

__all__ = ["Recoded"]

PART = 2**20


class Recoded(RawIOBase):
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

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

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

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

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
