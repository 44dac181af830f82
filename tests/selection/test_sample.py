"""Rows that stand for all when predicted classes are counted."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import make_blobs

from sskpca import SSKPCAClassifier
from sskpca._selection.portfolio import SAMPLED, sample_rows
from sskpca.kernels import Diffusion, Gaussian, Linear, Nystrom, OnColumns
from sskpca.rows import ArrayRows, BlockRows


def test_of_few_rows_and_of_kernel_matrices_all_are_taken():
    assert sample_rows(np.zeros((SAMPLED, 2)), "exact") is None
    assert sample_rows(np.zeros((900, 900)), "exact", pairwise=True) is None


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_the_same_rows_whatever_their_order(kind):
    rng = np.random.default_rng(0)
    X, order = rng.standard_normal((1000, 3)), rng.permutation(1000)
    one, two = sample_rows(kind(X), "exact"), order[sample_rows(kind(X[order]), "exact")]
    assert len(one) == SAMPLED
    np.testing.assert_array_equal(one, two)


def test_rows_of_a_file_and_those_beside_landmarks_are_taken_by_number(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", shape=(900, 2))
    X[:] = np.random.default_rng(0).standard_normal(X.shape)
    of_file, beside_landmarks = sample_rows(ArrayRows(X), "exact"), sample_rows(np.array(X), "nystrom")
    np.testing.assert_array_equal(of_file, beside_landmarks)
    assert (of_file[0], of_file[-1]) == (0, 899)
    assert set(np.diff(of_file)) == {3, 4}


@pytest.fixture(scope="module")
def blobs():
    X, target = make_blobs(900, 3, centers=3, cluster_std=3.0, random_state=0)
    return X, np.where(np.arange(900) < 12, target, -1)


@pytest.mark.filterwarnings("ignore:SSKPCAClassifier. graphs are made of a sample of 900 rows")
@pytest.mark.parametrize(
    "kernels",
    [
        [Diffusion(10)],
        [Gaussian(), Linear()],
        [OnColumns(Nystrom(Gaussian(), 50), (0, 1))],
        [Nystrom(Gaussian(), landmarks=np.eye(3))],
    ],
    ids=["graph", "landmarks", "some columns", "landmarks given"],
)
def test_an_array_and_its_blocks_have_one_answer(kernels, blobs):
    X, y = blobs
    options = {"coordinates": "nystrom", "n_landmarks": 60, "rank": 30}
    whole = SSKPCAClassifier(kernels, **options).fit(X, y)
    blocks = SSKPCAClassifier(kernels, **options).fit(BlockRows(lambda: iter(np.array_split(X, 4)), 900), y)
    np.testing.assert_allclose(blocks.decision_, whole.decision_, atol=1e-7)


def test_more_rows_than_are_sampled_in_another_order_have_the_same_answer(blobs):
    X, y = blobs
    order = np.random.default_rng(1).permutation(len(X))
    one, two = SSKPCAClassifier().fit(X, y), SSKPCAClassifier().fit(X[order], y[order])
    np.testing.assert_allclose(two.decision_, one.decision_[order], atol=1e-4)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_kernel_matrices_of_many_rows(kind, blobs):
    X, y = blobs
    K = X @ X.T
    model = (
        SSKPCAClassifier("precomputed").fit(kind(K), y) if False else SSKPCAClassifier(["precomputed"]).fit(kind(K), y)
    )
    assert len(model.transduction_) == 900


def test_rows_in_blocks_are_asked_for_once(blobs):
    X, y = blobs
    asked = []

    class Counted(ArrayRows):
        def take(self, rows):
            asked.append(len(rows))
            return super().take(rows)

    model = SSKPCAClassifier([Gaussian()], coordinates="nystrom", n_landmarks=50, rank=20).fit(Counted(X), y)
    asked.clear()
    free = np.flatnonzero(y < 0)[:1]
    model.update_labels(free, [0])
    assert len(asked) <= 1
