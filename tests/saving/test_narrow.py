"""Arrays in smaller types come back bit by bit."""

import numpy as np
import pytest

from sskpca.saving._model_parts import Parts, narrow, same_bits

COUNTS = np.arange(100.0) % 17


@pytest.mark.parametrize(
    ("array", "stored"),
    [
        (COUNTS, "i1"),
        (COUNTS * 1000, "i2"),
        (COUNTS / 16, "f4"),
        (COUNTS * 1e5, "f4"),
        (COUNTS / 10, "f8"),
        (np.where(COUNTS > 3, np.nan, COUNTS), "f4"),
        (np.where(COUNTS > 3, -0.0, COUNTS), "f4"),
        (np.where(COUNTS > 3, 1e300, COUNTS), "f8"),
        (np.where(COUNTS > 3, 5e-324, COUNTS), "f8"),
        (np.arange(100), "i1"),
        (np.arange(100) * 400, "i4"),
        (np.arange(100) * 2**40, "i8"),
        (np.arange(100, dtype=np.int32) * 400, "i4"),
        (COUNTS[:5], "f8"),  # too few to be worth it
        (COUNTS > 3, "b1"),
        (np.asfortranarray(COUNTS.reshape(10, 10)), "i1"),
    ],
)
def test_an_array_is_stored_in_the_smallest_type_that_holds_its_bits(array, stored):
    small = narrow(array)
    assert small.dtype.str[1:] == stored
    parts = Parts()
    code = parts.encode(array, "model")
    back = Parts(parts.arrays, memory=1e6).decode(code)
    assert back.dtype == array.dtype
    assert back.flags.f_contiguous == array.flags.f_contiguous
    assert same_bits(back, array) if array.dtype != bool else (back == array).all()


def test_what_a_file_does_not_show_is_counted_before_it_is_allocated():
    parts = Parts()
    code = parts.encode(np.zeros(1000), "model")
    assert parts.arrays[0].nbytes == 1000
    with pytest.raises(MemoryError):
        Parts(parts.arrays, memory=7999).decode(code)


@pytest.mark.parametrize("dtype", ["<f16", "O", "<U9", "<M8[s]"])
def test_other_types_are_refused(dtype):
    with pytest.raises(ValueError, match="is not turned into"):
        Parts([np.zeros(100, np.int8)], memory=1e6).decode({"narrow": [0, dtype]})
