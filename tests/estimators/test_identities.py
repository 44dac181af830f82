"""Identities and limits that the methods must satisfy as wholes."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.decomposition import PCA, KernelPCA

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA
from sskpca.datasets import make_two_moons
from sskpca.kernels import Gaussian

X, y, target = make_two_moons(80, noise=0.1)
NEW = make_two_moons(30, random_state=7)[0]
CLASSIFIERS = [LSKPCA, LRKPCA, MVKPCA]
three = np.where(np.arange(80) % 5 == 0, np.arange(80) % 3, -1)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine"])
def test_kpca_is_scikit_learns_up_to_sign(kernel):
    names = {"rbf": {"kernel": "rbf", "gamma": 1.3}, "poly": {"kernel": "poly", "gamma": 0.7, "degree": 3, "coef0": 1}}
    options = names.get(kernel, {"kernel": kernel})
    parameters = {key: value for key, value in options.items() if key != "kernel"}
    from sskpca.kernels._given import make_kernel

    k = 1 if kernel == "cosine" else 2  # on the circle the others are small
    theirs = KernelPCA(k, **options).fit(X)
    ours = KPCA(k, kernel=make_kernel(kernel).set_params(**parameters)).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    for points in (X, NEW):
        np.testing.assert_allclose(np.abs(ours.transform(points)), np.abs(theirs.transform(points)), atol=1e-8)


def test_kpca_with_a_linear_kernel_is_pca():
    np.testing.assert_allclose(
        np.abs(KPCA(2, kernel="linear").fit_transform(X)), np.abs(PCA(2).fit_transform(X)), atol=1e-10
    )


def test_kpca_by_krylov_is_kpca(monkeypatch):
    from sskpca.coordinates import _exact as exact

    dense = KPCA(4).fit(X).transform(NEW)
    monkeypatch.setattr(exact, "DENSE_SIZE", 0)
    np.testing.assert_allclose(np.abs(KPCA(4).fit(X).transform(NEW)), np.abs(dense), atol=1e-7)


@pytest.mark.parametrize("estimator", [KPCA(3), LSKPCA(), LRKPCA(), MVKPCA(3), LSKPCA(rank=10), LSKPCA("linear")])
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("labels", [y, three], ids=["two", "three"])
def test_in_sample_is_out_of_sample(estimator, centered, labels):
    estimator.set_params(centered=centered)
    model = estimator.fit(X, labels)
    np.testing.assert_allclose(model._in_sample(), model.transform(X), atol=1e-8 * np.abs(model._in_sample()).max())
    np.testing.assert_allclose(estimator.fit_transform(X, labels), model.transform(X), atol=1e-7)
    if hasattr(model, "decision_function"):
        scale = np.abs(model.decision_).max()
        np.testing.assert_allclose(model.decision_, model.decision_function(X), atol=1e-8 * scale)
        again = estimator.set_params(**({"threshold": 0.0} if "threshold" in estimator.get_params() else {})).fit(
            X, labels
        )
        if not isinstance(estimator, MVKPCA):
            np.testing.assert_allclose(
                np.atleast_2d(again.decision_function(X).T).T, again.transform(X), atol=1e-8 * scale
            )
            estimator.set_params(threshold="auto")


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("labels", [y, three], ids=["two", "three"])
def test_permuting_rows_permutes_the_answer(estimator, labels):
    order = np.random.default_rng(0).permutation(80)
    straight = estimator().fit(X, labels).decision_
    permuted = estimator().fit(X[order], labels[order]).decision_
    np.testing.assert_allclose(permuted, straight[order], atol=1e-6 * np.abs(straight).max())


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_exchanging_the_classes_exchanges_the_sides(estimator):
    straight = estimator().fit(X, y).decision_
    exchanged = estimator().fit(X, np.where(y >= 0, 1 - y, -1)).decision_
    np.testing.assert_allclose(exchanged, -straight, atol=1e-6 * np.abs(straight).max())


@pytest.mark.parametrize("centered", [True, False])
def test_vanishing_label_weight_is_the_first_component(centered):
    kernel = Gaussian(1.0)
    first = KPCA(1, kernel=kernel, centered=centered).fit(X)
    faint = LSKPCA(kernel, label_weight=1e-9, variance=1.0, centered=centered).fit(X, y)
    a, b = first.transform(X)[:, 0], faint.transform(X)[:, 0]
    b = b - b.mean() if centered else b
    a = a / np.sqrt(np.mean(a**2))
    np.testing.assert_allclose(b * np.sign(a @ b), a, atol=1e-6)


def test_mv_kpca_without_weight_is_kernel_pca():
    for centered in (True, False):
        np.testing.assert_allclose(
            MVKPCA(3, label_weight=0.0, centered=centered).fit(X, y).transform(NEW),
            KPCA(3, centered=centered).fit(X).transform(NEW),
            atol=1e-8,
        )


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("variance", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA])
def test_the_variance_is_the_one_asked_for(estimator, variance, centered):
    f = estimator(variance=variance, centered=centered).fit(X, y).transform(X)[:, 0]
    assert (np.var(f) if centered else np.mean(f**2)) == pytest.approx(variance, rel=1e-8)


def test_automatic_variance_is_that_of_the_labelling():
    labels = np.full(80, -1)
    labels[:12] = [1] * 3 + [0] * 9
    p = 4 / 14
    assert LSKPCA().fit(X, labels).variance_ == pytest.approx(4 * p * (1 - p))


def test_large_weight_fits_the_labels():
    model = LSKPCA(label_weight=1e8, threshold=0.0).fit(X, y)
    np.testing.assert_allclose(model.decision_[y >= 0], 2 * y[y >= 0] - 1, atol=1e-3)


def test_threshold_moves_the_decision_and_nothing_else():
    zero, one = (LSKPCA(threshold=t).fit(X, y) for t in (0.0, 1.0))
    np.testing.assert_array_equal(zero.coef_, one.coef_)
    np.testing.assert_allclose(zero.decision_function(NEW) - 1.0, one.decision_function(NEW))


def test_full_rank_is_no_rank():
    np.testing.assert_allclose(LSKPCA(rank=79).fit(X, y).decision_, LSKPCA().fit(X, y).decision_, atol=1e-6)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_two_moons_are_labelled_from_eight_labels(estimator):
    X, y, target = make_two_moons(200)
    model = estimator(kernel=Gaussian(4.0), label_weight=10.0).fit(X, y)
    assert np.mean(model.transduction_ != target) <= 0.05
    fresh, _, truth = make_two_moons(500, random_state=1)
    assert np.mean(model.predict(fresh) != truth) <= 0.05


def test_given_labels_stand():
    wrong = y.copy()
    first = np.flatnonzero(y == 0)[0]
    wrong[first] = 1
    assert LSKPCA(label_weight=1e-3).fit(X, wrong).transduction_[first] == 1


def test_reports_prove_global_optimality():
    for labels, number in ((y, 1), (three, 3)):
        reports = LSKPCA().fit(X, labels).reports_
        assert len(reports) == number
        assert max(abs(report.gap) for report in reports) < 1e-9
        assert max(report.kkt_residual for report in reports) < 1e-9


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_coordinates_can_be_used_again(estimator):
    first = estimator().fit(X, y)
    again = estimator(coordinates=first.coordinates_, label_weight=3.0).fit(X, y)
    fresh = estimator(label_weight=3.0).fit(X, y)
    np.testing.assert_allclose(again.decision_function(NEW), fresh.decision_function(NEW), atol=1e-9)
    assert again.coordinates_ is first.coordinates_


@pytest.mark.parametrize("centered", [True, False])
def test_rank_of_given_coordinates_is_rank_from_the_start(centered):
    whole = LSKPCA(centered=centered).fit(X, y)
    cut = LSKPCA(rank=20, centered=centered, coordinates=whole.coordinates_).fit(X, y)
    fresh = LSKPCA(rank=20, centered=centered).fit(X, y)
    assert cut.coordinates_.rank == fresh.coordinates_.rank
    np.testing.assert_allclose(cut.decision_function(NEW), fresh.decision_function(NEW), atol=1e-6)
    assert cut.reports_[0].objective == pytest.approx(fresh.reports_[0].objective, rel=1e-8)


def test_the_bandwidth_that_was_used_can_be_seen():
    assert LSKPCA().fit(X, y).kernel_.gamma_ > 0


def test_coordinates_are_shared_by_clones():
    from sklearn.base import clone

    first = LSKPCA().fit(X, y)
    model = LSKPCA(coordinates=first.coordinates_)
    assert clone(model).coordinates is first.coordinates_


def test_sparse_input_is_dense_input():
    sparse = scipy.sparse.csr_matrix(X)
    np.testing.assert_allclose(
        LSKPCA().fit(sparse, y).decision_function(NEW), LSKPCA().fit(X, y).decision_function(NEW), atol=1e-8
    )


def test_callable_and_precomputed_kernels_are_the_named_one():
    from sklearn.metrics.pairwise import rbf_kernel

    named = LSKPCA(Gaussian(1.0)).fit(X, y).decision_function(NEW)
    called = LSKPCA(lambda A, B: rbf_kernel(A, B, gamma=1.0)).fit(X, y).decision_function(NEW)
    given = LSKPCA("precomputed").fit(rbf_kernel(X, gamma=1.0), y).decision_function(rbf_kernel(NEW, X, gamma=1.0))
    np.testing.assert_allclose(called, named, atol=1e-8)
    np.testing.assert_allclose(given, named, atol=1e-8)


def test_groups_may_stand_in_for_classes():
    groups = np.full(80, None, dtype=object)
    groups[target == 0], groups[target == 1] = "one", "other"
    model = MVKPCA(kernel=Gaussian(4.0)).fit(X, y, groups=groups)
    assert np.mean(model.transduction_ != target) < 0.05


def test_single_precision_in_is_single_precision_out():
    assert KPCA(2).fit_transform(X.astype(np.float32)).dtype == np.float32
    assert LSKPCA().fit(X.astype(np.float32), y).transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(("offset", "tolerance"), [(1e3, 1e-7), (1e4, 1e-5), (1e5, 1e-3)])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_a_large_constant_part_of_the_kernel_does_not_leak_into_new_points(kernel, offset, tolerance):
    far = X + offset
    model = LSKPCA(kernel).fit(far, y)
    np.testing.assert_allclose(
        model.decision_function(far), model.decision_, atol=tolerance * np.abs(model.decision_).max()
    )
    components = KPCA(1, kernel=kernel)
    np.testing.assert_allclose(components.fit_transform(far), components.transform(far), atol=tolerance * offset)


def test_no_spurious_constant_on_standardised_data():
    from sklearn.preprocessing import StandardScaler

    data = StandardScaler().fit_transform(np.random.default_rng(0).standard_normal((100, 3)))
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(100)
        assert LSKPCA("linear").fit(data[order], [0, 1] * 50).coordinates_.rank == 3


def test_one_outlier_does_not_spoil_a_gaussian():
    model = LSKPCA().fit(np.vstack([X, [[1e8, 1e8]]]), np.append(y, -1))
    inlier = LSKPCA(Gaussian(model.kernel_.gamma_)).fit(X, y)
    assert np.mean((model.decision_[:80] > 0) == (inlier.decision_ > 0)) > 0.9


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine", "diffusion"])
def test_a_fitted_model_does_not_share_the_users_memory(kernel):
    mine = X.copy()
    model = LSKPCA(kernel).fit(mine, y)
    before = model.decision_function(NEW)
    mine += 100
    np.testing.assert_array_equal(model.decision_function(NEW), before)


def test_kpca_refuses_more_components_than_given_coordinates_hold():
    small = LSKPCA(rank=2).fit(X, y).coordinates_
    with pytest.raises(ValueError, match="hold 2 components"):
        KPCA(3, coordinates=small).fit(X)
    np.testing.assert_allclose(
        KPCA(2, coordinates=small).fit(X).transform(NEW), KPCA(2).fit(X).transform(NEW), atol=1e-9
    )
