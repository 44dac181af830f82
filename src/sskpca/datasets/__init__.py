"""Data to try the methods on."""

from sskpca.datasets._book import BOOK_SETS, load_ssl_book
from sskpca.datasets._moons import make_two_moons

__all__ = ["BOOK_SETS", "load_ssl_book", "make_two_moons"]
