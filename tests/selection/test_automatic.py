"""The classifier with nothing to choose, on data small enough to do everything again label by label."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from oracles import ridge
from sskpca import LSKPCA, SSKPCAClassifier
from sskpca._selection.averaging import bootstrap_weights, counts_likelihood, family_prior, predicted_shares
from sskpca._selection.candidates import METHODS, Grid, evaluate, uncentered_basis
from sskpca._selection.portfolio import kernel_family
from sskpca._transduction.labels import Labels, read_labels
from sskpca._transduction.methods import label_variance
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian, Linear
from sskpca.kernels._defaults import TABLE_FAMILIES

MOONS, MOON_LABELS, MOON = make_two_moons(200)
IMAGES, DIGIT = load_digits(n_class=3, return_X_y=True)
IMAGES, DIGIT = IMAGES[:150] / 16, DIGIT[:150]
DIGIT_LABELS = np.full(150, -1)
for k, number in enumerate((3, 4, 6)):
    DIGIT_LABELS[np.flatnonzero(k == DIGIT)[:number]] = k
DATA = {"two classes": (MOONS, MOON_LABELS), "three classes": (IMAGES, DIGIT_LABELS)}
each_data = pytest.mark.parametrize(("X", "y"), DATA.values(), ids=DATA)
FEW = [Gaussian(), Diffusion(5)]


def small(**parameters):
    return SSKPCAClassifier(**{"kernels": FEW, "rank": 50} | parameters)


def single(**parameters):
    """One candidate, so that there is nothing to weigh."""
    alone = {"kernels": [Gaussian()], "label_weights": [10.0], "variances": [0.72], "methods": ["ls"]}
    alone |= {"combine": "best"}
    return SSKPCAClassifier(**alone | parameters)


def by_hand(X, coordinates, codes, c, share, method="ls"):
    """Solve for each function by the estimator or an oracle; cut it, and bring it to unit mean square."""
    n_classes, columns = codes.max() + 1, []
    for k in [1] if n_classes == 2 else range(n_classes):
        y = np.where(codes < 0, -1, codes == k)
        if method == "ridge":
            Z, t = coordinates.values, np.where(codes[codes >= 0] == k, 1.0, -1.0)
            u, b = ridge.fit(Z[codes >= 0] @ Z[codes >= 0].T, t, c)
            columns.append(Z @ (Z[codes >= 0].T @ u) + b)
            continue
        if method == "uncentered":
            turned = replace(coordinates.rotated(*uncentered_basis(coordinates)), centered=False)
            options = {"centered": False, "threshold": 0.0, "unlabeled": -1}
            model = LSKPCA(coordinates=turned, label_weight=c, variance=share, **options).fit(X, y)
            columns.append(model.decision_ / np.sqrt(share))
            continue
        variance = share * label_variance(np.where(codes[codes >= 0] == k, 1.0, -1.0))
        model = LSKPCA(coordinates=coordinates, label_weight=c, variance=variance, unlabeled=-1).fit(X, y)
        f = model.decision_ + model.threshold_
        columns.append(model.decision_ / np.sqrt(np.mean(f**2)))
    return np.column_stack(columns)


def held_out_by_hand(X, coordinates, codes, c, share, method="ls"):
    """Decide on each label by a fit without it: shape (n_functions, n_labeled)."""
    decisions = []
    for i in np.flatnonzero(codes >= 0):
        others = codes.copy()
        others[i] = -1
        decisions.append(by_hand(X, coordinates, others, c, share, method)[i])
    return np.array(decisions).T


def assert_same(live, fresh, X, atol=1e-8):
    np.testing.assert_array_equal(live.classes_, fresh.classes_)
    np.testing.assert_array_equal(live.transduction_, fresh.transduction_)
    np.testing.assert_array_equal(live.labeled_rows_, fresh.labeled_rows_)
    for name in ("decision_", "threshold_", "loo_decision_", "label_distributions_"):
        np.testing.assert_allclose(getattr(live, name), getattr(fresh, name), atol=atol, err_msg=name)
    for name in ("weight", "loo_loss", "loo_error"):
        np.testing.assert_allclose(live.candidates_[name], fresh.candidates_[name], atol=atol, err_msg=name)
    assert live.loo_error_ == fresh.loo_error_
    assert live.loo_interval_ == fresh.loo_interval_
    assert live.slope_ == pytest.approx(fresh.slope_, rel=1e-6)
    np.testing.assert_allclose(live.predict_proba(X), fresh.predict_proba(X), atol=1e-6)


def test_the_default_labels_two_moons_perfectly():
    model = SSKPCAClassifier().fit(MOONS, MOON_LABELS)
    np.testing.assert_array_equal(model.transduction_, MOON)
    np.testing.assert_array_equal(model.predict(MOONS), MOON)
    assert model.loo_error_ == 0
    assert len(model.kernels_) == len(model.coordinates_) == len(model.kernel_weights_) - 1
    assert list(model.kernel_weights_)[-1] == model.candidates_["method"][-1] == "forest"
    tables = sum(kernel_family(kernel) in TABLE_FAMILIES for kernel in model.kernels_)
    assert tables == 4
    assert len(model.candidates_["weight"]) == 4 * (tables + (3 + 1) * (len(model.kernels_) - tables)) + 1


def test_a_few_kernels_label_three_digits():
    model = small().fit(IMAGES, DIGIT_LABELS)
    assert np.mean(model.transduction_ == DIGIT) > 0.95


@each_data
@pytest.mark.parametrize("combine", ["average", "best"])
def test_attributes_agree_with_each_other(X, y, combine):
    model = small(combine=combine).fit(X, y)
    labeled, n_classes = np.flatnonzero(y >= 0), len(np.unique(y)) - 1
    functions = () if n_classes == 2 else (n_classes,)
    np.testing.assert_array_equal(model.classes_, np.arange(n_classes))
    np.testing.assert_array_equal(model.labeled_rows_, labeled)
    np.testing.assert_array_equal(model.transduction_[labeled], y[labeled])
    assert model.decision_.shape == (len(X), *functions)
    assert model.loo_decision_.shape == (len(labeled), *functions)
    assert model.label_distributions_.shape == (len(X), n_classes)
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)
    table = model.candidates_
    assert set(table) == {"kernel", "method", "label_weight", "variance", "weight", "loo_loss", "loo_error"}
    assert {len(part) for part in table.values()} == {2 * 4 * (3 + 1)}
    assert table["weight"].sum() == pytest.approx(1)
    assert table["weight"].min() >= 0
    assert sum(model.kernel_weights_.values()) == pytest.approx(1)
    assert list(model.kernel_weights_) == [repr(kernel) for kernel in model.kernels_]
    for name, weight in model.kernel_weights_.items():
        assert weight == pytest.approx(table["weight"][table["kernel"] == name].sum())
    best = int(np.argmax(table["weight"]))
    assert repr(model.best_params_["kernel"]) == table["kernel"][best]
    assert model.best_params_["label_weight"] == table["label_weight"][best]
    np.testing.assert_equal(model.best_params_["variance"], table["variance"][best])
    if combine == "best":
        assert np.flatnonzero(table["weight"]).tolist() == [best]
        assert model.loo_error_ == table["loo_error"][best]
    assert len(model.reports_) == max(1, len(functions) * n_classes)
    assert all(abs(report.gap) <= 1e-8 and report.converged for report in model.reports_)
    decided = model.loo_decision_ > 0 if n_classes == 2 else model.loo_decision_.argmax(axis=1)
    assert model.loo_error_ == np.mean(decided != y[labeled])
    assert model.loo_interval_[0] <= model.loo_error_ <= model.loo_interval_[1]
    held_out = model.leave_one_out()
    np.testing.assert_array_equal(held_out.rows, labeled)
    np.testing.assert_array_equal(held_out.decisions, model.loo_decision_)
    assert held_out.error == model.loo_error_
    assert held_out.interval == model.loo_interval_
    assert model.slope_ > 0


@each_data
def test_held_out_candidates_against_fits(X, y):
    model = small().fit(X, y)
    codes = np.where(y < 0, -1, y)
    grid = Grid(np.array([0.1, 100.0]), np.array([0.5, 1.44]), np.array([0.5, 1.0]))
    for coordinates in model.coordinates_:
        found = evaluate(coordinates, read_labels(y), grid)
        assert found.residual < 1e-9
        for i, (method, c, share) in enumerate(zip(found.methods, found.label_weights, found.variances, strict=True)):
            expected = by_hand(X, coordinates, codes, c, share, method)
            np.testing.assert_allclose(coordinates.values @ found.coef[i].T - found.thresholds[i], expected, atol=1e-8)
            left_out = held_out_by_hand(X, coordinates, codes, c, share, method)
            np.testing.assert_allclose(found.held_out[i], left_out, atol=1e-8)


@each_data
@pytest.mark.parametrize("kernel", [Gaussian(), Diffusion(5), Linear()])
def test_one_candidate_against_fits(X, y, kernel):
    model = single(kernels=[kernel]).fit(X, y)
    (coordinates,) = model.coordinates_
    codes = np.where(y < 0, -1, y)
    expected = held_out_by_hand(X, coordinates, codes, 10.0, 0.72)
    (factor,) = model.answer_.found.factors[0]
    np.testing.assert_allclose(model.loo_decision_.reshape(expected.shape[::-1]), factor * expected.T, atol=1e-8)
    whole = by_hand(X, coordinates, codes, 10.0, 0.72)
    np.testing.assert_allclose(model.decision_.reshape(whole.shape), factor * whole, atol=1e-8)
    averaged = single(kernels=[kernel], combine="average").fit(X, y)
    np.testing.assert_allclose(averaged.decision_, model.decision_, atol=1e-12)


@each_data
def test_the_average_by_hand(X, y):
    """Everything again from fits: candidates, weights, the average, and the average without each label."""
    parameters = {"label_weights": [1.0, 100.0], "variances": [0.5, 1.0]}
    model = small(**parameters, methods=METHODS).fit(X, y)
    codes = np.where(y < 0, -1, y)
    whole, held_out = [], []
    for coordinates in model.coordinates_:
        shares = {"ls": parameters["variances"], "uncentered": [1.0], "ridge": [np.nan]}
        for method in METHODS:
            for c in parameters["label_weights"]:
                for share in shares[method]:
                    whole.append(by_hand(X, coordinates, codes, c, share, method))
                    held_out.append(held_out_by_hand(X, coordinates, codes, c, share, method))
    families = [
        f"{kernel} {method}" for kernel in "GD" for method, n in zip(METHODS, (4, 2, 2), strict=True) for _ in range(n)
    ]
    known = np.ones(int(np.sum(y >= 0)), dtype=bool)
    on_rows = np.array(whole).reshape(len(whole), len(X), -1).swapaxes(1, 2)
    assert len(X) <= 300  # all of them are counted
    counts = counts_likelihood(predicted_shares(on_rows), y[y >= 0])
    found = bootstrap_weights(np.array(held_out), y[y >= 0], family_prior(families), known, counts)
    np.testing.assert_allclose(model.candidates_["weight"], found.weights, atol=1e-3)  # negligible ones are dropped
    kept = model.candidates_["weight"] > 0
    expected = np.tensordot(found.factors * kept / found.weights[kept].sum(), np.array(whole), 1)
    np.testing.assert_allclose(model.decision_.reshape(expected.shape), expected, atol=1e-7)
    np.testing.assert_allclose(model.loo_decision_.reshape(found.held_out.T.shape), found.held_out.T, atol=1e-7)


@each_data
@pytest.mark.parametrize("combine", ["average", "best"])
def test_labels_that_come_and_go_are_one_fit(X, y, combine):
    target = MOON if X is MOONS else DIGIT
    live = small(combine=combine).fit(X, y)
    before = live.decision_.copy()
    rows = np.flatnonzero(y < 0)[:3]
    gone = np.flatnonzero(y >= 0)[[0, 3]]
    assert live.update_labels(rows, target[rows]) is live
    live.forget_labels(gone)
    after = y.copy()
    after[rows], after[gone] = target[rows], -1
    assert_same(live, small(combine=combine).fit(X, after), X)
    live.update_labels(gone, y[gone]).forget_labels(rows)
    np.testing.assert_allclose(live.decision_, before, atol=1e-8)


def test_a_class_can_come_and_go():
    y = np.where(DIGIT_LABELS == 1, -1, DIGIT_LABELS)
    live = small().fit(IMAGES, y)
    new = np.flatnonzero(DIGIT_LABELS == 1)
    with pytest.raises(ValueError, match=r"1 is none of the classes 0, 2; correct it, or pass new_classes=True"):
        live.update_labels(new, np.ones(len(new), dtype=int))
    live.update_labels(new, np.ones(len(new), dtype=int), new_classes=True)
    assert_same(live, small().fit(IMAGES, DIGIT_LABELS), IMAGES)
    live.forget_labels(new)
    assert_same(live, small().fit(IMAGES, y), IMAGES)


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        (200, 0, "there is no row 200"),
        (-1, 0, "there is no row -1"),
        (0.5, 0, "rows must be row numbers"),
        (0, 7, "7 is none of the classes 0, 1"),
        (0, None, "the label of row 0 is empty"),
        ([0, 0], [0, 1], "row 0 is given two different labels"),
        ([], [], "no rows"),
    ],
)
def test_a_refused_change_changes_nothing(rows, labels, words):
    live = single().fit(MOONS, MOON_LABELS)
    before = {name: value for name, value in vars(live).items() if name.endswith("_")}
    with pytest.raises(ValueError, match=words):
        live.update_labels(rows, labels)
    assert {name: value for name, value in vars(live).items() if name.endswith("_")} == before


@each_data
def test_the_number_of_jobs_does_not_matter(X, y):
    one, two = small(n_jobs=1).fit(X, y), small(n_jobs=2).fit(X, y)
    assert_same(one, two, X)
    rows = np.flatnonzero(y < 0)[:2]
    assert_same(one.update_labels(rows, [0, 1]), two.update_labels(rows, [0, 1]), X)


@each_data
def test_training_rows_as_new_rows(X, y):
    model = small().fit(X, y)
    free = y < 0
    np.testing.assert_array_equal(model.predict(X)[free], model.transduction_[free])
    np.testing.assert_allclose(model.decision_function(X), model.decision_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), model.label_distributions_, atol=1e-6)
    np.testing.assert_allclose(model.novelty(X), 0, atol=1e-6)
    assert model.transform(X).shape == (len(X), 1 if model.decision_.ndim == 1 else model.decision_.shape[1])
    np.testing.assert_allclose(model.transform(X).reshape(model.decision_.shape), model.decision_, atol=1e-6)
    assert model.score(X, MOON if X is MOONS else DIGIT) > 0.95


@each_data
def test_probabilities(X, y):
    model = small().fit(X, y)
    rng = np.random.default_rng(0)
    for spread in (0.0, 0.1, 1.0, 1e3, 1e8):
        new = X + spread * rng.standard_normal(X.shape)
        p = model.predict_proba(new)
        assert p.shape == (len(X), len(model.classes_))
        assert np.isfinite(p).all()
        assert p.min() >= 0
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(new))
        far = model.novelty(new) > 2
        np.testing.assert_allclose(p[far], 1 / len(model.classes_), atol=2e-6)
    assert far.all()


def test_novelty_is_in_units_of_a_usual_gap():
    X = np.append(np.arange(0.0, 300.0, 3.0), 1e6)[:, None]  # one outlier does not count
    model = single().fit(X, np.arange(101) % 2)
    np.testing.assert_allclose(model.novelty([[0.0], [1.5], [-3.0], [303.0]]), [0, 0.5, 1, 2], atol=1e-12)


def test_kernels_by_name():
    by_name = small(kernels=["rbf", "linear"]).fit(IMAGES, DIGIT_LABELS)
    assert_same(by_name, small(kernels=[Gaussian(), Linear()]).fit(IMAGES, DIGIT_LABELS), IMAGES)
    assert list(by_name.kernel_weights_) == ["Gaussian()", "Linear()"]


def test_the_given_kernels_are_not_touched():
    kernels = [Gaussian(), Diffusion(5)]
    small(kernels=kernels).fit(MOONS, MOON_LABELS)
    assert not any(name.endswith("_") for kernel in kernels for name in vars(kernel))


def test_the_same_kernel_twice_counts_twice_but_changes_nothing():
    once, twice = single(combine="average"), single(kernels=[Gaussian(), Gaussian()], combine="average")
    np.testing.assert_allclose(
        once.fit(MOONS, MOON_LABELS).decision_, twice.fit(MOONS, MOON_LABELS).decision_, atol=1e-10
    )


def test_sparse_rows():
    dense, thin = small().fit(IMAGES, DIGIT_LABELS), small().fit(sparse.csr_array(IMAGES), DIGIT_LABELS)
    np.testing.assert_array_equal(thin.transduction_, dense.transduction_)
    np.testing.assert_allclose(thin.decision_, dense.decision_, atol=1e-6)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(IMAGES)), dense.predict_proba(IMAGES), atol=1e-5)
    assert np.isfinite(SSKPCAClassifier().fit(sparse.csr_array(IMAGES), DIGIT_LABELS).decision_).all()


def test_names_and_none():
    names = np.array(["oh", "i", "two"], dtype=object)
    y = np.where(DIGIT_LABELS < 0, None, names[DIGIT_LABELS])
    model = small().fit(IMAGES, y.tolist())
    assert model.classes_.tolist() == ["i", "oh", "two"]
    assert np.mean(model.transduction_ == names[DIGIT]) > 0.95
    plain = small().fit(IMAGES, DIGIT_LABELS)
    np.testing.assert_allclose(model.decision_[:, [1, 0, 2]], plain.decision_, atol=1e-8)
    assert model.suspects() == []
    assert model.update_labels(0, "oh").transduction_[0] == "oh"


class TestColdStart:
    @pytest.mark.parametrize("y", [np.full(200, -1), [None] * 200, np.full(200, np.nan), [""] * 200])
    def test_a_column_without_labels_is_an_accident(self, y):
        with pytest.raises(ValueError, match=r"no row is labelled; label some rows, or use fit\(X\) without y"):
            small().fit(MOONS, y)

    def test_rows_to_label_first(self):
        model = small().fit(MOONS)
        assert len(model.classes_) == 0
        assert len(model.labeled_rows_) == 0
        rows = model.next_rows(6)
        assert len(set(rows.tolist())) == 6
        np.testing.assert_array_equal(small().fit(MOONS).next_rows(6), rows)
        assert model.next_rows()[0] == rows[0]
        assert set(MOON[rows]) == {0, 1}

    def test_it_says_what_is_missing(self):
        model = small().fit(MOONS)
        words = r"no row is labelled so far; label some of next_rows\(\) and pass them to update_labels"
        calls = (
            lambda: model.predict(MOONS),
            lambda: model.predict_proba(MOONS),
            lambda: model.decision_function(MOONS),
            lambda: model.transform(MOONS),
            lambda: model.leave_one_out(),
            lambda: model.suspects(),
            lambda: model.explain(0),
        )
        for call in calls:
            with pytest.raises(ValueError, match=words):
                call()
        model.update_labels(3, "a")
        for call in calls:
            with pytest.raises(ValueError, match="one class only is labelled so far"):
                call()
        assert np.isfinite(model.novelty(MOONS)).all()

    def test_then_it_is_the_fit_of_the_labels(self):
        model = small().fit(MOONS)
        rows = model.next_rows(8)
        first = rows[MOON[rows] == MOON[rows[0]]]
        for row in first:
            model.update_labels(row, MOON[row])
            assert len(model.classes_) == 1
        np.testing.assert_array_equal(model.labeled_rows_, np.sort(first))
        assert not set(model.next_rows(5).tolist()) & set(first.tolist())
        others = np.setdiff1d(rows, first)
        model.update_labels(others, MOON[others])
        y = np.full(200, -1)
        y[rows] = MOON[rows]
        assert_same(model, small().fit(MOONS, y), MOONS)

    def test_one_class_cannot_be_the_start(self):
        with pytest.raises(ValueError, match="all labelled rows are of one class, 'a'"):
            small().fit(MOONS, ["a"] + [None] * 199)

    def test_unfitted(self):
        for call in ("next_rows", "suspects", "leave_one_out"):
            with pytest.raises(NotFittedError):
                getattr(small(), call)()
        for call in ("predict", "predict_proba", "novelty", "transform"):
            with pytest.raises(NotFittedError):
                getattr(small(), call)(MOONS)
        with pytest.raises(NotFittedError):
            small().explain(0)


@each_data
def test_next_rows(X, y):
    model = small().fit(X, y)
    rows = model.next_rows(5)
    assert rows.shape == (5,)
    assert len(set(rows.tolist())) == 5
    assert np.all(y[rows] < 0)
    np.testing.assert_array_equal(model.next_rows(5), rows)
    np.testing.assert_array_equal(small().fit(X, y).next_rows(5), rows)
    np.testing.assert_array_equal(model.next_rows(), rows[:1])


def test_next_rows_when_few_are_left_or_none():
    y = DIGIT.copy()
    y[[4, 50, 100]] = -1
    model = small().fit(IMAGES, y)
    assert sorted(model.next_rows(10).tolist()) == [4, 50, 100]
    assert len(single().fit(IMAGES, DIGIT).next_rows(3)) == 0
    for number in (0, -1, 1.5, "2", True):
        with pytest.raises(ValueError, match="n must be a whole number from 1 up"):
            model.next_rows(number)


@each_data
@pytest.mark.parametrize("combine", ["average", "best"])
def test_explanations_add_up(X, y, combine):
    model = small(combine=combine, methods=METHODS).fit(X, y)
    for row in (0, 17, 101, int(np.flatnonzero(y >= 0)[0])):
        found = model.explain(row)
        two = model.decision_.ndim == 1
        j = 0 if two else int(model.decision_[row].argmax())
        sign = -1 if two and model.decision_[row] <= 0 else 1
        assert found.row == row
        assert found.decision == sign * model.decision_.reshape(len(X), -1)[row, j]
        assert found.label == model.classes_[int(model.decision_[row] > 0) if two else j]
        assert found.contributions.sum() + found.offset == pytest.approx(found.decision, abs=1e-12)
        # ridge regression splits its constant among the labels, the uncentered method has none
        parts = zip(model.answer_.found.factors, model.answer_.found.found, strict=True)
        threshold = sum(
            factors[part.methods == "ls"] @ part.thresholds[part.methods == "ls", j] for factors, part in parts
        )
        assert found.offset == pytest.approx(-sign * threshold, abs=1e-8)
        assert sorted(found.rows.tolist()) == np.flatnonzero(y >= 0).tolist()
        np.testing.assert_array_equal(found.labels, y[found.rows])
        assert np.all(np.diff(np.abs(found.contributions)) <= 0)


@pytest.mark.parametrize("row", [200, -1, 1.5, "first", None])
def test_explanations_of_no_row(row):
    with pytest.raises(ValueError, match="SSKPCAClassifier: "):
        single().fit(MOONS, MOON_LABELS).explain(row)


@each_data
def test_a_wrong_label_is_suspected_first(X, y):
    target = MOON if X is MOONS else DIGIT
    y = np.where(np.arange(len(X)) % 6 == 0, target, -1)
    assert small().fit(X, y).suspects() == []
    row = 60
    spoiled = y.copy()
    spoiled[row] = (y[row] + 1) % 2 if X is MOONS else (y[row] + 1) % 3
    model = small().fit(X, spoiled)
    before = model.decision_.copy()
    suspect, *_ = model.suspects()
    np.testing.assert_array_equal(model.decision_, before)
    assert suspect.row == row
    assert suspect.label == spoiled[row]
    assert suspect.suggestion == y[row]
    assert suspect.probability < 0.5
    assert suspect.loo_error == model.loo_error_
    changed = clone(model).fit(X, spoiled).update_labels(row, suspect.suggestion)
    assert suspect.loo_error_if_changed == changed.loo_error_
    others = np.arange(len(X)) != row
    assert suspect.n_changed == np.sum(changed.transduction_[others] != model.transduction_[others])
    assert len(model.suspects(1)) == 1


def test_suspects_in_order():
    y = np.where(np.arange(200) % 4 == 0, MOON, -1)
    y[[20, 40, 100]] = 1 - y[[20, 40, 100]]
    found = small().fit(MOONS, y).suspects(10)
    assert {20, 40, 100} <= {suspect.row for suspect in found}
    assert [suspect.probability for suspect in found] == sorted(suspect.probability for suspect in found)


def test_the_only_label_of_a_class_is_warned_of_and_never_suspected():
    y = np.where(DIGIT_LABELS == 0, -1, DIGIT_LABELS)
    row = int(np.flatnonzero(DIGIT == 0)[0])
    y[row] = 0
    with pytest.warns(UserWarning, match="one labelled row only of 0"):
        model = small().fit(IMAGES, y)
    assert np.isfinite(model.decision_).all()
    assert row not in [suspect.row for suspect in model.suspects(50)]
    with pytest.warns(UserWarning, match="one labelled row only of 'a', 'b'"):
        model = small().fit(MOONS, ["a", "b"] + [None] * 198)
    assert set(model.transduction_) == {"a", "b"}


def test_contradicting_labels_of_equal_rows_are_warned_of():
    X = np.vstack([MOONS, MOONS[:5]])
    y = np.r_[MOON_LABELS, [-1] * 5]
    y[2], y[202], y[4], y[204] = 0, 1, 1, 0
    words = r"the rows (2 and 202|4 and 204) are the same but have different labels \(.*2.*\); correct one"
    with pytest.warns(UserWarning, match=words):
        model = small().fit(X, y)
    assert np.isfinite(model.decision_).all()
    y[202], y[204] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"kernels": "foo"}, "kernels must be \"auto\" or a list of kernels, got 'foo'"),
        ({"kernels": []}, "the list of kernels is empty; give at least one"),
        ({"kernels": ["foo"]}, "kernel='foo' is not known; choose from"),
        ({"kernels": [3]}, "kernel must be a name, a kernel object or a function"),
        ({"kernels": [Gaussian]}, r"kernel=Gaussian is a class; pass an object: Gaussian\(\)"),
        ({"label_weights": []}, "label_weights must be a list of positive numbers"),
        ({"label_weights": [-1]}, "label_weights must be a finite positive number, got -1"),
        ({"label_weights": [1.0, np.nan]}, "label_weights must be a finite positive number, got nan"),
        ({"label_weights": [0]}, "label_weights must be a finite positive number, got 0"),
        ({"label_weights": "abc"}, "label_weights must be a list of positive numbers, got 'abc'"),
        ({"label_weights": 3.0}, "label_weights must be a list of positive numbers, got 3.0"),
        ({"label_weights": None}, "label_weights must be a list of positive numbers, got None"),
        ({"variances": []}, "variances must be a list of positive numbers"),
        ({"variances": [1.0, "x"]}, "variances must be a finite positive number, got 'x'"),
        ({"variances": "abc"}, "variances must be a list of positive numbers"),
        ({"variances": [0.0]}, "variances must be a finite positive number, got 0.0"),
        ({"combine": "x"}, 'combine must be "average" or "best", got \'x\''),
        ({"combine": None}, 'combine must be "average" or "best", got None'),
        ({"rank": 0}, "rank must be a whole number from 1 up, got 0"),
        ({"rank": None}, "rank must be a whole number from 1 up, got None"),
        ({"rank": 2.5}, "rank must be a whole number from 1 up, got 2.5"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words) as caught:
        small(**parameters).fit(MOONS, MOON_LABELS)
    assert "\n" not in str(caught.value)


def test_arrays_of_parameters():
    lists, arrays = (
        single(label_weights=kind([1.0, 10.0]), variances=kind([0.5, 1.0])).fit(MOONS, MOON_LABELS)
        for kind in (list, np.array)
    )
    np.testing.assert_array_equal(lists.decision_, arrays.decision_)


@pytest.mark.parametrize("kernels", [[Gaussian()], ["rbf", "linear", "laplacian"]])
def test_constant_features(kernels):
    with pytest.raises(ValueError, match="all 60 rows look the same to every kernel"):
        SSKPCAClassifier(kernels).fit(np.ones((60, 2)), MOON_LABELS[:60] % 2)


def test_verbose_only_talks(capsys):
    quiet = small().fit(MOONS, MOON_LABELS)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
    loud = small(verbose=True).fit(MOONS, MOON_LABELS)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err != ""
    assert_same(loud, quiet, MOONS)


def test_candidates_of_one_label_a_class():
    codes = np.full(200, -1)
    codes[[3, 50]] = 0, 1
    with pytest.warns(UserWarning, match="one labelled row only"):
        model = small().fit(MOONS, codes)
    found = evaluate(model.coordinates_[0], Labels(np.arange(2), codes), Grid(*np.ones((3, 1))), ["ls"])
    assert np.isfinite(found.held_out).all()
    assert np.isfinite(model.loo_decision_).all()


def test_baselines_and_column_relevance_of_the_labelled_rows():
    rng = np.random.default_rng(0)
    X = np.hstack([MOONS, rng.standard_normal((200, 2))])
    y = np.where(np.arange(200) % 4 == 0, MOON, -1)
    model = small().fit(X, y)
    found = model.baselines(X)
    assert [baseline.name for baseline in found] == ["most frequent class", "nearest neighbour", "random forest"]
    assert all(baseline.n_labels == 50 for baseline in found)
    relevance = model.column_relevance(X)
    assert {entry.column for entry in relevance} == {f"column {j}" for j in range(4)}
    assert relevance[0].column in ("column 0", "column 1")
    with pytest.raises(ValueError, match="X has 10 rows, but the data of the fit had 200"):
        model.baselines(X[:10])
