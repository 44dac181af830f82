"""Kernels are specifications that no fit changes; what they learn is a frozen value."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass

import numpy as np
import pytest
import scipy.sparse

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SSKPCAClassifier
from sskpca._estimators.routes import decompose
from sskpca.kernels import (
    Diffusion,
    FittedKernel,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    ManifoldRegularized,
    Mixture,
    Nystrom,
    OnColumns,
    Polynomial,
    Precomputed,
    Sampled,
    TransducerSpectrum,
)
from sskpca.kernels._given import KERNELS, is_precomputed, make_kernel
from sskpca.rows import ArrayRows

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 3))
NEW = rng.standard_normal((6, 3))
Y = np.full(40, -1)
Y[:10] = np.arange(10) % 2
GRAPHS = ("diffusion", "regularized_laplacian", "laplacian_pseudoinverse", "transducer", "manifold")


def product(A, B):
    return A @ B.T


def registered(name):
    kernel = make_kernel(name)
    return kernel.set_params(n_neighbors=4) if name in GRAPHS else kernel


ALL = {
    **{name: registered(name) for name in KERNELS},
    "sum": Gaussian() + 0.5 * Diffusion(4),
    "features": Diffusion(4) + TransducerSpectrum(4, 10),
    "mixture": Mixture(Gaussian(), Laplacian(), 0.3),
    "nystrom": Nystrom(Gaussian(), 20),
    "sampled": Sampled(Diffusion(4), 20),
    "streamed": 2.0 * Nystrom(Gaussian(), 20) + Sampled(Diffusion(4), 20),
    "function": FunctionKernel(product),
    "columns": OnColumns(Gaussian(), np.array([0, 2])),
    "graph of columns": OnColumns(Diffusion(4), np.array([0, 2])),
    "sampled graph of columns": Sampled(OnColumns(Diffusion(4), np.array([0, 2])), 20),
}


def data_for(kernel):
    return (X @ X.T, (NEW @ X.T)) if kernel.pairwise else (X, NEW)


def state(thing):
    """Describe an object and all kernels in it."""
    return {name: state(value) if isinstance(value, Kernel) else repr(value) for name, value in vars(thing).items()}


def arrays_in(value):
    """List all arrays in a value, however deep."""
    if isinstance(value, np.ndarray):
        return [value]
    if scipy.sparse.issparse(value):
        return [value.data, value.indices, value.indptr]
    parts = value if isinstance(value, tuple) else vars(value).values() if is_dataclass(value) else ()
    return [array for part in parts for array in arrays_in(part)]


@pytest.fixture(params=ALL)
def kernel(request):
    return ALL[request.param]


@pytest.mark.parametrize("estimator", [LSKPCA, LRKPCA, MVKPCA, KPCA])
def test_no_fit_of_an_estimator_changes_a_kernel(kernel, estimator):
    before = state(kernel)
    data, new = data_for(kernel)
    model = estimator(kernel=kernel)
    model = model.fit(data) if estimator is KPCA else model.fit(data, Y)
    model.transform(new)
    assert state(kernel) == before


def test_no_fit_of_the_classifier_changes_a_kernel(kernel):
    before = state(kernel)
    data, new = data_for(kernel)
    SSKPCAClassifier([kernel], rank=10).fit(data, Y).predict(new)
    assert state(kernel) == before


def test_a_fit_by_itself_changes_neither_kernel_nor_data(kernel):
    data, _ = data_for(kernel)
    before, rows = state(kernel), data.copy()
    kernel.fit(data)
    kernel.fit_gram(data)
    if kernel.by_features:
        kernel.fit_features(data)
    if kernel.from_some_rows:
        kernel.fit(ArrayRows(data))
    assert state(kernel) == before
    np.testing.assert_array_equal(data, rows)


def test_what_is_learned_is_frozen_and_survives_a_pickle(kernel):
    data, new = data_for(kernel)
    for fitted in (kernel.fit(data), kernel.fit_gram(data)[0]):
        for field in fields(fitted):
            with pytest.raises(FrozenInstanceError):
                setattr(fitted, field.name, None)
        evaluate = "cross" if isinstance(fitted, FittedKernel) else "features"
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(getattr(again, evaluate)(new), getattr(fitted, evaluate)(new))
        assert repr(again) == repr(fitted) == repr(fitted.spec)


def test_what_is_learned_is_not_written_to_when_it_is_used(kernel):
    data, new = data_for(kernel)
    found = decompose(kernel, data)
    before = [array.copy() for array in arrays_in(found.kernel)]
    found.coordinates.project(new)
    found.coordinates.project(data)
    for array, old in zip(arrays_in(found.kernel), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_a_kernel_changed_after_a_fit_does_not_change_what_was_learned():
    kernel = Polynomial(2, gamma=0.5)
    fitted = kernel.fit(X)
    before = fitted.cross(NEW)
    kernel.set_params(degree=3, gamma=1.0, coef0=0.0)
    np.testing.assert_array_equal(fitted.cross(NEW), before)


def test_the_declarations_of_a_sum_follow_from_its_parts():
    some, graph, matrix = Nystrom(Gaussian(), 5), Diffusion(4), Gaussian()
    assert (some + some).from_some_rows
    assert (some + graph).by_features
    assert not (some + graph).from_some_rows
    assert (matrix + graph).needs_all_rows
    assert not (matrix + some).by_features
    assert Mixture(matrix, graph, 0.0).by_features  # the other one is not even evaluated
    assert (2.0 * some + some).width(40) == 10
    assert [type(part) for part in (2.0 * matrix + graph).parts] == [Gaussian, Diffusion]


@pytest.mark.parametrize(
    "kernel",
    [
        *("precomputed", Precomputed(), 2.0 * Precomputed() + Precomputed()),
        *(ManifoldRegularized(Precomputed()), ManifoldRegularized("precomputed")),
        Gaussian() + ManifoldRegularized(Precomputed()),
    ],
    ids=repr,
)
def test_a_matrix_of_similarities_is_known_as_such_wherever_it_is(kernel):
    assert is_precomputed(kernel)
    assert LSKPCA(kernel).__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize(
    "kernel",
    ["rbf", Gaussian(), ManifoldRegularized(), product, None],
    ids=["name", "kernel", "manifold", "function", "none"],
)
def test_rows_of_features_are_no_matrix_of_similarities(kernel):
    assert not is_precomputed(kernel)


@dataclass(frozen=True)
class FittedMinimum(FittedKernel):
    rows: np.ndarray

    def cross(self, X):
        return np.minimum(np.abs(X)[:, None], self.rows).sum(axis=-1)

    def diagonal(self, X):
        return np.abs(X).sum(axis=1)


class Minimum(Kernel):
    def fit(self, X):
        return FittedMinimum(self, np.abs(X))


def test_a_kernel_of_ones_own_needs_one_method_and_what_it_returns_another():
    exact = LSKPCA(Minimum()).fit(X, Y)
    seen = LSKPCA(Minimum(), coordinates="nystrom", n_landmarks=40).fit(X, Y)
    np.testing.assert_allclose(seen.decision_function(NEW), exact.decision_function(NEW), atol=1e-8)
    few = LSKPCA(0.5 * Minimum() + Linear(), coordinates="nystrom", n_landmarks=20).fit(ArrayRows(X), Y)
    assert np.isfinite(few.decision_).all()
    assert 0 <= LSKPCA(Minimum(), coordinates="nystrom", n_landmarks=20).fit(X, Y).kernel_.missed_ < 1


def test_a_fit_that_returns_something_else_is_refused():
    class Wrong(Kernel):
        def fit(self, X):
            return X

    with pytest.raises(TypeError, match=r"Wrong: fit must return a sskpca.kernels.FittedKernel, got a ndarray"):
        LSKPCA(Wrong()).fit(X, Y)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda K: K[:, 1:], r"Spoiled: a kernel matrix must be square, .* got shape \(\d+, \d+\)"),
        (lambda K: np.where(np.eye(len(K)) > 0, np.nan, K), "Spoiled kernel values are not finite"),
        (lambda K: K * np.arange(1, len(K) + 1), "Spoiled: the kernel matrix is not symmetric"),
    ],
    ids=["shape", "nan", "asymmetric"],
)
def test_a_kernel_of_ones_own_that_returns_no_kernel_matrix_is_refused(spoil, words):
    @dataclass(frozen=True)
    class FittedSpoiled(FittedMinimum):
        def cross(self, X):
            return spoil(super().cross(X))

    class Spoiled(Kernel):
        def fit(self, X):
            return FittedSpoiled(self, np.abs(X))

    with pytest.raises(ValueError, match=words):
        LSKPCA(Spoiled()).fit(X, Y)


def test_a_matrix_kernel_has_no_features():
    with pytest.raises(TypeError, match="Laplacian is known by its matrix, not by features"):
        Laplacian().fit_features(X)


def test_kernels_of_one_graph_share_its_eigenvectors():
    kernels = [
        Diffusion(4, n_eigenvectors=20),
        Diffusion(4, 3.0),
        TransducerSpectrum(4, 10, metric="euclidean", weights="gaussian"),
    ]
    model = SSKPCAClassifier(kernels, rank=10).fit(X, Y)
    assert len({id(kernel.graph_) for kernel in model.kernels_}) == 1
    other = SSKPCAClassifier([Diffusion(4), Diffusion(5)], rank=10).fit(X, Y)
    assert len({id(kernel.graph_) for kernel in other.kernels_}) == 2


def test_sparse_rows_stay_sparse_in_what_is_learned():
    assert scipy.sparse.issparse(Gaussian().fit(scipy.sparse.csr_matrix(X)).rows)
