"""Data to try the methods on."""

from sskpca.datasets.book import BOOK_SETS, load_ssl_book
from sskpca.datasets.moons import make_two_moons

__all__ = ["BOOK_SETS", "load_ssl_book", "make_two_moons"]
