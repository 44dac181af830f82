"""One process at a time: a lock that the system lets go of when the process ends, however it ends."""

import os
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["FolderLock"]

NAME = "lock"
# Beyond the number of the process, which others read while it is locked (Windows locks bytes for good).
PLACE = 1024


class FolderLock:
    """A lock on a folder, held until `release` or the end of the process.

    Parameters
    ----------
    folder : pathlib.Path

    Attributes
    ----------
    taken_by : int or None
        The process that has it, 0 if that is not known; None if it is this one's now.

    Raises
    ------
    OSError
        The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self.taken_by: int | None = None
        if _take(self._file):
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, str(os.getpid()).encode())
            return
        os.lseek(self._file, 0, os.SEEK_SET)
        number = os.read(self._file, 20)
        self.taken_by = int(number) if number.isdigit() else 0
        self.release()

    def release(self) -> None:
        """Let others have it."""
        if self._file >= 0:
            with suppress(OSError):
                os.close(self._file)
            self._file = -1


if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> bool:
        os.lseek(file, PLACE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
