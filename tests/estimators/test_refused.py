"""Input that was answered by somebody else's error is refused in one sentence."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sskpca import KPCA, LSKPCA

LABELS = [0, 1, -1, -1]


@pytest.mark.parametrize("model", [LSKPCA(kernel=None), KPCA(kernel=None)])
def test_no_kernel_is_no_kernel(model):
    with pytest.raises(ValueError, match=r"KPCA: kernel must be a name, .*, got None\."):
        model.fit(np.eye(4), LABELS)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(np.eye(4)[:, :3], columns=["b", "a", "a"]),
        pa.table([pa.array(column) for column in np.eye(4)[:, :3].T], names=["b", "a", "a"]),
    ],
    ids=["pandas", "arrow"],
)
def test_a_table_with_two_columns_of_one_name_is_refused(table):
    with pytest.raises(ValueError, match="LSKPCA: the column 'a' comes more than once; give every column a name of"):
        LSKPCA().fit(table, LABELS)
