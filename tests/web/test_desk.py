"""The desk: table, journal, session and worker in step; answers are those of a fit."""

import threading

import numpy as np
import pytest
from tables_to_label import N_ROWS, answered_desk, is_answered, open_animals, wait_for, write_animals

from sskpca import SSKPCAClassifier
from sskpca._tables.options import FileOptions, Options
from sskpca._transduction.answer import Unanswered
from sskpca._web.desk import Desk, GoneError, NotYetError
from sskpca._web.journal import JournalError
from sskpca._web.questions import describe_row, list_rows, what_if, why
from sskpca._web.session import Action, ActionError
from sskpca._web.table import open_table
from sskpca._web.view import GIVEN, NONE, UNSURE, packed_changes
from sskpca._web.worker import Found, Task, Worker


@pytest.fixture
def path(tmp_path):
    return tmp_path / "animals.csv"


@pytest.fixture
def desk(path):
    write_animals(path)
    desk = answered_desk(path)
    yield desk
    desk.close()


def test_answers_are_those_of_a_fit_and_the_order_of_labels_does_not_matter(path):
    names = write_animals(path, n_labeled=0)
    rows, found = np.arange(8), []
    for order in (rows, rows[::-1]):
        desk = Desk(open_animals(path), 1)
        desk.start()
        for row in order.tolist():
            desk.do(Action("label", (row,), str(names[row])))
        wait_for(desk, is_answered)
        found.append(desk.complete().answer)
        for _ in rows:
            desk.do(Action("undo"))
        desk.close()
    matrix = desk.table.ready.matrix
    model = SSKPCAClassifier(list(desk.table.options.kernels), rank=20, n_jobs=1, unlabeled=None)
    model.fit(matrix, [names[i] if i < 8 else None for i in range(N_ROWS)])
    for answer in found:
        np.testing.assert_allclose(answer.decision, model.answer_.decision, atol=1e-10)


def test_a_table_without_labels_begins_with_rows_to_look_at(path):
    write_animals(path, n_labeled=0)
    desk = Desk(open_animals(path), 1)
    assert desk.state()["stage"] == "loading"
    desk.start()
    state = wait_for(desk, lambda state: state["queue"]["next"])
    assert state["stage"] == "no classes yet"
    assert state["classes"] == []
    assert state["error"] is None
    assert set(desk.view.codes.tolist()) == {NONE}
    first = state["queue"]["next"][0]
    desk.do(Action("label", (first,), "cat"))
    state = wait_for(desk, lambda state: not state["pending"])
    assert state["stage"] == "no classes yet"
    with pytest.raises(NotYetError, match="two classes"):
        desk.complete()
    desk.do(Action("label", (desk.queue.next[0],), "dog"))
    wait_for(desk, is_answered)
    assert NONE not in desk.view.codes.tolist()
    desk.close()


def test_another_day_begins_where_this_one_ended(desk, path):
    desk.do(Action("label", (30,), "fox"))
    desk.do(Action("unsure", (31,)))
    desk.do(Action("skip", (32,)))
    desk.do(Action("label", (33,), "cat"))
    desk.do(Action("undo"))
    before = (desk.session.classes, desk.session.marks, desk.session.can_redo)
    curve = wait_for(desk, is_answered)["history"]
    desk.close()
    again = Desk(open_animals(path), 1)
    assert (again.session.classes, again.session.marks, again.session.can_redo) == before
    assert again.state()["history"] == curve
    again.close()


def test_the_label_is_shown_at_once_and_the_answer_follows(desk):
    version, row = desk.state()["version"], desk.queue.next[0]
    receipt = desk.do(Action("label", (row,), "fox"))
    assert receipt.entry == 1
    assert receipt.n_given == 7
    assert receipt.said == f"A{row:03}: fox"
    assert desk.view.codes[row] == 2
    assert desk.view.source[row] == GIVEN
    state = wait_for(desk, is_answered)
    assert state["version"] > version
    assert [entry["name"] for entry in state["classes"]] == ["cat", "dog", "fox"]
    assert state["classes"][2]["given"] == 1
    assert state["last"]["rows"] == 1
    assert state["last"]["class"] == "fox"
    assert state["last"]["error_after"] == state["error"]["expected"]
    assert row not in state["queue"]["next"]


@pytest.mark.parametrize("rows", [(30,), (30, 31, 32)])
def test_what_was_done_last_is_told_by_its_name_and_without_its_own_rows(desk, rows):
    done = []

    def do(action):
        entry = desk.do(action).entry
        last = wait_for(desk, lambda state: state["entry"] == entry and is_answered(state))["last"]
        done.append((last["do"], last["rows"], last["class"]))
        assert last["changed"] <= N_ROWS - len(rows)
        return last

    first = do(Action("label", rows, "fox"))
    assert do(Action("undo"))["changed"] == first["changed"]
    assert do(Action("redo"))["changed"] == first["changed"]
    do(Action("unsure", rows))
    k = len(rows)
    assert done == [("label", k, "fox"), ("undo", k, None), ("redo", k, None), ("unsure", k, None)]


def test_the_line_of_an_action_never_stands_for_the_next_one(desk):
    desk.do(Action("label", (30,), "fox"))
    wait_for(desk, is_answered)
    desk.worker.submit = lambda task: None  # no answer comes
    desk.do(Action("undo"))
    last = desk.state()["last"]
    assert (last["do"], last["changed"], last["error_after"]) == ("undo", None, None)


def test_simple_methods_are_compared_with_ours_on_the_same_labels(desk):
    compared = desk.state()["baselines"]
    assert compared[0]["name"] == "this model"
    assert {entry["n_labels"] for entry in compared} == {6}
    desk.worker.submit = lambda task: None
    desk.do(Action("label", (30,), "cat"))
    assert desk.state()["baselines"] == compared


def test_few_labels_are_said_to_be_few(path):
    write_animals(path, n_labeled=20)
    desk = answered_desk(path)
    assert not desk.state()["error"]["rough"]
    desk.do(Action("unlabel", (0,)))
    assert desk.state()["error"]["rough"]
    desk.close()


def test_a_suspect_is_listed_with_what_the_others_say(path):
    names = write_animals(path, n_labeled=20)
    desk = answered_desk(path)
    wrong = {"cat": "dog", "dog": "cat"}[names[0]]
    desk.do(Action("label", (0,), wrong))
    wait_for(desk, lambda state: is_answered(state) and 0 in state["queue"]["suspects"])
    listed = {row["row"]: row for row in list_rows(desk, "labeled")["rows"]}
    assert (listed[0]["given"], listed[0]["probably"]) == (wrong, names[0])
    assert listed[1]["probably"] is None
    desk.close()


def test_the_column_that_was_labelled_before_needs_no_name_the_next_day(path):
    write_animals(path)
    other = open_table(path, Options(label="breed"), FileOptions())
    desk = Desk(other, 1)
    desk.do(Action("label", (3,), "poodle"))
    desk.close()
    again = open_table(path, Options(), FileOptions())
    assert again.label_column == "breed"
    assert open_table(path, Options(label="species"), FileOptions()).label_column == "species"


def test_labels_of_many_tabs_at_once_are_all_kept(desk, path):
    rows, entries = range(6, N_ROWS), []

    def label(mine):
        entries.extend(desk.do(Action("label", (row,), "fox"), f"tab {mine[0]}").entry for row in mine)

    tabs = [threading.Thread(target=label, args=(rows[k::4],)) for k in range(4)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(entries) == list(range(1, len(rows) + 1))
    desk.close()
    again = Desk(open_animals(path), 1)
    assert [again.session.labeled[row] for row in rows] == ["fox"] * len(rows)
    again.close()


def test_rows_that_nobody_could_tell_or_that_were_put_off_are_not_asked_for_again(desk):
    first, second = desk.queue.next[:2]
    desk.do(Action("unsure", (first,)))
    desk.do(Action("skip", (second,)))
    state = wait_for(desk, is_answered)
    assert first not in state["queue"]["next"]
    assert second not in state["queue"]["next"]  # there are enough others
    assert state["queue"]["unsure"][-1] == first
    assert desk.view.source[first] == UNSURE
    assert state["n_unsure"] == 1
    others = [row for row in range(N_ROWS) if row not in (first, second, *desk.session.labeled)]
    desk.do(Action("label", tuple(others), "cat"))
    assert desk.queue.next == [second]


def test_nothing_changes_if_the_label_cannot_be_saved(desk, monkeypatch):
    before = (dict(desk.session.marks), desk.journal.last, desk.state()["version"])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(JournalError, match="No space left"):
        desk.do(Action("label", (30,), "cat"))
    monkeypatch.undo()
    assert (dict(desk.session.marks), desk.journal.last, desk.state()["version"]) == before


def test_an_action_that_is_refused_is_not_in_the_journal(desk):
    size = desk.journal.path.stat().st_size
    with pytest.raises(ActionError):
        desk.do(Action("label", (N_ROWS,), "cat"))
    with pytest.raises(ActionError):
        desk.do(Action("undo"))
    assert desk.journal.path.stat().st_size == size


def test_a_table_that_changes_meanwhile_takes_no_more_labels(desk, path):
    write_animals(path, note="other")
    with pytest.raises(GoneError, match=r"animals.csv was changed .*are saved in"):
        desk.do(Action("label", (30,), "cat"))
    assert desk.journal.last == 0
    assert "was changed" in desk.state()["message"]


def test_labels_that_somebody_writes_into_the_table_meanwhile_are_no_change(desk, path):
    write_animals(path, n_labeled=9)
    assert desk.do(Action("label", (30,), "cat")).entry == 1


def test_a_damaged_entry_is_a_sentence_and_lets_go_of_the_journal(desk, path):
    desk.do(Action("label", (30,), "cat"))
    desk.close()
    text = desk.journal.path.read_text()
    desk.journal.path.write_text(text.replace('"rows":[30]', '"rows":[3000]'))
    for _ in range(2):
        with pytest.raises(JournalError, match=r"entry 1 of the journal cannot be done.*begin anew"):
            Desk(open_animals(path), 1)


def test_why_and_what_if(desk):
    row = desk.queue.next[0]
    reasons = why(desk, row)
    assert len(reasons["because"]) == 5
    assert {reason["label"] for reason in reasons["because"]} <= {"cat", "dog"}
    assert sum(abs(reason["share"]) for reason in reasons["because"]) + reasons["rest"] == pytest.approx(1, abs=1e-3)
    there = desk.view.codes[row]
    assert what_if(desk, row, int(there))["n_changed"] <= what_if(desk, row, int(1 - there))["n_changed"]
    desk.do(Action("class", name="fox"))
    with pytest.raises(NotYetError, match='no row was labelled "fox" yet'):
        what_if(desk, row, 2)
    with pytest.raises(ActionError, match="no class with the number 9"):
        what_if(desk, row, 9)


def test_rows_are_listed_searched_and_described(desk):
    assert list_rows(desk, "all", "", None, 38, 50)["total"] == N_ROWS
    assert len(list_rows(desk, "all", "", None, 38, 50)["rows"]) == 2
    assert [row["row"] for row in list_rows(desk, "labeled", "", None, 0, 50)["rows"]] == [0, 1, 2, 3, 4, 5]
    found = list_rows(desk, "unlabeled", "a01", None, 0, 50)
    assert [row["row"] for row in found["rows"]] == list(range(10, 20))
    assert list_rows(desk, "unlabeled", "a01", "note", 0, 50)["total"] == 0
    with pytest.raises(ActionError, match="no list of rows"):
        list_rows(desk, "others", "", None, 0, 50)
    described = describe_row(desk, 3)
    assert described["name"] == "A003"
    assert described["given"] in ("cat", "dog")
    assert sum(entry["p"] for entry in described["probabilities"]) == pytest.approx(1)
    assert {cell["column"] for cell in described["cells"]} == {"animal_id", "length", "weight", "note"}


def test_only_changes_are_packed(desk):
    before = desk.view
    everything = packed_changes(3, before, None)
    assert len(everything) == 8 + N_ROWS * 7
    assert packed_changes(4, before, before) == b"\4\0\0\0\0\0\0\0"
    desk.do(Action("label", (30,), "fox"))
    content = packed_changes(5, desk.view, before)
    k = int.from_bytes(content[4:8], "little")
    rows = np.frombuffer(content, "<u4", k, 8)
    assert rows.tolist() == [30]
    assert content[8 + 4 * k :] == bytes([2, 255, GIVEN])


def test_the_newest_labels_are_served_and_older_ones_abandoned(monkeypatch):
    began, go_on, seen, done = threading.Event(), threading.Event(), [], threading.Event()

    def steps(last, task, n_jobs, priors):
        for number in range(3):
            if task.entry == 1:
                began.set()
                go_on.wait(60)
            yield Found(task, Unanswered(None, None, None), number == 2)

    monkeypatch.setattr("sskpca._web.worker.steps", steps)
    monkeypatch.setattr("sskpca._web.worker.prior_of", lambda geometry: [])

    def publish(found):
        seen.append((found.task.entry, found.complete))
        if seen[-1] == (3, True):
            done.set()

    worker = Worker(lambda: Unanswered(None, None, None), publish, lambda what: None)
    worker.submit(Task(1, None, None))
    worker.start()
    assert began.wait(60)
    worker.submit(Task(2, None, None))
    worker.submit(Task(3, None, None))
    go_on.set()
    assert done.wait(60)
    worker.stop(60)
    assert seen == [(1, False), (3, False), (3, False), (3, True)]


def test_first_answers_and_questions_do_not_wait_for_a_step_that_older_labels_began(monkeypatch):
    began, go_on, first = threading.Event(), threading.Event(), threading.Event()

    def steps(last, task, n_jobs, priors):
        began.set()
        go_on.wait(60)
        yield Found(task, Unanswered(None, None, None), True)

    def first_step(last, task):
        return Found(task, Unanswered(None, None, None), False) if task.entry == 2 else None

    monkeypatch.setattr("sskpca._web.worker.steps", steps)
    monkeypatch.setattr("sskpca._web.worker.first_step", first_step)
    monkeypatch.setattr("sskpca._web.worker.prior_of", lambda geometry: [])
    worker = Worker(lambda: Unanswered(None, None, None), lambda found: first.set(), lambda what: None)
    worker.submit(Task(1, None, None))
    worker.start()
    assert began.wait(60)
    assert not first.is_set()
    worker.submit(Task(2, None, None))
    assert first.wait(60)
    assert worker.ask(lambda: 42).result(60) == 42
    go_on.set()
    worker.stop(60)


def test_a_first_answer_comes_before_questions_that_were_asked_earlier(monkeypatch):
    began, go_on, order = threading.Event(), threading.Event(), []

    def fit():
        go_on.wait(60)
        return Unanswered(None, None, None)

    def question():
        began.set()
        go_on.wait(60)

    monkeypatch.setattr("sskpca._web.worker.steps", lambda *_: iter(()))
    monkeypatch.setattr(
        "sskpca._web.worker.first_step", lambda last, task: Found(task, Unanswered(None, None, None), False)
    )
    monkeypatch.setattr("sskpca._web.worker.prior_of", lambda geometry: [])
    worker = Worker(fit, lambda found: order.append("first answer"), lambda what: None)
    worker.start()
    worker.ask(question)
    assert began.wait(60)
    asked = worker.ask(lambda: order.append("question"))
    worker.submit(Task(1, None, None))
    go_on.set()
    asked.result(60)
    worker.stop(60)
    assert order == ["first answer", "question"]


def test_an_answer_that_fails_is_reported_and_the_next_one_is_served(monkeypatch, capsys):
    told, done = [], threading.Event()

    def steps(last, task, n_jobs, priors):
        if task.entry == 1:
            raise ArithmeticError("no solution")
        yield Found(task, Unanswered(None, None, None), True)

    def report(what):
        told.append(what)
        if isinstance(what, str):
            worker.submit(Task(2, None, None))

    monkeypatch.setattr("sskpca._web.worker.steps", steps)
    monkeypatch.setattr("sskpca._web.worker.prior_of", lambda geometry: [])
    worker = Worker(lambda: Unanswered(None, None, None), lambda found: done.set(), report)
    worker.submit(Task(1, None, None))
    worker.start()
    assert done.wait(60)
    worker.stop(60)
    assert told == [1.0, "no answer was found for the newest labels, which are saved: no solution"]
    assert "ArithmeticError" in capsys.readouterr().err


def test_a_map_that_cannot_be_drawn_is_a_sentence_and_labels_are_taken(path, monkeypatch):
    def broken(matrix):
        raise ArithmeticError("too flat")

    monkeypatch.setattr("sskpca._web.desk.neighbor_map", broken)
    write_animals(path)
    desk = answered_desk(path)
    assert desk.map is None
    assert desk.do(Action("label", (30,), "cat")).entry == 1
    desk.close()
