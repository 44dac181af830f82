"""The original data, and what LS-KPCA makes of them.

All parameters were fixed before the first run, none of them by these errors; benchmarks/book/fixed.py has the tables.
"""

import numpy as np
import pytest

from sskpca import LSKPCA
from sskpca.datasets import load_ssl_book, make_two_moons


def mean_error(name, **parameters):
    """Average the transductive error over the 12 splits; the kernel is decomposed once for all."""
    errors, coordinates = [], "exact"
    for split in range(1, 13):
        book = load_ssl_book(name, 100, split)
        model = LSKPCA("rbf", threshold=0.0, coordinates=coordinates, **parameters).fit(book.data, book.y)
        coordinates = model.coordinates_
        errors.append(np.mean(model.transduction_[book.unlabeled] != book.target[book.unlabeled]))
        assert abs(model.reports_[0].gap) < 1e-9
        assert model.reports_[0].kkt_residual < 1e-9
    return 100 * np.mean(errors)


def test_usps_with_the_automatic_variance():
    assert mean_error("USPS", label_weight=100.0) <= 9.5


def test_g241c_with_variance_one():
    assert mean_error("g241c", label_weight=0.1, variance=1.0) <= 13.2


def test_text_is_sparse():
    book = load_ssl_book("Text", 10, 12)
    assert book.data.shape == (1500, 11960)
    assert (book.y >= 0).sum() == 10


def test_secstr_is_one_hot_and_its_extra_rows_are_nobodys():
    book, more = (load_ssl_book("SecStr", 100, 1, extra=extra) for extra in (False, True))
    assert book.data.shape == (83679, 315)
    assert more.data.shape == (1273151, 315)
    assert set(np.diff(more.data.indptr)) == {15}
    assert (more.data[: len(book.target)] != book.data).nnz == 0
    np.testing.assert_array_equal(more.unlabeled, book.unlabeled)
    assert set(more.target[len(book.target) :]) == {-1}
    # 15 places, each with one of 21 letters; columns are ordered by letter, then place.
    np.testing.assert_array_equal(np.sort(book.data[7].indices % 15), np.arange(15))


def test_extra_rows_come_with_secstr_only():
    with pytest.raises(ValueError, match="with SecStr only, not with USPS"):
        load_ssl_book("USPS", 10, extra=True)


def test_unknown_sets_and_splits_are_refused():
    with pytest.raises(ValueError, match="choose from Digit1"):
        load_ssl_book("MNIST")
    with pytest.raises(ValueError, match="no splits with n_labeled=7"):
        load_ssl_book("BCI", 7)
    with pytest.raises(ValueError, match="splits 1 to 12"):
        load_ssl_book("BCI", 10, 13)


def test_missing_package_is_named(monkeypatch):
    from importlib.metadata import PackageNotFoundError

    from sskpca.datasets import _book as book

    def nowhere(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(book, "distribution", nowhere)
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        load_ssl_book("BCI")


def test_moons_refuse_more_labels_than_points():
    with pytest.raises(ValueError, match="cannot label"):
        make_two_moons(10, n_labeled=6)
