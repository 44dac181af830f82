"""A small, fixed part of the numerical half of ``make fuzz``."""

import warnings

import numpy as np
import pytest
from scripts import BENCHMARKS, imported

from oracles import extended
from oracles.least_squares import in_sixty_digits

CASES = {"least_squares": range(400), "leave_one_out": range(40), "updates": range(8), "whole_models": range(2, 4)}


@pytest.fixture
def script(request):
    with imported(BENCHMARKS / "fuzz", request.param) as found:
        yield found


@pytest.mark.parametrize("script", CASES, indirect=True)
def test_no_case_fails(script):
    numbers = CASES[script.__name__]
    with warnings.catch_warnings():
        outcomes = list(script.run(numbers))
    assert [number for number, *_ in outcomes] == list(numbers)
    assert [outcome for outcome in outcomes if outcome[-1]] == []


@pytest.mark.parametrize("script", ["least_squares"], indirect=True)
def test_a_false_claim_fails(script, monkeypatch):
    honest = script.optima
    monkeypatch.setattr(script, "optima", lambda *problems: 0.9 * honest(*problems))
    assert all(failed for *_, failed in script.run(range(8)))


def test_two_oracles_agree():
    rng = np.random.default_rng(0)
    B, d, t = rng.standard_normal((5, 3, 4)), np.sort(rng.random((5, 4)))[:, ::-1], rng.choice([-1.0, 1.0], (5, 3))
    c, s2 = 10 ** rng.uniform(-3, 4, 5), 10 ** rng.uniform(-2, 2, 5)
    found = extended.optima(B, d, t, c, s2)
    for i in range(5):
        assert float(found[i]) == pytest.approx(in_sixty_digits(B[i], d[i], t[i], c[i], s2[i]), rel=1e-12)


@pytest.mark.parametrize("number", [83, 329])
@pytest.mark.parametrize("script", ["whole_models"], indirect=True)
def test_equal_rows_with_contradicting_labels_have_the_same_probabilities_in_any_order(script, number):
    """Bits: graphs that are not connected, in which held-out functions have many optima."""
    with warnings.catch_warnings():
        ((_, _, difference, failed),) = script.run([number])
    assert not failed
    assert difference < 1e-6
