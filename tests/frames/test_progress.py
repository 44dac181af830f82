"""Named steps that go forward only, and an end that can be believed."""

import io
import re
import sys

from frames_of_animals import animals

import sskpca
from sskpca._frames.progress import STEPS, Steps
from sskpca._selection.progress import reporting_to


class Recorded(Steps):
    """Every text and share that would be shown."""

    def __init__(self):
        super().__init__()
        self.shown = []

    def report(self, what, done, total):
        super().report(what, done, total)
        self.shown.append((self.text, self.share))


def test_steps_have_names_and_go_forward_only():
    steps = Recorded()
    with reporting_to(steps):
        sskpca.label(animals(), kernels=("rbf", "linear"), rank=20)
    texts = [text for text, _ in steps.shown]
    firsts = list(dict.fromkeys(re.sub(r" \d+ of \d+", "", text) for text in texts))
    assert firsts == ["columns", "kernels", "weighing", "checking labels", "choosing rows", "comparing"]
    assert {"kernels 0 of 2", "kernels 1 of 2", "kernels 2 of 2", "weighing 2 of 2"} <= set(texts)
    shares = [share for _, share in steps.shown]
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1
    assert steps.seconds > 0


def test_shares_follow_the_forecast_and_sum_to_one():
    steps = Steps()
    for share in (0.0, 0.3, 1.0):
        steps.expect(10.0, share)
        assert abs(sum(steps.shares.values()) - 1) < 1e-12
    assert list(steps.shares) == list(STEPS)


def test_the_time_left_is_corrected_by_what_was_needed_so_far():
    steps = Steps()
    assert steps.left(3.0) == ""
    steps.expect(100.0, 1.0)
    steps.report("kernels", 1, 2)
    half = steps.share
    assert steps.left(100.0 * half) == "about 60 s left"
    assert steps.left(300.0 * half) == "about 3 min left"


def test_a_bar_is_shown_on_demand_and_leaves_nothing_on_the_output(monkeypatch):
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    sskpca.label(animals(), kernels=("rbf",), rank=20, verbose=True)
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    sskpca.label(animals(), kernels=("rbf",), rank=20)
    assert quiet.getvalue() == ""
