import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sskpca import LRKPCA, LSKPCA, MVKPCA, SSKPCAClassifier
from sskpca._linalg.threads import n_threads, one_thread
from sskpca._transduction.methods import LeastSquares, Reweighted, WithinClass, solve_without_each
from sskpca.datasets import make_two_moons


def numbers():
    return {part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


def test_one_thread_meanwhile_and_as_many_as_before_afterwards():
    assert numbers() == {2}
    with one_thread() as before:
        assert (before, numbers(), n_threads()) == (2, {1}, 2)
        with one_thread() as again:
            assert (again, numbers()) == (2, {1})
        assert numbers() == {1}
    assert (numbers(), n_threads()) == ({2}, 2)


def test_an_error_gives_the_threads_back():
    with pytest.raises(ZeroDivisionError), one_thread():
        1 / 0  # noqa: B018
    assert numbers() == {2}


def test_whoever_comes_first_may_leave_first():
    inside, leave = threading.Event(), threading.Event()

    def first():
        with one_thread():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait()
    with one_thread():
        leave.set()
        thread.join()
        assert numbers() == {1}
    assert numbers() == {2}


def test_a_thousand_concurrent_updates_leave_the_threads_as_they_were():
    X, y, target = make_two_moons(60)
    models = [LSKPCA(rank=10).fit(X, y) for _ in range(4)]

    def update(model):
        for number in range(250):
            model.update_labels(number % 60, target[number % 60])

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(update, models))
    assert numbers() == {2}


@pytest.mark.parametrize(("estimator", "method"), [(LSKPCA, LeastSquares), (LRKPCA, Reweighted), (MVKPCA, WithinClass)])
def test_label_problems_are_solved_with_one_thread(estimator, method, monkeypatch):
    X, y, target = make_two_moons(60)
    solve, seen = method.solve, []

    def watched(self, geometry, labels):
        seen.append(numbers())
        return solve(self, geometry, labels)

    monkeypatch.setattr(method, "solve", watched)
    answer = estimator().fit(X, y).update_labels(3, target[3]).answer_
    solve_without_each(answer.method, answer.geometry, answer.labels, answer.labels.labeled[:2])
    assert len(seen) > 2
    assert all(number == {1} for number in seen)
    assert numbers() == {2}


def test_the_automatic_classifier_gives_the_threads_back():
    X, y, target = make_two_moons(60)
    model = SSKPCAClassifier(["rbf"]).fit(X, y)
    model.update_labels(3, target[3])
    assert np.isfinite(model.decision_).all()
    assert numbers() == {2}
