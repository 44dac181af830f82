"""The forest as arrays: against a walk down each tree, every cut, scikit-learn's forest, and sums over labels."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.ensemble import RandomForestClassifier

from sskpca import SSKPCAClassifier
from sskpca._selection.forest import BETWEEN, Forest, fit_forest


def draw(n_classes, n=60, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    X = rng.standard_normal((n, 5))
    X[:, 0] += codes
    X[:, 1] = rng.integers(0, 3, n)  # ties
    parts = [1] if n_classes == 2 else range(n_classes)
    return X, codes, [np.where(codes == k, 1.0, -1.0) for k in parts]


def slow_leaf(forest, x, tree):
    """Walk down one tree, a node at a time."""
    node = forest.roots[tree]
    while forest.feature[node] >= 0:
        below = x[forest.columns[forest.feature[node]]] <= forest.threshold[node]
        node = forest.left[node] if below else forest.right[node]
    return node


@pytest.mark.parametrize("n_classes", [2, 4])
def test_decisions_and_held_out_decisions_are_those_of_a_walk_down_each_tree(n_classes):
    X, codes, targets = draw(n_classes, n=30)
    forest = fit_forest(X, codes, targets, n_trees=20)
    T = np.array(targets).T
    for i, x in enumerate(X):
        leaves = [slow_leaf(forest, x, tree) for tree in range(20)]
        np.testing.assert_array_equal(forest.leaves[i], leaves)
        votes = []
        for tree, leaf in enumerate(leaves):
            weight = forest.drawn[:, tree] * (forest.leaves[:, tree] == leaf)
            votes.append(weight @ T / weight.sum())
        np.testing.assert_allclose(forest.decide(x[None])[0], np.mean(votes, axis=0), atol=1e-12)
        free = forest.drawn[i] == 0
        np.testing.assert_allclose(forest.held_out[:, i], np.array(votes)[free].mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_cut_is_the_best_of_all_cuts_of_all_columns(n_classes):
    """With one column, and few values of it, a node has no other choice: compare with every cut."""
    X, codes, targets = draw(n_classes, n=40)
    x = np.round(X[:, :1])
    forest = fit_forest(x, codes, targets, n_trees=10)
    between = np.unique(x)[:-1] + BETWEEN * np.diff(np.unique(x))

    def purity(weight):
        counts = np.bincount(codes, weight, n_classes)
        return counts @ counts / counts.sum() if counts.sum() else -np.inf

    for tree, root in enumerate(forest.roots):
        weight = forest.drawn[:, tree].astype(float)
        scores = [purity(weight * (x[:, 0] <= cut)) + purity(weight * (x[:, 0] > cut)) for cut in between]
        taken = forest.threshold[root]
        assert scores[int(np.argmin(np.abs(between - taken)))] == pytest.approx(max(scores))
        assert np.abs(between - taken).min() < 1e-12


@pytest.mark.parametrize("n_classes", [2, 4])
def test_it_is_as_good_as_the_forest_of_scikit_learn(n_classes):
    """The same method up to draws and bins: on many tables the errors are the same on average."""
    errors = []
    for seed in range(8):
        X, codes, targets = draw(n_classes, n=400, seed=seed)
        decided = fit_forest(X[:80], codes[:80], [t[:80] for t in targets]).decide(X[80:])
        called = (decided[:, 0] > 0).astype(int) if n_classes == 2 else decided.argmax(axis=1)
        other = RandomForestClassifier(100, random_state=seed).fit(X[:80], codes[:80]).predict(X[80:])
        errors.append([np.mean(called != codes[80:]), np.mean(other != codes[80:])])
    ours, theirs = np.mean(errors, axis=0)
    assert abs(ours - theirs) < 0.02


def test_a_label_in_every_tree_is_undecided_and_constant_columns_make_leaves():
    X, codes = np.ones((3, 2)), np.array([0, 1, 1])
    forest = fit_forest(X, codes, [np.array([-1.0, 1.0, 1.0])], n_trees=1)
    assert (forest.feature == -1).all()
    np.testing.assert_array_equal(forest.held_out[0][forest.drawn[:, 0] > 0], 0.0)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_shares_of_the_labels_add_up_to_the_decision(n_classes):
    X, codes, targets = draw(n_classes)
    forest = fit_forest(X, codes, targets)
    new = np.random.default_rng(1).standard_normal((20, 5))
    for x, decision in zip(new, forest.decide(new), strict=True):
        shares = forest.shares(x[None])
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
        np.testing.assert_allclose([shares @ t for t in targets], decision, atol=1e-12)


def test_the_order_and_the_units_of_the_data_do_not_matter():
    X, codes, targets = draw(2)
    order = np.random.default_rng(2).permutation(len(X))
    new = np.random.default_rng(1).standard_normal((50, 5))
    forest = fit_forest(X, codes, targets)
    permuted = fit_forest(X[order], codes[order], [t[order] for t in targets])
    np.testing.assert_array_equal(permuted.decide(new), forest.decide(new))
    np.testing.assert_array_equal(permuted.held_out, forest.held_out[:, order])
    units = 10.0 ** np.array([-9, 0, 9, 3, -3])
    rescaled = fit_forest(X * units, codes, targets)
    np.testing.assert_array_equal(rescaled.decide(new * units), forest.decide(new))


def test_rows_between_the_labels_do_not_lie_on_a_cut():
    """Of numbers with one digit, the middle between two labels may be another row: times 37.5 it changed sides."""
    X, codes, targets = draw(2)
    X = np.round(X, 1)
    new = np.round(np.random.default_rng(1).standard_normal((200, 5)), 1)
    forest, scaled = fit_forest(X, codes, targets), fit_forest(37.5 * X, codes, targets)
    np.testing.assert_array_equal(scaled.decide(37.5 * new), forest.decide(new))


def test_sparse_rows_are_those_of_the_array():
    X, codes, targets = draw(3)
    X[X < 0.5] = 0
    forest, sparse = fit_forest(X, codes, targets), fit_forest(scipy.sparse.csr_matrix(X), codes, targets)
    np.testing.assert_array_equal(sparse.decide(scipy.sparse.csr_matrix(X)), forest.decide(X))


def test_a_cycle_of_nodes_is_refused():
    X, codes, targets = draw(2)
    forest = fit_forest(X, codes, targets)
    parts = {name: getattr(forest, name) for name in Forest.__slots__}
    inner = np.flatnonzero(forest.feature >= 0)[3]
    for name, wrong in (("left", inner), ("right", 10**6), ("feature", 99)):
        changed = parts[name].copy()
        changed[inner] = wrong
        with pytest.raises(ValueError, match="do not fit together"):
            Forest(**{**parts, name: changed})


def table(n=200, noise=12):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2 + noise))
    target = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int) + 2 * (X[:, 0] < -0.5)
    return X, target, np.where(np.arange(n) < 100, target, -1)


def test_where_most_columns_say_nothing_the_forest_counts_and_helps():
    X, target, y = table()
    error = {}
    for forest in (True, False):
        model = SSKPCAClassifier(forest=forest).fit(X, y)
        error[forest] = np.mean(model.transduction_[y < 0] != target[y < 0])
    assert error[True] < error[False] - 0.05
    model = SSKPCAClassifier().fit(X, y)
    assert model.kernel_weights_["forest"] > 0.3
    assert sum(model.kernel_weights_.values()) == pytest.approx(1)
    assert model.best_params_["method"] != "forest"  # what is proved is of a kernel
    np.testing.assert_allclose(model.decision_function(X), model.decision_, atol=1e-8)
    why = model.explain(150)
    assert why.contributions.sum() + why.offset == pytest.approx(why.decision)
    again = SSKPCAClassifier().fit(X, np.where(np.arange(200) < 101, target, -1))
    model.update_labels(100, target[100])
    np.testing.assert_allclose(model.decision_, again.decision_, atol=1e-10)


def test_who_takes_part():
    X, _, y = table(60, 1)
    kernels = ["rbf"]
    assert "forest" not in SSKPCAClassifier(kernels).fit(X, y).kernel_weights_
    assert "forest" in SSKPCAClassifier(kernels, forest=True).fit(X, y).kernel_weights_
    assert "forest" not in SSKPCAClassifier(combine="best").fit(X, y).kernel_weights_
    with pytest.raises(ValueError, match="forest=True needs rows of features in memory"):
        SSKPCAClassifier(kernels, forest=True, combine="best").fit(X, y)
    with pytest.raises(ValueError, match='forest must be "auto", True or False'):
        SSKPCAClassifier(forest="yes").fit(X, y)
