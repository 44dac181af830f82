"""Plain nearest neighbours have the errors known for all sets: rows, classes and splits are loaded right."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from sskpca.datasets import load_ssl_book

SETS = ("g241c", "g241d", "Digit1", "USPS", "COIL", "BCI", "Text")
KNOWN = {
    10: (44.05, 43.22, 23.47, 19.82, 65.91, 48.74, 39.44),
    100: (40.28, 37.49, 6.12, 7.64, 23.27, 44.83, 30.77),
}  # error in % on the unlabelled rows, mean of the 12 splits


@pytest.mark.parametrize(
    ("name", "n_labeled", "known"),
    [(name, n_labeled, known) for n_labeled in KNOWN for name, known in zip(SETS, KNOWN[n_labeled], strict=True)],
)
def test_nearest_neighbour_has_the_known_error_on_every_set(name, n_labeled, known):
    errors = []
    for split in range(1, 13):
        book = load_ssl_book(name, n_labeled, split)
        knn = KNeighborsClassifier(1).fit(book.data[book.labeled], book.target[book.labeled])
        errors.append(1 - knn.score(book.data[book.unlabeled], book.target[book.unlabeled]))
    assert 100 * np.mean(errors) == pytest.approx(known, abs=0.01)
