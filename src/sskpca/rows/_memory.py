"""The memory that can be used."""

import os
import re
from numbers import Integral
from pathlib import Path

__all__ = ["USABLE", "available_memory", "bytes_of", "in_bytes"]

# Where nothing can be found out, a small computer.
SMALL = 4 * 2**30
# Of the available memory, the rest is for everyone else.
USABLE = 0.8


def available_memory(root: Path = Path("/")) -> int:
    """Return how many bytes can be used without swapping.

    What the operating system reports as available, or what the limit of the control group leaves if that is less: in a
    container the machine's memory is not ours.

    Parameters
    ----------
    root : Path, default="/"
        Where `proc` and `sys` are.
    """
    bounds = [_from_kernel(root), _from_group(root)]
    return min([bound for bound in bounds if bound is not None], default=_from_system())


def in_bytes(number: float) -> str:
    """Return a number of bytes as text.

    Examples
    --------
    >>> in_bytes(1_234_567_890), in_bytes(20_000)
    ('1.2 GB', '20 kB')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.2g} {unit}" if number < 10 * size else f"{number / size:.0f} {unit}"
    return f"{number:.0f} bytes"


def _from_kernel(root: Path) -> int | None:
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _from_group(root: Path) -> int | None:
    try:
        limit = (root / "sys/fs/cgroup/memory.max").read_text().strip()
        used = int((root / "sys/fs/cgroup/memory.current").read_text())
        return None if limit == "max" else max(int(limit) - used, 0)
    except (OSError, ValueError):
        return None


def _from_system() -> int:
    try:
        return int(os.sysconf("SC_PHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE")) // 2
    except (AttributeError, OSError, ValueError):
        return SMALL


def bytes_of(memory: object) -> int:
    """Return a memory budget in bytes: given as a number, text such as "2GB", or None for 80 % of what is available.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 MB"), bytes_of("1GiB"), bytes_of(4096)
    (2000000000, 1500000, 1073741824, 4096)
    >>> bytes_of("1gb"), bytes_of("1KB")
    (1000000000, 1000)
    """
    if memory is None:
        return int(USABLE * available_memory())
    if isinstance(memory, Integral) and not isinstance(memory, bool) and int(memory) > 0:
        return int(memory)
    amount = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b\s*", re.IGNORECASE)
    match = amount.fullmatch(memory) if isinstance(memory, str) else None
    if match is None or float(match[1]) == 0:
        raise ValueError(
            f'memory must be None, a number of bytes, or text such as "2GB", got {memory!r}; the units are kB, MB, GB, '
            "TB (thousands) and KiB, MiB, GiB, TiB (1024s)."
        )
    return int(float(match[1]) * (1024 if match[3] else 1000) ** ("kmgt".index(match[2].lower()) + 1))
