"""How much memory the values of a column take once they are written out one by one."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["LEAST", "unpacked_size"]

# Bytes that a value takes at least: a pointer, or a number.
LEAST = 8


def unpacked_size(array: Any) -> int:
    """Compute the bytes of a column without shared values.

    Values of dictionaries and views of text may be shared by all rows, and rows of nulls take no memory at all, until
    they are cast, encoded or written: a file of a kilobyte can hold gigabytes.

    Parameters
    ----------
    array : pyarrow.Array
        Validated in full.

    Raises
    ------
    pyarrow.ArrowNotImplementedError
        Of a type whose values can overlap in other ways, such as unions or views of lists.

    Examples
    --------
    >>> unpacked_size(pa.array(["x" * 100] * 1000).dictionary_encode()), unpacked_size(pa.nulls(1000))
    (108000, 8000)
    """
    kind, least = array.type, LEAST * len(array)
    if isinstance(array, pa.ExtensionArray):
        return unpacked_size(array.storage)
    if pa.types.is_dictionary(kind):
        return least + _shared(array)
    if pa.types.is_struct(kind):
        return least + sum(unpacked_size(array.field(i)) for i in range(kind.num_fields))
    if pa.types.is_map(kind):
        return least + unpacked_size(array.keys) + unpacked_size(array.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return least + unpacked_size(array.values)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return least + int(_view_lengths(array).sum())
    if pa.types.is_union(kind) or pa.types.is_run_end_encoded(kind) or kind.num_fields or _is_list_view(kind):
        raise pa.ArrowNotImplementedError(f"values of type {kind}")
    return least + int(array.nbytes)


def _is_list_view(kind: Any) -> bool:
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def _shared(array: Any) -> int:
    """Compute the bytes that the values of a dictionary take if every row has its own."""
    values = array.dictionary
    if len(values) == 0:
        return 0
    if pa.types.is_string_view(values.type) or pa.types.is_binary_view(values.type):
        lengths = _view_lengths(values)
    elif pa.types.is_string(values.type) or pa.types.is_large_string(values.type) or _is_binary(values.type):
        lengths = np.asarray(pc.fill_null(pc.binary_length(values), 0), dtype=np.int64)
    else:  # as if all rows had the largest
        return len(array) * (unpacked_size(values) if values.type.num_fields else LEAST)
    codes = np.asarray(pc.fill_null(array.indices, 0), dtype=np.intp)
    return int(lengths[codes].sum())


def _is_binary(kind: Any) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _view_lengths(array: Any) -> Any:
    """Return the lengths of texts, which are the first four of the sixteen bytes of each view."""
    views = np.frombuffer(array.buffers()[1], dtype=np.int32)
    lengths = views.reshape(-1, 4)[array.offset : array.offset + len(array), 0].astype(np.int64)
    return np.where(array.is_null().to_numpy(zero_copy_only=False), 0, lengths)
