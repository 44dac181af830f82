"""Two workers give the answer of this process; one that dies costs time, not the answer."""

import os
import signal
import time
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

from sskpca import LSKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

X, y, target = make_two_moons(600, n_labeled=30, random_state=1)
NEW = make_two_moons(200, random_state=2)[0]
LABELS = {int(row): int(y[row]) for row in np.flatnonzero(y >= 0)}
OPTIONS = {"kernel": Gaussian(gamma=4.0), "coordinates": "nystrom", "n_landmarks": 60, "label_weight": 10.0}
CHUNK, DEADLY = 50, 5


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("workers"))
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "local_directory": folder}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster, Client(cluster) as client:
        yield client


def chunk(block, folder, deadly, block_id=None):
    """Make a chunk; for the `deadly`-th time that a certain one is made, die at that, as if there were no memory."""
    k = block_id[0]
    time.sleep(0.02)
    times = len(list(Path(folder).glob(f"{k}-*")))
    (Path(folder) / f"{k}-{times}").touch()
    if k == DEADLY and times == deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def made(folder, deadly):
    data = da.from_array(X, chunks=(CHUNK, 2))
    return data.map_blocks(chunk, folder=str(folder), deadly=deadly, dtype=X.dtype, meta=np.empty((0, 0)))


def workers(client):
    return {info["pid"] for info in client.run(lambda: {"pid": os.getpid()}).values()}


def test_a_cluster_gives_the_decisions_of_this_process(client, tmp_path):
    whole = LSKPCA(**OPTIONS).fit(X, y)
    model = LSKPCA(**OPTIONS).fit(made(tmp_path, None), LABELS)
    np.testing.assert_allclose(model.decision_.compute(), whole.decision_, atol=1e-6)
    np.testing.assert_array_equal(model.transduction_.compute(), whole.transduction_)
    new = da.from_array(NEW, chunks=(60, 2))
    np.testing.assert_array_equal(model.predict(new).persist().compute(), whole.predict(NEW))


def test_bad_rows_on_a_worker_are_named_here(client):
    bad = X.copy()
    bad[431, 1] = np.inf
    with pytest.raises(ValueError, match=r"the rows 400 to 449 hold NaN"):
        LSKPCA(**(OPTIONS | {"n_landmarks": 5})).fit(da.from_array(bad, chunks=(CHUNK, 2)), LABELS)


def test_a_worker_that_dies_during_the_fit_does_not_change_the_decisions(client, tmp_path):
    deadly = 2  # a chunk is made for the landmarks, for a guess of the mean, and then for the sums
    client.wait_for_workers(2, timeout=30)
    before = workers(client)
    model = LSKPCA(**OPTIONS).fit(made(tmp_path, deadly), LABELS)
    assert (tmp_path / f"{DEADLY}-{deadly + 1}").exists()  # it was made again
    client.wait_for_workers(2, timeout=30)
    assert len(before - workers(client)) == 1
    whole = LSKPCA(**OPTIONS).fit(X, y)
    np.testing.assert_allclose(model.decision_.compute(), whole.decision_, atol=1e-6)
    np.testing.assert_array_equal(model.transduction_.compute(), whole.transduction_)
