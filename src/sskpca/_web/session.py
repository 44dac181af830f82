"""The labels of a table as people give and take them: pure logic, without files, threads or a server.

A session is what the labels of the table and a sequence of actions lead to. Applied to the same table, the same actions
lead to the same session; and what is learned from it depends on the labels alone, not on the order in which they came.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from sskpca._linalg.array import Indices
from sskpca._tables.cells import MISSING
from sskpca._transduction.labels import Labels, no_labels

__all__ = ["MOST_CLASSES", "Action", "ActionError", "Mark", "Session", "action_of"]

# The page has a byte for a class, and needs one value for none.
MOST_CLASSES = 255
LONGEST_NAME = 200
ON_ROWS = ("label", "unlabel", "unsure", "skip")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class ActionError(ValueError):
    """An action that cannot be done; the message is a sentence for whoever asked for it."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a person does.

    Attributes
    ----------
    do : {"label", "unlabel", "unsure", "skip", "class", "undo", "redo"}
    rows : tuple of int
        Of the first four: row numbers from 0.
    name : str
        The class, of "label" and "class".
    """

    do: str
    rows: tuple[int, ...] = ()
    name: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the action as it is written in the journal, and sent by the page."""
        if self.do == "class":
            return {"do": self.do, "name": self.name}
        content: dict[str, object] = {"do": self.do}
        if self.do in ON_ROWS:
            content["rows"] = list(self.rows)
        if self.do == "label":
            content["class"] = self.name
        return content


def action_of(content: object) -> Action:
    """Read an action from JSON; what is not understood is refused with a sentence.

    Examples
    --------
    >>> action_of({"do": "label", "rows": [17, 3], "class": " cat "})
    Action(do='label', rows=(3, 17), name='cat')
    """
    if not isinstance(content, Mapping):
        raise ActionError("an action is an object of JSON.")
    do = content.get("do")
    if do in ("undo", "redo"):
        return Action(do)
    if do == "class":
        return Action(do, name=_class_name(content.get("name")))
    if do not in ON_ROWS:
        raise ActionError(f"there is no action {str(do)[:40]!r}.")
    rows = content.get("rows")
    whole = isinstance(rows, list) and all(type(row) is int for row in rows)
    if not rows or not isinstance(rows, list) or not whole:
        raise ActionError("rows are a list of row numbers, with one at least.")
    name = _class_name(content.get("class")) if do == "label" else ""
    return Action(do, tuple(sorted(set(rows))), name)


def _class_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ActionError("a class needs a name.")
    name = name.strip()
    if len(name) > LONGEST_NAME or CONTROL.search(name):
        raise ActionError(f"the name of a class is at most {LONGEST_NAME} characters in one line.")
    if name.lower() in MISSING or name == "-1":
        raise ActionError(f'"{name}" means that there is no label; take another name for the class.')
    return name


@dataclass(frozen=True, slots=True)
class Mark:
    """What people have said of a row.

    Attributes
    ----------
    label : str or None
    unsure : bool
        Somebody has looked and cannot tell.
    skipped : int
        Where the row comes in the order of those that were put off; 0 if it was not.
    """

    label: str | None = None
    unsure: bool = False
    skipped: int = 0


UNMARKED = Mark()


class Session:
    """The labels of a table after some actions.

    Parameters
    ----------
    n_rows : int
    classes : sequence of str
        Of the table.
    given : mapping from int to str
        The labels of the table, by row.
    row_name : callable, optional
        What a row is called in words.

    Attributes
    ----------
    classes : list of str
        Those of the table, then others in the order in which they came; never removed, so that their positions keep
        their meaning.
    marks : dict
        By row; rows that nothing was said of are not in it.

    Examples
    --------
    >>> session = Session(5, ["cat", "dog"], {0: "cat"})
    >>> session.apply(Action("label", (3,), "fox"))
    'row 3: fox'
    >>> session.classes, session.labeled
    (['cat', 'dog', 'fox'], {0: 'cat', 3: 'fox'})
    >>> session.apply(Action("undo"))
    'taken back: row 3: fox'
    >>> session.labeled
    {0: 'cat'}
    """

    def __init__(
        self,
        n_rows: int,
        classes: Sequence[str],
        given: Mapping[int, str],
        row_name: Callable[[int], str] = "row {}".format,
    ) -> None:
        self.n_rows, self.classes, self.row_name = n_rows, list(classes), row_name
        self.marks: dict[int, Mark] = {row: Mark(name) for row, name in given.items()}
        self._done: list[tuple[Action, dict[int, Mark]]] = []
        self._undone: list[tuple[Action, dict[int, Mark]]] = []
        self._n_skipped = 0

    @classmethod
    def of(cls, labels: Labels, row_name: Callable[[int], str] = "row {}".format) -> Self:
        """Return the session of a table's own labels."""
        names = [str(name) for name in labels.classes]
        given = {int(row): names[labels.codes[row]] for row in labels.labeled}
        return cls(len(labels.codes), names, given, row_name)

    @property
    def labeled(self) -> dict[int, str]:
        """The label of each row that has one, by row."""
        return {row: mark.label for row, mark in sorted(self.marks.items()) if mark.label is not None}

    @property
    def n_given(self) -> int:
        """How many rows have a label."""
        return sum(mark.label is not None for mark in self.marks.values())

    @property
    def unsure(self) -> list[int]:
        """Rows that somebody could not tell."""
        return sorted(row for row, mark in self.marks.items() if mark.unsure)

    @property
    def skipped(self) -> list[int]:
        """Rows that were put off, those that were put off longest ago first."""
        put_off = [(mark.skipped, row) for row, mark in self.marks.items() if mark.skipped]
        return [row for _, row in sorted(put_off)]

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back that can be done again."""
        return bool(self._undone)

    def labels(self) -> Labels:
        """Return the labels for the solvers: they depend on which rows have which, and on nothing else."""
        labeled = self.labeled
        rows: Indices = np.array(list(labeled), dtype=np.intp)
        if len(rows) == 0:
            return no_labels(self.n_rows)
        return no_labels(self.n_rows).with_labels(rows, np.array(list(labeled.values()), dtype=object))

    def check(self, action: Action) -> None:
        """Raise `ActionError` if an action cannot be done."""
        if action.do == "undo" and not self._done:
            raise ActionError("there is nothing to take back.")
        if action.do == "redo" and not self._undone:
            raise ActionError("nothing was taken back that could be done again.")
        if action.rows and not (action.rows[0] >= 0 and action.rows[-1] < self.n_rows):
            raise ActionError(f"there are the rows 0 to {self.n_rows - 1} only.")
        if action.name and action.name not in self.classes and len(self.classes) >= MOST_CLASSES:
            raise ActionError(f"there are {MOST_CLASSES} classes already, and the page shows no more.")
        if action.do == "class" and action.name in self.classes:
            raise ActionError(f'there is a class "{action.name}" already.')

    def apply(self, action: Action) -> str:
        """Do an action; return what was done, in words.

        Raises
        ------
        ActionError
            It cannot be done, and nothing was changed.
        """
        self.check(action)
        if action.do == "undo":
            return self._exchange(self._done, self._undone, "taken back")
        if action.do == "redo":
            return self._exchange(self._undone, self._done, "done again")
        if action.name and action.name not in self.classes:
            self.classes.append(action.name)
        if action.do == "class":
            return f"new class: {action.name}"
        before = {row: self.marks.get(row, UNMARKED) for row in action.rows}
        for row, mark in before.items():
            self._set(row, self._marked(action, mark))
        self._done.append((action, before))
        self._undone.clear()
        return self._words(action)

    def replay(self, contents: Iterable[Mapping[str, object]]) -> Self:
        """Apply the entries of a journal; return the session itself.

        Raises
        ------
        ActionError
            An entry makes no sense; it is named.
        """
        for content in contents:
            try:
                self.apply(action_of(content))
            except ActionError as error:
                raise ActionError(f"entry {content.get('entry')} of the journal cannot be done: {error}") from None
        return self

    def _marked(self, action: Action, mark: Mark) -> Mark:
        if action.do == "label":
            return Mark(action.name)
        if action.do == "unlabel":
            return UNMARKED
        if action.do == "unsure":  # what somebody is not sure of is no label to learn from
            return Mark(unsure=True)
        self._n_skipped += 1
        return replace(mark, skipped=self._n_skipped)

    def _set(self, row: int, mark: Mark) -> None:
        if mark == UNMARKED:
            self.marks.pop(row, None)
        else:
            self.marks[row] = mark

    def _exchange(
        self, source: list[tuple[Action, dict[int, Mark]]], target: list[tuple[Action, dict[int, Mark]]], word: str
    ) -> str:
        """Put the marks of the last action back, and keep those that it replaces."""
        action, marks = source.pop()
        target.append((action, {row: self.marks.get(row, UNMARKED) for row in marks}))
        for row, mark in marks.items():
            self._set(row, mark)
        return f"{word}: {self._words(action)}"

    def _words(self, action: Action) -> str:
        what = {"label": action.name, "unlabel": "no label", "unsure": "unsure", "skip": "later"}[action.do]
        rows = self.row_name(action.rows[0]) if len(action.rows) == 1 else f"{len(action.rows):,} rows"
        return f"{rows}: {what}"
