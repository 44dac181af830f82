"""SecStr on a cluster of this machine: two workers of Dask with one thread each, against the run in this process.

    python benchmarks/scale/cluster.py                              # 83,679 rows, 500 and 2,000 landmarks
    python benchmarks/scale/cluster.py --landmarks 500 --extra --repeats 1    # 1,273,151 rows
    python benchmarks/scale/cluster.py --landmarks 500 --double     # in double precision

LS-KPCA with a Gaussian kernel on Nyström coordinates, split 1 with 1,000 labels; fit and decisions on all rows. Every
worker makes its chunks of 315 columns from the letters, which are in a file. Then the same while one worker is killed
in the middle of the fit. The runs take turns, and the quickest of each counts; the difference is the largest of any
decision, relative to the largest decision. (Products in single precision are rounded differently in blocks of different
lengths; the chunks here are cut into the same blocks as the rows of this process.) Moved is what the workers have
fetched from each other.
"""

import argparse
import csv
import os
import platform
import signal
import tempfile
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from threadpoolctl import threadpool_info

from sskpca import LSKPCA
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Gaussian
from sskpca.rows import ArrayRows

RESULTS = Path(__file__).parent / "results" / "cluster.csv"
COLUMNS = ("rows", "landmarks", "precision", "what", "seconds", "ratio", "difference", "moved_MB")
N_LABELED, SPLIT = 1000, 1
# A multiple of the blocks of all numbers of landmarks: then products are rounded alike, here and on the workers.
CHUNK = 8000
# Of the time of an undisturbed fit, after which a worker is killed: in the pass for the sums.
MOMENT = 0.5


def chunk(path, n_columns, kind, block_info=None):
    """Make rows of zeros and ones from the columns of the ones."""
    (first, stop), _ = block_info[None]["array-location"]
    ones = np.load(path, mmap_mode="r")[first:stop]
    rows = np.zeros((stop - first, n_columns), dtype=kind)
    np.put_along_axis(rows, ones.astype(np.intp), 1.0, axis=1)
    return rows


def lazy_rows(X, path, kind):
    """Write the columns of the ones of a sparse matrix into a file; the rows are made of it where they are needed."""
    n, d = X.shape
    np.save(path, X.indices.reshape(n, -1).astype(np.int16))
    lengths = (*[CHUNK] * (n // CHUNK), *([n % CHUNK] if n % CHUNK else []))
    meta = np.empty((0, 0), dtype=kind)
    return da.map_blocks(chunk, str(path), d, kind, chunks=(lengths, (d,)), dtype=kind, meta=meta)


def fitted(data, labels, n_landmarks):
    """Fit, decide on all rows; give seconds of the fit and of both, and the decisions."""
    start = time.perf_counter()
    model = LSKPCA(Gaussian(), coordinates="nystrom", n_landmarks=n_landmarks, memory="2GB").fit(data, labels)
    fit = time.perf_counter() - start
    decision = np.asarray(model.decision_)
    return fit, time.perf_counter() - start, decision


def moved(client):
    """Sum up the bytes that workers have fetched from each other so far."""
    logs = client.run(lambda dask_worker: sum(entry["total"] for entry in dask_worker.transfer_incoming_log))
    return sum(logs.values())


def kill_one(client, after):
    """Kill a worker some seconds from now."""
    victim = min(client.run(os.getpid).values())
    timer = threading.Timer(after, os.kill, (victim, signal.SIGKILL))
    timer.start()
    return victim, timer


def measure(client, X, lazy, labels, n_landmarks, repeats):
    """Return rows of the table."""
    local = ArrayRows(X.astype(lazy.dtype))
    times = {"in process": [], "2 workers": [], "2 workers, one killed": []}
    apart, fetched = dict.fromkeys(times, 0.0), dict.fromkeys(times, "")

    def note(what, took, decision):
        times[what].append(took)
        apart[what] = max(apart[what], float(np.abs(decision - expected).max() / np.abs(expected).max()))
        print(f"{n_landmarks} landmarks, {what}: {took:.1f} s, difference {apart[what]:.1e}", flush=True)

    for _ in range(repeats):
        _, took, expected = fitted(local, labels, n_landmarks)
        note("in process", took, expected)
        before = moved(client)
        undisturbed, took, decision = fitted(lazy, labels, n_landmarks)
        note("2 workers", took, decision)
        fetched["2 workers"] = f"{(moved(client) - before) / 1e6:.0f}"
        victim, timer = kill_one(client, MOMENT * undisturbed)
        _, took, decision = fitted(lazy, labels, n_landmarks)
        assert not timer.is_alive(), "the fit was over before the worker was killed"
        note("2 workers, one killed", took, decision)
        client.wait_for_workers(2, timeout=120)
        assert victim not in client.run(os.getpid).values()
    least = min(times["in process"])
    setting = X.shape[0], n_landmarks, "double" if lazy.dtype == np.float64 else "single"
    return [
        (*setting, what, f"{min(took):.1f}", f"{min(took) / least:.2f}", f"{apart[what]:.1e}", fetched[what])
        for what, took in times.items()
    ]


def add(rows):
    RESULTS.parent.mkdir(exist_ok=True)
    new = not RESULTS.exists()
    threads = max(part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas")
    with open(RESULTS, "a", newline="") as file:
        if new:
            file.write(f"# python benchmarks/scale/cluster.py; python {platform.python_version()}, ")
            file.write(f"numpy {np.__version__}, dask {dask.__version__}, {os.cpu_count()} processors, ")
            file.write(f"{threads} threads in process\n")
            file.write("# seconds of fit and decisions on all rows; ratio to the run in process; difference relative\n")
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--landmarks", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--extra", action="store_true", help="with a million rows more")
    parser.add_argument("--double", action="store_true", help="rows in double precision")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    book = load_ssl_book("SecStr", N_LABELED, SPLIT, extra=options.extra)
    labels = {int(row): int(book.target[row]) for row in book.labeled}
    with tempfile.TemporaryDirectory() as folder:
        lazy = lazy_rows(book.data, Path(folder) / "letters.npy", "float64" if options.double else "float32")
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", local_directory=folder
        )
        with cluster, Client(cluster) as client:
            for n_landmarks in options.landmarks:
                rows = measure(client, book.data, lazy, labels, n_landmarks, options.repeats)
                add(rows)
                for row in rows:
                    print(*row, flush=True)


if __name__ == "__main__":
    main()
