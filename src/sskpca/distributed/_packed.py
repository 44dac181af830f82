"""Functions on their way to the workers.

A function of a model holds on to what it was made from: landmarks, which are needed, and often the very rows that it is
to be applied to, which must not be sent. It is packed here without them, once; all tasks of a pass refer to the same
package, and every worker opens it once.
"""

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
from dask.base import is_dask_collection
from dask.delayed import delayed

from sskpca.rows import Rows

__all__ = ["Packed", "packed"]

# Packages that a worker keeps open: as many as a portfolio has kernels.
OPEN = 8


@dataclass(frozen=True)
class Packed:
    """A function as bytes; two of the same content are the same.

    Attributes
    ----------
    digest : str
        Of the content.
    content : bytes
    """

    digest: str
    content: bytes = field(repr=False, compare=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The function, where it is needed."""
        return _opened(self)


def packed(function: Callable[..., Any]) -> Any:
    """Pack a function, without rows and lazy arrays; one node of a graph, to be given to all of its tasks.

    A part of the graph, and not data that were scattered: when a worker dies, nothing that it held is lost.
    """
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(function)
    content = buffer.getvalue()
    package = Packed(blake2b(content, digest_size=16).hexdigest(), content)
    return delayed(package, name=f"packed-{package.digest}", traverse=False)


@lru_cache(maxsize=OPEN)
def _opened(package: Packed) -> Callable[..., Any]:
    return _Unpickler(io.BytesIO(package.content)).load()  # type: ignore[no-any-return]


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def persistent_id(self, thing: Any) -> str | None:
        return "elsewhere" if isinstance(thing, Rows) or is_dask_collection(thing) else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> None:
        """Return None in place of what stayed where it was."""
