"""A fitted model in a file that holds data and no code."""

import copy
import io
import json
import math
import pickle
import struct
import sys
import zipfile
from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import kneighbors_graph

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca._tables import FeatureMap, decide_columns, fit_features
from sskpca._transduction import Predictor
from sskpca._transduction.answer import Unanswered
from sskpca.coordinates._values import StreamedValues
from sskpca.datasets import make_two_moons
from sskpca.kernels import (
    Cosine,
    Diffusion,
    Gaussian,
    GaussianRanks,
    Laplacian,
    LaplacianPseudoinverse,
    Linear,
    ManifoldRegularized,
    Mixture,
    Nystrom,
    OnColumns,
    Polynomial,
    RandomTrees,
    RegularizedLaplacian,
    Sampled,
    TransducerSpectrum,
)
from sskpca.saving import _model_file as model_file
from sskpca.saving._model_file import FORMAT_VERSION, ModelFileError, load_model, save_model
from sskpca.saving._model_parts import CLASSES, Parts
from sskpca.solvers._losses import HuberHinge

ANSWERS = ("predict", "predict_proba", "decision_function", "novelty", "transform")


def data(n=60, n_features=3, n_classes=2, n_labels=14, seed=0):
    """Draw clusters; labels are class numbers, -1 where there is none."""
    rng = np.random.default_rng(seed)
    target = np.arange(n) % n_classes
    X = rng.standard_normal((n, n_features)) + 2.5 * rng.standard_normal((n_classes, n_features))[target]
    return X, np.where(np.arange(n) < n_labels, target, -1), rng.standard_normal((25, n_features)) * 2


def there_and_back(model, path, *, full=True):
    save_model(path, model, full=full)
    return load_model(path)[0]


def assert_same_predictions(model, loaded, X):
    assert type(loaded) is type(model)
    for name in ANSWERS:
        if hasattr(model, name) and not (name == "transform" and isinstance(loaded.answer_, Predictor)):
            given, found = getattr(model, name)(X), getattr(loaded, name)(X)
            assert given.dtype == found.dtype, name
            np.testing.assert_array_equal(found, given, strict=True, err_msg=name)
    np.testing.assert_array_equal(loaded.classes_, model.classes_, strict=True)


def assert_same_answers(model, loaded, X):
    """Compare what is said of new rows, and of the rows of the fit."""
    assert_same_predictions(model, loaded, X)
    for name in ("transduction_", "decision_", "label_distributions_", "loo_decision_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name), strict=True, err_msg=name)
    for given, found in zip(model.reports_, loaded.reports_, strict=True):
        assert_same_fields(given, found)


def check_both_ways(model, folder, X):
    """Save in full, and for new rows only."""
    assert_same_answers(model, there_and_back(model, folder / "full"), X)
    loaded = there_and_back(model, folder / "new rows", full=False)
    assert_same_predictions(model, loaded, X)
    return loaded


def assert_same_fields(given, found):
    assert type(found) is type(given)
    for field in fields(given):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(given, field.name), err_msg=field.name)


@pytest.fixture(scope="module")
def small():
    X, y, new = data()
    return SSKPCAClassifier().fit(X, y), new


@pytest.fixture
def saved(small, tmp_path):
    path = tmp_path / "model.sskpca"
    save_model(path, small[0], {"columns": ["a", "b", "c"]})
    return path


# What is in the file is what was saved.


@pytest.mark.parametrize("n_features", [3, 20])  # neighbours by trees, and by brute force
def test_the_whole_portfolio_answers_the_same_bit_by_bit(tmp_path, n_features):
    X, y, new = data(400, n_features, n_labels=30)
    model = SSKPCAClassifier().fit(X, y)
    kernels = [fitted.spec for fitted in model.kernels_]
    kinds = {type(kernel) for kernel in kernels}
    assert {Gaussian, GaussianRanks, Linear, Laplacian, RandomTrees, Diffusion, TransducerSpectrum} == kinds
    assert {"cosine", "euclidean"} == {kernel.metric for kernel in kernels if hasattr(kernel, "metric")}
    # Each kernel counts, so that each is evaluated.
    ensemble = model.answer_.found
    weights = [np.full_like(w, 1e-3) for w in ensemble.weights]
    coef = [np.tensordot(w, part.coef, 1).T for w, part in zip(weights, ensemble.found, strict=True)]
    found = replace(ensemble, weights=weights, coef=coef)
    model.answer_ = replace(model.answer_, found=found, decision=found.on_data(model.answer_.geometry))
    # Graphs that search for neighbours in the same metric are one part; besides, there is a forest.
    metrics = {kernel.metric for kernel in kernels if hasattr(kernel, "metric")}
    others = [kernel for kernel in kernels if not hasattr(kernel, "metric")]
    assert len(model.answer_.predictor.parts) == len(metrics) + len(others) + 1
    check_both_ways(model, tmp_path, new)


def streamed(n_classes=2):
    """Fit in so little memory that the coordinates of the rows find no room in it."""
    X, y, new = data(600, n_classes=n_classes, n_labels=30)
    kernels = [Gaussian(), Sampled(Diffusion(5, n_eigenvectors=20), 60), Nystrom(Laplacian(), 20)]
    model = SSKPCAClassifier(kernels, coordinates="nystrom", n_landmarks=20, memory=750_000).fit(X, y)
    assert all(isinstance(part.values, StreamedValues) for part in model.coordinates_)
    return model, new


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_of_rows_that_had_no_room_predicts_the_same_bit_by_bit(tmp_path, n_classes):
    model, new = streamed(n_classes)
    assert_same_predictions(model, there_and_back(model, tmp_path / "model", full=False), new)


def test_rows_that_had_no_room_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="came in blocks, and cannot be saved with the model"):
        save_model(tmp_path / "model", streamed()[0], full=True)
    assert not list(tmp_path.iterdir())


def test_a_model_for_new_rows_is_smaller(small, saved, tmp_path):
    save_model(tmp_path / "full", small[0], full=True)
    assert saved.stat().st_size < 0.7 * (tmp_path / "full").stat().st_size


ASK = {
    "update_labels": lambda model: model.update_labels([50], [1]),
    "forget_labels": lambda model: model.forget_labels([0]),
    "next_rows": lambda model: model.next_rows(2),
    "explain": lambda model: model.explain(3),
    "suspects": lambda model: model.suspects(),
    "transduction_": lambda model: model.transduction_,
    "leave_one_out": lambda model: model.leave_one_out(),
    "full": lambda model: save_model("nowhere", model, full=True),
}


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK.keys())
def test_what_needs_rows_that_were_not_saved_says_so(small, saved, ask):
    loaded, _, _ = load_model(saved)
    with pytest.raises((ValueError, AttributeError), match=r"without the rows it was fitted to.* full=True"):
        ask(loaded)
    np.testing.assert_array_equal(loaded.predict_proba(small[1]), small[0].predict_proba(small[1]))


def test_a_model_file_does_not_grow_with_rows_that_had_no_room(tmp_path):
    model, _ = streamed()
    model.next_rows(3)  # which remembers rows
    save_model(tmp_path / "model", model)
    with zipfile.ZipFile(tmp_path / "model") as archive:
        largest = max(member.file_size for member in archive.infolist() if member.filename != "model.json")
    # Rows to measure distances to, 20,000 at most, are kept. Their twenty coordinates are not, nor are features of the
    # rows that were remembered.
    assert largest <= 3 * 8 * 600 + 128


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_rows_answer_the_same_bit_by_bit(tmp_path, n_classes):
    X, y, new = data(80, 12, n_classes, n_labels=18)
    X[np.abs(X) < 1], new[np.abs(new) < 1] = 0, 0
    model = SSKPCAClassifier().fit(scipy.sparse.csr_matrix(X), y)
    loaded = check_both_ways(model, tmp_path, scipy.sparse.csr_matrix(new))
    assert_same_predictions(model, loaded, new)


def test_single_precision_answers_the_same_bit_by_bit(tmp_path):
    X, y, new = data()
    model = SSKPCAClassifier().fit(X.astype(np.float32), y)
    check_both_ways(model, tmp_path, new.astype(np.float32))


@pytest.mark.parametrize(
    "names",
    [
        ["no", "yes", ""],
        [3, 7, -1],
        [True, False, None],
        ["größer", "小さい", None],
        [1.0, 2.0, math.nan],
    ],
    ids=["text", "int", "bool", "unicode", "float"],
)
def test_class_names_are_what_they_were(tmp_path, names):
    X, codes, new = data()
    y = np.array(names, dtype=object)[codes]
    model = SSKPCAClassifier().fit(X, y)
    loaded = check_both_ways(model, tmp_path, new)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert set(loaded.classes_.tolist()) == set(names[:2])


@pytest.mark.parametrize(
    "kernel",
    [
        *("rbf", Gaussian(2.0), Laplacian(), Linear(), Polynomial(2), Cosine()),
        *(Diffusion(5), Diffusion(5, metric="cosine"), Diffusion(5, metric="manhattan", weights="binary")),
        *(RegularizedLaplacian(5), LaplacianPseudoinverse(5), TransducerSpectrum(8, 10)),
        *(ManifoldRegularized(n_neighbors=5), ManifoldRegularized(strength=0.0)),
        *(0.3 * Gaussian() + 0.7 * Diffusion(5), 2.0 * Diffusion(5) + TransducerSpectrum(8, 10)),
        *(Mixture(Diffusion(5), Diffusion(9)), Mixture(Gaussian(), Linear(), weight=1.0)),
    ],
    ids=lambda kernel: repr(kernel).replace("\n", " ")[:60],
)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_every_kernel_answers_the_same_bit_by_bit(tmp_path, kernel, sparse):
    X, y, new = data(n_features=5)
    if sparse:
        X, new = scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(new)
    check_both_ways(LSKPCA(kernel, rank=20).fit(X, y), tmp_path, new)


@pytest.mark.parametrize(
    "model",
    [
        *(LSKPCA(), LSKPCA(centered=False, rank=7), LSKPCA(label_weight=np.float64(3.0), variance=1.0)),
        *(LRKPCA(), LRKPCA(loss="sigmoid"), LRKPCA(loss=HuberHinge(0.25))),
        *(MVKPCA(), MVKPCA(3, kernel="linear"), SpectralGraphTransducer(10, 20)),
        SSKPCAClassifier([Gaussian(), "linear"], methods=("ls", "ridge"), combine="best", label_weights=[1.0, 10.0]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_estimator_answers_the_same_bit_by_bit(tmp_path, model, n_classes):
    X, y, new = data(n_classes=n_classes)
    fitted = copy.deepcopy(model).fit(X, y)
    assert_same_predictions(fitted, there_and_back(fitted, tmp_path / "new rows", full=False), new)
    loaded = there_and_back(fitted, tmp_path / "model")
    assert_same_answers(fitted, loaded, new)
    assert repr(loaded) == repr(fitted)
    held_out, given = loaded.leave_one_out(), fitted.leave_one_out()
    np.testing.assert_array_equal(held_out.decisions, given.decisions)


def test_a_graph_of_ones_own_comes_along(tmp_path):
    X, y, new = data()
    graph = kneighbors_graph(X, 6)
    graph = graph.maximum(graph.T)
    for model in (LSKPCA(Diffusion(5, graph=graph)), SpectralGraphTransducer(5, 10, graph=graph)):
        (tmp_path / type(model).__name__).mkdir()
        check_both_ways(model.fit(X, y), tmp_path / type(model).__name__, new)


def test_a_precomputed_kernel_comes_along(tmp_path):
    X, y, new = data()
    model = LSKPCA("precomputed").fit(X @ X.T, y)
    check_both_ways(model, tmp_path, new @ X.T)


def test_given_coordinates_groups_and_invariances_come_along(tmp_path):
    X, y, new = data()
    first = LSKPCA().fit(X, y, invariances=(X[:5], X[:5] + 0.1))
    again = LSKPCA(coordinates=first.coordinates_, label_weight=3.0).fit(X, y)
    grouped = MVKPCA(2).fit(X, y, groups=y)
    for number, model in enumerate((first, again, grouped)):
        loaded = there_and_back(model, tmp_path / str(number))
        assert_same_answers(model, loaded, new)
        rows = np.array([40, 41])
        model.update_labels(rows, [0, 1])
        loaded.update_labels(rows, [0, 1])
        assert_same_answers(model, loaded, new)


def test_names_of_columns_come_along(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, new = data()
    columns = ["größe", "b", "c"]
    model = SSKPCAClassifier().fit(pandas.DataFrame(X, columns=columns), y).set_output(transform="pandas")
    loaded = there_and_back(model, tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == columns
    table = pandas.DataFrame(new, columns=columns)
    pandas.testing.assert_frame_equal(loaded.transform(table), model.transform(table))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(table.rename(columns={"b": "B"}))


def test_a_loaded_model_asks_for_the_same_rows_and_learns_the_same_from_them(tmp_path):
    X, y, new = data(n_classes=3)
    target = np.arange(60) % 3
    model = SSKPCAClassifier([Gaussian(), Diffusion(5)]).fit(X, y)
    loaded = there_and_back(model, tmp_path / "model")
    rows = model.next_rows(3)
    np.testing.assert_array_equal(loaded.next_rows(3), rows)
    for one in (model, loaded):
        one.update_labels(rows, target[rows])
        one.forget_labels([0])
    assert_same_answers(model, loaded, new)
    assert loaded.suspects() == model.suspects()
    assert_same_fields(model.explain(30), loaded.explain(30))


def test_a_model_without_labels_so_far_can_be_saved_and_go_on(tmp_path):
    X, y, new = data()
    model = SSKPCAClassifier().fit(X)
    loaded = there_and_back(model, tmp_path / "model")
    np.testing.assert_array_equal(loaded.next_rows(4), model.next_rows(4))
    with pytest.raises(ValueError, match="no row is labelled so far"):
        loaded.predict(new)
    for one in (model, loaded):
        one.update_labels(np.arange(14), y[:14], new_classes=True)
    assert_same_answers(model, loaded, new)


def test_a_model_without_labels_is_saved_in_full_or_not_at_all(tmp_path):
    model = SSKPCAClassifier().fit(data()[0])
    with pytest.raises(ValueError, match="no labels of two classes yet; save it with full=True"):
        save_model(tmp_path / "model", model)


def test_a_loaded_model_can_be_fitted_again(small, saved):
    X, y, _ = data(seed=3)
    loaded, _, _ = load_model(saved)
    np.testing.assert_array_equal(loaded.fit(X, y).decision_, SSKPCAClassifier().fit(X, y).decision_)


def test_features_and_header_come_back(small, tmp_path):
    features = {
        "columns": ["a", "ü", "\ud800"],
        "kinds": {"a": ("number", None), 3: True},
        "mean": np.array([1.0, math.nan, -math.inf, -0.0]),
        "empty": np.empty((0, 4), dtype=np.float32),
        "by columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "gaps": np.arange(24).reshape(4, 6)[::2, ::-2],
        "categories": np.array(["x", None, 3, [1, 2]], dtype=object),
        "pairs": np.array([["p", "q"], ["r", "s"]], dtype=object),
        "words": np.array(["größer", ""]),
        "flags": np.array([True, False]),
        "dates": np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
        "scalar": np.float32(0.1),
        "numbers": [1, 1.0, -0.0, 0.1, math.inf, -math.inf, 2**70, 5e-324],
        "nan": math.nan,
        "sparse": scipy.sparse.csc_array(np.eye(3)),
    }
    path = tmp_path / "model"
    save_model(path, small[0], features)
    _, found, header = load_model(path)
    assert header.pop("sskpca_version")
    assert header == {"format": "sskpca model", "format_version": FORMAT_VERSION, "model": "SSKPCAClassifier"}
    assert list(found) == list(features)
    for name, given in features.items():
        assert type(found[name]) is type(given), name
        if isinstance(given, np.ndarray):
            np.testing.assert_array_equal(found[name], given, strict=True)
        elif name == "sparse":
            np.testing.assert_array_equal(found[name].toarray(), given.toarray())
        else:
            assert repr(found[name]) == repr(given)
    assert found["by columns"].flags.f_contiguous
    assert np.signbit(found["mean"][3])


def test_a_map_of_features_turns_a_table_into_the_same_rows(small, tmp_path):
    words = ["red", "green", "blue"]
    table = pa.table(
        {
            "height": np.random.default_rng(0).standard_normal(60),
            "colour": [words[i % 3] for i in range(60)],
            "note": [f"{words[i % 3]} and {words[i % 2]} with number {i} in a longer text" for i in range(60)],
            "label": ["a", "b", None] * 20,
        }
    )
    features, _, _ = fit_features(table, decide_columns(table, "label", text=["note"]))
    save_model(tmp_path / "model", small[0], features.to_dict())
    found = FeatureMap.from_dict(load_model(tmp_path / "model")[1])
    given, again = features.transform(table).matrix, found.transform(table).matrix
    assert scipy.sparse.issparse(given)
    np.testing.assert_array_equal(again.toarray(), given.toarray(), strict=True)


def test_equal_models_make_equal_files(saved, small, tmp_path):
    X, y, _ = data()
    save_model(tmp_path / "again", SSKPCAClassifier().fit(X, y), {"columns": ["a", "b", "c"]})
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_a_loaded_model_makes_the_same_file(saved, tmp_path):
    model, features, _ = load_model(saved)
    save_model(tmp_path / "again", model, features)
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_equal_arrays_are_in_the_file_once(saved):
    with zipfile.ZipFile(saved) as archive:
        contents = [archive.read(name) for name in archive.namelist()]
    assert len(set(contents)) == len(contents)


def test_equal_arrays_are_not_shared_by_what_is_loaded(tmp_path):
    X, y, _ = data()
    model = SSKPCAClassifier([Diffusion(5), Diffusion(5, weights="binary")]).fit(X, y)
    save_model(tmp_path / "model", model, {"a": np.zeros(7), "b": np.zeros(7)}, full=True)
    loaded, features, _ = load_model(tmp_path / "model")
    features["a"][:] = 1
    assert not features["b"].any()
    first, second = (kernel.graph_.weights_ for kernel in loaded.kernels_)
    np.testing.assert_array_equal(first.indices, second.indices)
    assert not np.shares_memory(first.indices, second.indices)


def test_objects_that_were_one_are_one(small, tmp_path):
    model = there_and_back(small[0], tmp_path / "model")
    for kernel, coordinates in zip(model.kernels_, model.coordinates_, strict=True):
        assert coordinates.features.__self__ is kernel
    assert any(model.best_params_["kernel"] is kernel.spec for kernel in model.kernels_)


# This is what version 6 of the format holds. Where this test fails, the program has become unable to read its own old
# files, or would misread them: raise FORMAT_VERSION, then change the list.
LAYOUT = {
    "Candidates": "coef gaps held_out label_weights methods residual sizes thresholds variances",
    "Components": "coef kkt_residual theta",
    "Coordinates": "centered dual features total_variance values variances",
    "Cosine": "",
    "Diffusion": "graph laplacian metric n_eigenvectors n_neighbors search time weights",
    "Ensemble": "coef factors forest forest_factor forest_weight found held_out reports table threshold weights",
    "ExactIndex": "search",
    "FeaturesOnColumns": "columns dense fitted spec",
    "FittedCosine": "directions spec",
    "FittedGaussian": "center gamma_ rows spec",
    "FittedGraph": "center index metric scale_ sparse weights_",
    "FittedLaplacian": "gamma_ rows spec",
    "FittedLinear": "rows spec",
    "FittedManifold": "base_ deformation spec",
    "FittedNystrom": "condition_ kernel_ landmarks_ missed_ single spec whitening_",
    "FittedPolynomial": "coef0 degree gamma_ rows spec",
    "FittedPrecomputed": "spec",
    "FittedRanks": "gaussian scores spec values",
    "FittedSpectra": "spec spectra",
    "FittedSpectrum": "data eigenvalues_ graph_ scale_ spec",
    "FittedSum": "fitted spec weights",
    "FittedTrees": "feature leaves spec threshold",
    "Forest": "columns drawn feature held_out leaves left right roots threshold value",
    "ForestPart": "factor forest",
    "FromFeatures": "data map spec",
    "Functions": "coef decision_coef offset reports threshold variance",
    "Gaussian": "factor gamma",
    "GaussianRanks": "factor",
    "Geometry": "X coordinates ids kernels sample",
    "Grid": "label_weights mean_squares variances",
    "HuberHinge": "convex width",
    "KernelOnColumns": "columns dense fitted spec",
    "KernelPart": "features weights",
    "LRKPCA": (
        "answer_ centered coordinates kernel label_weight landmarks loss max_iter memory n_features_in_ "
        "n_landmarks random_state rank threshold tol unlabeled variance"
    ),
    "LSKPCA": (
        "answer_ centered coordinates invariance_weight kernel label_weight landmarks memory n_features_in_ "
        "n_landmarks random_state rank threshold unlabeled variance"
    ),
    "Labels": "classes codes",
    "Laplacian": "factor gamma",
    "LaplacianPseudoinverse": "graph laplacian metric n_eigenvectors n_neighbors search weights",
    "LeastSquares": "invariance_weight invariances label_weight threshold variance",
    "Linear": "",
    "Logistic": "convex",
    "MVKPCA": (
        "C answer_ centered coordinates kernel label_weight landmarks memory n_components n_features_in_ "
        "n_landmarks random_state rank unlabeled"
    ),
    "ManifoldRegularized": "base graph metric n_neighbors search strength weights",
    "Mixture": "first second weight",
    "NearestNeighbors": "metric n_neighbors rows",
    "Novelty": "search usual",
    "Nystrom": "kernel landmarks n_landmarks random_state",
    "OnColumns": "columns dense kernel name",
    "Polynomial": "coef0 degree gamma",
    "Portfolio": "families forest grid methods single",
    "Precomputed": "",
    "Predictor": "classes novelty parts slope threshold",
    "RandomTrees": "max_depth n_trees random_state",
    "RegularizedLaplacian": "graph laplacian metric n_eigenvectors n_neighbors regularization search weights",
    "Report": "bound gap history kkt_residual multiplier n_iter objective route status variance",
    "Reweighted": "label_weight loss max_iter threshold tol variance",
    "SSKPCAClassifier": (
        "answer_ combine coordinates forest kernels label_weights landmarks memory methods n_features_in_ n_jobs "
        "n_landmarks random_state rank unlabeled variances verbose"
    ),
    "Sampled": "kernel n_rows random_state",
    "Scaled": "kernel weight",
    "Sigmoid": "convex",
    "SpectralGraphTransducer": (
        "answer_ graph label_weight laplacian metric n_eigenvectors n_features_in_ n_neighbors search unlabeled weights"
    ),
    "StackedFeatures": "fitted spec weights",
    "Sum": "first second",
    "Transducer": "price",
    "TransducerSpectrum": "graph laplacian metric n_eigenvectors n_neighbors search weights",
    "Transduction": "decision found geometry labels method",
    "Unanswered": "geometry labels method",
    "WithinClass": "C centered groups label_weight n_components",
}


def test_the_attributes_that_are_saved_are_those_of_the_format_version(tmp_path):
    assert FORMAT_VERSION == 6
    assert layout(tmp_path) == LAYOUT


def layout(folder):
    X, y, _ = data()
    kernels = [Laplacian(), Polynomial(), Cosine(), RegularizedLaplacian(5), LaplacianPseudoinverse(5)]
    kernels += [ManifoldRegularized(n_neighbors=5), 2.0 * Gaussian() + Linear(), Mixture(Gaussian(), Linear())]
    kernels += [Gaussian() + Diffusion(5), Diffusion(5) + TransducerSpectrum(5, 10)]
    models = [SSKPCAClassifier(), SSKPCAClassifier(kernels), LSKPCA(), MVKPCA(), SpectralGraphTransducer(10, 20)]
    models += [LRKPCA(loss=loss) for loss in model_file_losses()]
    models = [model.fit(X, y) for model in models] + [LSKPCA("precomputed").fit(X @ X.T, y)]
    models.append(LSKPCA(Nystrom(Gaussian(), 30)).fit(X, y))
    models.append(LSKPCA(OnColumns(Gaussian(), (0, 1)) + OnColumns(Nystrom(Linear(), 3), (2,))).fit(X, y))
    models.append(LSKPCA(Nystrom(OnColumns(Laplacian(), (2,)), 10)).fit(X, y))
    models.append(LSKPCA(OnColumns(Sampled(Diffusion(5), 30), (0, 1, 2))).fit(X, y))
    models.append(SSKPCAClassifier([Diffusion(5), Diffusion(8)]).fit(X, y))
    models.append(SSKPCAClassifier(rank=5).fit(X))
    found = {}
    for number, (model, full) in enumerate((model, full) for model in models for full in (True, False)):
        if not full and isinstance(model.answer_, Unanswered):
            continue
        save_model(folder / str(number), model, full=full)
        for name, state in read_description(folder / str(number))["objects"]:
            found.setdefault(name, set()).update(state)
    return {name: " ".join(sorted(names)) for name, names in sorted(found.items())}


def model_file_losses():
    return [CLASSES[name]() for name in ("Logistic", "Sigmoid", "HuberHinge")]


def test_every_class_of_the_format_is_in_the_layout():
    assert set(LAYOUT) == set(CLASSES)


# What cannot be saved is refused, and named.


def test_a_function_as_kernel_is_refused_and_named(tmp_path):
    X, y, _ = data()
    model = LSKPCA(lambda A, B: A @ B.T).fit(X, y)
    with pytest.raises(TypeError, match=r"model\.answer_\.parts\[0\]\.features is a method of .*FittedFunction, which"):
        save_model(tmp_path / "model", model)
    assert not list(tmp_path.iterdir())


def test_a_kernel_from_elsewhere_is_refused_even_if_its_name_is_known(tmp_path):
    class Linear(LINEAR):
        pass

    X, y, _ = data()
    model = SSKPCAClassifier([Gaussian(), Linear()]).fit(X, y)
    with pytest.raises(TypeError, match=r"Linear, which a file without code cannot hold"):
        save_model(tmp_path / "model", model, full=True)


LINEAR = Linear


def test_a_loss_from_elsewhere_is_refused_with_advice(tmp_path):
    class Mine(HuberHinge):
        pass

    X, y, _ = data()
    model = LRKPCA(loss=Mine()).fit(X, y)
    with pytest.raises(TypeError, match=r"model\.loss is a .*Mine, which .*; pickle the model, or .* losses of sskpca"):
        save_model(tmp_path / "model", model)


def test_an_approximate_search_is_refused_with_advice(tmp_path):
    from sskpca._graphs.neighbors import ApproximateIndex

    X, y, _ = data()
    model = LSKPCA(Diffusion(5)).fit(X, y)
    object.__setattr__(model.kernel_.graph_, "index", object.__new__(ApproximateIndex))
    with pytest.raises(TypeError, match=r'ApproximateIndex, which .* search="exact"'):
        save_model(tmp_path / "model", model)


def test_a_search_with_other_parameters_is_refused(tmp_path):
    X, y, _ = data()
    model = LSKPCA(Diffusion(5)).fit(X, y)
    model.kernel_.graph_.index.search.leaf_size = 3
    with pytest.raises(TypeError, match="parameters that a model file does not know"):
        save_model(tmp_path / "model", model)


@pytest.mark.parametrize("value", [{1, 2}, object(), print, b"bytes", 1j, np.zeros(2, dtype="i4,f8")])
def test_features_that_are_no_data_are_refused_and_named(small, tmp_path, value):
    with pytest.raises(TypeError, match=r"features\['a'\]\[1\] is a"):
        save_model(tmp_path / "model", small[0], {"a": [0, value]})
    assert not list(tmp_path.iterdir())


def test_features_that_are_no_dict_are_refused(small, tmp_path):
    with pytest.raises(TypeError, match="features must be a dict, got a list"):
        save_model(tmp_path / "model", small[0], [])


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(TypeError, match="a KPCA is not a model that can be saved"):
        save_model(tmp_path / "model", KPCA().fit(data()[0]))


def test_a_model_that_is_not_fitted_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(tmp_path / "model", LSKPCA())
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_overwritten_on_request_only(small, tmp_path):
    path = tmp_path / "model"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="is there already"):
        save_model(path, small[0])
    assert path.read_text() == "mine"
    save_model(path, small[0], overwrite=True)
    load_model(path)


# What is not a model file is refused, in one sentence, and does nothing.


def refused(path, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        load_model(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    assert text.endswith(".")


class Bomb:
    """Unpickled, it leaves a mark."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return open, (str(self.mark), "w")


def read_description(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("model.json"))


def rewritten(path, *, change=None, members=None, compression=zipfile.ZIP_STORED):
    """Write the file again with a changed description, or other members."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    if change is not None:
        description = json.loads(parts["model.json"])
        change(description)
        parts["model.json"] = json.dumps(description).encode()
    parts.update(members or {})
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def npy(array, *, allow_pickle=False):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def test_rewriting_alone_does_no_harm(saved, small):
    assert_same_predictions(small[0], load_model(rewritten(saved))[0], small[1])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*; check the name and the folder"):
        load_model(tmp_path / "nothing")


def test_a_folder_is_refused(tmp_path):
    refused(tmp_path, "is a folder")


@pytest.mark.parametrize("content", [b"", b"PK", b"a,b\n1,2\n", b"\x00" * 100], ids=["empty", "PK", "csv", "zeros"])
def test_something_else_is_refused(tmp_path, content):
    (tmp_path / "model").write_bytes(content)
    refused(tmp_path / "model", "is not a model file of sskpca")


def test_a_pickle_is_refused_and_not_run(tmp_path):
    (tmp_path / "model").write_bytes(pickle.dumps(Bomb(tmp_path / "mark")))
    refused(tmp_path / "model", "is not a model file of sskpca")
    assert not (tmp_path / "mark").exists()


def test_another_archive_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    refused(tmp_path / "a.npz", "is an archive, but not a model file")
    with zipfile.ZipFile(tmp_path / "b", "w") as archive:
        archive.writestr("model.json", '{"format": "another"}')
    refused(tmp_path / "b", "is an archive, but not a model file")
    with zipfile.ZipFile(tmp_path / "c", "w") as archive:
        archive.writestr("model.json", "[]")
    refused(tmp_path / "c", "is an archive, but not a model file")


def test_an_archive_of_pickled_objects_is_refused_and_not_run(tmp_path):
    content = np.array([Bomb(tmp_path / "mark")], dtype=object)
    np.savez(tmp_path / "a.npz", x=content, allow_pickle=True)
    refused(tmp_path / "a.npz", "is an archive, but not a model file")
    assert not (tmp_path / "mark").exists()


def test_an_array_of_pickled_objects_in_a_model_file_is_refused_and_not_run(saved, tmp_path):
    content = npy(np.array([Bomb(tmp_path / "mark")], dtype=object), allow_pickle=True)
    refused(rewritten(saved, members={"0.npy": content}), "holds an array of object")
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("code", [2**63 - 1, 2, -2])
def test_labels_that_are_none_of_the_classes_are_refused(code):
    """Found by the fuzz: for the largest number `np.bincount` writes out of bounds, and the process dies later."""
    parts = Parts([np.array(["a", "b"]), np.array([0, 1, code])])
    with pytest.raises(ValueError, match="none of the 2 classes"):
        parts.build("file", "Labels", {"classes": {"array": 0}, "codes": {"array": 1}})


def test_indices_of_a_sparse_matrix_that_are_no_whole_numbers_are_refused():
    """Found by the fuzz: SciPy casts complex ones, with a warning on the terminal."""
    parts = Parts([np.ones(1), np.zeros(1, dtype=complex), np.array([0, 1])])
    with pytest.raises(ValueError, match="whole numbers"):
        parts.decode({"sparse": ["csr_matrix", [1, 1], {"array": 0}, {"array": 1}, {"array": 2}]})


def test_numbers_are_not_turned_into_a_type_that_cannot_hold_them():
    """Found by the fuzz: fractions were cut off, and NaN made a warning on the terminal."""
    with pytest.raises(ValueError, match="is not turned into"):
        Parts([np.array([np.nan])]).decode({"narrow": [0, "<i8"]})
    signalling = np.array([0x7FA00000], dtype=np.uint32).view(np.float32)
    assert np.isnan(Parts([signalling], 1e6).decode({"narrow": [0, "<f8"]})).all()


def test_an_array_of_records_is_refused(saved):
    refused(rewritten(saved, members={"0.npy": npy(np.zeros(2, dtype="i4,f8"))}), "holds an array of")


@pytest.mark.parametrize("number", [0, 1, 99, "2", True, 2.0, None])
def test_another_version_of_the_format_is_refused(saved, number):
    def change(description):
        description["format_version"], description["sskpca_version"] = number, "9.8.7"

    refused(rewritten(saved, change=change), r"is of version .* of the format, written by sskpca '9\.8\.7'")


def test_a_file_of_another_version_may_hold_anything(saved):
    def change(description):
        description.clear()
        description.update(format="sskpca model", format_version=9, sskpca_version="9", other=1)

    refused(rewritten(saved, change=change, members={"other": b""}), "is of version 9 of the format")


def test_a_truncated_file_is_refused_wherever_it_ends(saved):
    content = saved.read_bytes()
    for size in [*range(4, 200, 7), *np.linspace(200, len(content) - 1, 60).astype(int).tolist()]:
        saved.write_bytes(content[:size])
        refused(saved, "is cut short or damaged")


def test_a_changed_byte_is_found_or_does_not_matter(saved, small):
    content = saved.read_bytes()
    model, new = small
    rng = np.random.default_rng(0)
    found = 0
    # Half of them in the directory at the end, which no check sum covers.
    end = content.index(b"PK\x01\x02")
    places = [*rng.integers(len(content), size=100), *rng.integers(end, len(content), size=100)]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        saved.write_bytes(changed)
        try:
            loaded, _, _ = load_model(saved)
        except ModelFileError:
            found += 1
        else:
            np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
    assert found > 100


def test_another_member_is_refused(saved):
    refused(rewritten(saved, members={"script.py": b"print()"}), r"holds 'script\.py', which is no part of a model")


def test_a_missing_member_is_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != "0.npy"}
    with zipfile.ZipFile(saved, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    refused(saved, "is no part of a model")


def test_a_compressed_bomb_is_refused_unread(saved):
    bomb = npy(np.zeros(2_000_000))
    refused(
        rewritten(saved, members={"0.npy": bomb}, compression=zipfile.ZIP_DEFLATED), "declares more data than it holds"
    )


def test_members_that_overlap_are_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(saved, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        largest = max(archive.filelist, key=lambda member: member.file_size)
        for number in range(len(parts) - 1, len(parts) + 200):
            again = copy.copy(largest)
            again.filename = again.orig_filename = f"{number}.npy"
            archive.filelist.append(again)
    refused(saved, "declares more data than it holds")


def test_a_member_twice_is_refused(saved):
    with zipfile.ZipFile(saved, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("0.npy", npy(np.zeros(1)))
    refused(saved, "no part of a model")


@pytest.mark.parametrize("shape", [(10**15,), (10**9, 10**9), (-1,), (3,), (-2, -1)])
def test_an_array_that_declares_another_size_is_refused(saved, shape):
    content = npy(np.zeros(2))
    start = 10 + struct.unpack("<H", content[8:10])[0]
    header = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode().ljust(start - 11) + b"\n"
    refused(
        rewritten(saved, members={"0.npy": content[:10] + header + content[start:]}),
        "declares an array of another size",
    )


def test_a_file_that_is_too_large_for_the_memory_is_refused(saved, monkeypatch):
    monkeypatch.setattr(model_file, "available_memory", lambda: 1000)
    refused(saved, r"needs .* of memory, but 1 kB are available")


def test_references_that_would_fill_the_memory_are_refused(saved, monkeypatch):
    size = saved.stat().st_size
    monkeypatch.setattr(model_file, "available_memory", lambda: 30 * size)
    load_model(saved)

    def change(description):
        with zipfile.ZipFile(saved) as archive:
            largest = max(archive.namelist()[1:], key=lambda name: archive.getinfo(name).file_size)
        description["features"] = {"dict": [["a", [{"array": int(largest.split(".")[0])}] * 10_000]]}

    refused(rewritten(saved, change=change), "does not fit into the memory")


@pytest.mark.parametrize("name", ["this", "os.system", "builtins.eval", "KPCA", "FunctionKernel", ""])
def test_a_class_that_is_not_listed_is_refused_and_not_imported(saved, name):
    before = set(sys.modules)
    refused(
        rewritten(saved, change=lambda description: description["objects"].insert(0, [name, {}])),
        "which is no part of a model; do not trust it",
    )
    assert set(sys.modules) == before


@pytest.mark.parametrize("name", ["fit_gram", "__init__", "__reduce__", "get_params"])
def test_a_method_that_is_not_listed_is_refused(saved, name):
    def change(description):
        state = next(state for kind, state in description["objects"] if kind == "KernelPart")
        state["features"]["method"][1] = name

    refused(rewritten(saved, change=change), "is cut short or damaged")


def test_a_method_of_what_is_no_kernel_is_refused(saved):
    def change(description):
        state = next(state for kind, state in description["objects"] if kind == "KernelPart")
        state["features"]["method"][0] = "text"

    refused(rewritten(saved, change=change), "is cut short or damaged")


@pytest.mark.parametrize(
    "model",
    [
        *({"unknown": 1}, {"object": 10**6}, {"array": 10**6}, {"array": "0"}, {"object": None}, {}),
        *({"object": 0, "array": 0}, {"status": "splendid"}, {"float": "1e400"}, {"dict": [[[], 1]]}),
        {"sparse": ["dia_matrix", [2, 2], [], [], []]},
    ],
    ids=repr,
)
def test_a_description_without_meaning_is_refused(saved, model):
    refused(rewritten(saved, change=lambda description: description.update(model=model)), "is cut short or damaged")


@pytest.mark.parametrize("model", [None, "SSKPCAClassifier", [], {"array": 0}])
def test_something_that_is_no_model_is_refused(saved, model):
    refused(
        rewritten(saved, change=lambda description: description.update(model=model)), "holds something, but no model"
    )


def test_a_description_that_is_nested_without_end_is_refused(saved):
    refused(rewritten(saved, members={"model.json": b"[" * 10**6}), "is cut short or damaged")


def test_a_missing_field_is_refused(saved):
    def change(description):
        state = next(state for kind, state in description["objects"] if kind == "KernelPart")
        del state["weights"]

    refused(rewritten(saved, change=change), "is cut short or damaged")


def test_a_sparse_matrix_with_indices_out_of_range_is_refused(small, tmp_path):
    path = tmp_path / "model"
    save_model(path, small[0], {"matrix": scipy.sparse.csr_matrix(np.eye(3))})
    number = read_description(path)["features"]["dict"][0][1]["sparse"][3]["array"]
    refused(rewritten(path, members={f"{number}.npy": npy(np.array([0, 1, 10**6]))}), "is cut short or damaged")


def test_a_sparse_matrix_that_declares_far_more_than_it_holds_is_refused(tmp_path):
    matrix = scipy.sparse.csc_matrix(([1.0], [0], [0, 1]), shape=(3 * 10**8, 1))
    save_model(tmp_path / "m", LSKPCA().fit(*data()[:2]), {"matrix": matrix})
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(tmp_path / "m")


def test_two_moons_are_saved_and_loaded_as_the_guide_says(tmp_path):
    X, y, target = make_two_moons(200)
    save_model(tmp_path / "moons.sskpca", SSKPCAClassifier().fit(X, y))
    model, _, _ = load_model(tmp_path / "moons.sskpca")
    assert (model.predict(X) == target).mean() > 0.99
