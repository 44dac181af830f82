"""Rows by number and in blocks are the same rows, wherever they come from."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from threadpoolctl import threadpool_limits

from sskpca.rows import ArrayRows, BlockRows, ParquetRows
from sskpca.rows._memory import bytes_of
from sskpca.rows._source import as_rows

X = np.random.default_rng(0).standard_normal((1000, 4)).astype(np.float32).astype(np.float64)


def parquet(tmp_path):
    columns = {f"c{k}": X[:, k] for k in range(4)}
    pq.write_table(pa.table({**columns, "name": ["a"] * 1000}), tmp_path / "x.parquet", row_group_size=130)
    return ParquetRows(tmp_path / "x.parquet")


def mapped(tmp_path):
    X.tofile(tmp_path / "x.bin")
    return ArrayRows(np.memmap(tmp_path / "x.bin", dtype=np.float64, shape=X.shape))


def arrow():
    return (pa.table({f"c{k}": X[i : i + 90, k] for k in range(4)}) for i in range(0, 1000, 90))


SOURCES = {
    "array": lambda _: ArrayRows(X),
    "single": lambda _: ArrayRows(X.astype(np.float32)),
    "sparse": lambda _: ArrayRows(scipy.sparse.csr_array(X)),
    "map": mapped,
    "blocks": lambda _: BlockRows(lambda: (X[i : i + 90] for i in range(0, 1000, 90))),
    "sparse blocks": lambda _: BlockRows(lambda: (scipy.sparse.csr_array(X[i : i + 90]) for i in range(0, 1000, 90))),
    "arrow": lambda _: BlockRows(arrow, 1000),
    "parquet": parquet,
}


def dense(block):
    return block.toarray() if scipy.sparse.issparse(block) else block


@pytest.fixture(params=SOURCES)
def rows(request, tmp_path):
    return SOURCES[request.param](tmp_path)


@pytest.mark.parametrize("size", [1, 77, 90, 1000, 5000])
def test_blocks_are_all_rows_in_order(rows, size):
    blocks = [dense(block) for block in rows.blocks(size)]
    assert max(len(block) for block in blocks) <= size
    np.testing.assert_array_equal(np.vstack(blocks), X)


def test_rows_by_number_come_in_the_order_asked_for(rows):
    wanted = np.array([5, 999, 3, 3, 0, 512])
    np.testing.assert_array_equal(dense(rows.take(wanted)), X[wanted])
    assert rows.shape == X.shape


class Total:
    def __init__(self):
        self.sum, self.seen = np.zeros(4), []

    def add(self, block, first):
        self.sum += dense(block).astype(np.float64).sum(axis=0)
        self.seen.append(first)

    def merge(self, other):
        self.sum += other.sum
        self.seen += other.seen


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_fold_sees_every_block_once(rows, threads):
    with threadpool_limits(threads, user_api="blas"):
        total = rows.fold(Total, 77)
        again = rows.fold(Total, 77)
    assert sorted(total.seen) == list(range(0, 1000, 77))
    np.testing.assert_allclose(total.sum, X.sum(axis=0))
    np.testing.assert_array_equal(total.sum, again.sum)


@pytest.mark.parametrize("threads", [1, 3])
def test_each_keeps_the_order(rows, threads):
    with threadpool_limits(threads, user_api="blas"):
        found = rows.each(lambda block, first: dense(block)[:, :1] + first, 77)
    np.testing.assert_allclose(found[:, 0], X[:, 0] + 77 * (np.arange(1000) // 77))


def test_an_error_in_a_thread_is_raised_here():
    def fail(block, first):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ArrayRows(X).each(fail, 10)


def test_a_stream_that_changes_is_refused():
    with pytest.raises(ValueError, match="900 rows came in a pass, 1000 were announced"):
        BlockRows(lambda: iter([X[:900]]), 1000).fold(Total, 50)
    with pytest.raises(ValueError, match="a block has 3 columns, the first one 4"):
        list(BlockRows(lambda: iter([X[:900], X[:, :3]]), 1900).blocks(50))
    with pytest.raises(ValueError, match="there is no block"):
        BlockRows(lambda: iter([]))


def test_columns_of_text_are_refused(tmp_path):
    rows = parquet(tmp_path)
    assert rows.columns == ["c0", "c1", "c2", "c3"]
    with pytest.raises(ValueError, match="the column 'name' is missing or holds no numbers"):
        ParquetRows(rows.path, ["c0", "name"])
    with pytest.raises(FileNotFoundError, match="there is no"):
        ParquetRows(tmp_path / "y.parquet")


def test_ordinary_data_are_not_rows():
    assert as_rows(X) is None
    assert as_rows(pa.table({"a": [1.0]})) is None


@pytest.mark.parametrize("bad", ["2", "many", "0GB", "-1GB", 0, -5, 1.5, True])
def test_a_budget_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match="memory must be None, a number of bytes"):
        bytes_of(bad)


@pytest.mark.parametrize(("text", "number"), [("1KB", 1000), ("1kb", 1000), ("2gb", 2 * 10**9), ("1 MIB", 2**20)])
def test_units_of_memory_are_understood_in_capitals_and_without(text, number):
    assert bytes_of(text) == number


def test_what_is_no_amount_of_memory_is_told_the_units():
    for text in ("2G", "1 XB", "lots", "0GB"):
        with pytest.raises(ValueError, match=r"the units are kB, MB, GB, TB .* KiB, MiB, GiB, TiB"):
            bytes_of(text)
