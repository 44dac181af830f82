"""The session: labels come, go and come back, and a replay leads to the same."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sskpca._transduction.labels import read_labels
from sskpca._web.session import MOST_CLASSES, Action, ActionError, Mark, Session, action_of

N_ROWS = 6
ROWS = st.sets(st.integers(0, N_ROWS - 1), min_size=1).map(lambda rows: tuple(sorted(rows)))
NAMES = st.sampled_from(["cat", "dog", "fox"])
ACTIONS = st.one_of(
    st.builds(Action, st.just("label"), ROWS, NAMES),
    st.builds(Action, st.sampled_from(["unlabel", "unsure", "skip"]), ROWS),
    st.builds(lambda name: Action("class", name=name), NAMES),
    st.builds(Action, st.sampled_from(["undo", "redo"])),
)


def fresh():
    return Session(N_ROWS, ["cat", "dog"], {0: "cat", 1: "dog"})


def state(session):
    """All that can be seen of a session."""
    return (
        session.classes,
        session.marks,
        session.labeled,
        session.unsure,
        session.skipped,
        session.can_undo,
        session.can_redo,
    )


def run(actions):
    """Apply what can be applied; return the session and the entries of its journal."""
    session, entries = fresh(), []
    for action in actions:
        try:
            session.apply(action)
        except ActionError:
            continue
        entries.append(json.loads(json.dumps({"entry": len(entries) + 1, **action.to_dict(), "time": "now"})))
    return session, entries


@settings(max_examples=300, deadline=None)
@given(st.lists(ACTIONS, max_size=30))
def test_a_replay_of_any_actions_leads_to_the_same_session(actions):
    session, entries = run(actions)
    assert state(fresh().replay(entries)) == state(session)


@settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS, max_size=20))
def test_undoing_everything_leads_back_to_the_table_and_redoing_forth_again(actions):
    session, _ = run(actions)
    marks, n = dict(session.marks), 0
    while session.can_undo:
        session.apply(Action("undo"))
        n += 1
    assert session.marks == fresh().marks
    for _ in range(n):
        session.apply(Action("redo"))
    assert session.marks == marks


@settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS, max_size=20))
def test_an_action_that_is_refused_changes_nothing(actions):
    session, _ = run(actions)
    before = state(session)
    for refused in (Action("label", (N_ROWS,), "cat"), Action("unsure", (-1, 2)), Action("class", name="cat")):
        with pytest.raises(ActionError):
            session.apply(refused)
    assert state(session)[:5] == before[:5]


def test_undo_has_no_limit():
    session = Session(1, ["a", "b"], {})
    for i in range(5000):
        session.apply(Action("label", (0,), "ab"[i % 2]))
    for _ in range(5000):
        session.apply(Action("undo"))
    assert session.labeled == {}
    with pytest.raises(ActionError, match="nothing to take back"):
        session.apply(Action("undo"))


@given(st.permutations([(0, "cat"), (2, "dog"), (3, "fox"), (5, "cat"), (4, "dog")]))
def test_the_order_of_labels_does_not_matter_to_the_solvers(order):
    session = Session(N_ROWS, [], {})
    for row, name in order:
        session.apply(Action("label", (row,), name))
    expected = read_labels(["cat", None, "dog", "fox", "dog", "cat"])
    labels = session.labels()
    assert labels.classes.tolist() == expected.classes.tolist()
    np.testing.assert_array_equal(labels.codes, expected.codes)


def test_classes_are_appended_and_never_removed():
    session = fresh()
    session.apply(Action("label", (3,), "ant"))
    session.apply(Action("undo"))
    assert session.classes == ["cat", "dog", "ant"]
    assert 3 not in session.marks
    assert session.labels().classes.tolist() == ["cat", "dog"]


def test_unsure_takes_the_label_away_and_undo_brings_it_back():
    session = fresh()
    session.apply(Action("unsure", (0, 4)))
    assert session.labeled == {1: "dog"}
    assert session.unsure == [0, 4]
    session.apply(Action("undo"))
    assert session.labeled == {0: "cat", 1: "dog"}
    assert session.unsure == []


def test_rows_that_are_put_off_come_back_in_their_order_and_are_settled_by_a_label():
    session = fresh()
    for row in (4, 2, 3, 4):
        session.apply(Action("skip", (row,)))
    assert session.skipped == [2, 3, 4]
    session.apply(Action("label", (3,), "dog"))
    assert session.skipped == [2, 4]


def test_a_new_action_forgets_what_could_be_redone():
    session = fresh()
    session.apply(Action("label", (3,), "dog"))
    session.apply(Action("undo"))
    session.apply(Action("label", (4,), "dog"))
    assert not session.can_redo


def test_nothing_labelled_is_no_class():
    session = Session(3, [], {})
    assert len(session.labels().classes) == 0
    assert session.labels().codes.tolist() == [-1] * 3


def test_words_for_what_was_done():
    session = Session(9, ["cat"], {}, "animal {}".format)
    assert session.apply(Action("label", (7,), "cat")) == "animal 7: cat"
    assert session.apply(Action("unsure", (1, 2))) == "2 rows: unsure"
    assert session.apply(Action("undo")) == "taken back: 2 rows: unsure"
    assert session.apply(Action("redo")) == "done again: 2 rows: unsure"
    assert session.apply(Action("class", name="fox")) == "new class: fox"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "object of JSON"),
        ([1], "object of JSON"),
        ({}, "no action"),
        ({"do": ["label"]}, "no action"),
        ({"do": "label", "rows": [1]}, "needs a name"),
        ({"do": "label", "rows": [1], "class": 3}, "needs a name"),
        ({"do": "label", "rows": [1], "class": "  "}, "needs a name"),
        ({"do": "label", "rows": [1], "class": "a\nb"}, "in one line"),
        ({"do": "label", "rows": [1], "class": "a" * 201}, "at most 200"),
        ({"do": "label", "rows": [1], "class": "NaN"}, "no label"),
        ({"do": "label", "rows": [1], "class": "-1"}, "no label"),
        ({"do": "label", "rows": [], "class": "a"}, "row numbers"),
        ({"do": "label", "rows": 3, "class": "a"}, "row numbers"),
        ({"do": "label", "rows": [1.0], "class": "a"}, "row numbers"),
        ({"do": "label", "rows": [True], "class": "a"}, "row numbers"),
        ({"do": "unsure", "rows": ["1"]}, "row numbers"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_sentence(content, words):
    with pytest.raises(ActionError, match=words):
        action_of(content)


@given(ACTIONS)
def test_an_action_is_read_as_it_is_written(action):
    assert action_of(action.to_dict()) == action


def test_an_entry_that_makes_no_sense_is_named():
    with pytest.raises(ActionError, match="entry 7 of the journal cannot be done: there are the rows 0 to 5 only"):
        fresh().replay([{"entry": 7, "do": "label", "rows": [99], "class": "cat"}])


def test_there_is_a_number_for_each_class_and_one_for_none():
    session = Session(3, [f"class {i}" for i in range(MOST_CLASSES)], {})
    with pytest.raises(ActionError, match="255 classes already"):
        session.apply(Action("label", (0,), "one more"))
    assert session.marks == {}
    session.apply(Action("label", (0,), "class 254"))
    assert session.marks == {0: Mark("class 254")}
