"""What a task is given, it leaves as it was; what all tasks need is sent once; threads are given back."""

import pickle

import cloudpickle
import dask.array as da
import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sskpca.distributed import DaskRows
from sskpca.distributed._rows import FAN_IN, _merged, packed

X = np.arange(2000.0).reshape(1000, 2)
LARGE = np.arange(100_000.0)


class Total:
    def __init__(self, large):
        self.large, self.sum, self.seen = large, np.zeros(2), []

    def add(self, block, first):
        self.sum += block.sum(axis=0)
        self.seen.append((first, len(block)))

    def merge(self, other):
        self.sum += other.sum
        self.seen += other.seen


def test_a_fold_sees_every_row_once_in_order():
    for chunks in (1000, 100, 37, 7):
        total = DaskRows(da.from_array(X, chunks=(chunks, 2))).fold(lambda: Total(LARGE), 30)
        np.testing.assert_array_equal(total.sum, X.sum(axis=0))
        starts, lengths = np.transpose(total.seen)
        np.testing.assert_array_equal(starts, np.append(0, np.cumsum(lengths))[:-1])
        assert max(lengths) <= 30


def test_merging_leaves_the_parts_as_they_were():
    package = packed(lambda: Total(LARGE)).compute()
    parts = [package.function() for _ in range(FAN_IN)]
    for k, part in enumerate(parts):
        part.add(X[k : k + 1], k)
    once, twice = _merged(package, parts), _merged(package, parts)
    np.testing.assert_array_equal(once.sum, twice.sum)
    np.testing.assert_array_equal(once.sum, X[:FAN_IN].sum(axis=0))
    assert [part.seen for part in parts] == [[(k, 1)] for k in range(FAN_IN)]


def test_what_all_tasks_need_is_in_the_graph_once():
    lazy = DaskRows(da.from_array(X, chunks=(50, 2))).each(lambda block, _: block + LARGE[0], 10)
    graph = lazy.__dask_optimize__(lazy.__dask_graph__(), lazy.__dask_keys__())
    sizes = sorted(len(cloudpickle.dumps(task)) for task in dict(graph).values())
    assert sizes[-1] > LARGE.nbytes > 20 * sizes[-2]


def test_rows_that_a_function_holds_on_to_are_not_sent():
    rows = DaskRows(da.from_array(LARGE.reshape(-1, 2), chunks=(50_000, 2)))

    class Model:
        def __init__(self):
            self.rows, self.decision = rows, rows.X[:, 0] > 0

        def values(self, block, first):
            return block.sum(axis=1)

    package = packed(Model().values).compute()
    assert len(package.content) < 10_000
    sent = pickle.loads(pickle.dumps(package))
    assert sent == package
    np.testing.assert_array_equal(sent.function(X[:3], 0), X[:3].sum(axis=1))
    assert sent.function.__self__.rows is None


def n_threads():
    return {part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"}


class Threads(Total):
    def add(self, block, first):
        self.seen.append(n_threads())


def test_a_task_has_one_thread_and_gives_the_others_back():
    rows = DaskRows(da.from_array(X, chunks=(50, 2)))
    with threadpool_limits(2, user_api="blas"):
        before = n_threads()
        assert rows.fold(lambda: Threads(LARGE), 50).seen == [{1}] * 20
        assert n_threads() == before
        rows.each(lambda block, _: block @ block.T @ block, 50).compute()
        assert n_threads() == before
    with threadpool_limits(1, user_api="blas"):
        assert n_threads() == {1}  # nobody else has kept the right to say
