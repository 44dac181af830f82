"""What predicts holds functions in place of the features that they are made of, and gives the same values."""

from dataclasses import replace

import numpy as np
import pytest

from sskpca._transduction.answer import KernelPart
from sskpca.coordinates._principal import coordinates_from_features
from sskpca.kernels import Diffusion, Gaussian, Laplacian, Linear, Nystrom, OnColumns, RandomTrees, TransducerSpectrum
from sskpca.kernels._graph_features import FittedSpectrum

rng = np.random.default_rng(5)
X, NEW = rng.normal(size=(90, 4)), rng.normal(size=(25, 4))


def coordinates(kernel):
    fitted, values = kernel.fit_features(X)
    return of_features(fitted, values)


def of_features(fitted, values):
    dual = np.eye(values.shape[1])
    return coordinates_from_features(values, fitted.features, dual, centered=True, total_variance=1.0)


@pytest.mark.parametrize(
    "kernel",
    [
        Diffusion(6),
        TransducerSpectrum(6, 10),
        OnColumns(Diffusion(6), [0, 2]),
        1.0 * Diffusion(6),
        0.3 * Diffusion(6),
        Diffusion(6) + TransducerSpectrum(7, 8),
        Nystrom(Gaussian(), 30),
        OnColumns(Nystrom(Laplacian(), 30), [1, 3]),
        Nystrom(RandomTrees(), 30),
        Linear(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n_functions", [1, 3])
def test_functions_have_the_values_of_what_they_are_made_of(kernel, n_functions):
    space = coordinates(kernel)
    coef = rng.normal(size=(space.rank, n_functions))
    part = KernelPart.of(space, coef)
    expected = space.features(NEW) @ space.dual @ coef
    np.testing.assert_allclose(part.evaluate(NEW), expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_functions_of_a_graph_are_a_number_for_each_row():
    space = coordinates(Diffusion(6))
    part = KernelPart.of(space, rng.normal(size=(space.rank, 2)))
    held = part.features.__self__
    assert isinstance(held, FittedSpectrum)
    assert held.data.shape == (90, 2)
    assert held.graph_.weights_.nnz == 0


@pytest.mark.parametrize(
    ("kernels", "n_parts"),
    [
        ([Diffusion(6, 1.0), Diffusion(6, 4.0), TransducerSpectrum(6, 10)], 2),
        ([Diffusion(6), Diffusion(7)], 1),
        ([Diffusion(6), Nystrom(Gaussian(), 20), Linear()], 3),
    ],
)
def test_the_sum_of_parts_is_the_sum_of_functions(kernels, n_parts):
    spaces = [coordinates(kernel) for kernel in kernels]
    terms = [(space, rng.normal(size=(space.rank, 2))) for space in spaces]
    parts = KernelPart.sum_of(terms)
    assert len(parts) == n_parts  # graphs of the same points in the same metric share a search
    expected = sum(space.features(NEW) @ space.dual @ coef for space, coef in terms)
    np.testing.assert_allclose(sum(part.evaluate(NEW) for part in parts), expected, rtol=0, atol=1e-10)


def test_functions_that_are_interpolated_alike_are_one_part():
    spaces = []
    fitted, values = Diffusion(6).fit_features(X)
    for power in (1.0, 2.0):
        other = replace(fitted, data=values**power)
        spaces.append(of_features(other, other.data))
    terms = [(space, rng.normal(size=(space.rank, 2))) for space in spaces]
    (part,) = KernelPart.sum_of(terms)
    expected = sum(space.features(NEW) @ space.dual @ coef for space, coef in terms)
    np.testing.assert_allclose(part.evaluate(NEW), expected, rtol=0, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize("n_columns", [4, 40], ids=["by tree", "by products"])
def test_graphs_of_the_same_points_share_a_search_and_give_the_sum_of_each_alone(n_columns):
    # Whole numbers, so that many neighbours are tied; a row at a time, and all at once.
    data, new = (
        rng.integers(4, size=(300, n_columns)).astype(float),
        rng.integers(4, size=(60, n_columns)).astype(float),
    )
    new = np.vstack([new, data[:5]])
    terms = []
    for kernel in (Diffusion(3), Diffusion(12), TransducerSpectrum(30, 10, metric="euclidean", weights="gaussian")):
        space = of_features(*kernel.fit_features(data))
        terms.append((space, rng.normal(size=(space.rank, 2))))
    (part,) = KernelPart.sum_of(terms)
    whole = part.evaluate(new)
    size = 1e-12 * abs(whole).max()
    alone = sum(KernelPart.of(*term).evaluate(new) for term in terms)
    np.testing.assert_allclose(whole, alone, rtol=0, atol=size)
    np.testing.assert_allclose(np.vstack([part.evaluate(row[None]) for row in new]), whole, rtol=0, atol=size)
