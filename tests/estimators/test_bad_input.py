"""Each gets one sentence that says what is wrong and what to do."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA
from sskpca.datasets import make_two_moons
from sskpca.solvers import HuberHinge

CLASSIFIERS = [LSKPCA, LRKPCA, MVKPCA]
X, y, target = make_two_moons(60)


def bad(value):
    spoiled = X.copy()
    spoiled[3, 1] = value
    return spoiled


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
@pytest.mark.parametrize(("value", "words"), [(np.nan, "contains NaN"), (np.inf, "contains infinity")])
def test_nan_and_infinity(estimator, value, words):
    with pytest.raises(ValueError, match=words):
        estimator().fit(bad(value), y)
    fitted = estimator().fit(X, y)
    with pytest.raises(ValueError, match=words):
        fitted.transform(bad(value))


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_none_labelled(estimator):
    with pytest.raises(ValueError, match="no row is labelled; label some rows, or use KPCA"):
        estimator(unlabeled=-1).fit(X, np.full(60, -1))
    with pytest.raises(ValueError, match="no row is labelled"):
        estimator().fit(X, np.full(60, -1))
    with pytest.raises(ValueError, match="KPCA"):
        estimator().fit(X, [None] * 60)
    with pytest.raises(ValueError, match="KPCA"):
        estimator().fit(X, None)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_all_labelled_is_fine(estimator):
    model = estimator().fit(X, target)
    np.testing.assert_array_equal(model.transduction_, target)
    assert model.score(X, target) > 0.8


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_one_class(estimator):
    with pytest.raises(ValueError, match="all labelled rows are of one class, 'cat'"):
        estimator().fit(X, ["cat"] * 3 + [None] * 57)


def test_one_label_a_class_is_enough_except_for_variance_within_classes():
    labels = ["a", "b", "c"] + [None] * 57
    assert LSKPCA().fit(X, labels).decision_.shape == (60, 3)
    assert LRKPCA().fit(X, labels).decision_.shape == (60, 3)
    with pytest.raises(ValueError, match="no class has two labelled rows"):
        MVKPCA().fit(X, labels)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_more_classes_than_labels_allow(estimator):
    with pytest.raises(ValueError, match="a class for each row"):
        estimator().fit(X, [f"row {i}" for i in range(60)])


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "cosine"])
def test_constant_features(estimator, kernel):
    with pytest.raises(ValueError, match="all 60 rows look the same"):
        estimator(kernel=kernel).fit(np.ones((60, 2)), y)


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
def test_one_constant_feature_is_fine(estimator):
    model = estimator().fit(np.column_stack([X, np.ones(60)]), y)
    assert np.isfinite(model.transform(np.column_stack([X, np.ones(60)]))).all()


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_duplicate_rows_get_the_same_answer(estimator, kernel):
    twice = np.vstack([X, X])
    model = estimator(kernel=kernel).fit(twice, np.r_[y, np.full(60, -1)])
    decision = model.decision_function(twice)
    np.testing.assert_allclose(decision[:60], decision[60:], atol=1e-6)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_contradicting_labels_on_duplicates_are_survived(estimator):
    labels = np.r_[y, np.where(y >= 0, 1 - y, -1)]
    model = estimator().fit(np.vstack([X, X]), labels)
    assert np.isfinite(model.decision_).all()


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, "many", None, True])
def test_bad_label_weight(estimator, weight):
    with pytest.raises(ValueError, match="label_weight must be a finite"):
        estimator(label_weight=weight).fit(X, y)


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA])
def test_zero_label_weight(estimator):
    with pytest.raises(ValueError, match="label_weight must be a finite positive number, got 0"):
        estimator(label_weight=0).fit(X, y)


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA])
@pytest.mark.parametrize("variance", [0, -2.0, np.nan, "large", None])
def test_bad_variance(estimator, variance):
    with pytest.raises(ValueError, match='variance must be "auto" or a finite positive number'):
        estimator(variance=variance).fit(X, y)


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA])
def test_variance_that_no_function_can_reach(estimator):
    """Without any variance in the space no function has any; with some, every value can be reached by scaling."""
    with pytest.raises(ValueError, match="no function of them can have the wanted variance"):
        estimator("precomputed", variance=3.0).fit(np.ones((60, 60)), y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator(variance=1e9).fit(X, y)
    assert np.var(model.transform(X)) == pytest.approx(1e9, rel=1e-6)


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
def test_indefinite_precomputed_kernel(estimator):
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    with pytest.raises(ValueError, match="with kernel='precomputed', the kernel matrix is not positive semi-definite"):
        estimator(kernel="precomputed").fit(D, y)


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
def test_precomputed_kernel_of_the_wrong_shape(estimator):
    with pytest.raises(ValueError, match="a kernel matrix must be square"):
        estimator(kernel="precomputed").fit(X, y)


def test_precomputed_kernel_that_is_not_symmetric():
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    K[0, 1] = 0.9
    with pytest.raises(ValueError, match=r"not symmetric; pass \(K \+ K.T\) / 2"):
        LSKPCA("precomputed").fit(K, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_wrong_shapes(estimator):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimator().fit(X, y[:-1])
    with pytest.raises(ValueError, match="1D array"):
        estimator().fit(X[:, 0], y)
    with pytest.raises(ValueError, match="features"):
        estimator().fit(X, y).predict(X[:, :1])


def test_columns_that_are_not_numbers_are_named():
    import pandas as pd
    import polars as pl

    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame({"name": ["a"] * 60, "width": X[:, 0], "kind": ["b"] * 60})
        with pytest.raises(ValueError, match="columns 'name', 'kind' hold no numbers; drop or encode them"):
            LSKPCA().fit(table, y)
    with pytest.raises(ValueError, match=r"collect\(\) it first"):
        LSKPCA().fit(pl.DataFrame({"width": X[:, 0]}).lazy(), y)


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
def test_fewer_than_three_rows(estimator):
    with pytest.raises(ValueError, match="minimum of 3"):
        estimator().fit(X[:2], ["a", "b"])


@pytest.mark.parametrize("estimator", [KPCA, *CLASSIFIERS])
def test_features_beyond_floating_point(estimator):
    with pytest.raises(ValueError, match="too large for floating point arithmetic; rescale them"):
        estimator().fit(X * 1e300, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_bad_rank_threshold_coordinates_and_centring(estimator):
    with pytest.raises(ValueError, match="rank must be None or a whole number"):
        estimator(rank=0).fit(X, y)
    with pytest.raises(ValueError, match='coordinates must be "exact", "nystrom"'):
        estimator(coordinates="fast").fit(X, y)
    with pytest.raises(ValueError, match="centered must be True or False"):
        estimator(centered="yes").fit(X, y)
    if estimator is not MVKPCA:
        with pytest.raises(ValueError, match='threshold must be "auto" or a number'):
            estimator(threshold="middle").fit(X, y)


def test_coordinates_of_other_data():
    model = LSKPCA().fit(X, y)
    with pytest.raises(ValueError, match="the coordinates are those of 60 centred points, but X has 50 rows"):
        LSKPCA(coordinates=model.coordinates_).fit(X[:50], y[:50])


def test_bad_loss_and_iterations():
    for wrong in (None, 3, np.exp):
        with pytest.raises(ValueError, match=r'loss must be "logistic", .* or an object with convex, value, slope'):
            LRKPCA(loss=wrong).fit(X, y)
    with pytest.raises(ValueError, match=r"loss=HuberHinge is a class; pass an object: HuberHinge\(\)"):
        LRKPCA(loss=HuberHinge).fit(X, y)
    unfinished = SimpleNamespace(convex=True, value=np.abs, slope=np.sign)
    with pytest.raises(ValueError, match=r"which has no second, majorant\.$"):
        LRKPCA(loss=unfinished).fit(X, y)
    with pytest.raises(ValueError, match="loss='squared' is not known; choose from logistic"):
        LRKPCA(loss="squared").fit(X, y)
    with pytest.raises(ValueError, match="max_iter"):
        LRKPCA(max_iter=0).fit(X, y)
    with pytest.raises(ValueError, match="tol"):
        LRKPCA(tol=0).fit(X, y)


def test_unconverged_reweighting_warns_and_says_what_to_do():
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="raise max_iter, loosen tol"):
        LRKPCA(max_iter=1, tol=1e-15, label_weight=1e3).fit(X, y)


def test_score_without_labels():
    with pytest.raises(ValueError, match="no row of y is labelled"):
        LSKPCA().fit(X, y).score(X, [None] * 60)


def test_groups_of_another_length():
    with pytest.raises(ValueError, match="groups has 3 entries, y has 60"):
        MVKPCA().fit(X, y, groups=["a", "a", "b"])


def test_a_refused_fit_leaves_the_fitted_state():
    model = LSKPCA().fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="no row is labelled"):
        model.fit(X, [None] * 60)
    np.testing.assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA])
@pytest.mark.parametrize("parameter", ["label_weight", "variance"])
@pytest.mark.parametrize("value", [1e20, 1e-100])
def test_parameters_beyond_double_precision(estimator, parameter, value):
    with pytest.raises(ValueError, match="must be between 1e-12 and 1e"):
        estimator(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_features_below_floating_point(kernel):
    with pytest.raises(ValueError, match="features are too small"):
        LSKPCA(kernel).fit(X * 1e-160, y)
