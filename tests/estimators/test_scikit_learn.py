"""The contract of scikit-learn, all of it."""

from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from sskpca import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca.kernels import Diffusion, Gaussian

INSTANCES = [
    KPCA(),
    KPCA(None, kernel="linear", centered=False),
    LSKPCA(),
    LSKPCA(rank=5, centered=False, threshold=0.0),
    LRKPCA(),
    LRKPCA(loss="hinge", label_weight=1.0),
    MVKPCA(),
    MVKPCA(3, kernel="laplacian"),
    LSKPCA(Diffusion(2)),
    SpectralGraphTransducer(),
]
AUTOMATIC = SSKPCAClassifier([Gaussian(), Diffusion(3)], label_weights=[1.0, 100.0], variances=[0.5, 1.0])
CHECKS = [check for _, check in estimator_checks_generator(AUTOMATIC)]


@parametrize_with_checks(INSTANCES)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Some checks come with equal rows (all zero) of different classes.
@pytest.mark.filterwarnings("ignore:the rows .* are the same but have different labels:UserWarning")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.func.__name__)
def test_scikit_learns_checks_of_the_automatic_classifier(check):
    check(clone(AUTOMATIC))


def test_enough_checks_are_collected():
    everything = [*INSTANCES, AUTOMATIC]
    counts = Counter(type(instance).__name__ for instance in everything for _ in estimator_checks_generator(instance))
    assert set(counts) == {"KPCA", "LSKPCA", "LRKPCA", "MVKPCA", "SpectralGraphTransducer", "SSKPCAClassifier"}
    assert min(counts.values()) >= 50
    assert len(CHECKS) == counts["SSKPCAClassifier"]


def data():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (40, 3)), rng.normal(3, 1, (40, 3))])
    return X, np.repeat([0, 1], 40)


@pytest.mark.parametrize("estimator", [LSKPCA(), LRKPCA(), MVKPCA()])
def test_kernel_parameters_take_part_in_a_grid(estimator):
    X, y = data()
    estimator.set_params(kernel=Gaussian())
    search = GridSearchCV(estimator, {"kernel__gamma": [0.01, 0.1], "label_weight": [1.0]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.kernel.gamma == search.best_params_["kernel__gamma"]


@pytest.mark.parametrize("estimator", [LSKPCA("precomputed"), LRKPCA("precomputed"), MVKPCA(kernel="precomputed")])
def test_precomputed_kernels_are_cut_by_rows_and_columns(estimator):
    X, y = data()
    _, K = Gaussian(0.1).fit_gram(X)
    search = GridSearchCV(estimator, {"label_weight": [1.0, 10.0]}, cv=3).fit(K, y)
    assert search.best_score_ > 0.9


def test_works_in_a_pipeline_with_any_scale():
    X, y = data()
    assert make_pipeline(StandardScaler(), LSKPCA()).fit(1e6 * X, y).score(1e6 * X, y) > 0.95


def test_output_can_be_a_frame():
    X, y = data()
    assert list(KPCA(2).set_output(transform="pandas").fit_transform(X).columns) == ["kpca0", "kpca1"]
    assert LSKPCA().set_output(transform="polars").fit(X, y).transform(X).columns == ["lskpca0"]
