"""What a fit will take."""

import csv
from pathlib import Path

import pytest

from sskpca._tables import TableError, forecast, plan
from sskpca.rows._memory import available_memory

GB = 10**9


def test_a_plan_that_fits():
    found = plan(9_300, 38, 3, 15 * GB)
    assert (found.coordinates, found.n_landmarks) == ("exact", 9_300)
    assert found.memory_bytes > 3 * 8 * 9_300**2
    assert found.memory_bytes < 15 * GB
    assert found.sentence.startswith("exact, 9,300 rows: needs 2.8 GB of 15 GB, about ")


@pytest.mark.parametrize(("n_rows", "available"), [(12_300, 15 * GB), (9_300, 2 * GB)])
def test_many_rows_or_little_memory_are_seen_from_landmarks_and_the_plan_says_so(n_rows, available):
    found = plan(n_rows, 38, 3, available)
    assert (found.coordinates, found.n_landmarks) == ("nystrom", 500)
    assert found.sentence.startswith(f"{n_rows:,} rows, approximated by 500 landmarks (Nyström): needs ")
    assert found.memory_bytes < available


def test_landmarks_can_be_asked_for():
    found = plan(900, 38, 3, 15 * GB, landmarks=100)
    assert (found.coordinates, found.n_landmarks) == ("nystrom", 100)
    assert plan(900, 38, 3, 15 * GB, landmarks=5000).n_landmarks == 900


def test_a_million_rows_fit_into_four_gigabytes_and_the_plan_says_how():
    found = plan(1_000_000, 10, 3, 4 * GB, n_labeled=200)
    assert (found.coordinates, found.n_landmarks, found.sampled) == ("nystrom", 500, True)
    assert found.memory_bytes < 0.8 * 4 * GB
    assert 0 < found.budget < 0.8 * 4 * GB
    landmarks, graphs, room = found.notes
    assert "approximated by 500 of the rows (landmarks)" in landmarks
    assert "a sample of 5,000 rows" in graphs
    assert "do not fit into the memory" in room


def test_coordinates_that_have_room_are_held_and_take_less_time():
    little, much = plan(100_000, 10, 3, 4 * GB), plan(100_000, 10, 3, 60 * GB)
    assert len(little.notes) == 3
    assert len(much.notes) == 2
    assert much.memory_bytes > little.memory_bytes
    assert much.seconds < little.seconds


def test_graphs_of_all_rows_that_do_not_fit_are_made_of_a_sample():
    assert not plan(30_000, 10, 2, 15 * GB).sampled
    found = plan(30_000, 10, 2, 2 * GB)
    assert found.sampled
    assert found.memory_bytes < 2 * GB


def test_memory_that_is_given_is_used_whole():
    found = plan(9_300, 38, 3, 2 * GB, memory=15 * GB)
    assert found.coordinates == "exact"
    assert "needs 2.8 GB of 15 GB" in found.sentence
    assert plan(9_300, 38, 3, 15 * GB, memory=2 * GB).coordinates == "nystrom"


def test_what_does_not_fit_is_refused_with_what_would():
    with pytest.raises(TableError, match=r"50,000,000 rows need 7\d GB .* rows would fit") as caught:
        plan(50_000_000, 38, 3, 15 * GB)
    rows = int(str(caught.value).split(": ")[1].split(" rows")[0].replace(",", ""))
    assert rows > 1_000_000
    plan(rows, 38, 3, 15 * GB)
    with pytest.raises(TableError):
        plan(rows + 2, 38, 3, 15 * GB)


def test_in_no_memory_no_row_fits():
    with pytest.raises(TableError, match=": 0 rows would fit"):
        plan(100, 3, 2, 10**6)


@pytest.mark.parametrize(("n_rows", "landmarks"), [(200, None), (200, 100), (3000, None), (9000, 50), (10**6, None)])
def test_where_too_little_memory_was_given_what_is_enough_is_told(n_rows, landmarks):
    settings = {"available": 15 * GB, "landmarks": landmarks}
    with pytest.raises(TableError, match=r'memory: .* and 100 MB are allowed: give memory="\d+MB" or more') as caught:
        plan(n_rows, 38, 3, memory=10**8, **settings)
    enough = int(str(caught.value).split('give memory="')[1].split("MB")[0])
    plan(n_rows, 38, 3, memory=enough * 10**6, **settings)
    with pytest.raises(TableError):
        plan(n_rows, 38, 3, memory=(enough - 11) * 10**6, **settings)


def test_memory_that_is_not_there_is_not_asked_for():
    with pytest.raises(TableError, match="use a computer with more memory"):
        plan(200, 38, 3, 2 * 10**8, memory=10**8)


def test_more_takes_longer_and_needs_more():
    least = plan(1000, 10, 2, 15 * GB)
    for more in (plan(2000, 10, 2, 15 * GB), plan(1000, 10, 5, 15 * GB), plan(1000, 10, 2, 15 * GB, n_labeled=500)):
        assert more.seconds > least.seconds
    assert plan(1000, 500, 2, 15 * GB).memory_bytes > least.memory_bytes


def test_the_forecast_is_within_a_factor_of_two_of_what_was_measured():
    with (Path(__file__).parents[2] / "benchmarks/speed/results/forecast.csv").open(newline="") as file:
        measured = list(csv.DictReader(file))
    assert len(measured) >= 20
    for row in measured:
        n, classes, labels, landmarks, megabytes = (int(value) for value in list(row.values())[:5])
        options = {"n_labeled": labels, "landmarks": landmarks or None, "memory": megabytes * 10**6 or None}
        ratio = plan(n, 6, classes, 20 * GB, **options).seconds / float(row["processor_seconds"])
        assert 0.5 <= ratio <= 2, row


def test_on_a_busy_machine_the_forecast_was_within_a_factor_of_two_of_the_clock():
    with (Path(__file__).parents[2] / "benchmarks/speed/results/forecast_busy.csv").open(newline="") as file:
        measured = list(csv.DictReader(file))
    assert max(float(row["load"]) / float(row["cores"]) for row in measured) > 2
    for row in measured:
        assert 0.5 <= float(row["forecast_seconds"]) / float(row["seconds"]) <= 2, row


def test_a_slow_moment_makes_the_forecast_longer():
    idle, busy = plan(1000, 10, 2, 15 * GB), plan(1000, 10, 2, 15 * GB, slow=3.0)
    assert busy.seconds == pytest.approx(3 * idle.seconds)
    assert busy.share_of_kernels == idle.share_of_kernels
    assert plan(1000, 10, 20, 15 * GB, n_labeled=500).share_of_kernels < 0.1 < 0.5 < idle.share_of_kernels


def test_the_speed_is_measured_by_the_clock(monkeypatch):
    ticks = iter([0.0, 3 * forecast.SAMPLE_SECONDS])
    monkeypatch.setattr(forecast.time, "perf_counter", lambda: next(ticks))
    assert forecast.slowness() == pytest.approx(3.0)


def test_memory_is_found_out():
    assert 2**20 < available_memory() < 2**50


def files(root, **content):
    for name, text in content.items():
        path = root / {"meminfo": "proc/meminfo"}.get(name, f"sys/fs/cgroup/memory.{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_container_has_what_its_limit_leaves(tmp_path):
    root = files(tmp_path, meminfo="MemTotal: 9 kB\nMemAvailable:    2000 kB\n", max="max\n", current="1\n")
    assert available_memory(root) == 2000 * 1024
    assert available_memory(files(tmp_path, max="1500000\n", current="500000\n")) == 1_000_000
    assert available_memory(files(tmp_path, max="1500000\n", current="1600000\n")) == 0
    assert available_memory(files(tmp_path, max="1" + "0" * 15)) == 2000 * 1024


def test_another_system_has_memory_too(tmp_path):
    assert available_memory(tmp_path) > 2**20
    assert available_memory(files(tmp_path, meminfo="nothing of use\n")) > 2**20
