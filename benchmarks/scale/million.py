"""All 1,273,151 rows of SecStr, seen from 2,000 landmarks: time against the products it must do, and memory.

    python benchmarks/scale/million.py                # five minutes on a quiet machine; writes results/million.csv
    python benchmarks/scale/million.py --rows 100000  # fewer rows; nothing is written

The products are those of one pass: kernel values of all rows against the landmarks in single precision (a general
product), and their second moments in double precision (a symmetric one), on matrices of the same sizes, in as many
threads, timed before and after the fit. The fit does them once, takes the exponentials, solves a problem of 2,000
unknowns, and evaluates the answer on all rows, which is the first product again.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from measured import peak_gigabytes, timed, write
from scipy.linalg.blas import dsyrk
from threadpoolctl import threadpool_limits

from sskpca import LSKPCA
from sskpca._linalg.threads import n_threads
from sskpca.datasets import load_ssl_book
from sskpca.kernels import Gaussian
from sskpca.rows import ArrayRows

N_LANDMARKS, SIZE = 2000, 1000


def products(n_blocks, width):
    """Do the two products for so many blocks in each thread."""
    number = n_threads()

    def work(seed):
        rng = np.random.default_rng(seed)
        block, landmarks = (rng.random((size, width), dtype=np.float32) for size in (SIZE, N_LANDMARKS))
        F, gram = rng.random((SIZE, N_LANDMARKS)), np.zeros((N_LANDMARKS, N_LANDMARKS), order="F")

        def one():
            _ = block @ landmarks.T
            dsyrk(1.0, F.T, beta=1.0, c=gram, lower=1, overwrite_c=1)

        one()
        return timed(lambda: [one() for _ in range(n_blocks)])[1]

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(number) as pool:
        return max(pool.map(work, range(number))) / (n_blocks * number * SIZE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    book = load_ssl_book("SecStr", 1000, 1, extra=True)
    X, y = book.data[: options.rows].astype(np.float32), book.y[: options.rows]
    book.pop("data")  # once is enough
    n = X.shape[0]
    model = LSKPCA(Gaussian(), coordinates="nystrom", n_landmarks=N_LANDMARKS, memory="2GB")
    before = products(60, X.shape[1] + 2)
    _, fit = timed(model.fit, ArrayRows(X), y)
    after = products(60, X.shape[1] + 2)
    least = (before + after) / 2 * n
    row = (n, N_LANDMARKS, f"{fit:.1f}", f"{least:.1f}", f"{fit / least:.2f}", f"{peak_gigabytes():.2f}")
    error = (
        100 * float(np.mean(model.transduction_[book.unlabeled] != book.target[book.unlabeled]))
        if not options.rows
        else 0
    )
    print(f"{n} rows: fit {fit:.1f} s, its products {least:.1f} s, ratio {fit / least:.2f}; {peak_gigabytes():.2f} GB")
    print(
        f"share of variance missed {model.kernel_.missed_:.2f}; KKT residual {model.reports_[0].kkt_residual:.1e}; "
        f"error at default settings {error:.1f} %"
    )
    if not options.rows:
        columns = ("rows", "landmarks", "fit_seconds", "products_seconds", "ratio", "peak_gigabytes")
        write("million.csv", columns, [row], "python benchmarks/scale/million.py")


if __name__ == "__main__":
    main()
