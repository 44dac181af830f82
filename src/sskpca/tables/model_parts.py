"""The parts of a model, as descriptions in JSON and arrays; a closed list of what they can be.

Numbers, text, arrays, containers and the classes in `CLASSES`. Nothing is imported, evaluated or called because a
description names it; a name that is not in the list is refused. Searches for neighbours are built anew from their rows,
and the indices of sparse matrices are checked, so that no description can make compiled code read where it should not.

The data of a fit whose coordinates are streamed are not saved, nor are coordinates of rows if they are not wanted: new
rows are predicted without them.
"""

import hashlib
import math
from dataclasses import fields, is_dataclass
from types import MethodType
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from sskpca.coordinates import Coordinates
from sskpca.coordinates.streamed import StreamedValues
from sskpca.estimators import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca.estimators.held_out import HeldOutDecisions
from sskpca.estimators.labels import Labels
from sskpca.graphs import NeighborGraph
from sskpca.graphs.neighbors import _ExactIndex
from sskpca.kernels.algebra import Mixture, Scaled, Sum
from sskpca.kernels.fourier import RandomFourier
from sskpca.kernels.names import KERNELS
from sskpca.kernels.nystrom import Nystrom
from sskpca.kernels.sampled import Sampled
from sskpca.selection.automatic import SSKPCAClassifier
from sskpca.selection.candidates import Candidates
from sskpca.selection.ensemble import Ensemble
from sskpca.selection.forest import Forest
from sskpca.selection.novelty import Novelty
from sskpca.solvers import Components, Report
from sskpca.solvers.losses import HuberHinge, Logistic, Sigmoid
from sskpca.solvers.report import Status
from sskpca.tables.absent_rows import AbsentRows
from sskpca.tables.single import CalibratedClassifier

__all__ = ["CLASSES", "KINDS", "MODELS", "ModelFileError", "Parts", "contiguous"]

MODELS = (SSKPCAClassifier, LSKPCA, LRKPCA, MVKPCA, SpectralGraphTransducer, CalibratedClassifier)
KERNEL_CLASSES = (*KERNELS.values(), Scaled, Sum, Mixture, Nystrom, RandomFourier, Sampled)
CLASSES: dict[str, type] = {
    known.__name__: known
    for known in (
        *(*MODELS, *KERNEL_CLASSES, NeighborGraph, _ExactIndex, NearestNeighbors, Coordinates, Labels),
        *(StreamedValues, AbsentRows),
        *(Candidates, Ensemble, Forest, Novelty, HeldOutDecisions, Report, Components, Logistic, Sigmoid, HuberHinge),
    )
}
# Methods of kernels by which coordinates find the features of new points.
FEATURES = ("cross", "features", "kernel_values")
SPARSE: dict[str, Any] = {
    known.__name__: known
    for known in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.csc_array)
}
# Of a sparse matrix; hashed words have 2**20.
MOST_COLUMNS = 2**22
# Truth values, numbers, text and times: no objects, no records.
KINDS = "biufcUSMm"


class ModelFileError(ValueError):
    """A file is not a model file, or not one that can be read."""


class Parts:
    """What a description refers to by number: arrays, and objects, each after those that it refers to."""

    def __init__(
        self, arrays: list[NDArray[Any]] | None = None, memory: float = 0.0, *, with_rows: bool = True
    ) -> None:
        self.with_rows = with_rows
        self.arrays: list[NDArray[Any]] = arrays or []
        self._memory, self._taken = memory, set[int]()
        self.objects: list[Any] = []  # descriptions to be written, or objects that were built
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []  # what was made for the file only: its id must not be given to something else

    def encode(self, value: Any, where: str) -> Any:
        """Describe a value in JSON: as it is if JSON knows it, otherwise as {what: how}."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind in (list, tuple):
            listed = [self.encode(part, f"{where}[{i}]") for i, part in enumerate(value)]
            return listed if kind is list else {"tuple": listed}
        if kind is dict:
            pairs = [(key, self.encode(part, f"{where}[{key!r}]")) for key, part in value.items()]
            return {"dict": [[self.encode(key, f"a key of {where}"), part] for key, part in pairs]}
        if isinstance(value, np.generic) and value.dtype.kind in KINDS:
            return {"scalar": self._array(np.asarray(value))}
        if kind in (np.ndarray, np.memmap) and value.dtype.kind in KINDS and value.dtype.itemsize:
            return {"array": self._array(value)}
        if kind is np.ndarray and value.dtype.kind == "O":
            return {"objects": [list(value.shape), self.encode(value.ravel().tolist(), where)]}
        if SPARSE.get(kind.__name__) is kind:
            parts = [self.encode(part, where) for part in (value.data, value.indices, value.indptr)]
            return {"sparse": [kind.__name__, list(value.shape), *parts]}
        if kind is Status:
            return {"status": value.value}
        if kind is MethodType and type(value.__self__) in KERNEL_CLASSES and value.__name__ in FEATURES:
            return {"method": [self.encode(value.__self__, where), value.__name__]}
        if CLASSES.get(kind.__name__) is kind:
            return {"object": self._object(value, where)}
        shown = f"an array of {value.dtype}" if kind is np.ndarray else f"a {kind.__module__}.{kind.__qualname__}"
        if kind is MethodType:  # that it is one says nothing; whose it is does
            shown = f"a method of {type(value.__self__).__module__}.{type(value.__self__).__qualname__}"
        advice = '; fit the model with kernels of sskpca, and with search="exact"' if where.startswith("model") else ""
        raise TypeError(f"save_model: {where} is {shown}, which a file without code cannot hold{advice}.")

    def _array(self, array: NDArray[Any]) -> int:
        """Give an array a number; equal ones, of which kernels of the same data have many, get the same."""
        one = contiguous(array)
        digest = hashlib.sha256(one.tobytes(order="A")).digest()
        key = (array.dtype.str, array.shape, one.flags.c_contiguous, digest)
        if key not in self._numbers:
            self._numbers[key] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[key]

    def _object(self, value: Any, where: str) -> int:
        """Give an object a number, the same wherever it is met again."""
        if id(value) not in self._numbers:
            content = _state(value, where)
            if type(value) is Coordinates and not self.with_rows:
                content["values"] = _without_rows(value)
            if type(value) is SSKPCAClassifier and not self.with_rows:
                content["_table"] = None
            self._kept.append(content)
            state = {name: self.encode(part, f"{where}.{name}") for name, part in sorted(content.items())}
            self._numbers[id(value)] = len(self.objects)
            self.objects.append([type(value).__name__, state])
        return self._numbers[id(value)]

    def decode(self, code: Any) -> Any:
        """Find the value that a description describes."""
        if type(code) is list:
            return [self.decode(part) for part in code]
        if type(code) is not dict:
            return code
        ((what, how),) = code.items()
        match what:
            case "float":
                return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[how]
            case "tuple":
                return tuple(self.decode(part) for part in how)
            case "dict":
                return {self.decode(key): self.decode(part) for key, part in how}
            case "scalar":
                return self._own(how)[()]
            case "array":
                return self._own(how)
            case "objects":
                listed = self.decode(how[1])
                array = np.empty(len(listed), dtype=object)
                for i, part in enumerate(listed):  # one by one: lists are entries, too
                    array[i] = part
                return array.reshape(how[0])
            case "sparse":
                data, indices, indptr = (self.decode(part) for part in how[2:])
                if max(how[1]) > max(
                    MOST_COLUMNS, len(indptr)
                ):  # of rows or columns without entries, as many as you like
                    raise ValueError("a sparse matrix is far larger than its entries")
                matrix = SPARSE[how[0]]((data, indices, indptr), shape=tuple(how[1]))
                matrix.check_format(full_check=True)
                return matrix
            case "status":
                return Status(how)
            case "method":
                owner, name = self.decode(how[0]), how[1]
                if type(owner) in KERNEL_CLASSES and name in FEATURES:
                    return MethodType(getattr(type(owner), name), owner)
            case "object":
                return self.objects[how]
        raise ValueError(f"{what!r} is not known")

    def _own(self, number: int) -> NDArray[Any]:
        """Return an array that nobody else has: who sorts its entries in place would surprise the others."""
        array = self.arrays[number]
        if number not in self._taken:
            self._taken.add(number)
            return array
        self._memory -= array.nbytes
        if self._memory < 0:
            raise MemoryError
        return array.copy(order="K")

    def build(self, path: Any, name: str, state: dict[str, Any]) -> None:
        """Make the next object."""
        if name not in CLASSES:
            raise ModelFileError(f"{path} asks for a {name!r}, which is no part of a model; do not trust it.")
        known = CLASSES[name]
        values = {attribute: self.decode(part) for attribute, part in state.items()}
        if known is NearestNeighbors:
            self.objects.append(known(n_neighbors=values["n_neighbors"], metric=values["metric"]).fit(values["rows"]))
        elif is_dataclass(known):
            self.objects.append(known(**values))
        else:
            made: Any = object.__new__(known)
            vars(made).update(values)
            self.objects.append(made)


def _state(value: Any, where: str) -> dict[str, Any]:
    """List what an object is made of."""
    if type(value) is NearestNeighbors:
        chosen = {"n_neighbors": value.n_neighbors, "metric": value.metric}
        if value.get_params() != NearestNeighbors(**chosen).get_params():
            raise TypeError(f"save_model: {where} is a search with parameters that a model file does not know.")
        return {**chosen, "rows": value._fit_X}
    if type(value) is StreamedValues:  # neither the data nor what is remembered of them
        content = {name: getattr(value, name) for name in ("features", "dual", "center", "size")}
        return {**content, "rows": AbsentRows(*value.rows.shape)}
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return dict(vars(value))


def _without_rows(coordinates: Coordinates) -> StreamedValues:
    """Stand in for the coordinates of rows that are not saved."""
    rows = AbsentRows(coordinates.n_samples, 0)
    return StreamedValues(rows, coordinates.features, coordinates.dual, coordinates.mean, 1)


def contiguous(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array without gaps and, as products depend on it in the last digit, with its order of axes."""
    return array if array.flags.c_contiguous or array.flags.f_contiguous else array.copy(order="K")
