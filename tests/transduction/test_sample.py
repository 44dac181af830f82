"""Rows that stand for all."""

import numpy as np
import pytest
import scipy.sparse

from sskpca._transduction.answer import MOST_SAMPLED, Geometry
from sskpca.kernels._given import make_kernel
from sskpca.rows import ArrayRows


def test_of_few_rows_it_is_all():
    assert Geometry(np.zeros((MOST_SAMPLED, 2)), (), ()).sample.tolist() == list(range(MOST_SAMPLED))


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_the_same_rows_whatever_their_order(kind):
    rng = np.random.default_rng(0)
    X, order = rng.standard_normal((1000, 3)), rng.permutation(1000)
    one, two = Geometry(kind(X), (), ()).sample, order[Geometry(kind(X[order]), (), ()).sample]
    assert len(one) == MOST_SAMPLED
    np.testing.assert_array_equal(one, two)


def test_of_a_kernel_matrix_too():
    rng = np.random.default_rng(0)
    A, order = rng.standard_normal((400, 3)), rng.permutation(400)
    K = A @ A.T
    fitted = make_kernel("precomputed").fit(K)
    one = Geometry(K, (fitted,), ()).sample
    two = order[Geometry(K[np.ix_(order, order)], (fitted,), ()).sample]
    np.testing.assert_array_equal(one, two)


def test_rows_of_a_file_are_taken_by_number(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", shape=(900, 2))
    sample = Geometry(ArrayRows(X), (), ()).sample
    assert (len(sample), sample[0], sample[-1]) == (MOST_SAMPLED, 0, 899)
    assert set(np.diff(sample)) == {3, 4}
