"""Collections of rows that are no arrays; each kind registers the packages whose objects it understands.

Nothing is imported before an object of such a package is met: who does not have Dask can use everything else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Source", "register", "source_of"]


@dataclass(frozen=True)
class Source:
    """What can be done with the collections of a package.

    Attributes
    ----------
    rows : callable
        Returns the `Rows` of a collection.
    each : callable
        Applies a function of a block and the number of its first row to a lazy array; takes the array, the function and
        an example of what it returns, and returns a lazy array.
    collect : callable
        Returns a collection as an array of this process.
    """

    rows: Callable[[Any], Any]
    each: Callable[..., Any]
    collect: Callable[[Any], Any]


_SOURCES: dict[str, Callable[[], Source]] = {}


def register(package: str, load: Callable[[], Source]) -> None:
    """Register a source of rows.

    Parameters
    ----------
    package : str
        The first part of the module names of the classes that it understands.
    load : callable
        Returns the source; called when it is needed.
    """
    _SOURCES[package] = load


def source_of(thing: object) -> Source | None:
    """Return the source that understands an object, or None if no package has registered it."""
    load = _SOURCES.get(type(thing).__module__.partition(".")[0])
    return None if load is None else load()
