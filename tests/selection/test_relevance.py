"""Column relevance against brute force, and on tables of which the truth is known."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from sskpca._linalg.eigen import symmetric_eigen
from sskpca._selection import relevance as module
from sskpca._selection.relevance import Relevance, column_relevance
from sskpca.solvers._ridge import ridge_family


def singles(X):
    return [slice(j, j + 1) for j in range(X.shape[1])], [f"c{j}" for j in range(X.shape[1])]


def table(n=100, n_columns=8, shifts=(2.0, 1.5), seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, n_columns))
    X[:, : len(shifts)] += np.array(shifts) * codes[:, None]
    return X, codes


def mixed(n=120, seed=0):
    """A category of 4 values that tells, a number that tells less, a category of 6 values and a number that do not."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=n)
    kind = np.where(rng.random(n) < 0.85, codes, rng.integers(4, size=n))
    X = np.column_stack(
        [
            np.eye(4)[kind] / 0.85,
            rng.normal(size=n) + 0.8 * codes,
            np.eye(6)[rng.integers(6, size=n)] / 0.9,
            rng.normal(size=n),
        ]
    )
    ends = np.cumsum([0, 4, 1, 6, 1])
    groups = [slice(a, b) for a, b in pairwise(ends)]
    return X, codes, groups, ["kind", "size", "colour", "noise"]


def best_likelihoods(X, codes, power, slope):
    """By the ridge family on the eigen-coordinates of the kernel, computed from the rows themselves."""
    D = np.sum(np.abs(X[:, None, :] - X[None, :, :]) ** power, axis=2)
    off = D[~np.eye(len(D), dtype=bool)]
    w, U = symmetric_eigen(np.exp(-D / (np.median(off) or D.mean() or 1.0)))
    family = ridge_family(U * np.sqrt(np.maximum(w, 0)))
    found = []
    for weight in module.LABEL_WEIGHTS:
        p = np.exp(slope * family.solve(weight, 2 * np.eye(codes.max() + 1)[codes] - 1).held_out)
        found.append(np.log((p / p.sum(axis=1, keepdims=True))[np.arange(len(codes)), codes]))
    return max(found, key=np.sum)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["numbers", "mixed", "one column"])
def test_gains_are_those_of_recomputing_without_the_column(kind, n_classes):
    if kind == "mixed":
        X, codes, groups, names = mixed(60)
    else:
        X, codes = table(60, 1 if kind == "one column" else 6, (1.5,), n_classes=n_classes)
        groups, names = singles(X)
    power, slope = module._choose(X, codes, np.ones(len(codes), dtype=bool))
    full = best_likelihoods(X, codes, power, slope)
    found = {entry.column: entry for entry in column_relevance(X, codes, groups, names)}
    for group, name in zip(groups, names, strict=True):
        others = np.delete(X, np.arange(X.shape[1])[group], axis=1)
        differences = full - best_likelihoods(others, codes, power, slope)
        assert found[name].gain == pytest.approx(differences.mean(), abs=1e-10)
        assert found[name].standard_error == pytest.approx(differences.std(ddof=1) / np.sqrt(len(codes)), abs=1e-10)


def test_a_column_that_drowns_the_others_is_left_out_without_cancellation():
    X = table(50, 4)[0]
    X[:, 3] *= 1e8
    for power in (1, 2):
        D = module._distances(X, power)
        rest = module._without(X, D, slice(3, 4), power)
        np.testing.assert_allclose(rest, module._distances(X[:, :3], power), rtol=1e-12)


def test_relevant_columns_come_first():
    for seed in range(5):
        X, codes = table(seed=seed)
        found = column_relevance(X, codes, *singles(X))
        assert {entry.column for entry in found[:2]} == {"c0", "c1"}
        assert found[0].helps
        assert [entry.gain for entry in found] == sorted((entry.gain for entry in found), reverse=True)
        assert not any(entry.hurts for entry in found[:2])


def test_columns_without_influence_hardly_ever_help_beyond_noise():
    wrong = 0
    for seed in range(60):
        X, codes = table(50, seed=seed)
        X[:, 7] *= 5  # loud
        found = {entry.column: entry for entry in column_relevance(X, codes, *singles(X))}
        assert not found["c7"].helps
        wrong += any(found[f"c{j}"].helps for j in range(2, 7))
    assert wrong <= 6  # one in twenty tables is allowed


def test_columns_that_hurt_are_among_those_without_influence():
    hurting = []
    for seed in range(10):
        X, codes = table(100, 30, seed=seed)
        hurting += [entry.column for entry in column_relevance(X, codes, *singles(X)) if entry.hurts]
    assert len(hurting) >= 10
    assert not {"c0", "c1"} & set(hurting)


def test_a_category_is_left_out_as_a_whole():
    X, codes, groups, names = mixed()
    found = column_relevance(X, codes, groups, names)
    assert found[0].column == "kind"
    assert found[0].helps
    assert {entry.column for entry in found} == set(names)
    thin = column_relevance(sparse.csr_matrix(X), codes, groups, names)
    for entry in found:
        same = next(other for other in thin if other.column == entry.column)
        assert same.gain == pytest.approx(entry.gain, abs=1e-10)


def test_of_many_columns_those_that_separate_the_classes_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MOST_COLUMNS", 5)
    X, codes = table(80, 40)
    found = column_relevance(X, codes, *singles(X))
    assert len(found) == 5
    assert {entry.column for entry in found[:2]} == {"c0", "c1"}
    assert found[0].limit > 3  # it counts how many there were


def test_of_many_labels_a_fixed_sample_is_used(monkeypatch):
    monkeypatch.setattr(module, "MOST_LABELS", 50)
    X, codes = table(400)
    found = column_relevance(X, codes, *singles(X))
    assert found == column_relevance(X, codes, *singles(X))
    monkeypatch.setattr(module, "MOST_LABELS", 400)
    everything = {entry.column: entry for entry in column_relevance(X, codes, *singles(X))}
    assert found[0].standard_error > 2 * everything[found[0].column].standard_error  # 8 times as many labels


def test_a_label_that_nobody_could_know_does_not_count():
    X, codes = table(30)
    extra = np.vstack([X, [50.0] * 8])
    found = column_relevance(extra, np.append(codes, 2), *singles(extra))
    assert all(abs(entry.gain) < 1 for entry in found)
    assert column_relevance(np.eye(3), np.arange(3), *singles(np.eye(3))) == ()


def test_two_columns_that_say_the_same_gain_nothing_by_themselves():
    X, codes = table(100, 3, (3.0,))
    alone = column_relevance(X, codes, *singles(X))[0]
    twice = np.column_stack([X, X[:, 0]])
    found = {entry.column: entry.gain for entry in column_relevance(twice, codes, *singles(twice))}
    assert max(found["c0"], found["c3"]) < 0.3 * alone.gain


def test_hurting_and_helping_need_more_than_noise():
    assert Relevance("a", 0.3, 0.1).helps
    assert Relevance("a", -0.3, 0.1).hurts
    assert not Relevance("a", -0.3, 0.1, limit=3.2).hurts
    assert not Relevance("a", 0.0, 0.0).hurts
