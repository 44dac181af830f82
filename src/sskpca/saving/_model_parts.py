"""The parts of a model, as descriptions in JSON and arrays; a closed list of what they can be.

Numbers, text, arrays, containers and the classes in `CLASSES`. Nothing is imported, evaluated or called because a
description names it; a name that is not in the list is refused. Searches for neighbours are built anew from their rows,
and the indices of sparse matrices are checked, so that no description can make compiled code read where it should not.

A model is saved with what new rows need, its `Predictor`, or in full, with the rows of its fit, so that it takes new
labels. Arrays are in the smallest type that holds all their bits: counts, pixels and codes need no eight bytes each.
"""

import hashlib
import math
from dataclasses import fields, is_dataclass
from types import MethodType
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.neighbors import NearestNeighbors

from sskpca._estimators import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca._graphs import FittedGraph
from sskpca._graphs.search import ExactIndex
from sskpca._linalg.array import Column
from sskpca._selection import SSKPCAClassifier
from sskpca._selection.candidates import Candidates, Grid
from sskpca._selection.ensemble import Ensemble, ForestPart, Portfolio
from sskpca._selection.forest import Forest
from sskpca._transduction import Functions, Geometry, Labels, Predictor, Transduction
from sskpca._transduction.answer import KernelPart, Unanswered
from sskpca._transduction.calibration import Novelty
from sskpca._transduction.methods import LeastSquares, Reweighted, Transducer, WithinClass
from sskpca.coordinates import Coordinates
from sskpca.coordinates._values import StreamedValues
from sskpca.kernels._algebra import FittedSum, Mixture, Scaled, StackedFeatures, Sum
from sskpca.kernels._dot_product import FittedCosine, FittedLinear, FittedPolynomial
from sskpca.kernels._fitted import FromFeatures
from sskpca.kernels._given import KERNELS, FittedPrecomputed
from sskpca.kernels._graph_features import FittedSpectra, FittedSpectrum
from sskpca.kernels._manifold import FittedManifold
from sskpca.kernels._nystrom import FittedNystrom, Nystrom
from sskpca.kernels._on_columns import FeaturesOnColumns, KernelOnColumns, OnColumns
from sskpca.kernels._sampled import Sampled
from sskpca.kernels._stationary import FittedGaussian, FittedLaplacian, FittedRanks
from sskpca.kernels._trees import FittedTrees
from sskpca.rows import Rows
from sskpca.solvers import Components, Report
from sskpca.solvers._losses import HuberHinge, Logistic, Sigmoid
from sskpca.solvers._report import Status

__all__ = ["CLASSES", "KINDS", "MODELS", "WIDE", "ModelFileError", "Parts", "contiguous", "narrow"]

NARROWER = {"<f8": ("<i1", "<i2", "<f4"), "<i8": ("<i1", "<i2", "<i4"), "<i4": ("<i1", "<i2")}
WIDE = frozenset(NARROWER)
FEWEST = 64  # entries for which it is worth a word

MODELS = (SSKPCAClassifier, LSKPCA, LRKPCA, MVKPCA, SpectralGraphTransducer)
KERNEL_CLASSES = (*KERNELS.values(), Scaled, Sum, Mixture, Nystrom, Sampled, OnColumns)
FITTED_CLASSES = (
    *(FittedGaussian, FittedRanks, FittedLaplacian, FittedTrees, FittedLinear, FittedPolynomial, FittedCosine),
    *(FittedPrecomputed, FittedSpectrum, FittedSpectra, FittedManifold, FittedSum, StackedFeatures, FromFeatures),
    *(FittedNystrom, KernelOnColumns, FeaturesOnColumns),
)
CLASSES: dict[str, type] = {
    known.__name__: known
    for known in (
        *(*MODELS, *KERNEL_CLASSES, *FITTED_CLASSES, FittedGraph, ExactIndex, NearestNeighbors, Coordinates),
        *(Predictor, KernelPart, ForestPart, Forest, Novelty),
        *(Transduction, Unanswered, Geometry, Labels, Functions, Ensemble, Candidates, Report, Components),
        *(LeastSquares, Reweighted, Transducer, WithinClass, Portfolio, Grid, Logistic, Sigmoid, HuberHinge),
    )
}
# Methods of fitted kernels by which coordinates find the features of new points.
FEATURES = ("cross", "features", "kernel_values")
SPARSE: dict[str, Any] = {
    known.__name__: known
    for known in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.csc_array)
}
# Of a sparse matrix; hashed words have 2**20.
MOST_COLUMNS = 2**22
# Truth values, numbers, text and times: no objects, no records.
KINDS = "biufcUSMm"


def narrow(array: Column) -> Column:
    """Return an array of the smallest type which, turned back, has the same bits."""
    if array.size < FEWEST:
        return array
    for name in NARROWER.get(array.dtype.str, ()):
        with np.errstate(invalid="ignore", over="ignore"):
            small = array.astype(name)
            if same_bits(small.astype(array.dtype), array):
                return small
    return array


def same_bits(first: Column, second: Column) -> bool:
    """Return whether arrays of one type agree, zeros with their signs and NaNs included."""
    as_bits = f"u{first.dtype.itemsize}"
    return np.array_equal(first.view(as_bits), second.view(as_bits))


class ModelFileError(ValueError):
    """A file is not a model file, or not one that can be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sskpca.saving import ModelFileError, load_model
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_text("hello")
    >>> try:
    ...     load_model(path)
    ... except ModelFileError:
    ...     print("not a model")
    not a model
    """


class Parts:
    """What a description refers to by number: arrays, and objects, each after those that it refers to."""

    def __init__(self, arrays: list[Column] | None = None, memory: float = 0.0, *, full: bool = False) -> None:
        self.full = full
        self.arrays: list[Column] = arrays or []
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
            small = narrow(contiguous(value))
            number = self._array(small)
            return {"array": number} if small.dtype == value.dtype else {"narrow": [number, value.dtype.str]}
        if kind is np.ndarray and value.dtype.kind == "O":
            return {"objects": [list(value.shape), self.encode(value.ravel().tolist(), where)]}
        if SPARSE.get(kind.__name__) is kind:
            parts = [self.encode(part, where) for part in (value.data, value.indices, value.indptr)]
            return {"sparse": [kind.__name__, list(value.shape), *parts]}
        if kind is Status:
            return {"status": value.value}
        if kind is MethodType and type(value.__self__) in FITTED_CLASSES and value.__name__ in FEATURES:
            return {"method": [self.encode(value.__self__, where), value.__name__]}
        if CLASSES.get(kind.__name__) is kind or isinstance(value, Rows | StreamedValues):
            return {"object": self._object(value, where)}
        shown = f"an array of {value.dtype}" if kind is np.ndarray else f"a {kind.__module__}.{kind.__qualname__}"
        if kind is MethodType:  # that it is one says nothing; whose it is does
            shown = f"a method of {type(value.__self__).__module__}.{type(value.__self__).__qualname__}"
        advice = '; pickle the model, or fit it with kernels and losses of sskpca, and with search="exact"'
        advice = advice if where.startswith("model") else ""
        raise TypeError(f"save_model: {where} is {shown}, which a file without code cannot hold{advice}.")

    def _array(self, array: Column) -> int:
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
            if isinstance(value, MODELS) and not self.full:
                content = _without_rows(content)
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
            case "narrow":
                return self._widened(*how)
            case "objects":
                listed = self.decode(how[1])
                array = np.empty(len(listed), dtype=object)
                for i, part in enumerate(listed):  # one by one: lists are entries, too
                    array[i] = part
                return array.reshape(how[0])
            case "sparse":
                data, indices, indptr = (self.decode(part) for part in how[2:])
                if {indices.dtype.kind, indptr.dtype.kind} != {"i"}:
                    raise ValueError("the indices of a sparse matrix are whole numbers")
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
                if type(owner) in FITTED_CLASSES and name in FEATURES and hasattr(owner, name):
                    return MethodType(getattr(type(owner), name), owner)
            case "object":
                return self.objects[how]
        raise ValueError(f"{what!r} is not known")

    def _own(self, number: int) -> Column:
        """Return an array that nobody else has: who sorts its entries in place would surprise the others."""
        array = self.arrays[number]
        if number not in self._taken:
            self._taken.add(number)
            return array
        self._allocate(array.nbytes)
        return array.copy(order="K")

    def _widened(self, number: int, dtype: str) -> Column:
        """Return an array in the type it had."""
        array = self.arrays[number]
        if dtype not in WIDE or array.dtype.kind not in "if" or not np.can_cast(array.dtype, dtype):
            raise ValueError(f"an array of {array.dtype} is not turned into {dtype!r}")
        self._allocate(array.size * np.dtype(dtype).itemsize)
        with np.errstate(invalid="ignore"):  # a NaN that signals stays a NaN
            return array.astype(dtype, order="K")

    def _allocate(self, size: int) -> None:
        """Count memory that the file does not show."""
        self._memory -= size
        if self._memory < 0:
            raise MemoryError

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
        return {**chosen, "rows": value._fit_X}  # noqa: SLF001, scikit-learn does not publish it
    if type(value) is StreamedValues or isinstance(value, Rows):
        raise TypeError(
            "save_model: the rows of the fit came in blocks, and cannot be saved with the model; save it without "
            "full=True: then it predicts new rows, and nothing else."
        )
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return dict(vars(value))


def _without_rows(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a fitted classifier that predicts new rows, and nothing else."""
    if isinstance(state["answer_"], Unanswered):
        raise ValueError("save_model: the model has no labels of two classes yet; save it with full=True.")
    given = {"coordinates": "exact"} if isinstance(state.get("coordinates"), Coordinates) else {}
    return {**state, **given, "answer_": state["answer_"].predictor}


def contiguous(array: Column) -> Column:
    """Return an array without gaps and, as products depend on it in the last digit, with its order of axes."""
    return array if array.flags.c_contiguous or array.flags.f_contiguous else array.copy(order="K")
