"""What people do with rows that they should not, or that looks like it."""

import threading

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from threadpoolctl import threadpool_info

from sskpca import KPCA, LSKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca.coordinates._values import feature_moments
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian, Polynomial
from sskpca.rows import ArrayRows, BlockRows, ParquetRows

X, y, _ = make_two_moons(600, n_labeled=30, random_state=1)
NYSTROM = {"coordinates": "nystrom", "n_landmarks": 60}


@pytest.mark.parametrize("scale", [1e-25, 1e-19, 1.0, 1e19, 1e25])
def test_single_precision_of_any_scale_is_as_good_as_double(scale):
    A = np.random.default_rng(0).standard_normal((600, 10))
    some = np.full(600, -1)
    some[:60] = A[:60, 0] > 0
    single = (A * scale).astype(np.float32)
    found, wanted = (LSKPCA(Gaussian(factor=3.0), **NYSTROM).fit(ArrayRows(single.astype(d)), some) for d in "fd")
    np.testing.assert_allclose(found.decision_, wanted.decision_, atol=1e-3)


def test_single_precision_is_not_used_where_distances_are_small_beside_the_data():
    rng = np.random.default_rng(0)
    A = np.where(rng.random((600, 1)) < 0.5, 1, -1) * np.sqrt(200.0) + 0.35 * rng.standard_normal((600, 10))
    kernel = LSKPCA(Gaussian(gamma=0.1), **NYSTROM).fit(A, np.where(np.arange(600) < 40, A[:, 0] > 0, -1)).kernel_
    single = A.astype(np.float32)
    difference = kernel.features(single) - kernel.features(single.astype(np.float64))
    assert np.abs(difference).max() < 1e-5


def test_columns_of_a_file_in_another_order_are_refused(tmp_path):
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    pq.write_table(table, tmp_path / "one.parquet")
    pq.write_table(table.select(["b", "a"]), tmp_path / "two.parquet")
    model = LSKPCA(Gaussian(gamma=4.0), **NYSTROM).fit(ParquetRows(tmp_path / "one.parquet"), y)
    with pytest.raises(ValueError, match="the columns are b, a, but those of the fit were a, b"):
        model.predict(ParquetRows(tmp_path / "two.parquet"))


@pytest.mark.parametrize("rows", [lambda A: A, ArrayRows], ids=["array", "blocks"])
def test_new_rows_that_overflow_are_refused(rows):
    model = LSKPCA(Polynomial(3), **NYSTROM).fit(X, y)
    large = X[:5].copy()
    large[1] = 1e120
    with pytest.raises(ValueError, match="too large for floating point arithmetic"):
        model.predict(rows(large))


def test_a_stream_may_fill_the_same_array_again():
    def start():
        buffer = np.empty((100, 2))
        for first in range(0, 600, 100):
            buffer[:] = X[first : first + 100]
            yield buffer

    rows = BlockRows(start)
    np.testing.assert_array_equal(np.vstack(list(rows.blocks(250))), X)
    np.testing.assert_array_equal(rows.each(lambda block, _: block.copy(), 100), X)


def test_a_stream_that_can_be_read_once_is_refused():
    blocks = iter([X[:300], X[300:]])
    rows = BlockRows(lambda: blocks, 600)
    with pytest.raises(ValueError, match="start must return all blocks every time"):
        LSKPCA(**NYSTROM).fit(rows, y)
    with pytest.raises(ValueError, match="n_rows must be a whole number from 1 up"):
        BlockRows(lambda: iter([X]), -4)


def test_next_rows_before_there_are_labels():
    model = SSKPCAClassifier([Gaussian(gamma=4.0)], **NYSTROM, rank=40, memory="500kB").fit(ArrayRows(X))
    whole = SSKPCAClassifier([Gaussian(gamma=4.0)], **NYSTROM, rank=40).fit(X)
    np.testing.assert_array_equal(model.next_rows(3), whole.next_rows(3))


@pytest.mark.parametrize("landmarks", ["uniform", "sorted"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_very_few_landmarks(number, landmarks):
    model = LSKPCA(coordinates="nystrom", n_landmarks=number, landmarks=landmarks).fit(X, y)
    assert np.isfinite(model.decision_).all()


def test_components_of_blocks_at_once():
    parts = KPCA(2, **NYSTROM).fit_transform(ArrayRows(X))
    np.testing.assert_allclose(np.abs(parts), np.abs(KPCA(2, **NYSTROM).fit_transform(X)), atol=1e-6)


def test_a_table_of_labels_may_have_gaps():
    table = pd.DataFrame({"row": [1, 2, 3], "label": ["a", np.nan, "b"]})
    model = LSKPCA(**NYSTROM).fit(X, table)
    assert model.classes_.tolist() == ["a", "b"]
    table = pd.DataFrame({"row": [1, 2, 3], "label": pd.array([1, pd.NA, 0], dtype="Int64")})
    assert LSKPCA(**NYSTROM).fit(X, table).classes_.tolist() == [0, 1]


def test_an_automatic_number_of_landmarks_fits_its_own_budget():
    kernels = [Gaussian(factor=f) for f in (0.5, 1, 2, 4, 8, 16)]
    with pytest.warns(UserWarning, match="landmarks"):
        SSKPCAClassifier(kernels, coordinates="auto", n_landmarks="auto", memory="5MB").fit(ArrayRows(X), y)


def test_numbers_too_large_for_sums_are_refused():
    large = X * 1e150
    with pytest.raises(ValueError, match="too large for floating point"):
        LSKPCA("linear", **NYSTROM).fit(ArrayRows(large), y)


def test_an_offset_costs_landmarks_few_digits():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((400, 5)) * [1, 0.5, 0.2, 0.1, 0.05] + 1e4
    exact = KPCA(5, kernel="linear").fit(A).eigenvalues_
    for rows in (A, ArrayRows(A)):
        found = KPCA(5, kernel="linear", coordinates="nystrom", n_landmarks=50).fit(rows).eigenvalues_
        np.testing.assert_allclose(found, exact, rtol=1e-5)


def test_a_missing_number_among_the_landmarks_is_called_so():
    bad = X.copy()
    bad[:, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN or infinity; fill it in"):
        LSKPCA(**NYSTROM).fit(ArrayRows(bad), y)
    with pytest.raises(ValueError, match="a masked array has missing numbers"):
        ArrayRows(np.ma.masked_invalid(bad))


def test_passes_in_several_threads_leave_the_threads_of_the_blas_alone():
    def threads():
        return [part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"]

    before = threads()
    barrier = threading.Barrier(3)

    def work():
        barrier.wait()
        ArrayRows(X).each(lambda block, _: block @ np.eye(2), 10)

    started = [threading.Thread(target=work) for _ in range(3)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert threads() == before


def test_an_error_in_a_fold_is_raised_and_the_blas_has_its_threads_back():
    class Broken:
        def add(self, block, first):
            raise ZeroDivisionError

        def merge(self, other):
            pass

    before = threadpool_info()
    with pytest.raises(ZeroDivisionError):
        ArrayRows(X).fold(Broken, 10)
    assert [part["num_threads"] for part in threadpool_info()] == [part["num_threads"] for part in before]


def test_a_list_of_blocks_can_be_gone_through_again():
    rows = BlockRows([X[:250], X[250:]])
    assert rows.shape == (600, 2)
    for _ in range(2):
        np.testing.assert_array_equal(np.vstack(list(rows.blocks(100))), X)


def test_what_can_be_gone_through_only_once_is_refused():
    for once in ((X[i : i + 100] for i in range(0, 600, 100)), iter([X]), X):
        with pytest.raises(ValueError, match=r"pass a function that starts it anew: BlockRows\(lambda: \.\.\.\)"):
            BlockRows(once)


def test_blocks_without_rows_and_columns_are_refused():
    with pytest.raises(ValueError, match="a block must have rows and columns, got 1 dimension;"):
        BlockRows([X[0], X[1]])
    with pytest.raises(ValueError, match="a block must have rows and columns, got 3 dimensions;"):
        list(BlockRows([X, X[None]], 1200).blocks(50))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_blocks_with_columns_in_another_order_are_refused(make):
    def frame(first, second, part):
        return make({first: X[part, 0], second: X[part, 1]})

    first, swapped = slice(0, 300), slice(300, 600)
    mixed = [frame("a", "b", first), frame("b", "a", swapped)]
    with pytest.raises(ValueError, match="a block has the columns b, a, the first one a, b; give all of them"):
        BlockRows(mixed)
    with pytest.raises(ValueError, match="a block has the columns b, a"):
        BlockRows(mixed, 600).take(np.array([0, 599]))
    model = LSKPCA(Gaussian(gamma=4.0), **NYSTROM).fit(BlockRows([frame("a", "b", s) for s in (first, swapped)]), y)
    with pytest.raises(ValueError, match="the columns are b, a, but those of the fit were a, b"):
        model.predict(BlockRows([frame("b", "a", first)]))


def test_a_damaged_file_is_called_by_its_name(tmp_path):
    for name in ("one", "two"):
        pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / f"{name}.parquet")
    whole = (tmp_path / "two.parquet").read_bytes()
    (tmp_path / "two.parquet").write_bytes(whole[:4] + b"\xff" * 60 + whole[64:])
    rows = ParquetRows(tmp_path)
    with pytest.raises(ValueError, match=r"two\.parquet is no Parquet file, or a damaged one"):
        list(rows.blocks(100))
    with pytest.raises(ValueError, match="is no Parquet file, or a damaged one"):
        rows.take(np.array([0, 1199]))
    (tmp_path / "two.parquet").write_bytes(whole[:1000])
    for path in (tmp_path, tmp_path / "two.parquet"):
        with pytest.raises(ValueError, match=r"ParquetRows: .*two\.parquet is no Parquet file, or a damaged one"):
            ParquetRows(path)


@pytest.mark.parametrize("landmarks", ["uniform", "sorted"])
def test_a_missing_number_is_called_by_the_row_wherever_it_is_met_first(landmarks):
    options = {**NYSTROM, "landmarks": landmarks}
    bad = X.copy()
    bad[:, 1] = np.nan
    with pytest.raises(ValueError, match=r"Row \d+ of X contains NaN or infinity"):
        LSKPCA(**options).fit(ArrayRows(bad), y)
    for row in range(0, 600, 25):
        bad = X.copy()
        bad[row, 1] = np.inf
        with pytest.raises(ValueError, match=f"Row {row} of X contains|the rows 0 to 599 hold NaN"):
            LSKPCA(**options).fit(ArrayRows(bad), y)


def test_a_guess_from_a_row_without_numbers_does_not_blame_other_rows():
    bad = X.copy()
    bad[599] = np.nan
    with pytest.raises(ValueError, match="the rows 500 to 599 hold NaN"):
        feature_moments(ArrayRows(bad), lambda A: A, None, np.array([np.nan, np.nan]), 100)


@pytest.mark.parametrize(
    "make",
    [
        lambda _: ArrayRows(X),
        lambda _: BlockRows([X]),
        lambda path: ParquetRows(path),
        lambda _: da.from_array(X, chunks=(200, 2)),
    ],
    ids=["array", "blocks", "parquet", "dask"],
)
def test_a_graph_of_all_rows_needs_them_in_memory(make, tmp_path):
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="SpectralGraphTransducer: the graph needs all rows in memory"):
        SpectralGraphTransducer().fit(make(tmp_path / "x.parquet"), y)
