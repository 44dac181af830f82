"""A fitted model in a file that holds data and no code.

The file is an uncompressed zip archive: ``model.json``, which describes the model, and its arrays, ``0.npy``, ``1.npy``
and so on, equal ones once. What can be in it is a closed list, that of `sskpca.saving._model_parts`.
"""

import json
import math
import os
import warnings
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sskpca._linalg.array import Column
from sskpca._transduction import Predictor
from sskpca.rows._memory import available_memory, in_bytes
from sskpca.saving._atomic import atomic_path
from sskpca.saving._model_parts import KINDS, MODELS, ModelFileError, Parts, contiguous

__all__ = ["FORMAT", "FORMAT_VERSION", "ModelFileError", "load_model", "put_model", "save_model"]

FORMAT = "sskpca model"
# To be raised whenever a class in CLASSES gets, loses or renames an attribute, or uses one differently. What version 6
# has besides version 5, `Geometry.sample`, has a default.
FORMAT_VERSION, OLDEST_VERSION = 6, 5

DESCRIPTION = "model.json"
# Python's objects take about so many times the memory of the text that describes them.
JSON_MEMORY = 20
LOCAL_HEADER = b"PK\x03\x04"


def save_model(
    path: str | os.PathLike[str],
    model: Any,
    features: dict[str, Any] | None = None,
    *,
    full: bool = False,
    overwrite: bool = False,
) -> None:
    """Write a fitted model to a file.

    Equal models make equal files, byte by byte. A file is written as a whole or not at all.

    Parameters
    ----------
    path : path-like
        The file to write.
    model : SSKPCAClassifier, LSKPCA, LRKPCA, MVKPCA or SpectralGraphTransducer
        The fitted model.
    features : dict or None, default=None
        How a table becomes the rows of X: numbers, text, lists, tuples, dicts and arrays.
    full : bool, default=False
        Save the rows of the fit and their coordinates, too, so that the loaded model takes new labels and answers
        questions about its rows. Without, it predicts new rows and nothing else, and the file is much smaller.
    overwrite : bool, default=False
        Replace an existing file.

    Raises
    ------
    TypeError
        The model holds something that a file without code cannot, such as a function as a kernel. It is named.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sskpca import LSKPCA
    >>> from sskpca.saving import save_model
    >>> path = Path(tempfile.mkdtemp()) / "model.sskpca"
    >>> save_model(path, LSKPCA().fit([[0.0], [0.1], [5.0], [5.1]], ["low", "", "high", ""]))
    >>> path.exists()
    True
    """
    with atomic_path(path, overwrite) as temporary:
        put_model(temporary, model, {} if features is None else features, full=full)


def put_model(path: str | os.PathLike[str], model: Any, features: dict[str, Any], *, full: bool = False) -> None:
    """Write a fitted model to a file, whatever is there; see `save_model`."""
    if type(model) not in MODELS:
        known = ", ".join(known.__name__ for known in MODELS)
        raise TypeError(f"save_model: a {type(model).__name__} is not a model that can be saved; these can: {known}.")
    if type(features) is not dict:
        raise TypeError(f"save_model: features must be a dict, got a {type(features).__name__}.")
    check_is_fitted(model)
    if isinstance(model.answer_, Predictor) and full:
        raise ValueError(
            "save_model: the model was loaded without the rows it was fitted to; save it without full=True."
        )
    parts = Parts(full=full)
    description = {
        **{"format": FORMAT, "format_version": FORMAT_VERSION, "sskpca_version": version("sskpca")},
        **{"model": parts.encode(model, "model"), "features": parts.encode(features, "features")},
        "objects": parts.objects,
    }
    text = json.dumps(description, allow_nan=False, separators=(",", ":")).encode("ascii")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(_member(DESCRIPTION, len(text)), "w") as file:
            file.write(text)
        for number, array in enumerate(parts.arrays):
            with archive.open(_member(f"{number}.npy", array.nbytes), "w") as file:
                np.lib.format.write_array(file, contiguous(array), version=(1, 0), allow_pickle=False)


def load_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Read a model from a file that `save_model` wrote; nothing in the file is run.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    model : fitted estimator
        It predicts what the saved one predicts, bit by bit on the same machine and libraries, and takes new labels if
        it was saved in full.
    features : dict
        How a table becomes the rows of X, as given to `save_model`.
    header : dict
        format, format_version, sskpca_version (that of the program that wrote it) and model, the name of its class.

    Raises
    ------
    ModelFileError
        The file is something else, is of another version of the format, is damaged, or is too large for the memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sskpca import LSKPCA
    >>> from sskpca.saving import load_model, save_model
    >>> X, y = [[0.0], [0.1], [5.0], [5.1]], ["low", "", "high", ""]
    >>> path = Path(tempfile.mkdtemp()) / "model.sskpca"
    >>> save_model(path, LSKPCA().fit(X, y), {"columns": ["height"]})
    >>> model, features, header = load_model(path)
    >>> model.predict([[0.2], [4.9]]).tolist(), features["columns"], header["model"]
    (['low', 'high'], ['height'], 'LSKPCA')
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no file {path}; check the name and the folder.")
    if Path(path).is_dir():
        raise ModelFileError(f"{path} is a folder, not a model file.")
    with open(path, "rb") as file:
        try:
            if file.read(len(LOCAL_HEADER)) != LOCAL_HEADER:
                raise ModelFileError(f"{path} is not a model file of sskpca, but something else.")
            with zipfile.ZipFile(file) as archive:
                return _read(archive, path, os.fstat(file.fileno()).st_size)
        except ModelFileError:
            raise
        except MemoryError as error:
            raise ModelFileError(f"{path} does not fit into the memory; use a machine with more of it.") from error
        except Exception as error:  # whatever parts that do not fit together lead to
            raise ModelFileError(f"{path} is cut short or damaged; copy it again, or save the model again.") from error


def _read(
    archive: zipfile.ZipFile, path: str | os.PathLike[str], size: int
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    members = {member.filename: member for member in archive.infolist()}
    if DESCRIPTION not in members:
        raise ModelFileError(f"{path} is an archive, but not a model file of sskpca.")
    # Not compressed, and together no larger than the file: then there is no more in it than can be seen from outside.
    sizes = {name: member.file_size for name, member in members.items()}
    stored = all(member.compress_type == zipfile.ZIP_STORED for member in members.values())
    if not stored or sum(member.file_size for member in archive.infolist()) > size:
        raise ModelFileError(f"{path} declares more data than it holds, as no model file does; do not trust it.")
    needed, available = sum(sizes.values()) + (JSON_MEMORY - 1) * sizes[DESCRIPTION], available_memory()
    if needed > available:
        raise ModelFileError(
            f"{path} needs {in_bytes(needed)} of memory, but {in_bytes(available)} are available; close other "
            "programs, or use a machine with more memory."
        )
    description = json.loads(archive.read(DESCRIPTION))
    if type(description) is not dict or description.get("format") != FORMAT:
        raise ModelFileError(f"{path} is an archive, but not a model file of sskpca.")
    header = {name: description[name] for name in ("format", "format_version", "sskpca_version")}
    number = header["format_version"]
    if type(number) is not int or not OLDEST_VERSION <= number <= FORMAT_VERSION:
        raise ModelFileError(
            f"{path} is of version {number!r} of the format, written by sskpca {header['sskpca_version']!r}, but "
            f"sskpca {version('sskpca')} reads versions {OLDEST_VERSION} to {FORMAT_VERSION}; load it with that "
            "sskpca, or fit and save the model again."
        )
    names = [f"{number}.npy" for number in range(len(archive.infolist()) - 1)]
    if set(members) != {DESCRIPTION, *names}:
        strange = sorted(set(members) - {DESCRIPTION, *names})
        raise ModelFileError(
            f"{path} holds {strange[0] if strange else 'a part twice'!r}, which is no part of a model."
        )
    arrays = []
    for name in names:
        with archive.open(members[name]) as file:
            arrays.append(_read_array(file, sizes[name], path))
    parts = Parts(arrays, available - needed)
    for entry in description["objects"]:
        parts.build(path, *entry)
    model, features = parts.decode(description["model"]), parts.decode(description["features"])
    if type(model) not in MODELS or type(features) is not dict:
        raise ModelFileError(f"{path} holds something, but no model.")
    return model, features, {**header, "model": type(model).__name__}


def _member(name: str, size: int) -> zipfile.ZipInfo:
    """Describe a part of the archive, the same on every day and every system."""
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.create_system, member.external_attr = 3, 0o644 << 16
    member.file_size = size  # about; from 2 GB on the archive needs another format
    return member


def _read_array(file: IO[bytes], size: int, path: str | os.PathLike[str]) -> Column:
    """Read an array of numbers, text or times that is as large as it says."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("another format of arrays")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of headers that nobody has written since Python 2
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.kind not in KINDS or dtype.itemsize == 0:
        raise ModelFileError(f"{path} holds an array of {dtype}, which is no part of a model; do not trust it.")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != size - file.tell():
        raise ModelFileError(f"{path} declares an array of another size than it holds, as no model file does.")
    array = np.empty(shape, dtype, order="F" if by_columns else "C")
    left = (array.T if by_columns else array).reshape(-1).view(np.uint8).data
    while done := file.readinto(left):  # type: ignore[attr-defined]
        left = left[done:]
    if len(left) or file.read(1):  # at the end of a part the archive compares its check sum
        raise EOFError
    return array
