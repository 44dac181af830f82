"""A file is written as a whole or not at all."""

import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

__all__ = ["atomic_path", "atomic_paths", "check_target"]

# Of what follows a dot in a name, so much can be an ending that means something.
LONGEST_SUFFIX = 12


@contextmanager
def atomic_path(path: str | os.PathLike[str], overwrite: bool = False) -> Iterator[Path]:
    """Write a file so that, whatever happens, there is the old one or the new one under its name.

    The body of the ``with`` statement writes to the path that it is given, an empty hidden file in the same folder with
    the same ending. When the body is done, that file is on the disk and takes the name `path`. If the body fails, it is
    removed.

    Parameters
    ----------
    path : path-like
        A symbolic link stays; the file that it points to is replaced.
    overwrite : bool, default=False
        Replace a file that is there; the new one has its permissions. Otherwise nothing is replaced, not even a file
        that somebody else makes meanwhile.

    Yields
    ------
    pathlib.Path
        Where to write.

    Raises
    ------
    FileExistsError
        There is such a file, and `overwrite` is False.
    OSError
        There is no such folder, or nothing can be written there.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "answer.txt") as temporary:
    ...     _ = temporary.write_text("42")
    >>> (folder / "answer.txt").read_text()
    '42'
    """
    target = Path(os.path.realpath(path))  # the file itself: to replace a link would cut it off from its file
    mode = _checked(Path(path), target, overwrite)
    # Writers look at the ending. (To keep more of the name could make it too long for the file system.)
    ending = "".join(suffix for suffix in target.suffixes[-2:] if len(suffix) <= LONGEST_SUFFIX)
    temporary = target.with_name(f".{secrets.token_hex(8)}{ending}")
    try:
        _create(temporary, path, 0o666 if mode is None else 0o600)
        yield temporary
        _sync(temporary)
        if mode is not None:
            temporary.chmod(mode)
        _publish(temporary, target, path, overwrite)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_paths(paths: Sequence[str | os.PathLike[str]], overwrite: bool = False) -> Iterator[list[Path]]:
    """Write several files of which, if writing any of them fails, none is replaced.

    They take their names when all are on the disk, the first one first: where the last one is new, all are. (There is
    no way to rename several at once. Who stops the run between two names finds some of them new, each of them whole.)

    Parameters
    ----------
    paths : sequence of path-like
    overwrite : bool, default=False
        As for `atomic_path`.

    Yields
    ------
    list of pathlib.Path
        Where to write each.
    """
    with ExitStack() as stack:
        # What is entered last is left first.
        temporaries = [stack.enter_context(atomic_path(path, overwrite)) for path in reversed(paths)][::-1]
        yield temporaries
        for temporary in temporaries:
            _sync(temporary)


def check_target(path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """See that a file can be written, before the work that is to be written; see `atomic_path`.

    Raises
    ------
    OSError
        It could not; with a sentence that says why.
    """
    target = Path(os.path.realpath(path))
    _checked(Path(path), target, overwrite)
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise OSError(f"{path}: nothing can be written in its folder ({error.strerror}); take another one.") from None


def _create(temporary: Path, path: str | os.PathLike[str], mode: int) -> None:
    """Make an empty file; private if it replaces a file, which may be private, otherwise as the process makes files."""
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    except PermissionError:
        raise PermissionError(
            f"{path}: the folder is write-protected; take another one, or change its permissions."
        ) from None


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _checked(path: Path, target: Path, overwrite: bool) -> int | None:
    """Refuse what cannot be written, before any work; return the permissions of the file that is there, if any."""
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it.")
    if target.is_symlink():  # what is left of a circle
        raise OSError(f"{path} is a symbolic link that leads to itself; remove it, or take another name.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {target.parent}; make it first.")
    if not target.exists():
        return None
    if not target.is_file():
        raise OSError(f"{path} is a device or a pipe; give the name of a file.")
    if not overwrite:
        raise _exists(path)
    if not os.access(target, os.W_OK):
        raise PermissionError(f"{path} is write-protected; take another name, or change its permissions.")
    return target.stat().st_mode & 0o7777


def _publish(temporary: Path, target: Path, path: str | os.PathLike[str], overwrite: bool) -> None:
    """Give the finished file its name."""
    try:
        if overwrite:
            os.replace(temporary, target)
        else:
            _link(temporary, target)
    except FileExistsError:
        raise _exists(path) from None
    except PermissionError:  # on Windows, a file that is open cannot be replaced
        raise PermissionError(f"{path} cannot be replaced; if it is open in another program, close it there.") from None
    if os.name == "posix":  # the name, too, on the disk; where folders cannot be synced, that is the system's business
        with suppress(OSError):
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _link(temporary: Path, target: Path) -> None:
    """Take the name only if it is free: the test and the deed in one step."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:  # not all file systems have links
        if target.exists():
            raise FileExistsError from None
        os.replace(temporary, target)


def _exists(path: str | os.PathLike[str]) -> FileExistsError:
    return FileExistsError(f"{path} is there already and stays as it is; take another name, or allow to overwrite it.")
