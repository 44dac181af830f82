import tracemalloc
import warnings

import numpy as np
import pytest

from sskpca import LSKPCA, SSKPCAClassifier
from sskpca.kernels import Diffusion, Gaussian, Sampled

rng = np.random.default_rng(0)
target = rng.integers(0, 2, 6000)
X = rng.standard_normal((6000, 3)) + 4.0 * target[:, None]
y = np.where(np.arange(6000) < 20, target, -1)
KERNELS = [Gaussian(), Diffusion(5, n_eigenvectors=20)]


def options(memory):
    return {"coordinates": "nystrom", "n_landmarks": 50, "rank": 20, "memory": memory}


def test_graphs_of_all_rows_that_do_not_fit_are_made_of_a_sample():
    with pytest.warns(UserWarning, match="made of a sample of 5000 rows, since those of all need more than 20 MB"):
        model = SSKPCAClassifier(KERNELS, **options("20MB")).fit(X, y)
    assert isinstance(model.kernels_[1].spec, Sampled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = SSKPCAClassifier(KERNELS, **options("60MB")).fit(X, y)
    assert isinstance(model.kernels_[1].spec, Diffusion)


@pytest.mark.parametrize("memory", [20_000_000, 60_000_000])
def test_the_budget_is_held(memory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tracemalloc.start()
        SSKPCAClassifier(KERNELS, **options(memory)).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1.2 * memory


def test_a_graph_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"a graph of 5000 rows needs 16 MB of memory, and 5 MB can be used"):
        SSKPCAClassifier(KERNELS, **options("5MB")).fit(X, y)
    with pytest.raises(ValueError, match="a graph of 5000 rows needs"):
        LSKPCA(KERNELS[1], **options("5MB")).fit(X, y)


def test_exact_coordinates_of_all_kernels_count():
    few = X[:1000], y[:1000]
    kernels = [Gaussian(factor=factor) for factor in (0.5, 1.0, 2.0, 4.0)]
    SSKPCAClassifier(kernels, memory="40MB").fit(*few)
    with pytest.raises(ValueError, match="exact coordinates of 1000 rows need 37 MB of memory"):
        SSKPCAClassifier(kernels, memory="30MB").fit(*few)
