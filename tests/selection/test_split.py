import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.semi_supervised import LabelSpreading

from sskpca import LSKPCA
from sskpca._selection.split import LabelledOnlySplit
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

nan = float("nan")


def animals(n_labeled=20, n=60, seed=0):
    """Names on some rows in random order, None on the others."""
    rng = np.random.default_rng(seed)
    y = np.full(n, None, dtype=object)
    y[rng.choice(n, n_labeled, replace=False)] = ["cat", "fox"] * (n_labeled // 2)
    return rng.normal(size=(n, 2)), y


def half_labelled_digits():
    X, target = load_digits(return_X_y=True)
    X, target = X[:500] / 16, target[:500]
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.choice(np.flatnonzero(target == k), 5, replace=False) for k in range(10)])
    y = np.full(500, -1)
    y[rows] = target[rows]
    return X, y


def as_lists(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


GROUPS = np.arange(60) % 7
SPLITTERS = [
    (5, 5),
    (None, 5),
    ("loo", 20),
    (LeaveOneOut(), 20),
    (StratifiedKFold(2, shuffle=True, random_state=0), 2),
    (RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0), 12),
    (GroupKFold(3), 3),
    (LeaveOneGroupOut(), 7),
    ([(range(10), range(10, 20)), (range(10, 20), range(10))], 2),
]


@pytest.mark.parametrize(("cv", "n_splits"), SPLITTERS, ids=str)
def test_unlabelled_rows_are_always_in_train_and_never_in_test(cv, n_splits):
    X, y = animals()
    labelled = np.flatnonzero([name is not None for name in y])
    grouped = "Group" in type(cv).__name__
    splitter = LabelledOnlySplit(cv)
    given = (X, y, GROUPS) if grouped else (X, y)
    splits = list(splitter.split(*given))
    assert len(splits) == splitter.get_n_splits(*given) == n_splits
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(60))
        assert set(test) <= set(labelled)
        if grouped:
            assert not set(GROUPS[test]) & set(GROUPS[np.intersect1d(train, labelled)])
    tested = np.bincount(np.concatenate([test for _, test in splits]), minlength=60)
    repeats = 3 if isinstance(cv, RepeatedStratifiedKFold) else 1
    np.testing.assert_array_equal(tested[labelled], repeats)


def test_rows_the_splitter_leaves_out_stay_out():
    X, y = animals()
    for train, test in LabelledOnlySplit(ShuffleSplit(3, train_size=10, test_size=4, random_state=0)).split(X, y):
        assert len(train) == 40 + 10
        assert len(test) == 4


def test_folds_are_stratified():
    X, y = animals()
    for _, test in LabelledOnlySplit().split(X, y):
        assert sorted(y[test]) == ["cat", "cat", "fox", "fox"]


def test_given_splits_are_positions_among_the_labelled_rows():
    y = [None, "cat", "fox", None, "cat", "fox"]
    [(train, test)] = LabelledOnlySplit([([0, 1], [2, 3])]).split(np.zeros((6, 1)), y)
    assert train.tolist() == [0, 1, 2, 3]
    assert test.tolist() == [4, 5]


def test_a_generator_of_splits_serves_twice():
    X, y = animals()
    splitter = LabelledOnlySplit(StratifiedKFold(4).split(np.zeros(20), y[[name is not None for name in y]]))
    assert splitter.get_n_splits(X, y) == 4
    assert as_lists(splitter.split(X, y)) == as_lists(LabelledOnlySplit(4).split(X, y))
    assert as_lists(splitter.split(X, y)) == as_lists(clone(splitter, safe=False).split(X, y))


def test_splitters_see_the_labelled_rows_themselves():
    class Recorder(LeaveOneOut):
        def split(self, X, y=None, groups=None):
            self.seen = X, y, groups
            return super().split(X)

    X, y = animals()
    labelled = [name is not None for name in y]
    for given in (X, pd.DataFrame(X), sparse.coo_array(X)):
        recorder = Recorder()
        list(LabelledOnlySplit(recorder).split(given, y, GROUPS))
        rows, names, groups = recorder.seen
        np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, X[labelled])
        np.testing.assert_array_equal(names, y[labelled].astype(str))
        np.testing.assert_array_equal(groups, GROUPS[labelled])


def test_search_on_digits_reports_the_accuracy_on_labelled_rows():
    X, y = half_labelled_digits()
    search = GridSearchCV(LabelSpreading(max_iter=200), {"gamma": [0.01, 1.0, 100.0]})
    search.set_params(cv=LabelledOnlySplit()).fit(X, y)
    assert search.best_params_ == {"gamma": 100.0}
    assert search.best_score_ > 0.9
    assert min(search.cv_results_["mean_test_score"]) < 0.5
    # Nine tenths of the default's test rows have the "class" -1, which is never predicted.
    assert search.set_params(cv=None).fit(X, y).best_score_ < 0.1


WRITTEN = {
    "minus": ([0, 1], -1, int),
    "nan": ([0.0, 1.0], nan, float),
    "objects": (["cat", "fox"], None, object),
    "numbers as objects": ([0, 1], None, object),
    "blank": (["cat", "fox"], "", str),
}


@pytest.mark.parametrize(("classes", "mark", "dtype"), WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("kernel", [Gaussian(8.0), "precomputed"], ids=["rows", "precomputed"])
def test_searches_take_labels_as_people_have_them(classes, mark, dtype, kernel):
    X, codes, _ = make_two_moons(200, n_labeled=10)
    y = np.array([mark if code == -1 else classes[code] for code in codes], dtype=dtype)
    if kernel == "precomputed":
        _, X = Gaussian(8.0).fit_gram(X)
    search = GridSearchCV(LSKPCA(kernel), {"label_weight": [1e-6, 10.0]}, cv=LabelledOnlySplit(), error_score="raise")
    search.fit(X, y)
    assert search.best_score_ > 0.9
    assert search.n_splits_ == 5
    assert search.best_estimator_.classes_.tolist() == classes
    assert cross_val_score(LSKPCA(kernel), X, y, cv=LabelledOnlySplit("loo"), error_score="raise").shape == (20,)


def test_tables_and_series():
    X, y = animals()
    expected = as_lists(LabelledOnlySplit().split(X, y))
    assert as_lists(LabelledOnlySplit().split(pd.DataFrame(X), pd.Series(y, index=range(60, 0, -1)))) == expected
    assert as_lists(LabelledOnlySplit().split(X.tolist(), y.tolist())) == expected


def test_own_mark():
    y = np.array([1, 2, 1, 2, 0, 0])
    for train, test in LabelledOnlySplit(2, unlabeled=0).split(y, y):
        assert {4, 5} <= set(train)
        assert len(test) == 2


@pytest.mark.parametrize("routing", [False, True])
def test_groups_pass_through_a_search(routing):
    X, codes, _ = make_two_moons(200, n_labeled=10)
    groups = np.arange(200) % 5
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(LSKPCA(), {"label_weight": [10.0]}, cv=LabelledOnlySplit(GroupKFold(3)))
        assert search.fit(X, codes, groups=groups).n_splits_ == 3


def test_random_state_shuffles_and_repeats():
    X, y = animals()
    in_order = as_lists(LabelledOnlySplit().split(X, y))
    shuffled = as_lists(LabelledOnlySplit(random_state=1).split(X, y))
    assert in_order == as_lists(LabelledOnlySplit().split(X, y))
    assert shuffled == as_lists(LabelledOnlySplit(random_state=1).split(X, y))
    assert shuffled != in_order
    assert shuffled != as_lists(LabelledOnlySplit(random_state=2).split(X, y))


def test_clone_and_repr():
    splitter = LabelledOnlySplit(3, random_state=1, unlabeled="?")
    assert repr(splitter) == "LabelledOnlySplit(cv=3, random_state=1, unlabeled='?')"
    copy = clone(GridSearchCV(LSKPCA(), {}, cv=splitter)).get_params()["cv"]
    assert copy is not splitter
    assert vars(copy) == vars(splitter) == {"cv": 3, "random_state": 1, "unlabeled": "?"}


@pytest.mark.parametrize("cv", [4, [([0], [1])] * 4, RepeatedStratifiedKFold(n_splits=2, n_repeats=2)])
def test_number_of_splits_without_labels_where_it_does_not_depend_on_them(cv):
    assert LabelledOnlySplit(cv).get_n_splits() == 4


@pytest.mark.parametrize("cv", ["loo", LeaveOneOut()])
def test_number_of_splits_with_labels_where_it_does(cv):
    X, y = animals()
    assert LabelledOnlySplit(cv).get_n_splits(y=y) == 20
    with pytest.raises(ValueError, match="y is missing"):
        LabelledOnlySplit(cv).get_n_splits(X)


def test_a_class_smaller_than_the_folds_is_named_once():
    y = ["cat"] * 6 + ["fox"] * 2 + [None] * 4
    with pytest.warns(UserWarning, match="class 'fox' has 2 labelled rows, fewer than 5 folds, so that") as caught:
        splits = list(LabelledOnlySplit().split(y, y))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert len(splits) == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(LabelledOnlySplit("loo").split(y, y))) == 8


@pytest.mark.parametrize(
    ("y", "n_folds", "message"),
    [
        ([0] * 4 + [1] * 4 + [-1], 4, "no class has more than 4 labelled rows: 4 folds in place of 5.$"),
        (["cat"] * 4 + ["fox"] * 2 + [None], 4, "4 folds in place of 5; class 'fox' has 2 labelled rows, so that some"),
    ],
)
def test_fewer_folds_where_no_class_has_labels_for_all(y, n_folds, message):
    with pytest.warns(UserWarning, match=message):
        assert len(list(LabelledOnlySplit().split(np.zeros((len(y), 1)), y))) == n_folds
    assert LabelledOnlySplit().get_n_splits(None, y) == n_folds
    assert LabelledOnlySplit().get_n_splits() == 5


def test_the_two_moons_of_the_readme_have_folds():
    X, y, _ = make_two_moons(200)
    with pytest.warns(UserWarning, match="4 folds in place of 5"):
        scores = cross_val_score(LSKPCA(), X, y, cv=LabelledOnlySplit())
    assert len(scores) == 4


ERRORS = {
    "y is missing; it says which rows are labelled": ({}, 6, None),
    "no row is labelled; there is nothing to score with": ({}, 3, [None, "", nan]),
    "y has 3 rows and X 4; there must be as many": ({}, 4, ["cat", "fox", None]),
    "no class has more than 1 labelled row, and 2 folds need two of one; label more": ({}, 3, ["cat", "fox", None]),
    "split 3 has labels of fewer than two classes left to train with": ({"cv": "loo"}, 5, [0, 0, 0, 1, -1]),
    "a position beyond the 4 labelled rows; give positions among the labelled rows, not row numbers": (
        {"cv": [([0, 1], [4, 5])]},
        6,
        [0, 1, -1, -1, 0, 1],
    ),
}


@pytest.mark.parametrize("message", ERRORS)
def test_what_is_wrong_is_said_in_a_sentence(message):
    parameters, n, y = ERRORS[message]
    with pytest.raises(ValueError, match=message) as caught:
        LabelledOnlySplit(**parameters).split(np.zeros((n, 1)), y)
    text = str(caught.value)
    assert text.startswith("LabelledOnlySplit: ")
    assert text.endswith(".")
    assert "\n" not in text


def test_groups_of_another_length():
    X, y = animals()
    with pytest.raises(ValueError, match="y has 60 rows and groups 59"):
        LabelledOnlySplit(GroupKFold(2)).split(X, y, GROUPS[:59])
