import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from sklearn.base import clone

from sskpca import KPCA, LSKPCA, SpectralGraphTransducer
from sskpca._graphs import NeighborGraph, laplacian
from sskpca.datasets import load_ssl_book, make_two_moons
from sskpca.kernels import (
    Diffusion,
    Gaussian,
    LaplacianPseudoinverse,
    Linear,
    ManifoldRegularized,
    Mixture,
    RegularizedLaplacian,
    Sum,
    TransducerSpectrum,
)

X, y, target = make_two_moons(120, noise=0.1)
NEW = make_two_moons(40, random_state=3)[0]
W = NeighborGraph(6).fit(X).weights_
L = laplacian(W).toarray()

FORMULAS = {
    "diffusion": (Diffusion(6, 3.0), lambda: scipy.linalg.expm(-3.0 * L)),
    "regularized": (RegularizedLaplacian(6, 0.1), lambda: np.linalg.inv(L + 0.1 * np.eye(120))),
    "pseudoinverse": (LaplacianPseudoinverse(6), lambda: np.linalg.pinv(L, rcond=1e-9)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_kernels_are_their_formulas_scaled_to_mean_diagonal_one(name):
    kernel, formula = FORMULAS[name]
    K = formula()
    np.testing.assert_allclose(kernel.fit_gram(X)[1], K / np.diag(K).mean(), atol=1e-9)


def test_transducer_spectrum_is_its_formula():
    kernel = TransducerSpectrum(6, 10, metric="euclidean", weights="gaussian")
    U = np.linalg.eigh(L)[1][:, 1:11]
    K = (U / np.arange(1, 11) ** 2) @ U.T
    np.testing.assert_allclose(kernel.fit_gram(X)[1], K / np.diag(K).mean(), atol=1e-9)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_users_own_graph_takes_the_place_of_neighbours(name):
    kernel = clone(FORMULAS[name][0])
    own = clone(kernel).set_params(graph=W)
    fitted, K = own.fit_gram(X)
    np.testing.assert_allclose(K, kernel.fit_gram(X)[1], atol=1e-9)
    assert fitted.cross(NEW).shape == (40, 120)


def test_few_eigenvectors_are_the_leading_part():
    whole, part = Diffusion(6, 30.0), Diffusion(6, 30.0, n_eigenvectors=60)
    np.testing.assert_allclose(part.fit_gram(X)[1], whole.fit_gram(X)[1], atol=1e-3)


@pytest.mark.parametrize("kernel", [Diffusion(6), TransducerSpectrum(6, 10)])
def test_new_points_are_exact_on_the_data_and_positive_semi_definite_elsewhere(kernel):
    fitted, K = kernel.fit_gram(X)
    np.testing.assert_allclose(fitted.cross(X), K, atol=1e-10)
    both = np.vstack([X, NEW])
    F = kernel.fit(X).features(both)
    assert np.linalg.eigvalsh(F @ F.T).min() > -1e-10


def test_disconnected_graph_keeps_its_parts_apart():
    apart = np.vstack([X, X + 100])
    _, K = Diffusion(6, 5.0).fit_gram(apart)
    assert np.abs(K[:120, 120:]).max() < 1e-9
    labels = np.r_[y, np.full(120, -1)]
    assert np.isfinite(LSKPCA(Diffusion(6, 5.0)).fit(apart, labels).decision_).all()


def test_duplicates_get_an_answer():
    model = LSKPCA(Diffusion(6)).fit(np.vstack([X, X]), np.r_[y, np.full(120, -1)])
    assert np.isfinite(model.decision_function(X)).all()


def test_features_and_gram_matrix_give_the_same_classifier():
    by_features = LSKPCA(Diffusion(6, 3.0)).fit(X, y)
    by_gram = LSKPCA("precomputed").fit(Diffusion(6, 3.0).fit_gram(X)[1], y)
    np.testing.assert_allclose(by_features.decision_, by_gram.decision_, atol=1e-6)


def test_rank_works_on_features():
    model = LSKPCA(Diffusion(6, 3.0), rank=20).fit(X, y)
    gram = LSKPCA("precomputed", rank=20).fit(Diffusion(6, 3.0).fit_gram(X)[1], y)
    np.testing.assert_allclose(model.decision_, gram.decision_, atol=1e-6)


def test_large_graphs_take_few_eigenvectors_and_agree_with_all():
    points, labels, truth = make_two_moons(2400, noise=0.12)
    few = LSKPCA(Diffusion(10, 200.0)).fit(points, labels)
    assert few.coordinates_.rank <= 301
    assert np.mean(few.transduction_ != truth) < 0.05


def test_algebra():
    a, b = Gaussian(1.0), Diffusion(6)
    _, K = (0.3 * a + b * 0.7).fit_gram(X)
    np.testing.assert_allclose(K, 0.3 * a.fit_gram(X)[1] + 0.7 * b.fit_gram(X)[1])
    np.testing.assert_allclose(Mixture(a, b, 0.3).fit_gram(X)[1], K)
    assert (0.3 * a + 0.7 * b).get_params()["second__kernel__n_neighbors"] == 6


def test_sums_of_explicit_kernels_are_stacked_features():
    both = 0.5 * Diffusion(6) + 0.5 * TransducerSpectrum(6, 10)
    assert both.by_features
    assert not (Gaussian() + Diffusion(6)).by_features
    fitted, F = both.fit_features(X)
    kernel, K = both.fit_gram(X)
    np.testing.assert_allclose(F @ F.T, K, atol=1e-10)
    np.testing.assert_allclose(fitted.features(NEW) @ F.T, kernel.cross(NEW), atol=1e-10)


@pytest.mark.parametrize(("weight", "pure"), [(1.0, Gaussian(1.0)), (0.0, Diffusion(6, 3.0))])
def test_endpoints_of_a_mixture_are_exactly_the_pure_kernels(weight, pure):
    mixed = LSKPCA(Mixture(Gaussian(1.0), Diffusion(6, 3.0), weight)).fit(X, y)
    alone = LSKPCA(pure).fit(X, y)
    np.testing.assert_array_equal(mixed.decision_, alone.decision_)
    np.testing.assert_array_equal(mixed.decision_function(NEW), alone.decision_function(NEW))


@pytest.mark.parametrize("weight", [-0.1, 1.1, np.nan, "half", None])
def test_mixture_weights_outside_zero_to_one_are_refused(weight):
    with pytest.raises(ValueError, match="the weight of a mixture must be a number from 0 to 1"):
        LSKPCA(Mixture(Gaussian(), Diffusion(6), weight)).fit(X, y)


def test_negative_multiples_are_refused():
    w = 1.5
    with pytest.raises(ValueError, match="the weight of a kernel must be a finite number, zero or more"):
        LSKPCA(w * Gaussian() + (1 - w) * Diffusion(6)).fit(X, y)


@pytest.mark.parametrize("time", [0, -1.0, np.inf, "long"])
def test_bad_times_are_refused(time):
    with pytest.raises(ValueError, match="Diffusion: time must be a finite positive number"):
        Diffusion(6, time).fit_gram(X)


def test_other_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="n_neighbors=200 is too many for 120 points"):
        LSKPCA(Diffusion(200)).fit(X, y)
    with pytest.raises(ValueError, match="n_eigenvectors must be None or"):
        Diffusion(6, n_eigenvectors=0).fit_gram(X)
    with pytest.raises(ValueError, match="makes no kernel"):
        Diffusion(6, laplacian="random walk").fit_gram(X)
    with pytest.raises(ValueError, match="regularization must be a finite positive"):
        RegularizedLaplacian(6, 0).fit_gram(X)
    with pytest.raises(ValueError, match="the graph has the shape"):
        LSKPCA(Diffusion(6, graph=scipy.sparse.eye(5))).fit(X, y)
    with pytest.raises(ValueError, match="strength must be a finite number, zero or more"):
        ManifoldRegularized(strength=-1).fit_gram(X)


@pytest.mark.parametrize("base", [Gaussian(1.0), Linear()])
def test_manifold_kernel_without_strength_is_its_base(base):
    deformed = LSKPCA(ManifoldRegularized(base, 0.0)).fit(X, y)
    np.testing.assert_array_equal(deformed.decision_, LSKPCA(base).fit(X, y).decision_)


def test_manifold_kernel_is_its_formula():
    _, K = Gaussian(2.0).fit_gram(X)
    Lu = laplacian(W, "unnormalized").toarray() * (120 / W.sum())
    kernel = ManifoldRegularized(Gaussian(2.0), 0.5, n_neighbors=6)
    direct = np.linalg.solve(np.eye(120) + 0.5 * K @ Lu, K)
    fitted, deformed = kernel.fit_gram(X)
    np.testing.assert_allclose(deformed, direct / np.diag(direct).mean(), atol=1e-8)
    np.testing.assert_allclose(fitted.cross(X), direct / np.diag(direct).mean(), atol=1e-8)
    assert np.linalg.eigvalsh(deformed).min() > -1e-9


def test_manifold_kernel_moves_smoothly_and_flattens_along_edges():
    roughness = []
    for strength in (0.0, 0.1, 1.0, 10.0, 100.0):
        f = LSKPCA(ManifoldRegularized(Gaussian(8.0), strength, n_neighbors=6), label_weight=10.0).fit(X, y).decision_
        i, j = W.nonzero()
        roughness.append(np.sum(np.asarray(W[i, j]) * (f[i] - f[j]) ** 2))
    assert all(np.diff(roughness) < 0)


def test_manifold_extension_is_the_functions_own():
    """It is that of functions of the base kernel's space, as smooth as those."""
    kernel = ManifoldRegularized(Gaussian(2.0), 0.5, n_neighbors=6).fit(X)
    f = kernel.cross(NEW) @ np.ones(120)
    wiggled = kernel.cross(NEW + 1e-6) @ np.ones(120)
    np.testing.assert_allclose(f, wiggled, atol=1e-3)


@pytest.mark.parametrize(("name", "weight"), [("Digit1", 0.1), ("USPS", 1.0)])
def test_held_out_accuracy_is_close_to_transductive_accuracy(name, weight):
    """Keep a third of the unlabelled points from the graph; the model must do as well on them as on those it has."""
    inside, outside = [], []
    for split in range(1, 5):
        book = load_ssl_book(name, 100, split)
        out = book.unlabeled[::3]
        seen = np.setdiff1d(np.arange(1500), out)
        model = LSKPCA(Diffusion(5, 30.0), label_weight=weight).fit(book.data[seen], book.y[seen])
        unlabeled = book.y[seen] < 0
        inside.append(np.mean(model.transduction_[unlabeled] != book.target[seen][unlabeled]))
        outside.append(np.mean(model.predict(book.data[out]) != book.target[out]))
    assert np.mean(outside) <= np.mean(inside) + 0.01


@pytest.mark.parametrize(("name", "weight", "limit"), [("USPS", 1.0, 4.5), ("Digit1", 0.1, 2.3)])
def test_diffusion_with_fixed_settings_on_the_books_data(name, weight, limit):
    errors, coordinates = [], "exact"
    for split in range(1, 13):
        book = load_ssl_book(name, 100, split)
        model = LSKPCA(Diffusion(5, 30.0), label_weight=weight, threshold=0.0, coordinates=coordinates)
        model.fit(book.data, book.y)
        coordinates = model.coordinates_
        errors.append(100 * np.mean(model.transduction_[book.unlabeled] != book.target[book.unlabeled]))
    assert np.mean(errors) <= limit


def test_kpca_with_a_graph_kernel():
    assert KPCA(3, kernel=Diffusion(6)).fit(X).transform(NEW).shape == (40, 3)


def test_nested_sums_know_their_parameters():
    kernel = Sum(Gaussian(), Mixture(Gaussian(2.0), Diffusion(6)))
    kernel.set_params(second__weight=0.25, first__gamma=3.0)
    assert clone(kernel).second.weight == 0.25


@pytest.mark.parametrize(
    "model",
    [
        SpectralGraphTransducer(),
        SpectralGraphTransducer(5, metric="euclidean", weights="gaussian"),
        LSKPCA(Diffusion(5)),
    ],
    ids=["cosine", "euclidean", "kernel"],
)
@pytest.mark.parametrize("constant", [0.0, 0.1, -3.0])
def test_a_graph_of_rows_that_are_all_alike_is_refused(model, constant):
    with pytest.raises(ValueError, match=r"all 50 rows look the same to kernel=.* \(are all features constant, "):
        model.fit(np.full((50, 2), constant), np.repeat([0, 1, -1], [5, 5, 40]))


def test_a_graph_of_ones_own_needs_no_features():
    given = SpectralGraphTransducer(5, 20, graph=W).fit(np.ones((120, 1)), y)
    assert np.mean(given.transduction_[y >= 0] == y[y >= 0]) == 1


def test_distances_beyond_floating_point_are_refused():
    for kernel in (Diffusion(5), ManifoldRegularized(n_neighbors=5)):
        with pytest.raises(ValueError, match="not finite: the features are too large"):
            LSKPCA(kernel).fit(X * 1e200, y)
    scaled = SpectralGraphTransducer(10).fit(X * 1e200, y)  # angles do not feel it
    np.testing.assert_array_equal(scaled.transduction_, SpectralGraphTransducer(10).fit(X, y).transduction_)
