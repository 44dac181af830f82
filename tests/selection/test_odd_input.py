import numpy as np
import pytest

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca._transduction.labels import read_labels
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian, Linear

X, y, target = make_two_moons(60)
NAMES = np.where(y < 0, None, np.array(["a", "b"], dtype=object)[y])


@pytest.mark.filterwarnings("ignore:one labelled row")
@pytest.mark.parametrize(("number", "kernels"), [(2, [Gaussian(), Diffusion(5)]), (6, [Gaussian()])])
def test_the_only_label_of_a_class_counts_as_wrong(number, kernels):
    labels = list("abcdef")[:number] + [None] * (60 - number)
    assert SSKPCAClassifier(kernels).fit(X, labels).loo_error_ == 1


@pytest.mark.parametrize("kernels", ["auto", [Gaussian(), Diffusion(5)], [Diffusion(5)]])
def test_constant_features_with_graphs(kernels):
    with pytest.raises(ValueError, match="all 60 rows look the same to every kernel"):
        SSKPCAClassifier(kernels).fit(np.ones((60, 2)), y)


@pytest.mark.parametrize("gone", [y == 1, y >= 0])
def test_nothing_is_left_of_a_model_that_has_lost_its_labels(gone):
    model = SSKPCAClassifier([Gaussian()]).fit(X, y).forget_labels(np.flatnonzero(gone))
    assert not hasattr(model, "transduction_")
    assert not hasattr(model, "loo_error_")


def test_nothing_is_left_of_an_earlier_fit():
    model = SSKPCAClassifier([Gaussian()]).fit(X, y).fit(X)
    assert not hasattr(model, "transduction_")


def test_kernel_weights_of_equal_kernels_sum_to_one():
    model = SSKPCAClassifier([Gaussian(), Gaussian()]).fit(X, y)
    assert sum(model.kernel_weights_.values()) == pytest.approx(1)


def test_rows_that_differ_are_not_called_the_same():
    far = X.copy()
    far[np.flatnonzero(y < 0)[0]] = 1e9
    SSKPCAClassifier([Linear()]).fit(far, y)  # a warning is an error here


def test_contradicting_duplicates_are_seen_without_a_gaussian():
    twice, labels = np.vstack([X, X[:5]]), np.r_[y, [-1] * 5]
    labels[2], labels[62] = 0, 1
    with pytest.warns(UserWarning, match="the rows 2 and 62 are the same"):
        SSKPCAClassifier([Diffusion(5)]).fit(twice, labels)


def test_blank_text_is_no_class():
    with pytest.raises(ValueError, match="the label of row 3 is empty"):
        LSKPCA().fit(X, NAMES).update_labels(3, "  ", new_classes=True)


def test_a_suspicious_name_is_refused_as_by_fit():
    y = NAMES.copy()
    y[3] = "nan"
    with pytest.raises(ValueError, match="looks like a mark for unlabelled"):
        read_labels(y)
    with pytest.raises(ValueError, match="looks like a mark for unlabelled"):
        LSKPCA().fit(X, NAMES).update_labels(3, "nan", new_classes=True)


@pytest.mark.parametrize("kernels", [Gaussian(), None, 3])
def test_kernels_that_are_no_list(kernels):
    with pytest.raises(ValueError, match='kernels must be "auto" or a list of kernels'):
        SSKPCAClassifier(kernels).fit(X, y)


def test_a_kernel_matrix_is_said_to_be_one():
    assert SSKPCAClassifier(["precomputed"]).__sklearn_tags__().input_tags.pairwise


def test_an_indefinite_kernel_is_named():
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    with pytest.raises(ValueError, match=r"SSKPCAClassifier: with the kernel Precomputed.*clip the negative"):
        SSKPCAClassifier(["precomputed"]).fit(D, y)


def test_one_row_is_explained_at_a_time():
    with pytest.raises(ValueError, match="SSKPCAClassifier: "):
        SSKPCAClassifier([Gaussian()]).fit(X, y).explain([0, 1])


def test_a_scalar_array_is_a_label():
    assert LSKPCA().fit(X, y).update_labels(np.array(3), np.array(1)).transduction_[3] == 1


def test_near_copies_of_a_table_of_copies_are_not_new():
    model = SSKPCAClassifier([Gaussian()]).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert model.novelty(X + 1e-9).max() < 1e-6


def test_no_next_row_where_all_are_labelled():
    assert len(SSKPCAClassifier([Gaussian()]).fit(X, target).next_rows(2)) == 0


def test_an_equal_number_is_the_class():
    model = LSKPCA().fit(X, y).update_labels(3, 1.0)
    assert model.classes_.dtype.kind == "i"
