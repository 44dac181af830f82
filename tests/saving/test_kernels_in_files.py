"""Every fitted kernel comes back from a model file as it was."""

import numpy as np
import pytest

from sskpca import LSKPCA
from sskpca.kernels import (
    Diffusion,
    Gaussian,
    Laplacian,
    Linear,
    ManifoldRegularized,
    Mixture,
    Nystrom,
    OnColumns,
    Sampled,
    TransducerSpectrum,
)
from sskpca.kernels._given import KERNELS, make_kernel
from sskpca.rows import ArrayRows
from sskpca.saving import load_model, save_model

rng = np.random.default_rng(0)
X, NEW = rng.standard_normal((40, 3)), rng.standard_normal((6, 3))
Y = np.where(np.arange(40) < 10, np.arange(40) % 2, -1)
GRAPHS = ("diffusion", "regularized_laplacian", "laplacian_pseudoinverse", "transducer", "manifold")
FEW = {"n_neighbors": 4}
ALL = {
    **{name: make_kernel(name).set_params(**(FEW if name in GRAPHS else {})) for name in KERNELS},
    "sum": Gaussian() + 0.5 * Diffusion(4),
    "features": Diffusion(4) + TransducerSpectrum(4, 10),
    "mixture": Mixture(Gaussian(), Laplacian(), 0.3),
    "manifold without strength": ManifoldRegularized(Linear(), 0.0),
    "nystrom": Nystrom(Gaussian(), 20),
    "landmarks": Nystrom(Gaussian(), landmarks=X[::3]),
    "sampled": Sampled(Diffusion(4), 20),
    "columns": OnColumns(Gaussian(), np.array([0, 2])),
    "sampled graph of columns": Sampled(OnColumns(Diffusion(4), np.array([0, 2])), 20),
}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_a_kernel_comes_back_as_it_was(tmp_path, name, full):
    kernel = ALL[name]
    data, new = (X @ X.T, NEW @ X.T) if kernel.pairwise else (X, NEW)
    model = LSKPCA(kernel).fit(data, Y)
    save_model(tmp_path / "model", model, full=full)
    loaded = load_model(tmp_path / "model")[0]
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))


def test_coordinates_of_rows_in_blocks_come_back(tmp_path):
    kernel = 0.5 * Nystrom(Gaussian(), 20) + Sampled(Diffusion(4), 20)
    model = LSKPCA(kernel, memory="300kB").fit(ArrayRows(X), Y)
    save_model(tmp_path / "model", model)
    loaded = load_model(tmp_path / "model")[0]
    np.testing.assert_array_equal(loaded.decision_function(NEW), model.decision_function(NEW))
